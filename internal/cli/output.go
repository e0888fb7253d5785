package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/vt"
)

// printJSON prints v on one line.
func (a *App) printJSON(v any) error {
	line, err := api.Encode(v)
	if err != nil {
		return err
	}
	_, err = a.Out.Write(line)
	return err
}

// printDocument prints a JSON document that is no reply: readable, or with
// --json on one line.
func (a *App) printDocument(text []byte) error {
	var b bytes.Buffer
	form := func(dst *bytes.Buffer, src []byte) error { return json.Indent(dst, src, "", "  ") }
	if a.json {
		form = json.Compact
	}
	if err := form(&b, bytes.TrimSpace(text)); err != nil {
		return fmt.Errorf("print a document: %w", err)
	}
	return a.print(b.String() + "\n")
}

// printError prints err: with --json its one shape on standard output, else a
// line on standard error.
func (a *App) printError(err error) {
	e := api.From(err)
	if a.json {
		// What cannot be written cannot be reported either; the exit code
		// still tells.
		_ = a.printJSON(e)
		return
	}
	fmt.Fprintf(a.Err, "error: %s\n", e.Message)
}

// print writes text to standard output.
func (a *App) print(text string) error {
	_, err := io.WriteString(a.Out, text)
	return err
}

// hint tells a person at a terminal what to type next; scripts do not see it.
func (a *App) hint(text string) {
	if a.Terminal() {
		fmt.Fprintln(a.Err, a.style(dim, text))
	}
}

// warn tells a person what is not an error of the command.
func (a *App) warn(text string) { fmt.Fprintln(a.Err, text) }

// validText refuses text that is not UTF-8: it would arrive as something else.
func validText(what, text string) error {
	if i := invalidAt(text); i >= 0 {
		return api.Errorf(api.CodeBadRequest, "the %s is not valid UTF-8 (byte %d); convert it first", what, i)
	}
	return nil
}

func invalidAt(s string) int {
	if utf8.ValidString(s) {
		return -1
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// absolute is dir seen from cwd.
func absolute(cwd, dir string) (string, error) {
	if err := validText("directory", dir); err != nil {
		return "", err
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(cwd, dir)
	}
	return filepath.Clean(dir), nil
}

// A look is how a piece of text is shown to a person.
type look string

const (
	plain  look = ""
	dim    look = "2"
	bold   look = "1"
	red    look = "31"
	green  look = "32"
	yellow look = "33"
	blue   look = "34"
)

// colour reports whether styles may be used: at a terminal, unless NO_COLOR or
// TERM=dumb say otherwise.
func (a *App) colour() bool {
	return a.Getenv("NO_COLOR") == "" && a.Getenv("TERM") != "dumb" && a.Terminal()
}

func (a *App) style(l look, text string) string {
	if l == plain || text == "" || !a.colour() {
		return text
	}
	return "\x1b[" + string(l) + "m" + text + "\x1b[m"
}

// field is one field of a table row.
type field struct {
	text string
	look look
}

// table lays rows out in columns two cells apart, each as wide as its widest
// field. At a terminal the last column is cut at the terminal's width, 80 where
// that is unknown; elsewhere nothing is.
func (a *App) table(rows [][]field) string {
	const gap = 2
	var widths []int
	for _, row := range rows {
		for i, f := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], vt.StringWidth(f.text))
		}
	}
	limit := a.width()
	var b strings.Builder
	for _, row := range rows {
		for len(row) > 1 && row[len(row)-1].text == "" {
			row = row[:len(row)-1] // no blanks at the end of a line
		}
		used := 0
		for i, f := range row {
			last := i == len(row)-1
			if last && limit > 0 {
				f.text = vt.Truncate(f.text, max(limit-used, 1), "…")
			}
			b.WriteString(a.style(f.look, f.text))
			if !last {
				b.WriteString(strings.Repeat(" ", widths[i]-vt.StringWidth(f.text)+gap))
			}
			used += widths[i] + gap
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// width is the room for a line of text, 0 for no limit.
func (a *App) width() int {
	if !a.Terminal() {
		return 0
	}
	if cols, _ := a.Size(); cols > 0 {
		return cols
	}
	return 80
}

// oneLine makes text fit for one line of a terminal: no control characters, no
// line breaks, and nothing that turns the direction of what follows.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(api.WithoutBidi(s), func(r rune) bool {
		return r < 0x20 || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029'
	}), " ")
}

// age is how long ago t was, in at most four cells: 12s, 5m, 3h, 9d.
func age(now, t time.Time) string {
	d := max(now.Sub(t), 0)
	switch {
	case d < time.Minute:
		return strconv.Itoa(int(d/time.Second)) + "s"
	case d < time.Hour:
		return strconv.Itoa(int(d/time.Minute)) + "m"
	case d < 48*time.Hour:
		return strconv.Itoa(int(d/time.Hour)) + "h"
	}
	return strconv.Itoa(int(d/(24*time.Hour))) + "d"
}

// plural is "1 session", "2 sessions".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
