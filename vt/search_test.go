package vt

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// fakeRows wraps lines at a width, as a terminal does.
type fakeRows struct {
	cols  int
	texts []string
	wraps []bool
}

func wrapLines(cols int, lines ...string) *fakeRows {
	f := &fakeRows{cols: cols}
	for _, l := range lines {
		row, w := "", 0
		for c, cw := range Graphemes(l) {
			if w+cw > cols {
				f.texts, f.wraps = append(f.texts, strings.TrimRight(row, " ")), append(f.wraps, true)
				row, w = "", 0
			}
			row, w = row+c, w+cw
		}
		f.texts, f.wraps = append(f.texts, strings.TrimRight(row, " ")), append(f.wraps, false)
	}
	return f
}

func (f *fakeRows) rowCount() int      { return len(f.texts) }
func (f *fakeRows) columns() int       { return f.cols }
func (f *fakeRows) text(i int) string  { return f.texts[i] }
func (f *fakeRows) wrapped(i int) bool { return f.wraps[i] }

func TestSearch(t *testing.T) {
	rows := wrapLines(10,
		"hello world, hello", // rows 0–1
		"",                   // 2
		"日本語のテキスト",           // 3–4: five wide characters fit
		"a中中中中中b",            // 5–6: a gap behind the fourth
		"end. Hello",         // 7
	)
	tests := []struct {
		pattern string
		o       SearchOptions
		want    []Range
	}{
		{"hello", SearchOptions{}, []Range{{0, 0, 0, 5}, {1, 3, 1, 8}}},
		{"hello", SearchOptions{IgnoreCase: true}, []Range{{0, 0, 0, 5}, {1, 3, 1, 8}, {7, 5, 7, 10}}},
		{"hello", SearchOptions{IgnoreCase: true, Limit: 2}, []Range{{1, 3, 1, 8}, {7, 5, 7, 10}}},
		{"hello", SearchOptions{IgnoreCase: true, Limit: 1}, []Range{{7, 5, 7, 10}}},
		{"world", SearchOptions{}, []Range{{0, 6, 1, 1}}},
		{"worl", SearchOptions{}, []Range{{0, 6, 0, 10}}},
		{"d, ", SearchOptions{}, []Range{{1, 0, 1, 3}}},
		{"テキスト", SearchOptions{}, []Range{{3, 8, 4, 6}}},
		{"中中b", SearchOptions{}, []Range{{5, 7, 6, 3}}},
		{"中b", SearchOptions{}, []Range{{6, 0, 6, 3}}},
		{".", SearchOptions{}, []Range{{7, 3, 7, 4}}},
		{"o.", SearchOptions{Regexp: true}, []Range{{0, 4, 0, 6}, {0, 7, 0, 9}}},
		{"^hello|hello$", SearchOptions{Regexp: true}, []Range{{0, 0, 0, 5}, {1, 3, 1, 8}}},
		{"x*", SearchOptions{Regexp: true}, nil},
		{"nothing", SearchOptions{}, nil},
		{"", SearchOptions{}, nil},
	}
	for _, tt := range tests {
		got, err := search(rows, tt.pattern, tt.o)
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("search(%q, %+v) = %v, %v; want %v", tt.pattern, tt.o, got, err, tt.want)
		}
	}
	if _, err := search(rows, "(", SearchOptions{Regexp: true}); err == nil || !strings.Contains(err.Error(), `"("`) {
		t.Errorf("bad expression: %v", err)
	}
	if got, err := search(rows, "(", SearchOptions{}); err != nil || got != nil {
		t.Errorf("a parenthesis is text: %v, %v", got, err)
	}
}

func TestSearchKeepsBlanksOfWraps(t *testing.T) {
	rows := wrapLines(5, "ab   cd   ef")
	got, err := search(rows, "b   c", SearchOptions{})
	if want := []Range{{0, 1, 1, 1}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	if got := rangeText(rows, Range{0, 0, 2, 5}); got != "ab   cd   ef" {
		t.Errorf("text %q", got)
	}
}

func TestWordAt(t *testing.T) {
	rows := wrapLines(12, "see /usr/lib/x-1.so (here)  now", "“中文” e\u0301te\u0301 x", "│ab│")
	tests := []struct {
		x, y int
		want string
	}{
		{0, 0, "see"},
		{2, 0, "see"},
		{3, 0, " "},
		{4, 0, "/usr/lib/x-1.so"},
		{3, 1, "/usr/lib/x-1.so"},
		{9, 1, "here"},
		{8, 1, "("},
		{1, 2, ")"},
		{2, 2, "  "},
		{3, 2, "  "},
		{4, 2, "now"},
		{0, 3, "“"},
		{1, 3, "中文"},
		{4, 3, "中文"},
		{7, 3, "e\u0301te\u0301"},
		{9, 3, "e\u0301te\u0301"},
		{1, 4, "ab"},
		{0, 4, "│"},
	}
	for _, tt := range tests {
		r, ok := wordAt(rows, tt.x, tt.y)
		if !ok {
			t.Errorf("no word at %d,%d", tt.x, tt.y)
			continue
		}
		l := joinRows(rows, r.Y0, r.Y1)
		from, _, _ := l.at(r.Y0, r.X0)
		to, _, _ := l.at(r.Y1, r.X1)
		if got := l.text[from:to]; got != tt.want {
			t.Errorf("the word at %d,%d is %q (%v), want %q", tt.x, tt.y, got, r, tt.want)
		}
	}
	for _, at := range [][2]int{{11, 4}, {-1, 0}, {0, -1}, {0, 99}, {7, 2}} {
		if r, ok := wordAt(rows, at[0], at[1]); ok {
			t.Errorf("a word at %v: %v", at, r)
		}
	}
}

func TestRangeText(t *testing.T) {
	rows := wrapLines(10, "hello world, hello", "", "日本語のテキスト", "last   ")
	tests := []struct {
		r    Range
		want string
	}{
		{Range{0, 0, 0, 5}, "hello"},
		{Range{0, 6, 1, 1}, "world"},
		{Range{0, 0, 1, 8}, "hello world, hello"},
		{Range{1, 3, 3, 4}, "hello\n\n日本"},
		{Range{3, 1, 3, 3}, "日"}, // half a wide character at both ends
		{Range{3, 8, 4, 2}, "テキ"},
		{Range{4, 0, 5, 10}, "キスト\nlast"},
		{Range{-5, 0, 99, 3}, "hello world, hello\n\n日本語のテキスト\nlast"},
		{Range{2, 0, 1, 0}, ""},
		{Range{0, 5, 0, 2}, ""},
	}
	for _, tt := range tests {
		if got := rangeText(rows, tt.r); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.r, got, tt.want)
		}
	}
}

