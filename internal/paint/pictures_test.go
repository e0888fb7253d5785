package paint

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/termio-sh/termio/vt"
)

var all = Pictures{Kitty: true, Sixel: true, CellWidth: 10, CellHeight: 20}

// sixel is a picture of w×h pixels, h a multiple of 6.
func sixel(w, h int) string {
	return "\x1bPq" + strings.TrimSuffix(strings.Repeat(fmt.Sprintf("#0!%d~-", w), h/6), "-") + "\x1b\\"
}

// kitty is a picture of w×h pixels.
func kitty(keys string, w, h int) string {
	return fmt.Sprintf("\x1b_Gf=24,s=%d,v=%d,%s;%s\x1b\\", w, h, keys, base64.StdEncoding.EncodeToString(make([]byte, w*h*3)))
}

// pictured lists the pictures of a terminal, from left and top on, that lie
// whole within cols×rows.
func pictured(t *vt.Terminal, left, top, cols, rows int) string {
	var s []string
	for _, m := range t.Images() {
		x, y, bottom := m.X-left, m.Y-top, rows
		if m.Format == vt.ImageSixel {
			bottom--
		}
		if x >= 0 && y >= 0 && x+m.Cols <= cols && y+m.Rows <= bottom {
			s = append(s, fmt.Sprintf("%d at %d,%d %d×%d", m.Format, x, y, m.Cols, m.Rows))
		}
	}
	// Which of two came first differs where one was taken off for a while.
	for i := range s {
		for k := i; k > 0 && s[k] < s[k-1]; k-- {
			s[k], s[k-1] = s[k-1], s[k]
		}
	}
	return strings.Join(s, "; ")
}

// Pictures are on the outer terminal where they are on the program's, through
// whatever happens, and nowhere else; text is what it would be without them.
func TestPicturesShow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cols, rows := rapid.IntRange(4, 30).Draw(t, "cols"), rapid.IntRange(3, 12).Draw(t, "rows")
		inner := vt.New(vt.Options{Cols: cols, Rows: rows})
		oc, or := rapid.IntRange(4, 30).Draw(t, "outer cols"), rapid.IntRange(3, 12).Draw(t, "outer rows")
		outer := vt.New(vt.Options{Cols: oc, Rows: or, Scrollback: -1})
		p := New(Options{Cols: oc, Rows: or, Pictures: all})
		outer.Write(p.Enter(nil))
		picture := rapid.SampledFrom([]string{
			sixel(30, 42), sixel(12, 12), kitty("a=T,i=1", 25, 30), kitty("a=T,i=2,C=1", 10, 20), kitty("i=3", 20, 20),
			"\x1b_Ga=p,i=3,p=1\x1b\\", "\x1b_Ga=p,i=3,p=2,C=1\x1b\\", "\x1b_Ga=d\x1b\\", "\x1b_Ga=d,d=I,i=3\x1b\\", "\x1b_Ga=d,d=C\x1b\\",
		})
		pieces := rapid.OneOf(piece(), picture)
		for range rapid.IntRange(1, 8).Draw(t, "frames") {
			for range rapid.IntRange(1, 6).Draw(t, "pieces") {
				inner.Write([]byte(pieces.Draw(t, "piece")))
			}
			if rapid.IntRange(0, 15).Draw(t, "lost") == 0 {
				p.Invalidate()
			}
			outer.Write(p.Frame(nil, Scene{Screen: inner}))
			left, top := p.Origin()
			if want, got := pictured(inner, left, top, oc, or), pictured(outer, 0, 0, oc, or); want != got {
				t.Fatalf("pictures %q, want %q", got, want)
			}
			first := vt.New(vt.Options{Cols: oc, Rows: or, Scrollback: -1})
			fresh := New(Options{Cols: oc, Rows: or, Pictures: all})
			fresh.left, fresh.top = left, top
			first.Write(fresh.Frame(fresh.Enter(nil), Scene{Screen: inner}))
			if d := diff(first, outer, 0, 0); d != "" {
				t.Fatal(d)
			}
		}
		outer.Write(p.Restore(nil))
		if outer.AltScreen() || len(outer.Images()) > 0 {
			t.Fatalf("after Restore: alternate screen %v, pictures %q", outer.AltScreen(), pictured(outer, 0, 0, oc, or))
		}
	})
}

