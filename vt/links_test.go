package vt

import (
	"fmt"
	"strings"
	"testing"
)

// TestLinkMemory opens ever new links: those that no cell shows are freed, and
// what the screens hold is bounded.
func TestLinkMemory(t *testing.T) {
	term := New(Options{Cols: 100, Rows: 50, Scrollback: 100})
	for i := range 20_000 {
		fmt.Fprintf(term, "\x1b]8;;http://%d/%s\x1b\\x\x1b]8;;\x1b\\", i, strings.Repeat("a", 1000))
	}
	check(t, term)
	if n := term.links.bytes; n > maxLinks {
		t.Errorf("%d bytes of links", n)
	}
	term.Write([]byte("\x1b[2J\x1b[H\x1b]8;;http://last/\x1b\\y"))
	if got := term.Cell(0, 0); got.Link != "http://last/" {
		t.Errorf("the link after many others is %q", got.Link)
	}
	checkMemory(t, term)
}

// TestStyleMemory writes ever new styles and clusters.
func TestStyleMemory(t *testing.T) {
	term := New(Options{Cols: 80, Rows: 24, Scrollback: -1})
	for i := range 200_000 {
		fmt.Fprintf(term, "\x1b[38;2;%d;%d;%dmx%c\u0301", i>>16&255, i>>8&255, i&255, 'a'+rune(i%5000))
	}
	check(t, term)
	if n := len(term.styles.entries); n > 3*2*80*24 {
		t.Errorf("%d styles for %d cells", n, 80*24)
	}
	checkMemory(t, term)
}
