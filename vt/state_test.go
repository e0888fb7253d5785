package vt

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// state is everything of a terminal that can be told from outside, as text
// that can be compared.
func state(t *Terminal) string {
	var b strings.Builder
	fmt.Fprintf(&b, "size %d×%d alt %v cursor %+v link %+v last %s join %v,%d\n", t.cols, t.rows, t.alt, t.cur, t.linkAt(t.link), lastText(t), t.join.on, joinX(t))
	fmt.Fprintf(&b, "margins %d %d %d %d tabs %x modes %x saved %x/%x shape %d conf %+v\n",
		t.top, t.bottom, t.left, t.right, t.tabs, t.modes, t.savedModes&t.savedMask, t.savedMask, t.shape, t.conf)
	fmt.Fprintf(&b, "sgr %v other %d extent %v checksum %d title %q icon %q stack %q cwd %q notif %+v\n",
		t.sgrStack, t.otherKeys, t.rectExtent, t.checksum, t.title, t.icon, t.titleStack, t.cwd, t.notif)
	fmt.Fprintf(&b, "colors %x stack %x titles %x\n", t.colorsNow().others, t.colorStack, t.titleModes)
	fmt.Fprintf(&b, "colors %v %x %x %x eightbit %v partial %q\n", t.colors, t.fg, t.bg, t.cc, t.parser.eightBit, partialOf(t))
	for i := range t.screens {
		s := &t.screens[i]
		fmt.Fprintf(&b, "screen %d saved %+v keys %v\n", i, s.saved, s.keys.entries)
		if !s.ready() || s.isBlank() {
			continue
		}
		for y := range s.rows {
			m := s.metaAt(y)
			fmt.Fprintf(&b, "%3d %v a%d m%s ", y, s.wraps(y), m.attr, m.marks)
			describeCells(&b, t, s.row(y))
			b.WriteByte('\n')
		}
	}
	h := t.lines()
	fmt.Fprintf(&b, "scrollback %d\n", h.rows)
	h.all(func(row []byte) {
		u := unpack(row)
		cells := make([]cell, t.cols)
		t.unpackRow(row, cells)
		fmt.Fprintf(&b, "%v a%d m%s ", u.meta.wrapped && cells[t.cols-1]&cellContent != 0, u.meta.attr, u.meta.marks)
		describeCells(&b, t, cells)
		b.WriteByte('\n')
	})
	return b.String()
}

func joinX(t *Terminal) int {
	if !t.join.on {
		return 0
	}
	return t.join.x
}

func lastText(t *Terminal) string {
	if t.last == 0 {
		return ""
	}
	return fmt.Sprintf("%q/%d", t.cellText(cell(t.last)), t.last&cellKindMask)
}

func partialOf(t *Terminal) []byte {
	w := snapshotWriter{t: t}
	w.partial()
	return w.dst
}

func describeCells(b *strings.Builder, t *Terminal, row []cell) {
	prev := cell(0)
	first := true
	for _, c := range row {
		if first || c.style() != prev.style() {
			e := t.styles.at(c.style())
			fmt.Fprintf(b, "{%x %x %x %x %d %v}", e.style.FG, e.style.BG, e.style.UnderlineColor, e.style.Attrs, e.style.Underline, t.linkAt(e.link))
		}
		prev, first = c, false
		switch {
		case c.isErased():
			b.WriteString("·")
		case c.isTail():
			b.WriteString("<")
		default:
			b.Write(t.appendText(nil, c))
			if c.isWide() {
				b.WriteString(">")
			}
		}
	}
}

