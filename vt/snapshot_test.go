package vt

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestSnapshotXterm feeds snapshots to xterm.js and asks that it shows what
// the engine shows.
func TestSnapshotXterm(t *testing.T) {
	ref := newReference(t)
	a := newAgreement()
	look := func(name string, term *Terminal) {
		t.Helper()
		cols, rows := term.Size()
		snap := term.Snapshot(nil, SnapshotOptions{Scrollback: -1})
		req := refRequest{Cols: cols, Rows: rows, Scrollback: 1000, Steps: []refStep{{Data: snap}}}
		if err := ref.send(req); err != nil {
			t.Fatal(err)
		}
		screens, err := ref.receive()
		if isRefError(err) { // a defect of the reference, not of the snapshot
			return
		} else if err != nil {
			t.Fatal(err)
		}
		a.streams++
		if list := a.compare(term, screens[len(screens)-1], false); len(list) > 0 {
			t.Errorf("%s: %d differences, first %v\nsnapshot %q", name, len(list), list[:min(3, len(list))], clip(snap))
		}
	}
	for name, data := range readTar(t, "testdata/recorded.tar.gz") {
		term := New(Options{Cols: 110, Rows: 36, Scrollback: 1000})
		for _, part := range [][]byte{data[:len(data)/2], data[len(data)/2:]} {
			term.Write(part)
			look(name, term)
			if t.Failed() {
				return
			}
		}
	}
	for seed := range uint64(envInt("TERMIO_STREAMS", 300)) {
		s := generateStream(seed)
		term := New(Options{Cols: s.request().Cols, Rows: s.request().Rows, Scrollback: 1000})
		for _, step := range s.request().Steps {
			if step.Cols > 0 {
				term.Resize(step.Cols, step.Rows)
			} else {
				term.Write(step.Data)
			}
		}
		look("a generated stream", term)
		if t.Failed() {
			return
		}
	}
	t.Log(a.String())
}

// TestSnapshotReset: with Reset, a snapshot makes a terminal the same whatever
// it was before, as far as is seen and asked.
func TestSnapshotReset(t *testing.T) {
	for seed := range uint64(300) {
		s, dirty := newTorrent(seed), newTorrent(seed+1000)
		for range 60 {
			s.step()
			dirty.step()
		}
		a := New(Options{Cols: 20, Rows: 6})
		a.Write([]byte(s.b.String()))
		b := New(Options{Cols: 20, Rows: 6})
		b.Write([]byte(dirty.b.String()))
		b.Write(a.Snapshot(nil, SnapshotOptions{Reset: true}))
		if b.parser.eightBit && !a.parser.eightBit {
			t.Fatalf("seed %d: left in 8-bit mode", seed)
		}
		if x, y := seen(a), seen(b); x != y || cursorAt(a) != cursorAt(b) || a.Cursor() != b.Cursor() {
			t.Fatalf("seed %d: shows\n%q at %s, want\n%q at %s", seed, y, cursorAt(b), x, cursorAt(a))
		}
		if x, y := a.InputModes(), b.InputModes(); x != y {
			t.Fatalf("seed %d: input modes %+v, want %+v", seed, y, x)
		}
		if x, y := a.modes, b.modes; x != y {
			t.Fatalf("seed %d: modes %x, want %x", seed, y, x)
		}
		if a.top != b.top || a.bottom != b.bottom || a.left != b.left || a.right != b.right {
			t.Fatalf("seed %d: other margins", seed)
		}
	}
}

// TestSnapshotScrollback: as many lines as asked for.
func TestSnapshotScrollback(t *testing.T) {
	term := New(Options{Cols: 10, Rows: 2})
	for i := range 20 {
		term.Write([]byte{byte('a' + i), '\r', '\n'})
	}
	for n, want := range map[int]int{0: 0, 1: 1, 5: 5, 19: 19, 99: 19, -1: 19} {
		u := New(Options{Cols: 10, Rows: 2})
		u.Write(term.Snapshot(nil, SnapshotOptions{Scrollback: n}))
		if got := u.ScrollbackLen(); got != want {
			t.Errorf("Scrollback %d gives %d lines, want %d", n, got, want)
		}
		if u.ScreenText() != term.ScreenText() || u.Cursor() != term.Cursor() {
			t.Errorf("Scrollback %d: another screen", n)
		}
	}
}

// TestSnapshotInSequence: a snapshot taken in the middle of anything goes on
// with the rest of it.
func TestSnapshotInSequence(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, in := range []string{
		"\x1b[38;5;12;1mx", "\x1b[?1049hx", "\x1b]0;a title\x1b\\x", "\x1b]0;a title\ax", "\xe4\xb8\xadx", "\u009b31mx", "e\u0301x",
		"\x1b(0qx", "\x1bP$qm\x1b\\x", "\x1bP1;2q#0;2~\x1b\\x", "\x1b_Ga=T;AAAA\x1b\\x", "\x1bXsos\x1b\\x", "\x1b]52;c;aGk=\ax", "\x1b[1<2mx", "\x1b[ qx", "\x1b[1;2$zx",
		"\x1b]8;;http://x/\ax", "👨\u200d👩\u200d👧x", "🇩🇪x", "\x1b[" + strings.Repeat("1;", 40) + "mx", "\x1bP:x\x1b\\x", "\x1bN\x1b*0qx",
	} {
		var want, got bytes.Buffer
		for i := range len(in) {
			got.Reset()
			a := New(Options{Cols: 10, Rows: 3, Reply: func(b []byte) { want.Write(b) }})
			b := New(Options{Cols: 10, Rows: 3, Reply: func(b []byte) { got.Write(b) }})
			a.Write([]byte(in[:i]))
			want.Reset() // what was answered before is not answered again
			b.Write(a.Snapshot(nil, SnapshotOptions{}))
			a.Write([]byte(in[i:]))
			for rest := []byte(in[i:]); len(rest) > 0; {
				n := 1 + rng.IntN(len(rest))
				b.Write(rest[:n])
				rest = rest[n:]
			}
			if x, y := state(a), state(b); x != y {
				t.Errorf("%q, split at %d:\n%s", in, i, diffLines(x, y))
			}
			if want.String() != got.String() {
				t.Errorf("%q, split at %d: answers %q, want %q", in, i, got.String(), want.String())
			}
		}
	}
}
