package vt

import (
	"fmt"
	"strings"
	"testing"
)

// everything is the scrollback and the screen, rows joined by |, with ↩ where
// a row goes on in the next.
func everything(t *Terminal) string {
	var rows []string
	for i := range t.ScrollbackLen() {
		r := t.ScrollbackText(i)
		if t.ScrollbackWrapped(i) {
			r += "↩"
		}
		rows = append(rows, r)
	}
	for y := range t.rows {
		r := t.RowText(y)
		if t.RowWrapped(y) {
			r += "↩"
		}
		rows = append(rows, r)
	}
	return strings.TrimRight(strings.Join(rows, "|"), "|")
}

func TestReflow(t *testing.T) {
	for _, c := range []struct {
		name       string
		cols, rows int
		in         string
		sizes      [][2]int
		want       string
		cursor     string
	}{
		{"narrower", 10, 5, "abcdefgh\r\nx", [][2]int{{4, 5}}, "abcd↩|efgh|x", "2,3"},
		{"wider again", 10, 5, "abcdefgh\r\nx", [][2]int{{4, 5}, {10, 5}}, "abcdefgh|x", "2,2"},
		{"into the scrollback and back", 10, 2, "abcdefgh\r\nx", [][2]int{{4, 2}, {10, 2}}, "abcdefgh|x", "2,2"},
		{"wrapped line across the scrollback", 5, 2, "abcdefghijklmn", [][2]int{{10, 2}}, "abcdefghij↩|klmn", "5,2"},
		{"cursor within a line", 10, 3, "abcdefgh\x1b[1;6H", [][2]int{{4, 3}}, "abcd↩|efgh", "2,2"},
		{"pending wrap", 4, 3, "abcd", [][2]int{{2, 3}}, "ab↩|cd", "2,2+"},
		{"pending wrap no more", 4, 3, "abcd", [][2]int{{8, 3}}, "abcd", "5,1"},
		{"wide characters", 6, 4, "中文字", [][2]int{{5, 4}}, "中文↩|字", "3,2"},
		{"wide characters back", 6, 4, "中文字", [][2]int{{5, 4}, {3, 4}, {6, 4}}, "中文字", "6,1+"},
		{"no room for wide ones", 6, 4, "中a", [][2]int{{1, 4}}, "↩|↩|a", "1,3+"},
		{"fewer rows keep the bottom", 5, 4, "1\r\n2\r\n3\r\n4", [][2]int{{5, 2}}, "1|2|3|4", "2,2"},
		{"fewer rows drop blank ones first", 5, 4, "1\r\n2", [][2]int{{5, 2}}, "1|2", "2,2"},
		{"more rows take back", 5, 2, "1\r\n2\r\n3\r\n4", [][2]int{{5, 3}}, "1|2|3|4", "2,3"},
		{"more rows, all taken back", 5, 2, "1\r\n2\r\n3\r\n4", [][2]int{{5, 9}}, "1|2|3|4", "2,4"},
		{"the cursor stays in sight", 5, 4, "1\r\n2\r\n3\r\n4\x1b[H", [][2]int{{5, 2}}, "1|2", "1,1"},
		{"marks stay with the line", 10, 3, "\x1b]133;A\aabcdefgh", [][2]int{{4, 3}, {10, 3}}, "abcdefgh", "9,1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			term := New(Options{Cols: c.cols, Rows: c.rows, Scrollback: 100})
			term.Write([]byte(c.in))
			for _, s := range c.sizes {
				term.Resize(s[0], s[1])
				check(t, term)
			}
			if got := everything(term); got != c.want {
				t.Errorf("shows %q, want %q", got, c.want)
			}
			if got := cursorAt(term); got != c.cursor {
				t.Errorf("cursor at %s, want %s", got, c.cursor)
			}
			if c.name == "marks stay with the line" && term.RowMarks(0) != "A" {
				t.Error("the mark is lost")
			}
		})
	}
}

// TestReflowKeepsText: whatever sizes a terminal goes through, the lines come
// back as they were.
func TestReflowKeepsText(t *testing.T) {
	var in strings.Builder
	for i := range 60 {
		fmt.Fprintf(&in, "\x1b[3%dm%d %s\x1b[m\r\n", i%8, i, strings.Repeat("word中 e\u0301 ", i%9))
	}
	in.WriteString("end")
	term := New(Options{Cols: 80, Rows: 10, Scrollback: 10_000})
	term.Write([]byte(in.String()))
	// The blanks at the end of a wrapped row belong to the line, but RowText
	// leaves them off.
	words := func() string {
		return strings.ReplaceAll(strings.ReplaceAll(everything(term), "↩|", ""), " ", "")
	}
	before := words()
	ansi := string(term.AppendScrollbackRow(nil, 5))
	for i, s := range [][2]int{{33, 7}, {7, 20}, {100, 3}, {13, 13}, {2, 2}, {80, 10}} {
		term.Resize(s[0], s[1])
		check(t, term)
		if i%2 == 0 {
			term.ScrollbackLen()
		}
		if got := words(); got != before {
			t.Fatalf("at %d×%d the text is\n%q, was\n%q", s[0], s[1], got, before)
		}
	}
	if got := string(term.AppendScrollbackRow(nil, 5)); got != ansi {
		t.Errorf("the colours of a line are %q, were %q", got, ansi)
	}
}

// TestResizeAlternate: the alternate screen is cut and extended, the main one
// wrapped.
func TestResizeAlternate(t *testing.T) {
	term := New(Options{Cols: 10, Rows: 3})
	term.Write([]byte("abcdefgh\x1b[?1049h\x1b[HABCDEFGH\x1b[3;1Hz"))
	term.Resize(4, 2)
	check(t, term)
	if got := everything(term); got != "|z" {
		t.Errorf("the alternate screen is %q", got)
	}
	term.Write([]byte("\x1b[?1049l"))
	if got := everything(term); got != "abcd↩|efgh" {
		t.Errorf("the main screen is %q", got)
	}
	if got := cursorAt(term); got != "4,2+" {
		t.Errorf("the cursor is at %s", got)
	}
}

func TestResizeClamps(t *testing.T) {
	term := New(Options{Cols: -5, Rows: 1 << 30})
	for _, s := range [][2]int{{0, 0}, {-1, 1 << 40}, {1 << 40, -1}, {80, 24}} {
		term.Resize(s[0], s[1])
		c, r := term.Size()
		if c < 1 || c > MaxCols || r < 1 || r > MaxRows {
			t.Errorf("Resize(%d, %d) makes %d×%d", s[0], s[1], c, r)
		}
		term.Write([]byte("\x1b[2;3r中x\n"))
		check(t, term)
	}
}
