//go:build unix

package term

import (
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/prompt"
)

// maxTitle is the longest title kept, in bytes.
const maxTitle = 200

// cleanTitle makes a name for lists of the title that a program set: what
// stands before the first letter or digit goes (so that the frames of a
// spinner are one title), and a title that only says where or what the program
// is counts as none.
func cleanTitle(raw string, r hostproto.Record) string {
	title := strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || c == utf8.RuneError {
			return -1
		}
		return c
	}, raw)
	trimmed := strings.TrimSpace(title)
	if prompt.HasEnvelope(trimmed) {
		return "" // made of what stands before the task
	}
	if strings.HasPrefix(trimmed, "/") || strings.HasPrefix(trimmed, "~") || strings.Contains(trimmed, "@") {
		return ""
	}
	title = strings.TrimSpace(strings.TrimLeftFunc(trimmed, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }))
	folder := filepath.Base(r.Dir)
	_, after, _ := strings.Cut(title, " - ")
	command, _, _ := strings.Cut(strings.TrimSpace(r.Command), " ")
	for _, same := range []string{r.AgentName, r.Agent, r.Command, filepath.Base(command), folder} {
		if same != "" && strings.EqualFold(title, same) {
			return ""
		}
	}
	if after != "" && strings.EqualFold(after, folder) {
		return ""
	}
	return cut(title, maxTitle)
}

// cut shortens s to at most n bytes, between two runes.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// lastLines is the end of a screen for the record of a closed session: at most
// 20 lines and 2 KiB.
func lastLines(screen string) string { return bottom(screen, 20, 2<<10) }

// bottom is the end of a screen without its blank rows: at most so many rows
// and bytes.
func bottom(screen string, rows, size int) string {
	lines := strings.Split(strings.TrimRight(screen, "\n "), "\n")
	s := strings.Join(lines[max(len(lines)-rows, 0):], "\n")
	s = s[max(len(s)-size, 0):]
	for len(s) > 0 && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	return s
}