// check fails the test if t is not in order.
func check(tb testing.TB, t *Terminal) {
	tb.Helper()
	c := &t.cur
	if c.x < 0 || c.x >= t.cols || c.y < 0 || c.y >= t.rows {
		tb.Fatalf("cursor %d,%d outside %d×%d", c.x, c.y, t.cols, t.rows)
	}
	if t.top < 0 || t.bottom >= t.rows || t.top > t.bottom || t.left < 0 || t.right >= t.cols || t.left > t.right {
		tb.Fatalf("margins %d %d %d %d", t.top, t.bottom, t.left, t.right)
	}
	if c.origin && (c.x < t.left || c.x > t.right || c.y < t.top || c.y > t.bottom) {
		tb.Fatalf("cursor %d,%d outside the margins in origin mode", c.x, c.y)
	}
	if c.pending && (c.x != t.limit()-1 || t.scr.metaAt(c.y).wrapped || !t.modes.has(modeAutowrap)) {
		tb.Fatalf("a wrap is pending at %d,%d", c.x, c.y)
	}
	if t.slowPrint != (t.modes.has(modeInsert) || c.sets.single != 0 || c.sets.g[c.sets.gl] != charsASCII) {
		tb.Fatal("slowPrint is stale")
	}
	for i := range t.screens {
		s := &t.screens[i]
		seen := make([]bool, s.rows)
		for y := range s.order {
			if seen[s.order[y]] {
				tb.Fatalf("row %d is shown twice", s.order[y])
			}
			seen[s.order[y]] = true
			row, m := s.row(y), s.metaAt(y)
			for x, c := range row {
				switch {
				case x >= int(m.used) && c != 0:
					tb.Fatalf("cell %d,%d = %x past used %d", x, y, c, m.used)
				case c.isTail() && (x == 0 || !row[x-1].isWide()):
					tb.Fatalf("tail without a head at %d,%d", x, y)
				case c.isWide() && (x+1 == len(row) || !row[x+1].isTail() || row[x+1].style() != c.style()):
					tb.Fatalf("head without a tail at %d,%d", x, y)
				case c.kind() == cellGap && (x != len(row)-1 || !m.wrapped):
					tb.Fatalf("gap at %d,%d", x, y)
				case int(c.style()) >= len(t.styles.entries):
					tb.Fatalf("style %d at %d,%d", c.style(), x, y)
				case c&cellCluster != 0 && int(c&cellRuneMask) >= len(t.clusters.entries):
					tb.Fatalf("cluster at %d,%d", x, y)
				case c&cellCluster != 0 && t.clusters.entries[c&cellRuneMask] == "":
					tb.Fatalf("freed cluster at %d,%d", x, y)
				}
				if e := t.styles.at(c.style()); c.style() != 0 && *e == (styleEntry{}) {
					tb.Fatalf("freed style at %d,%d", x, y)
				}
				if c.isErased() {
					if s := t.styles.at(c.style()).style; s != (Style{BG: s.BG}) {
						tb.Fatalf("erased cell with style %+v at %d,%d", s, x, y)
					}
				}
			}
		}
	}
	h := &t.history
	n, size := 0, 0
	for i := range h.chunks {
		n += h.chunks[i].len()
		for k := range h.chunks[i].len() {
			size += len(h.chunks[i].row(k))
		}
	}
	if n != h.rows || size != h.bytes || h.rows > h.max {
		tb.Fatalf("scrollback of %d rows and %d bytes says %d and %d of %d", n, size, h.rows, h.bytes, h.max)
	}
}

// bound is what a terminal may hold at most: what the documentation of
// MemoryLimit says.
func checkMemory(tb testing.TB, t *Terminal) {
	tb.Helper()
	if n, limit := t.MemoryUsed(), MemoryLimit(t.cols, t.rows, t.history.max); n > limit {
		tb.Fatalf("%d bytes held, limit %d", n, limit)
	}
}

// checkSnapshot fails the test if a snapshot does not make an equal terminal.
func checkSnapshot(tb testing.TB, t *Terminal) {
	tb.Helper()
	snap := t.Snapshot(nil, SnapshotOptions{Scrollback: -1})
	u := New(Options{Cols: t.cols, Rows: t.rows, Scrollback: scrollbackOption(t)})
	if _, err := u.Write(snap); err != nil {
		tb.Fatal(err)
	}
	check(tb, u)
	if a, b := state(t), state(u); a != b {
		tb.Fatalf("a snapshot makes another state:\n%s\nsnapshot %q", diffLines(a, b), clip(snap))
	}
	if again := u.Snapshot(nil, SnapshotOptions{Scrollback: -1}); !bytes.Equal(again, snap) {
		tb.Fatalf("a snapshot of the snapshot differs:\n%q\n%q", clip(snap), clip(again))
	}
}

func scrollbackOption(t *Terminal) int {
	if t.history.max == 0 {
		return -1
	}
	return t.history.max
}

func clip(b []byte) []byte { return b[:min(len(b), 4000)] }

// diffLines gives the lines in which a and b differ.
func diffLines(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	var out strings.Builder
	for i, n := 0, 0; i < max(len(x), len(y)) && n < 6; i++ {
		var p, q string
		if i < len(x) {
			p = x[i]
		}
		if i < len(y) {
			q = y[i]
		}
		if p != q {
			fmt.Fprintf(&out, "%d: %s\n%d: %s\n", i, p, i, q)
			n++
		}
	}
	return out.String()
}
