package tui

import (
	"testing"
	"time"

	"github.com/termio-sh/termio/vt"
)

func TestPlainText(t *testing.T) {
	for text, want := range map[string]bool{
		"a": true, "Hello there": true, "é中👩": true, "\r": true, "\x7f": true,
		"": false, "\x1b": false, "\x03": false, "a\x1b[A": false, "\xc3": false, "\xa9": false, "\u0085": false, "\t": false, "\x1c": false,
	} {
		if got := plainText([]byte(text), vt.InputModes{}); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if plainText([]byte("\r"), vt.InputModes{Newline: true}) || plainText([]byte("\x7f"), vt.InputModes{BackarrowBS: true}) {
		t.Error("a key that means something else in a mode goes as it is")
	}
}

// TestStraight lets keys pass by bubbletea only where they are the session's.
func TestStraight(t *testing.T) {
	d := full(t, 120, 40, nil)
	x := []byte("x")
	is := func(what string, want bool) {
		t.Helper()
		if got := d.m.straight(x, d.now); got != want {
			t.Errorf("%s: %v", what, got)
		}
	}
	is("in the sidebar", false)
	d.press("enter")
	d.connect(linkOf(1), "")
	is("in the session", true)
	d.m.activePane().by(3)
	d.m.activePane().scroll.back = 3
	is("scrolled back", false)
	d.m.activePane().scroll.back = 0
	d.output("\x1b[>1u")
	is("with the kitty keyboard", false)
	d.output("\x1b[<u")
	is("without it", true)
	d.press("prefix", ":")
	is("in the palette", false)
	d.press("esc", "enter")
	d.m.activePane().owner = false
	is("while another viewer types", false)
}

// TestNothingOvertakes sends characters the long way while what came before may
// still be on it.
func TestNothingOvertakes(t *testing.T) {
	var k passed
	if k.busy(noon) {
		t.Error("busy at first")
	}
	k.pass([]byte("\x1b[A"), noon)
	if !k.busy(noon.Add(settleFor/2)) || k.busy(noon.Add(settleFor)) {
		t.Error("an arrow key is not waited for, or for ever")
	}
	later := noon.Add(time.Hour)
	for _, part := range []string{"\x1b[20", "0~pas", "ted \x1b[2", "01"} {
		k.pass([]byte(part), noon)
		if part != "\x1b[20" && !k.busy(later) {
			t.Errorf("after %q it is not known that a paste is under way", part)
		}
	}
	k.pass([]byte("~"), noon)
	if k.busy(later) {
		t.Error("the end of a paste was missed")
	}
}
