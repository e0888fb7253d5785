package chat

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/termio-sh/termio/vt"
)

// Editor is a text of several lines that a person types.
type Editor struct {
	text string
	at   int // the cursor, a byte of text
	goal int // the column that moving up and down wants; -1 for the cursor's

	history []string // the newest last
	back    int      // how far back the text is of; 0 is the person's own
	draft   string   // that one, meanwhile
}

// Text is what was typed.
func (e *Editor) Text() string { return e.text }

// Set puts another text in place, the cursor at its end.
func (e *Editor) Set(text string) { e.text, e.at, e.goal = text, len(text), -1 }

// Take gives the text and empties the editor.
func (e *Editor) Take() string {
	text := e.text
	e.Set("")
	e.back, e.draft = 0, ""
	return text
}

// Insert types a text.
func (e *Editor) Insert(text string) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	text = clean(text)
	e.text = e.text[:e.at] + text + e.text[e.at:]
	e.at += len(text)
	e.goal, e.back = -1, 0
}

// replace puts a text in the place of another one before the cursor.
func (e *Editor) replace(from int, with string) {
	e.text = e.text[:from] + with + e.text[e.at:]
	e.at, e.goal = from+len(with), -1
}

// key takes a key that edits. It reports false for one that does not.
func (e *Editor) key(name string, width int) bool {
	goal := -1
	switch name {
	case "left", "ctrl+b":
		e.at = e.before(e.at)
	case "right", "ctrl+f":
		e.at = e.behind(e.at)
	case "alt+left", "ctrl+left", "alt+b":
		e.at = e.wordBefore()
	case "alt+right", "ctrl+right", "alt+f":
		e.at = e.wordBehind()
	case "home", "ctrl+a":
		e.at = strings.LastIndexByte(e.text[:e.at], '\n') + 1
	case "end", "ctrl+e":
		e.at = e.lineEnd()
	case "ctrl+home":
		e.at = 0
	case "ctrl+end":
		e.at = len(e.text)
	case "backspace", "ctrl+h":
		e.cut(e.before(e.at), e.at)
	case "delete", "ctrl+d":
		e.cut(e.at, e.behind(e.at))
	case "ctrl+w", "alt+backspace", "ctrl+backspace":
		e.cut(e.wordBefore(), e.at)
	case "alt+d", "ctrl+delete":
		e.cut(e.at, e.wordBehind())
	case "ctrl+u":
		e.cut(strings.LastIndexByte(e.text[:e.at], '\n')+1, e.at)
	case "ctrl+k":
		end := e.lineEnd()
		if end == e.at {
			end = e.behind(e.at)
		}
		e.cut(e.at, end)
	case "up", "down":
		dir := 1
		if name == "up" {
			dir = -1
		}
		if !e.vertical(dir, width) {
			return e.recall(-dir)
		}
		goal = e.goal
	default:
		return false
	}
	e.goal = goal
	return true
}

func (e *Editor) cut(from, to int) {
	e.text = e.text[:from] + e.text[to:]
	e.at = from
}

func (e *Editor) lineEnd() int {
	if i := strings.IndexByte(e.text[e.at:], '\n'); i >= 0 {
		return e.at + i
	}
	return len(e.text)
}

// before is where the character before a byte begins.
func (e *Editor) before(at int) int {
	start := strings.LastIndexByte(e.text[:at], '\n')
	if start == at-1 {
		return max(start, 0)
	}
	last := start + 1
	pos := last
	for g := range vt.Graphemes(e.text[start+1 : at]) {
		last = pos
		pos += len(g)
	}
	return last
}

func (e *Editor) behind(at int) int {
	for g := range vt.Graphemes(e.text[at:]) {
		return at + len(g)
	}
	return at
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

func (e *Editor) wordBefore() int {
	at := e.at
	for _, word := range []bool{false, true} {
		for at > 0 {
			r, n := utf8.DecodeLastRuneInString(e.text[:at])
			if wordRune(r) != word {
				break
			}
			at -= n
		}
	}
	return at
}

func (e *Editor) wordBehind() int {
	at := e.at
	for _, word := range []bool{false, true} {
		for at < len(e.text) {
			r, n := utf8.DecodeRuneInString(e.text[at:])
			if wordRune(r) != word {
				break
			}
			at += n
		}
	}
	return at
}

// typedRow is a row of the text as it is shown: bytes from up to to.
type typedRow struct{ from, to int }

// rows breaks the text into rows of so many columns.
func (e *Editor) rows(width int) []typedRow {
	width = max(width, 2)
	var out []typedRow
	at := 0
	for line := range strings.SplitSeq(e.text, "\n") {
		from, x, blank := at, 0, -1
		pos := at
		for g, w := range vt.Graphemes(line) {
			if x+w > width {
				to := pos
				if blank > from {
					to = blank
				}
				out = append(out, typedRow{from, to})
				from, blank = to, -1
				x = vt.StringWidth(e.text[from:pos])
			}
			pos += len(g)
			x += w
			if g == " " {
				blank = pos
			}
		}
		out = append(out, typedRow{from, at + len(line)})
		if x == width { // the cursor behind a full row has one of its own
			out = append(out, typedRow{at + len(line), at + len(line)})
		}
		at += len(line) + 1
	}
	return out
}

// place is the row and the column of the cursor.
func (e *Editor) place(rows []typedRow) (y, x int) {
	for i, r := range rows {
		last := i == len(rows)-1 || rows[i+1].from > r.to // the end of a line
		if e.at >= r.from && (e.at < r.to || e.at == r.to && last) {
			return i, vt.StringWidth(e.text[r.from:e.at])
		}
	}
	return len(rows) - 1, 0
}

// vertical moves the cursor a row up or down; false at the first and the last.
func (e *Editor) vertical(dir, width int) bool {
	rows := e.rows(width)
	y, x := e.place(rows)
	if y+dir < 0 || y+dir >= len(rows) {
		return false
	}
	if e.goal < 0 {
		e.goal = x
	}
	r := rows[y+dir]
	e.at = r.from + byteAt(e.text[r.from:r.to], e.goal)
	if e.at == r.to && y+dir+1 < len(rows) && rows[y+dir+1].from == r.to && r.to > r.from {
		e.at = e.before(e.at)
	}
	return true
}

// recall shows an older prompt (n 1) or a newer one.
func (e *Editor) recall(n int) bool {
	back := e.back + n
	if back < 0 || back > len(e.history) {
		return true
	}
	if e.back == 0 {
		e.draft = e.text
	}
	text := e.draft
	if back > 0 {
		text = e.history[len(e.history)-back]
	}
	e.Set(text)
	e.back = back
	return true
}
