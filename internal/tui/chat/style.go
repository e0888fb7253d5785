package chat

import (
	"strings"
	"unicode/utf8"

	"github.com/termio-sh/termio/vt"
)

// Style is how a piece of text looks: a role, which the theme gives a colour,
// and attributes.
type Style uint16

// The roles.
const (
	Plain   Style = iota
	Dim           // of less weight
	Accent        // what leads the eye
	Good          // done, added
	Warn          // wants a person
	Bad           // failed, taken away
	Code          // as it is written in a program
	Keyword       // the rest are of programs
	TypeName
	String
	Number
	Comment
	Name
	Roles         // how many there are
	roleOf  Style = 0x1f
	Bold    Style = 0x20
	Italic  Style = 0x40
	Under   Style = 0x80
	Strike  Style = 0x100
	Reverse Style = 0x200
)

// Role is a style without its attributes.
func (s Style) Role() Style { return s & roleOf }

// Span is a piece of text in one style.
type Span struct {
	Text  string
	Style Style
}

// joint is how a line goes on from the one above it.
type joint uint8

const (
	newLine   joint = iota // it does not
	afterWord              // it was broken at a blank
	inWord                 // it was broken in a word
)

// Line is one row.
type Line struct {
	Spans []Span
	joint joint
	pad   int // columns in front that are not of the text
	fold  bool
}

// Text is what stands in the line.
func (l *Line) Text() string {
	if len(l.Spans) == 1 {
		return l.Spans[0].Text
	}
	var b strings.Builder
	for _, s := range l.Spans {
		b.WriteString(s.Text)
	}
	return b.String()
}

func (l *Line) width() int {
	n := 0
	for _, s := range l.Spans {
		n += vt.StringWidth(s.Text)
	}
	return n
}

func plainLine(text string, s Style) Line { return Line{Spans: []Span{{text, s}}} }

// cut keeps the first n columns.
func (l *Line) cut(n int, tail string) Line {
	if l.width() <= n {
		return *l
	}
	out := Line{joint: l.joint, pad: l.pad, fold: l.fold}
	room := n - vt.StringWidth(tail)
	for _, s := range l.Spans {
		w := vt.StringWidth(s.Text)
		if w > room {
			s.Text = vt.Truncate(s.Text, max(room, 0), "") + tail
			out.Spans = append(out.Spans, s)
			return out
		}
		room -= w
		out.Spans = append(out.Spans, s)
	}
	return out
}

// shade gives the columns from x0 up to x1 more attributes.
func (l *Line) shade(x0, x1 int, more Style) Line {
	out := Line{joint: l.joint, pad: l.pad, fold: l.fold}
	x := 0
	for _, s := range l.Spans {
		start, on := 0, x >= x0 && x < x1
		at := 0
		for g, w := range vt.Graphemes(s.Text) {
			if now := x >= x0 && x < x1; now != on && w > 0 {
				out.add(s.Text[start:at], s.Style, on, more)
				start, on = at, now
			}
			at += len(g)
			x += w
		}
		out.add(s.Text[start:], s.Style, on, more)
	}
	return out
}

func (l *Line) add(text string, s Style, on bool, more Style) {
	if text == "" {
		return
	}
	if on {
		s |= more
	}
	l.Spans = append(l.Spans, Span{text, s})
}

// columnAt is the column of a byte of the line's text.
func columnAt(text string, at int) int { return vt.StringWidth(text[:at]) }

// byteAt is the first byte of what stands at a column.
func byteAt(text string, col int) int {
	at, x := 0, 0
	for g, w := range vt.Graphemes(text) {
		if x+w > col {
			return at
		}
		at += len(g)
		x += w
	}
	return at
}

// clean takes out what could move a terminal or turn text around: control
// characters, those for the direction of writing, and tabs, which become blanks.
func clean(s string) string {
	plain := true
	for i := range len(s) {
		if c := s[i]; c < 0x20 && c != '\n' || c == 0x7f || c >= 0x80 {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	col := 0
	for _, r := range s {
		switch {
		case r == '\n':
			col = -1
			b.WriteByte('\n')
		case r == '\t':
			n := 4 - col%4
			b.WriteString("    "[:n])
			col += n - 1
		case r < 0x20, r >= 0x7f && r < 0xa0, r == utf8.RuneError, r >= 0x2028 && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			col--
		default:
			b.WriteRune(r)
		}
		col++
	}
	return b.String()
}

// oneLine is a text on one line.
func oneLine(s string) string { return strings.Join(strings.Fields(clean(s)), " ") }
