package tui

import (
	"regexp"
	"strconv"
	"strings"
)

// diffFile is what changed in one file.
type diffFile struct {
	name           string // the new one
	note           string // what else became of it: new, deleted, renamed, binary
	hunks          []diffHunk
	added, removed int
}

// diffHunk is a part of a file around changes.
type diffHunk struct {
	context string // what git says it is in
	lines   []diffLine

	lexed bool // spans were made
	spans [][]span
}

// diffLine is a line of a hunk: kept (' '), added ('+') or removed ('-').
type diffLine struct {
	kind     byte
	text     string
	old, new int // its numbers, 0 where it is not
}

var hunkHead = regexp.MustCompile(`^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$`)

// parseDiff reads a unified diff as git writes it. What stands before the first
// file, a commit's message, is returned as it is.
func parseDiff(text string) (before []string, files []*diffFile) {
	var f *diffFile
	var h *diffHunk
	var oldAt, newAt int
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if rest, ok := strings.CutPrefix(line, "diff --git "); ok {
			f, h = &diffFile{name: gitName(rest)}, nil
			files = append(files, f)
			continue
		}
		if f == nil {
			before = append(before, line)
			continue
		}
		if m := hunkHead.FindStringSubmatch(line); m != nil {
			f.hunks = append(f.hunks, diffHunk{context: m[3]})
			h = &f.hunks[len(f.hunks)-1]
			oldAt, _ = strconv.Atoi(m[1])
			newAt, _ = strconv.Atoi(m[2])
			continue
		}
		if h == nil {
			f.header(line)
			continue
		}
		l := diffLine{kind: ' ', old: oldAt, new: newAt}
		switch {
		case strings.HasPrefix(line, "+"):
			l.kind, l.old = '+', 0
			f.added++
			newAt++
		case strings.HasPrefix(line, "-"):
			l.kind, l.new = '-', 0
			f.removed++
			oldAt++
		case strings.HasPrefix(line, " "):
			oldAt++
			newAt++
		default: // no newline at the end, and the like
			continue
		}
		l.text = untab(line[1:])
		h.lines = append(h.lines, l)
	}
	return before, files
}

// unknownToGit stands in the header of a file that git does not know.
const unknownToGit = "new file, git does not know it yet"

// header takes a line between a file's name and its first hunk.
func (f *diffFile) header(line string) {
	switch {
	case line == unknownToGit:
		f.note = "new, not in git yet"
	case strings.HasPrefix(line, "new file"):
		f.note = "new"
	case strings.HasPrefix(line, "deleted file"):
		f.note = "deleted"
	case strings.HasPrefix(line, "rename from "):
		f.note = "was " + unquoteName(line[len("rename from "):])
	case strings.HasPrefix(line, "Binary files "), strings.HasPrefix(line, "GIT binary patch"):
		f.note = strings.TrimSpace(f.note + " binary")
	case strings.HasPrefix(line, "+++ ") && line != "+++ /dev/null":
		f.name = strings.TrimPrefix(unquoteName(strings.TrimRight(line[len("+++ "):], "\t")), "b/")
	}
}

// gitName is the file of a line "a/x b/x": its second half.
func gitName(pair string) string {
	if i := strings.LastIndex(pair, " b/"); i >= 0 {
		return pair[i+len(" b/"):]
	}
	if i := strings.LastIndex(pair, ` "b/`); i >= 0 {
		return strings.TrimPrefix(unquoteName(pair[i+1:]), "b/")
	}
	return pair
}

// unquoteName is a name as git quotes it where it has odd characters.
func unquoteName(name string) string {
	if strings.HasPrefix(name, `"`) {
		if plain, err := strconv.Unquote(name); err == nil {
			return plain
		}
	}
	return name
}

// tabStop is how far apart tabs stop in code.
const tabStop = 4

// untab puts blanks in place of tabs, and drops other control characters.
func untab(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 }) {
		return s
	}
	var b strings.Builder
	col := 0
	for _, r := range s {
		switch {
		case r == '\t':
			n := tabStop - col%tabStop
			b.WriteString("        "[:n])
			col += n
		case r < 0x20, r >= 0x7f && r < 0xa0:
		default:
			b.WriteRune(r)
			col++
		}
	}
	return b.String()
}

// reviewRow is a line of a review on the screen.
type reviewRow struct {
	text        string // of one that is no code
	head        bool   // the text is a file's name
	commit      string // that the row is of
	file, hunk  int    // of code: -1 for none
	left, right int    // lines of the hunk, -1 for none; left alone where the diff is unified
}

// rowsOf lays files out in rows, unified or with the old and the new text side
// by side.
func rowsOf(before []string, files []*diffFile, side bool) []reviewRow {
	var rows []reviewRow
	plain := func(text string) { rows = append(rows, reviewRow{text: text, file: -1, hunk: -1}) }
	for _, l := range before {
		plain(untab(l))
	}
	if len(files) > 1 {
		for i, f := range files {
			rows = append(rows, reviewRow{text: "  " + f.title(), file: i, hunk: -1})
		}
		plain("")
	}
	for i, f := range files {
		if i > 0 {
			plain("")
		}
		rows = append(rows, reviewRow{text: f.title(), head: true, file: i, hunk: -1})
		for j := range f.hunks {
			h := &f.hunks[j]
			if j > 0 || h.context != "" {
				rows = append(rows, reviewRow{text: strings.TrimSpace("··· " + h.context), file: i, hunk: j, left: -1, right: -1})
			}
			rows = h.rows(rows, i, j, side)
		}
	}
	return rows
}

func (f *diffFile) title() string {
	text := f.name
	if f.note != "" {
		text += " (" + f.note + ")"
	}
	if f.added > 0 {
		text += " +" + strconv.Itoa(f.added)
	}
	if f.removed > 0 {
		text += " -" + strconv.Itoa(f.removed)
	}
	return text
}

func (h *diffHunk) rows(rows []reviewRow, file, hunk int, side bool) []reviewRow {
	add := func(left, right int) {
		rows = append(rows, reviewRow{file: file, hunk: hunk, left: left, right: right})
	}
	if !side {
		for k := range h.lines {
			add(k, -1)
		}
		return rows
	}
	for k := 0; k < len(h.lines); {
		if h.lines[k].kind == ' ' {
			add(k, k)
			k++
			continue
		}
		// What was taken out stands beside what came for it.
		from := k
		for k < len(h.lines) && h.lines[k].kind == '-' {
			k++
		}
		added := k
		for k < len(h.lines) && h.lines[k].kind == '+' {
			k++
		}
		for n := range max(added-from, k-added) {
			left, right := -1, -1
			if from+n < added {
				left = from + n
			}
			if added+n < k {
				right = added + n
			}
			add(left, right)
		}
	}
	return rows
}
