package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/termio-sh/termio/internal/paint"
	"github.com/termio-sh/termio/vt"
)

// TestPicturesInPanes shows the pictures of the pane that is active where they
// are, and takes them off when something comes over it, or another pane is.
func TestPicturesInPanes(t *testing.T) {
	d := full(t, 120, 40, func(s *Setup) { s.Pictures = true })
	painter := paint.New(paint.Options{Cols: 120, Rows: 40, Pictures: paint.Pictures{Kitty: true, Sixel: true, CellWidth: 10, CellHeight: 20}})
	outer := vt.New(vt.Options{Cols: 120, Rows: 40, Scrollback: -1})
	outer.Write(painter.Enter(nil))
	is := func(what string, want ...string) {
		t.Helper()
		d.m.Draw(d.c)
		outer.Write(painter.Frame(nil, paint.Scene{Screen: d.c.Term, Inset: d.m.pictured()}))
		var got []string
		for _, m := range outer.Images() {
			got = append(got, fmt.Sprintf("%d at %d,%d", m.Format, m.X, m.Y))
		}
		if strings.Join(got, "; ") != strings.Join(want, "; ") {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
		for y := range 40 {
			if a, b := outer.RowText(y), d.c.Term.RowText(y); a != b {
				t.Errorf("%s, row %d: %q, want %q", what, y, a, b)
			}
		}
	}
	is("none yet")
	x := d.m.activePane().rect.X
	sixel := "\x1bPq#0!30~-!30~-\x1b\\"
	d.output("\x1b[5;3H" + sixel)
	is("a sixel", fmt.Sprintf("1 at %d,5", x+2))
	d.output("\x1b[10;1H\x1b_Ga=T,i=7,f=24,s=1,v=1;AAAA\x1b\\")
	is("and one of kitty's", fmt.Sprintf("1 at %d,5", x+2), fmt.Sprintf("2 at %d,10", x))
	d.press("?")
	is("under a view")
	d.press("esc")
	is("again", fmt.Sprintf("1 at %d,5", x+2), fmt.Sprintf("2 at %d,10", x))
	d.press("v")
	d.connect(d.m.active.Session, "beside")
	is("another pane is active")
	if s := d.screen(); !strings.Contains(s, "picture · working") {
		t.Errorf("it is not said that there are some:\n%s", s)
	}
	d.output("\x1b_Ga=T,i=8,f=24,s=1,v=1;AAAA\x1b\\")
	is("its own", fmt.Sprintf("2 at %d,1", d.m.activePane().rect.X+6))
	d.press("H")
	is("the first pane's in their place", fmt.Sprintf("1 at %d,5", x+2), fmt.Sprintf("2 at %d,10", x))
	d.press("prefix", "L")
	is("and the other's", fmt.Sprintf("2 at %d,1", d.m.activePane().rect.X+6))
	d.press("prefix", "w")
	is("alone again", fmt.Sprintf("1 at %d,5", x+2), fmt.Sprintf("2 at %d,10", x))
	d.output("\x1b[2J")
	is("erased")
	d.m.Pictures = false
	d.output("\x1b[5;3H" + sixel)
	d.m.chrome = true
	if s := d.screen(); !strings.Contains(s, "picture: see attach") {
		t.Errorf("a terminal that shows none:\n%s", s)
	}
}
