package vt

import (
	"strings"
	"testing"
)

func TestCell(t *testing.T) {
	term := New(Options{Cols: 20, Rows: 3})
	term.Write([]byte("\x1b[1;3;31;48;2;1;2;3;4:3;58:5:7mA\x1b[0m中é👨\u200d👩\u200d👧\x1b]8;id=x;http://a/\x1b\\l\x1b]8;;\x1b\\"))
	for x, want := range []Cell{
		{Text: "A", Width: 1, Style: Style{FG: Indexed(1), BG: RGB(1, 2, 3), UnderlineColor: Indexed(7), Attrs: AttrBold | AttrItalic, Underline: UnderlineCurly}},
		{Text: "中", Width: 2},
		{},
		{Text: "é", Width: 1},
		{Text: "👨\u200d👩\u200d👧", Width: 2},
		{},
		{Text: "l", Width: 1, Link: "http://a/"},
		{Width: 1},
	} {
		if got := term.Cell(x, 0); got != want {
			t.Errorf("cell %d is %+v, want %+v", x, got, want)
		}
	}
	if got := term.Cell(-1, 0); got != (Cell{}) {
		t.Errorf("outside there is %+v", got)
	}
	if n := testing.AllocsPerRun(100, func() {
		for x := range 20 {
			_ = term.Cell(x, 0)
		}
	}); n != 0 {
		t.Errorf("reading cells allocates %v times", n)
	}
}

func TestAppendRow(t *testing.T) {
	term := New(Options{Cols: 10, Rows: 2, Scrollback: 10})
	term.Write([]byte("ab\x1b[1;31mcd\x1b[32me\x1b[0m中\x1b]8;id=1;http://x/\x1b\\l\x1b]8;;\x1b\\"))
	for _, c := range []struct {
		x0, x1 int
		want   string
	}{
		{0, 10, "ab\x1b[0;1;31mcd\x1b[32me\x1b[m中\x1b]8;id=1;http://x/\x1b\\l\x1b]8;;\x1b\\  "},
		{3, 4, "\x1b[0;1;31md\x1b[m"},
		{0, 6, "ab\x1b[0;1;31mcd\x1b[32me\x1b[m "}, // half a wide character
		{6, 8, " \x1b]8;id=1;http://x/\x1b\\l\x1b]8;;\x1b\\"},
		{5, 5, ""},
		{-3, 1, "a"},
		{9, 99, " "},
	} {
		if got := string(term.AppendRow(nil, 0, c.x0, c.x1)); got != c.want {
			t.Errorf("%d–%d is %q, want %q", c.x0, c.x1, got, c.want)
		}
	}
	term.Write([]byte("\r\n\r\n\r\n"))
	if got, want := string(term.AppendScrollbackRow(nil, 0)), "ab\x1b[0;1;31mcd\x1b[32me\x1b[m中\x1b]8;id=1;http://x/\x1b\\l\x1b]8;;\x1b\\"; got != want {
		t.Errorf("in the scrollback it is %q, want %q", got, want)
	}
	if got := term.ScrollbackText(0); got != "abcde中l" {
		t.Errorf("as text it is %q", got)
	}
	if got := string(term.AppendScrollbackRow(nil, 99)) + term.ScrollbackText(-1); got != "" {
		t.Errorf("outside there is %q", got)
	}
}

func TestTexts(t *testing.T) {
	term := New(Options{Cols: 10, Rows: 4, Scrollback: 10})
	term.Write([]byte("one\r\ntwo  \r\n\r\n  four\r\nfive \x1b[44m  \x1b[m"))
	if got, want := term.ScreenText(), "two\n\n  four\nfive"; got != want {
		t.Errorf("the screen is %q, want %q", got, want)
	}
	for n, want := range map[int]string{0: "", 1: "five", 4: "two\n\n  four\nfive", 5: "one\ntwo\n\n  four\nfive", 99: "one\ntwo\n\n  four\nfive"} {
		if got := term.TailText(n); got != want {
			t.Errorf("the last %d lines are %q, want %q", n, got, want)
		}
	}
	term.Write([]byte("\x1b[2J"))
	if got := term.TailText(5); got != "one" {
		t.Errorf("with a blank screen the tail is %q", got)
	}
	term.Write([]byte("\x1b[H" + strings.Repeat("w", 25)))
	if got, want := term.TailText(2), "wwwwwwwwww\nwwwww"; got != want {
		t.Errorf("a wrapped line is %q, want %q", got, want)
	}
}

