package vt

import (
	"fmt"
	"strings"
	"testing"
)

// TestPackedSize: what a line costs in the scrollback.
func TestPackedSize(t *testing.T) {
	for _, c := range []struct {
		name, line string
		limit      int
	}{
		{"plain", "the quick brown fox jumps over the lazy dog", 46},
		{"blank", "", 2},
		{"rule", "\x1b[38;2;136;136;136m" + strings.Repeat("─", 200) + "\x1b[m", 20},
		{"coloured", "\x1b[2m12:01:02\x1b[0m \x1b[1;32mINFO\x1b[0m \x1b[38;5;99mmodule/7\x1b[0m some text that follows \x1b[4mhttp://host/1\x1b[24m \x1b[38;2;60;120;180mvalue\x1b[39m", 110},
		{"box", "│" + strings.Repeat(" ", 198) + "│", 20},
		{"links", "\x1b]8;;http://example.com/a/long/address\x1b\\a\x1b[1mb\x1b[mc\x1b]8;;\x1b\\", 60},
	} {
		term := New(Options{Cols: 200, Rows: 2, Scrollback: 10})
		fmt.Fprintf(term, "%s\r\n\r\n", c.line)
		row := term.history.row(0)
		if len(row) > c.limit {
			t.Errorf("%s: a line takes %d bytes, want at most %d: %q", c.name, len(row), c.limit, row)
		}
	}
}

// TestPlainPacking: the fast path and the plain one pack a row alike but for
// which repetitions they count, and both unpack to the same cells.
func TestPlainPacking(t *testing.T) {
	for seed := range uint64(300) {
		s := newTorrent(seed)
		for range 60 {
			s.step()
		}
		term := New(Options{Cols: 30, Rows: 8})
		term.Write([]byte(s.b.String()))
		for y := range term.rows {
			row, m := term.scr.row(y), term.scr.metaAt(y)
			fast := term.packRow(nil, row, m)
			term.plain = true
			slow := term.packRow(nil, row, m)
			term.plain = false
			a, b := make([]cell, 30), make([]cell, 30)
			term.unpackRow(fast, a)
			term.unpackRow(slow, b)
			for x := range row {
				if want := row[x]; a[x] != want || b[x] != want {
					t.Fatalf("seed %d: cell %d,%d is %x, packed %x and %x", seed, x, y, want, a[x], b[x])
				}
			}
		}
	}
}

// TestHistoryBytes: the densest lines leave before they take too much.
func TestHistoryBytes(t *testing.T) {
	term := New(Options{Cols: 500, Rows: 3, Scrollback: 1000})
	for i := range 2000 {
		for x := range 500 {
			fmt.Fprintf(term, "\x1b[38;2;%d;%d;%d;48;2;%d;%d;%dm%c", x%256, i%256, 3, 4, x%256, i%256, 'a'+x%26)
		}
	}
	if n, limit := term.history.bytes, 1000*historyRowBytes; n > limit {
		t.Errorf("%d bytes, limit %d", n, limit)
	}
	if term.history.rows < 300 {
		t.Errorf("only %d lines are left", term.history.rows)
	}
	check(t, term)
	checkMemory(t, term)
}

func TestLongLink(t *testing.T) {
	term := New(Options{Cols: 10, Rows: 2})
	term.Write([]byte("\x1b]8;;http://a/" + strings.Repeat("x", maxURI) + "\x1b\\l"))
	if got := term.Cell(0, 0); got.Text != "l" || got.Link != "" {
		t.Errorf("a link that is too long gives %+v", got)
	}
}