// TestTerminalSearch: the rows that the engine gives, scrollback and screen.
func TestTerminalSearch(t *testing.T) {
	term := New(Options{Cols: 10, Rows: 3, Scrollback: 20})
	term.Write([]byte("one needle here\r\ntwo\r\nthree \x1b[1mnee\x1b[mdle\r\n中中中中中needle\r\nlast  needle"))
	found, err := term.Search("needle", SearchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := []Range{{0, 4, 0, 10}, {3, 6, 4, 2}, {6, 0, 6, 6}, {7, 6, 8, 2}}
	if !slices.Equal(found, want) {
		t.Fatalf("found %v, want %v", found, want)
	}
	for _, r := range found {
		if got := term.RangeText(r); got != "needle" {
			t.Errorf("%v is %q", r, got)
		}
	}
	if found, err = term.Search("t\\w+$", SearchOptions{Regexp: true, Limit: 1}); err != nil || !slices.Equal(found, []Range{{2, 0, 2, 3}}) {
		t.Errorf("found %v, %v", found, err)
	}
	if r, ok := term.WordAt(1, 8); !ok || term.RangeText(r) != "needle" {
		t.Errorf("the word over a wrap is %v, %v", r, ok)
	}
	if got := term.RangeText(term.LineAt(8)); got != "last  needle" {
		t.Errorf("the last line is %q", got)
	}
	term.Resize(20, 3)
	found, err = term.Search("needle", SearchOptions{})
	if err != nil || len(found) != 4 {
		t.Fatalf("after a resize: %v, %v", found, err)
	}
	for _, r := range found {
		if got := term.RangeText(r); got != "needle" || r.Y0 != r.Y1 {
			t.Errorf("after a resize: %v is %q", r, got)
		}
	}
}

// TestSearchProperty: a text found on wrapped rows is the text looked for, and
// is found as often as in the lines themselves.
func TestSearchProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.SampledFrom([]string{"a", "b", "中", "é", "👩\u200d🚒"})
		text := rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(part, 1, 20).Draw(t, "parts"), "")
		})
		lines := rapid.SliceOfN(text, 1, 4).Draw(t, "lines")
		rows := wrapLines(rapid.IntRange(2, 9).Draw(t, "cols"), lines...)
		pattern := strings.Join(rapid.SliceOfN(part, 1, 3).Draw(t, "pattern"), "")
		found, err := search(rows, pattern, SearchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		for _, l := range lines {
			want += strings.Count(l, pattern)
		}
		if len(found) != want {
			t.Fatalf("%q in %q (%q): %d times, want %d", pattern, lines, rows.texts, len(found), want)
		}
		for _, r := range found {
			if got := rangeText(rows, r); got != pattern {
				t.Fatalf("%q in %q: %v is %q", pattern, rows.texts, r, got)
			}
		}
	})
}

// A match takes whole clusters: it cannot begin or end in the middle of a cell.
func TestSearchClusters(t *testing.T) {
	term := New(Options{Cols: 20, Rows: 2, Scrollback: -1})
	term.Write([]byte("ae\u0301b\u2764\ufe0fx"))
	for _, c := range []struct {
		pattern string
		want    []Range
	}{
		{"\u0301", []Range{{0, 1, 0, 2}}},
		{"e", []Range{{0, 1, 0, 2}}},
		{"\u2764", []Range{{0, 3, 0, 5}}},
		{"[e\u0301b]", []Range{{0, 1, 0, 2}, {0, 2, 0, 3}}},
		{"x", []Range{{0, 5, 0, 6}}},
	} {
		got, err := term.Search(c.pattern, SearchOptions{Regexp: true})
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q: %v %v, want %v", c.pattern, got, err, c.want)
		}
	}
}
