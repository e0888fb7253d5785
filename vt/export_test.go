package vt

import (
	"strings"
	"testing"
)

// exported is a terminal with two rows in its scrollback and three on screen.
func exported() *Terminal {
	t := New(Options{Cols: 12, Rows: 3})
	t.Write([]byte("old \x1b[1;31mred\x1b[0m\r\n端末 <b>\r\n" +
		"\x1b]8;;https://x.dev/?a=1&b=2\x1b\\link\x1b]8;;\x1b\\ \x1b]8;;javascript:alert(1)\x1b\\bad\x1b]8;;\x1b\\\r\n" +
		"\x1b[4:3;58;5;1mcurly\x1b[0m\r\n\x1b[7mrev\x1b[0m"))
	return t
}

func TestRangeHTML(t *testing.T) {
	term := exported()
	if n := term.ScrollbackLen(); n != 2 {
		t.Fatalf("%d rows of scrollback, want 2", n)
	}
	const red = "#cd0000"
	want := []string{
		`old <span style="color:` + red + `;font-weight:bold">red</span>`,
		`端末 &lt;b&gt;`,
		`<a href="https://x.dev/?a=1&amp;b=2" rel="noopener noreferrer">link</a> bad`,
		`<span style="text-decoration:underline;text-decoration-style:wavy;text-decoration-color:` + red + `">curly</span>`,
		`<span style="color:Canvas;background:CanvasText">rev</span>`,
	}
	got := term.RangeHTML(Range{Y1: 4, X1: 12})
	if w := strings.Join(want, "\n"); got != w {
		t.Errorf("got\n%s\nwant\n%s", got, w)
	}
	if got := term.RangeHTML(Range{Y0: 0, X0: 1, Y1: 1, X1: 2}); got != `ld <span style="color:`+red+`;font-weight:bold">red</span>`+"\n端" {
		t.Errorf("a part: %s", got)
	}
	for _, r := range []Range{{-5, -5, 99, 99}, {3, 0, 1, 0}, {Y0: 99, Y1: 100}} {
		term.RangeHTML(r) // must not panic
	}
}

// What RangeANSI gives shows the same cells in another terminal.
func TestRangeANSI(t *testing.T) {
	term := exported()
	again := New(Options{Cols: 12, Rows: 5})
	again.Write([]byte(strings.ReplaceAll(term.RangeANSI(Range{Y1: 4, X1: 12}), "\n", "\r\n")))
	for y := range 5 {
		for x := range 12 {
			var want Cell
			if back := term.ScrollbackLen(); y >= back {
				want = term.Cell(x, y-back)
				if got := again.Cell(x, y); got != want && !(got.blank() && want.blank()) {
					t.Errorf("cell %d,%d: %+v, want %+v", x, y, got, want)
				}
			}
		}
	}
	if got, want := again.RowText(0)+"|"+again.RowText(1), "old red|端末 <b>"; got != want {
		t.Errorf("scrollback %q, want %q", got, want)
	}
}
