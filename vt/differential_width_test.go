package vt

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
)

// widthsNewer are the code points that are wide to us and narrow to the table
// of the reference terminal's addon, with the reason.
var widthsNewer = []struct {
	reason string
	ranges [][2]rune
}{
	{"wide since Unicode 14 to 17; the addon has Unicode 13", [][2]rune{
		{0x2630, 0x2637},
		{0x268a, 0x268f},
		{0x2ffc, 0x2fff},
		{0x31e4, 0x31e5},
		{0x31ef, 0x31ef},
		{0x4dc0, 0x4dff},
		{0x16ff2, 0x16ff6},
		{0x187f8, 0x187ff},
		{0x18cff, 0x18cff},
		{0x18d09, 0x18d1e},
		{0x18d80, 0x18df2},
		{0x1aff0, 0x1affe},
		{0x1b11f, 0x1b122},
		{0x1b132, 0x1b132},
		{0x1b155, 0x1b155},
		{0x1d300, 0x1d356},
		{0x1d360, 0x1d376},
		{0x1f6d8, 0x1f6df},
		{0x1f7f0, 0x1f7f0},
		{0x1f979, 0x1f979},
		{0x1f9cc, 0x1f9cc},
		{0x1fa75, 0x1fa77},
		{0x1fa7b, 0x1fa7c},
		{0x1fa87, 0x1fa8a},
		{0x1fa8e, 0x1fa8f},
		{0x1faa9, 0x1faaf},
		{0x1fab7, 0x1fabf},
		{0x1fac3, 0x1fac6},
		{0x1fac8, 0x1fac8},
		{0x1facd, 0x1facf},
		{0x1fad7, 0x1fadc},
		{0x1fadf, 0x1faea},
		{0x1faef, 0x1faf8},
	}},
	{"half a flag is as wide as the flag; the addon widens it with the second half", [][2]rune{{0x1f1e6, 0x1f1ff}}},
}

func widthAccepted(r rune) (reason string, ok bool) {
	for _, n := range widthsNewer {
		for _, x := range n.ranges {
			if r >= x[0] && r <= x[1] {
				return n.reason, true
			}
		}
	}
	return "", false
}

// TestXtermWidths compares the width of every assigned character that takes
// room by itself, one on each row. (Those that do not are joined to what is
// before them, which the addon cannot do on an empty row: there it gives them a
// cell.)
func TestXtermWidths(t *testing.T) {
	ref := newReference(t)
	var runes []rune
	for r := rune(0x20); r <= unicode.MaxRune; r++ {
		if (r < 0x7f || unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S, unicode.Zs)) && runeProps(r).width() > 0 {
			runes = append(runes, r)
		}
	}
	const rows = 1000
	checked, accepted := 0, map[string]int{}
	for len(runes) > 0 {
		n := min(rows, len(runes))
		var b strings.Builder
		for i, r := range runes[:n] {
			fmt.Fprintf(&b, "\x1b[%dH%c", i+1, r)
		}
		req := refRequest{Cols: 4, Rows: rows, Steps: []refStep{{Data: []byte(b.String())}}}
		if err := ref.send(req); err != nil {
			t.Fatal(err)
		}
		screens, err := ref.receive()
		if err != nil {
			t.Fatal(err)
		}
		term := New(Options{Cols: 4, Rows: rows})
		term.Write([]byte(b.String()))
		for i, r := range runes[:n] {
			ours, theirs := describe(term.Cell(0, i)), screens[0].Lines[i][0].cell
			checked++
			if ours == theirs {
				continue
			}
			if reason, ok := widthAccepted(r); ok {
				accepted[reason]++
				continue
			}
			t.Errorf("U+%04X: %q, the reference has %q", r, ours, theirs)
		}
		runes = runes[n:]
	}
	t.Logf("%d characters, accepted: %v", checked, accepted)
}

// TestXtermClusters compares the room that clusters take.
func TestXtermClusters(t *testing.T) {
	ref := newReference(t)
	const (
		selector = "the text selector makes an emoji narrow (kitty, Ghostty); the addon does not know it"
		conjunct = "a conjunct is one cluster since Unicode 15.1 (rule GB9c); the addon has an older one"
		hidden   = "what is invisible takes no cell; the addon gives it one where it is no mark"
		first    = "a mark has no cell of its own; the addon gives it one at the start"
		shape    = "only a character that has an emoji shape becomes wide; the addon widens all"
		after    = "a selector after a mark selects nothing"
	)
	tests := []struct{ s, accepted string }{
		{"e\u0301", ""},
		{"中\u0301", ""},
		{"❤\ufe0f", ""},
		{"1\ufe0f\u20e3", ""},
		{"1\u20e3", ""},
		{"🇫🇷", ""},
		{"🇫🇷🇩🇪", ""},
		{"👨\u200d👩\u200d👧\u200d👦", ""},
		{"❤\ufe0f\u200d🔥", ""},
		{"👁\ufe0f\u200d🗨\ufe0f", ""},
		{"👍🏽", ""},
		{"☝🏽", ""},
		{"👩🏽\u200d🚒", ""},
		{"🏳\ufe0f\u200d🌈", ""},
		{"🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", ""},
		{"한국어", ""},
		{"\u1112\u1161\u11ab", ""},
		{"하\u11ab", ""},
		{"नि", ""},
		{"สวัสดี", ""},
		{"น้ำ", ""},
		{"ເດັກ", ""},
		{"مَرْحَبًا", ""},
		{"שָׁלוֹם", ""},
		{"ழ்ப", ""},
		{"\u0600a", ""},
		{"\ue0b0\uf09b", ""},
		{"葛\U000e0100", ""},
		{"Z\u0351\u036b\u0343", ""},
		{"\u00ad", ""},
		{"क्ष", conjunct},
		{"ক্ত", conjunct},
		{"नमस्ते", conjunct},
		{"⌚\ufe0e", selector},
		{"\ufeffa", ""},
		{"a\u200bb", hidden},
		{"a\u2060b", hidden},
		{"\u0301", first},
		{"a\ufe0f", shape},
		{"1\u0301\ufe0f", after},
	}
	for _, tt := range tests {
		req := refRequest{Cols: 40, Rows: 2, Steps: []refStep{{Data: []byte(tt.s)}}}
		if err := ref.send(req); err != nil {
			t.Fatal(err)
		}
		screens, err := ref.receive()
		if err != nil {
			t.Fatal(err)
		}
		term := New(Options{Cols: 40, Rows: 2})
		term.Write([]byte(tt.s))
		ours, theirs := term.Cursor().X, screens[0].X
		if ours != StringWidth(tt.s) {
			t.Errorf("%+q: %d cells on the screen, StringWidth says %d", tt.s, ours, StringWidth(tt.s))
		}
		switch {
		case ours != theirs && tt.accepted == "":
			t.Errorf("%+q: %d cells, the reference takes %d", tt.s, ours, theirs)
		case ours == theirs && tt.accepted != "":
			t.Errorf("%+q: agrees in spite of: %s", tt.s, tt.accepted)
		}
	}
}