// TestDamage: a painter that draws the rows newer than what it drew last
// always has the screen.
func TestDamage(t *testing.T) {
	for seed := range uint64(50) {
		term := New(Options{Cols: 12, Rows: 6})
		s := newTorrent(seed)
		drawn := make([]string, 6)
		for y := range drawn {
			drawn[y] = string(term.AppendRow(nil, y, 0, 12))
		}
		last, touched := uint64(0), 0
		for range 200 {
			s.b.Reset()
			s.step()
			term.Write([]byte(s.b.String()))
			gen := term.Generation()
			for y := range drawn {
				now := string(term.AppendRow(nil, y, 0, 12))
				if term.RowGeneration(y) > last {
					touched++
					drawn[y] = now
				} else if now != drawn[y] {
					t.Fatalf("seed %d, %q: row %d has changed and is not newer than %d", seed, s.b.String(), y, last)
				}
				if term.RowGeneration(y) > gen {
					t.Fatalf("row %d is newer than the screen", y)
				}
			}
			last = gen
		}
		if touched > 200*6*8/10 {
			t.Errorf("seed %d: %d rows of %d were drawn again", seed, touched, 200*6)
		}
	}
}

// TestGeneration: it rises when something is seen to change, and then only.
func TestGeneration(t *testing.T) {
	term := New(Options{Cols: 10, Rows: 3})
	for _, c := range []struct {
		in      string
		changes bool
	}{
		{"a", true},
		{"\x1b[31m", false},
		{"\x1b[6n\x1b[c", false},
		{"\x1b[2;2H", true},
		{"\x1b[2;2H", false},
		{"\x1b[?25l", true},
		{"\x1b[?25l", false},
		{"\x1b[5 q", true},
		{"\x1b]0;title\a", false},
		{"\x1b[?1049h", true},
		{"\x1b]4;1;red\a", true},
		{"\x1b[", false},
		{"K", true},
	} {
		before := term.Generation()
		term.Write([]byte(c.in))
		if got := term.Generation() > before; got != c.changes {
			t.Errorf("%q: changed %v, want %v", c.in, got, c.changes)
		}
	}
}

func TestInputModes(t *testing.T) {
	term := New(Options{})
	for _, c := range []struct {
		in   string
		want InputModes
	}{
		{"", InputModes{}},
		{"\x1b[?1h\x1b=\x1b[?2004h\x1b[?1004h\x1b[20h\x1b[?67h", InputModes{AppCursor: true, AppKeypad: true, BracketedPaste: true, FocusEvents: true, Newline: true, BackarrowBS: true}},
		{"\x1b[?1l\x1b>\x1b[?2004;1004l\x1b[20l\x1b[?67l", InputModes{}},
		{"\x1b[?1000h\x1b[?1006h", InputModes{Mouse: MouseButton, MouseEncoding: MouseEncodingSGR}},
		{"\x1b[?1003h", InputModes{Mouse: MouseMotion, MouseEncoding: MouseEncodingSGR}},
		{"\x1b[?1003l\x1b[?1006l", InputModes{}},
		{"\x1b[>4;2m\x1b[>5u", InputModes{ModifyOtherKeys: 2, Kitty: KittyDisambiguate | KittyAlternateKeys}},
		{"\x1b[?1049h", InputModes{ModifyOtherKeys: 2}},
		{"\x1bc", InputModes{}},
	} {
		term.Write([]byte(c.in))
		if got := term.InputModes(); got != c.want {
			t.Errorf("after %q they are %+v, want %+v", c.in, got, c.want)
		}
	}
}

// TestNoAllocation: in the steady state output allocates nothing.
func TestNoAllocation(t *testing.T) {
	in := []byte("plain text\r\n\x1b[1;31mcolour\x1b[38;2;1;2;3mrgb\x1b[0m 中文 e\u0301 👨\u200d👩\u200d👧\x1b[K\r\n\x1b[2;5H\x1b[2L\x1b[?25l\x1b[?25h\x1b]0;same\a\x1b[6n\x1bP$qm\x1b\\\x1b[99;1H\n")
	term := New(Options{Cols: 80, Rows: 24, Scrollback: 100, Reply: func([]byte) {}, Event: func(Event) {}})
	for range 2000 {
		term.Write(in)
	}
	if n := testing.AllocsPerRun(2000, func() { term.Write(in) }); n > 0.05 {
		t.Errorf("%v allocations per write", n)
	}
}

// TestIdleMemory: a terminal nobody has written to is small.
func TestIdleMemory(t *testing.T) {
	if n := New(Options{Cols: 120, Rows: 40}).MemoryUsed(); n > 64<<10 {
		t.Errorf("%d bytes", n)
	}
	term := New(Options{Cols: 200, Rows: 50})
	writeAll(term, plainLines(t))
	if n := term.MemoryUsed(); n > 3<<20 {
		t.Errorf("10,000 plain lines hold %d bytes", n)
	}
}