// What the outer terminal cannot show is named in its place.
func TestPicturesNamed(t *testing.T) {
	for _, c := range []struct {
		can      Pictures
		in, want string
	}{
		{Pictures{}, "ab" + sixel(30, 42), "ab[picture 30×42]"},
		{Pictures{}, kitty("a=T,i=1,C=1", 30, 40) + "\x1b[1;5Hx", "[picx"},
		{Pictures{}, kitty("a=T,i=1,C=1", 30, 40) + "\x1b_Ga=d\x1b\\", ""},
		{Pictures{Kitty: true}, sixel(30, 42), "[picture 30×42]"},
		{Pictures{Sixel: true}, sixel(30, 42), "[picture 30×42]"}, // without the size of a cell
		{all, sixel(30, 42) + "\r\n\n" + kitty("a=T,i=1,C=1", 30, 20), ""},
		{all, kitty("a=T,i=1,C=1", 3000, 40), "[picture 3000×40]"},
	} {
		inner := vt.New(vt.Options{Cols: 20, Rows: 8})
		outer := vt.New(vt.Options{Cols: 20, Rows: 8, Scrollback: -1})
		p := New(Options{Cols: 20, Rows: 8, Pictures: c.can})
		outer.Write(p.Frame(p.Enter(nil), Scene{Screen: inner}))
		inner.Write([]byte(c.in))
		frame := p.Frame(nil, Scene{Screen: inner})
		outer.Write(frame)
		if got := outer.ScreenText(); got != c.want {
			t.Errorf("%+v, %.20q shows %q, want %q", c.can, c.in, got, c.want)
		}
		if s := string(frame); !c.can.Kitty && strings.Contains(s, "\x1b_") || (!c.can.Sixel || c.can.CellWidth == 0) && strings.Contains(s, "\x1bP") {
			t.Errorf("%+v: a picture was sent", c.can)
		}
	}
}

// A picture that moves is not sent again where the outer terminal can move it,
// and one that rests costs nothing.
func TestPicturesAreSentOnce(t *testing.T) {
	inner := vt.New(vt.Options{Cols: 40, Rows: 10})
	p := New(Options{Cols: 40, Rows: 10, Pictures: all})
	p.Frame(p.Enter(nil), Scene{Screen: inner})
	inner.Write([]byte("\x1b[5;1H" + kitty("a=T,i=1,C=1", 100, 60) + "\x1b[4;20H" + sixel(30, 42)))
	if s := string(p.Frame(nil, Scene{Screen: inner})); strings.Count(s, "a=t") != 1 || strings.Count(s, "a=p") != 1 || strings.Count(s, "\x1bPq") != 1 {
		t.Errorf("the first frame has %d times the pixels", strings.Count(s, "a=t"))
	}
	inner.Write([]byte("\x1b[9;1Htext\x1b[4;1Hbeside"))
	if s := string(p.Frame(nil, Scene{Screen: inner})); strings.Contains(s, "\x1b_G") || strings.Contains(s, "\x1bP") {
		t.Error("pictures were sent again though they rest")
	}
	inner.Write([]byte("\x1b[10;1H\n"))
	if s := string(p.Frame(nil, Scene{Screen: inner})); strings.Contains(s, "a=t") || strings.Count(s, "a=p") != 1 || strings.Count(s, "\x1bPq") != 1 {
		t.Errorf("after a line: %.200q", s)
	}
	s := string(p.Frame(nil, Scene{Screen: inner, Notice: strings.Repeat("n", 9)}))
	if strings.Contains(s, "\x1b_G") {
		t.Errorf("a notice elsewhere: %.200q", s)
	}
}

func TestPicturesOf(t *testing.T) {
	for _, c := range []struct {
		env  string
		want Pictures
	}{
		{"TERM=xterm-256color", Pictures{}},
		{"TERM=xterm-kitty", Pictures{Kitty: true}},
		{"TERM=xterm-kitty KITTY_WINDOW_ID=1 TMUX=x", Pictures{}},
		{"TERM=tmux-256color TERM_PROGRAM=WezTerm", Pictures{}},
		{"TERM=xterm-256color TERM_PROGRAM=WezTerm", Pictures{Kitty: true, Sixel: true}},
		{"TERM=xterm-ghostty", Pictures{Kitty: true}},
		{"TERM=foot", Pictures{Sixel: true}},
		{"TERM=xterm-256color KONSOLE_VERSION=230800", Pictures{Sixel: true}},
		{"TERM=xterm-256color KONSOLE_VERSION=210800", Pictures{}},
		{"TERM=xterm-kitty TERMIO_PICTURES=none", Pictures{}},
		{"TERM=xterm TERMIO_PICTURES=kitty,sixel", Pictures{Kitty: true, Sixel: true}},
	} {
		env := map[string]string{}
		for _, kv := range strings.Fields(c.env) {
			k, v, _ := strings.Cut(kv, "=")
			env[k] = v
		}
		if got := PicturesOf(func(k string) string { return env[k] }); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.env, got, c.want)
		}
	}
}
