package attach

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/termio-sh/termio/vt"
)

func board(t *testing.T, name string) *keyboard {
	t.Helper()
	key, err := vt.ParseKey(name)
	if err != nil {
		t.Fatal(err)
	}
	return newKeyboard(key)
}

// read feeds chunks and writes down what came of them.
func read(k *keyboard, chunks ...string) string {
	var b strings.Builder
	note := func(t token) {
		switch {
		case t.leave:
			b.WriteString("<leave>")
		case t.mouse != nil:
			fmt.Fprintf(&b, "<mouse %d %d %d,%d %d>", t.mouse.Action, t.mouse.Button, t.mouse.X, t.mouse.Y, t.mouse.Mods)
		default:
			b.Write(t.bytes)
		}
	}
	for _, c := range chunks {
		k.feed([]byte(c), note)
	}
	k.flush(note)
	return b.String()
}

func TestKeyboard(t *testing.T) {
	for _, tt := range []struct {
		leave string
		in    []string
		want  string
	}{
		{`ctrl-\`, []string{"abc"}, "abc"},
		{`ctrl-\`, []string{"a\x1cb"}, "a<leave>b"},
		{`ctrl-\`, []string{"\x1b[92;5u"}, "<leave>"},
		{`ctrl-\`, []string{"\x1b[92;5:1u"}, "<leave>"},
		{`ctrl-\`, []string{"\x1b[92;5:3u"}, "\x1b[92;5:3u"}, // its release
		{`ctrl-\`, []string{"\x1b[92;69u"}, "<leave>"},       // with Caps Lock
		{`ctrl-\`, []string{"\x1b[92;133:1u"}, "<leave>"},    // with Num Lock
		{`ctrl-\`, []string{"\x1b[92:124:92;5u"}, "<leave>"},
		{`ctrl-\`, []string{"\x1b[27;5;92~"}, "<leave>"},
		{`ctrl-\`, []string{"\x1b[92;7u"}, "\x1b[92;7u"}, // with Alt too
		{`ctrl-\`, []string{"\x1b[92u"}, "\x1b[92u"},
		{`ctrl-\`, []string{"\x1b[200~a\x1cb", "\x1c\x1b[201", "~c\x1c"}, "\x1b[200~a\x1cb\x1c\x1b[201~c<leave>"},
		{`ctrl-\`, []string{"\x1b[200~\x1b[<0;1;1M\x1b[201~"}, "\x1b[200~\x1b[<0;1;1M\x1b[201~"},
		{`ctrl-]`, []string{"\x1c\x1d"}, "\x1c<leave>"},
		{`f12`, []string{"\x1b[24~\x1b[23~"}, "<leave>\x1b[23~"},
		{`f12`, []string{"\x1b[24;1:1~"}, "<leave>"},
		{`up`, []string{"\x1b[A\x1b[B"}, "<leave>\x1b[B"},
		{`up`, []string{"\x1bOA\x1bOB"}, "<leave>\x1bOB"},
		{`ctrl-up`, []string{"\x1b[1;5A\x1b[1;69A\x1b[A"}, "<leave><leave>\x1b[A"},
		{`alt-x`, []string{"\x1bx\x1by"}, "<leave>\x1by"},
		{`ctrl-\`, []string{"\x1b"}, "\x1b"},
		{`ctrl-\`, []string{"\x1b", "[A"}, "\x1b[A"},
		{`ctrl-\`, []string{"\x1b\x1b[A"}, "\x1b\x1b[A"},
		{`ctrl-\`, []string{"\x1bO"}, "\x1bO"},
		{`ctrl-\`, []string{"\x1b[12"}, "\x1b[12"},
		{`ctrl-\`, []string{"\x1b[<0;3;4M"}, "<mouse 0 1 2,3 0>"},
		{`ctrl-\`, []string{"\x1b[<0;3", ";4m"}, "<mouse 1 1 2,3 0>"},
		{`ctrl-\`, []string{"x\x1b[<64;10;5My"}, "x<mouse 0 4 9,4 0>y"},
		{`ctrl-\`, []string{"\x1b[<35;1;1M"}, "<mouse 2 0 0,0 0>"},
		{`ctrl-\`, []string{"\x1b[<20;1;1M"}, "<mouse 0 1 0,0 5>"},
		{`ctrl-\`, []string{"\x1b[M !\""}, "<mouse 0 1 0,1 0>"},
		{`ctrl-\`, []string{"\x1b[M#!\""}, "<mouse 1 0 0,1 0>"},
		{`ctrl-\`, []string{"\x1b[<0;0;0M"}, "\x1b[<0;0;0M"}, // no place
		{`ctrl-\`, []string{"\x1b[<;;M"}, "\x1b[<;;M"},
		{`ctrl-\`, []string{"\x1b[I\x1b[O"}, "\x1b[I\x1b[O"},
		{`ctrl-\`, []string{"日\xe6", "\x97\xa5"}, "日日"},
		{`ctrl-\`, []string{"\x1b[" + strings.Repeat("1", 300) + "m"}, "\x1b[" + strings.Repeat("1", 300) + "m"},
	} {
		if got := read(board(t, tt.leave), tt.in...); got != tt.want {
			t.Errorf("%s: %q = %q, want %q", tt.leave, tt.in, got, tt.want)
		}
	}
}

// Wherever reads cut the input, the program gets the same.
func TestKeyboardCuts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{
			"a", "日", "\x1c", "\x1b[A", "\x1bOP", "\x1b[92;5u", "\x1b[<0;3;4M", "\x1b[<0;3;4m", "\x1b[200~", "\x1b[201~", "\x1b[20", "\x1bx", "\x1b[M !\"", "\xff", "\x1b[I",
		})).Draw(t, "input"), "") + "."
		key, err := vt.ParseKey(`ctrl-\`)
		if err != nil {
			t.Fatal(err)
		}
		want := read(newKeyboard(key), in)
		var chunks []string
		for rest := in; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			chunks = append(chunks, rest[:n])
			rest = rest[n:]
		}
		if got := read(newKeyboard(key), chunks...); got != want {
			t.Fatalf("%q in pieces %q gives %q, want %q", in, chunks, got, want)
		}
	})
}

func TestKeyboardLate(t *testing.T) {
	k := board(t, `ctrl-\`)
	var got strings.Builder
	note := func(t token) { fmt.Fprintf(&got, "%s%v|", t.bytes, t.leave) }
	k.feed([]byte("\x1b[20"), note)
	k.flush(note)
	k.feed([]byte("0~a\x1cb\x1b[20"), note)
	if k.wait() != 0 {
		t.Error("the end of a paste is not waited for")
	}
	k.feed([]byte("1~\x1c"), note)
	if want := "\x1b[20false|0~false|a\x1cbfalse|\x1b[201~false|true|"; got.String() != want {
		t.Errorf("got %q, want %q", got.String(), want)
	}
}

func TestPace(t *testing.T) {
	at := func(ms float64) time.Time {
		return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(ms * float64(time.Millisecond)))
	}
	soon := func(p *pace, ms float64) bool { return !at(ms).Before(p.due()) }

	var p pace
	p.painted(at(0))
	p.output(at(100), 10, false)
	if !soon(&p, 100) {
		t.Error("output after a pause waits")
	}
	p.painted(at(100))
	p.output(at(101), 10, false)
	if soon(&p, 101) || !soon(&p, 109) {
		t.Errorf("a stream is not held to 120 frames: due %v", p.due())
	}
	p.input(at(102))
	if !soon(&p, 102) {
		t.Error("an echo waits")
	}
	p.painted(at(103))
	p.output(at(103), 10, false)
	if soon(&p, 103) || !soon(&p, 104) {
		t.Errorf("the second half of an echo is due %v", p.due())
	}
	p.output(at(103), 1<<20, false)
	if soon(&p, 104) || !soon(&p, 112) {
		t.Errorf("a flood while typing is due %v", p.due())
	}
	p.painted(at(200))
	p.input(at(300))
	p.output(at(301), 5, true)
	p.output(at(400), 5, true)
	if soon(&p, 500) || !soon(&p, 1301) {
		t.Errorf("a held picture is due %v", p.due())
	}
	p.output(at(401), 5, false)
	if !soon(&p, 401) {
		t.Error("a picture that is let go waits")
	}
}

func TestScrollKeepsItsPlace(t *testing.T) {
	term := vt.New(vt.Options{Cols: 10, Rows: 3})
	for i := range 20 {
		fmt.Fprintf(term, "\r\n\x1b[3%dmline %d", i%8, i)
	}
	var s scroll
	s.by(term, 5)
	if got, want := s.screen(term).ScreenText(), "line 12\nline 13\nline 14"; got != want {
		t.Errorf("5 back: %q, want %q", got, want)
	}
	if c := s.view.Cell(0, 0).Style.FG; c != vt.Indexed(12%8) {
		t.Errorf("the colours are lost: %x", c)
	}
	term.Write([]byte("\r\nnew\r\nnewer"))
	if got, want := s.screen(term).ScreenText(), "line 12\nline 13\nline 14"; got != want {
		t.Errorf("after new lines: %q, want %q", got, want)
	}
	s.by(term, -6)
	if got, want := s.screen(term).ScreenText(), "line 18\nline 19\nnew"; got != want {
		t.Errorf("forth: %q, want %q", got, want)
	}
	s.by(term, -9)
	if s.screen(term) != term {
		t.Error("the bottom is not the live screen")
	}
	s.by(term, 1000)
	if got := s.screen(term).RowText(1); got != "line 0" {
		t.Errorf("the top: %q", got)
	}
}
