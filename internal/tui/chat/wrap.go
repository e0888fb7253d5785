package chat

import (
	"strings"

	"github.com/termio-sh/termio/vt"
)

// margins are what stands before the first line of a paragraph, and before all
// later ones.
type margins struct{ first, rest []Span }

func (m margins) width() int { return spansWidth(m.rest) }

func spansWidth(all []Span) int {
	n := 0
	for _, s := range all {
		n += vt.StringWidth(s.Text)
	}
	return n
}

// indent is a margin of blanks behind another one.
func (m margins) indent(first, rest Span) margins {
	return margins{
		first: append(append([]Span(nil), m.first...), first),
		rest:  append(append([]Span(nil), m.rest...), rest),
	}
}

// later is the margin for what comes after the first line.
func (m margins) later() margins { return margins{m.rest, m.rest} }

// wrapper breaks runs of styled text into lines.
type wrapper struct {
	width   int
	margins margins
	lines   []Line

	line  []Span // the line that is being made, without margin
	used  int    // its columns
	word  []Span // what may not be broken yet
	wordW int
	blank int   // columns of blanks before the word
	gap   Style // and their style
	joint joint // of the line that is being made
}

// wrap breaks runs at blanks, and words that are too long anywhere; a newline
// in a run ends a line. There is always a line.
func wrap(runs []Span, width int, m margins) []Line {
	w := &wrapper{width: max(width-max(spansWidth(m.first), m.width()), 1), margins: m}
	for _, r := range runs {
		w.run(r)
	}
	w.endWord()
	w.endLine(newLine)
	return w.lines
}

func (w *wrapper) run(r Span) {
	text := r.Text
	for text != "" {
		i := strings.IndexAny(text, " \n")
		if i < 0 {
			w.letters(text, r.Style)
			return
		}
		if i > 0 {
			w.letters(text[:i], r.Style)
		}
		w.endWord()
		if text[i] == '\n' {
			w.blank = 0
			w.endLine(newLine)
		} else {
			w.blank++
			w.gap = r.Style
		}
		text = text[i+1:]
	}
}

// letters go on with the word. Behind a wide character a line may be broken.
func (w *wrapper) letters(text string, s Style) {
	if isASCII(text) {
		w.grow(text, len(text), s)
		return
	}
	start, at, width := 0, 0, 0
	for g, n := range vt.Graphemes(text) {
		at += len(g)
		width += n
		if n > 1 {
			w.grow(text[start:at], width, s)
			start, width = at, 0
			w.endWord()
		}
	}
	w.grow(text[start:], width, s)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

func (w *wrapper) grow(text string, width int, s Style) {
	if text == "" {
		return
	}
	w.word = appendSpan(w.word, text, s)
	w.wordW += width
}

func appendSpan(spans []Span, text string, s Style) []Span {
	if n := len(spans); n > 0 && spans[n-1].Style == s {
		spans[n-1].Text += text
		return spans
	}
	return append(spans, Span{text, s})
}

// endWord puts the word on the line, or on the next one.
func (w *wrapper) endWord() {
	if w.wordW == 0 && len(w.word) == 0 {
		return
	}
	if w.used > 0 && w.used+w.blank+w.wordW > w.width {
		next := afterWord
		if w.blank == 0 {
			next = inWord
		}
		w.endLine(next)
		w.blank = 0
	}
	if w.blank > 0 {
		n := min(w.blank, max(w.width-w.used-1, 0))
		w.line = appendSpan(w.line, strings.Repeat(" ", n), w.gap)
		w.used += n
		w.blank = 0
	}
	for _, s := range w.word {
		w.put(s)
	}
	w.word, w.wordW = w.word[:0], 0
}

// put puts a piece of a word on the line, breaking it where it must.
func (w *wrapper) put(s Span) {
	n := vt.StringWidth(s.Text)
	for w.used+n > w.width {
		head := vt.Truncate(s.Text, w.width-w.used, "")
		if head == "" && w.used > 0 {
			w.endLine(inWord)
			continue
		}
		if head == "" { // wider than a line: it is cut off there
			for g := range vt.Graphemes(s.Text) {
				head = g
				break
			}
		}
		w.line = appendSpan(w.line, head, s.Style)
		w.used = w.width
		s.Text = s.Text[len(head):]
		n = vt.StringWidth(s.Text)
		if s.Text == "" {
			return
		}
		w.endLine(inWord)
	}
	w.line = appendSpan(w.line, s.Text, s.Style)
	w.used += n
}

// endLine ends the line; next is how the one after it goes on.
func (w *wrapper) endLine(next joint) {
	margin := w.margins.rest
	if len(w.lines) == 0 {
		margin = w.margins.first
	}
	l := Line{joint: w.joint, pad: spansWidth(margin)}
	l.Spans = append(append(make([]Span, 0, len(margin)+len(w.line)), margin...), w.line...)
	w.lines = append(w.lines, l)
	w.line, w.used, w.joint = nil, 0, next
}

// wrapText is wrap for a text of one style.
func wrapText(text string, s Style, width int, m margins) []Line {
	return wrap([]Span{{text, s}}, width, m)
}
