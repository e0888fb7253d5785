package paint

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/termio-sh/termio/vt"
)

// look is what a person sees of a cell.
func look(c vt.Cell) string {
	if c.Text == " " {
		c.Text = ""
	}
	c.Style.Attrs &= attrVisible
	return fmt.Sprintf("%q/%d %+v %s", c.Text, c.Width, c.Style, c.Link)
}

// diff compares what two terminals show, inner at the outer's origin, within
// the smaller of their sizes. It returns the first difference.
func diff(inner, outer *vt.Terminal, left, top int) string {
	ic, ir := inner.Size()
	oc, or := outer.Size()
	for y := range min(ir-top, or) {
		for x := range min(ic-left, oc) {
			want, got := inner.Cell(x+left, y+top), outer.Cell(x, y)
			cut := x == 0 && want.Width == 0 || x == oc-1 && want.Width == 2
			if cut {
				want.Text, want.Width, want.Link = "", 1, ""
				got.Link = ""
			}
			if want.Width > 0 && vt.StringWidth(want.Text) > int(want.Width) {
				continue // an emoji that grew at the edge of its screen
			}
			if look(want) != look(got) {
				return fmt.Sprintf("cell %d,%d: want %s, got %s", x, y, look(want), look(got))
			}
		}
	}
	return ""
}

// piece draws one piece of a program's output.
func piece() *rapid.Generator[string] {
	text := rapid.SampledFrom([]string{
		"hello", "a", " ", "        ", "日本", "日", "é", "e\u0301", "👩‍👩‍👧‍👦", "👍🏽", "❤️", "1️⃣", "🇩🇪", "क्षि", "\u00ad", "한", "x\u200dy", "ﷺ",
	})
	control := rapid.SampledFrom([]string{
		"\r\n", "\n", "\r", "\b", "\t", "\x1b[H", "\x1b[K", "\x1b[1K", "\x1b[2K", "\x1b[J", "\x1b[2J", "\x1b[1J", "\x1bM", "\x1bD", "\x1bE",
		"\x1b[?1049h", "\x1b[?1049l", "\x1b[r", "\x1b7", "\x1b8", "\x1b[?7l", "\x1b[?7h", "\x1b[4h", "\x1b[4l",
		"\x1b[m", "\x1b[1m", "\x1b[7m", "\x1b[4:3m", "\x1b[58:2::1:2:3m", "\x1b[31m", "\x1b[44m", "\x1b[38;5;200m", "\x1b[48;2;10;20;30m", "\x1b[9m", "\x1b[2m", "\x1b[53m",
		"\x1b]8;;http://x.y/\x1b\\", "\x1b]8;id=1;http://z/\x1b\\", "\x1b]8;;\x1b\\", "\x1b]2;title\x1b\\", "\x1b[?25l", "\x1b[?25h", "\x1b[3 q", "\x1b[0 q",
		"\x1b[?1h", "\x1b[?1l", "\x1b=", "\x1b>", "\x1b[?2004h", "\x1b[?1000h", "\x1b[?1003h", "\x1b[?1000l", "\x1b[?1003l", "\x1b[?1006h", "\x1b[>1u", "\x1b[>5u", "\x1b[<u",
		"\x1b]4;1;rgb:12/34/56\x1b\\", "\x1b]104\x1b\\", "\x1b]11;#102030\x1b\\", "\x1b]111\x1b\\", "\x1b[?5h", "\x1b[?5l", "\x1b#8", "\x1bc",
	})
	move := rapid.Custom(func(t *rapid.T) string {
		return fmt.Sprintf("\x1b[%d;%dH", rapid.IntRange(1, 12).Draw(t, "row"), rapid.IntRange(1, 24).Draw(t, "col"))
	})
	count := rapid.Custom(func(t *rapid.T) string {
		return fmt.Sprintf("\x1b[%d%s", rapid.IntRange(1, 9).Draw(t, "n"), rapid.SampledFrom([]string{"@", "P", "L", "M", "S", "T", "X", "A", "B", "C", "D", "b"}).Draw(t, "final"))
	})
	region := rapid.Custom(func(t *rapid.T) string {
		a := rapid.IntRange(1, 8).Draw(t, "top")
		return fmt.Sprintf("\x1b[%d;%dr", a, a+rapid.IntRange(1, 6).Draw(t, "rows"))
	})
	return rapid.OneOf(text, text, text, control, move, count, region)
}

// A painter's frames, whatever came before, make the outer terminal show what
// a first frame makes an empty one show, and that is the program's screen.
func TestFramesShowTheScreen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 30)
		inner := vt.New(vt.Options{Cols: size.Draw(t, "cols"), Rows: rapid.IntRange(1, 12).Draw(t, "rows")})
		oc, or := size.Draw(t, "outer cols"), rapid.IntRange(1, 12).Draw(t, "outer rows")
		outer := vt.New(vt.Options{Cols: oc, Rows: or, Scrollback: -1})
		p := New(Options{Cols: oc, Rows: or})
		outer.Write(p.Enter(nil))
		notice := ""
		for step := range rapid.IntRange(1, 25).Draw(t, "steps") {
			switch rapid.IntRange(0, 12).Draw(t, "what") {
			case 0:
				inner.Resize(size.Draw(t, "cols"), rapid.IntRange(1, 12).Draw(t, "rows"))
			case 1:
				oc, or = size.Draw(t, "outer cols"), rapid.IntRange(1, 12).Draw(t, "outer rows")
				outer.Resize(oc, or)
				p.Resize(oc, or)
			case 2:
				notice = rapid.SampledFrom([]string{"", "ctrl-\\ leaves", "日本"}).Draw(t, "notice")
			default:
				inner.Write([]byte(strings.Join(rapid.SliceOfN(piece(), 1, 6).Draw(t, "pieces"), "")))
			}
			frame := p.Frame(nil, Scene{Screen: inner, Notice: notice})
			outer.Write(frame)
			left, top := p.Origin()
			fresh := vt.New(vt.Options{Cols: oc, Rows: or, Scrollback: -1})
			q := New(Options{Cols: oc, Rows: or})
			fresh.Write(q.Enter(nil))
			q.left, q.top = left, top
			fresh.Write(q.Frame(nil, Scene{Screen: inner, Notice: notice}))
			if d := diff(fresh, outer, 0, 0); d != "" {
				t.Fatalf("step %d: after many frames and after one: %s\nframe %q", step, d, frame)
			}
			if notice == "" && !inner.ReverseScreen() && !recolored(inner) {
				if d := diff(inner, outer, left, top); d != "" {
					t.Fatalf("step %d: %s\nframe %q", step, d, frame)
				}
			}
			cur, got := inner.Cursor(), outer.Cursor()
			if !p.visible(cur) {
				cur.Visible = false
			}
			if got.Visible != cur.Visible || cur.Visible && (got.X != cur.X-left || got.Y != cur.Y-top) || got.Shape != cur.Shape || got.Blink != cur.Blink {
				t.Fatalf("step %d: cursor %+v, want %+v less %d,%d\nframe %q", step, got, cur, left, top, frame)
			}
			if d := modesDiff(inner, outer); d != "" {
				t.Fatalf("step %d: %s", step, d)
			}
			if again := p.Frame(nil, Scene{Screen: inner, Notice: notice}); len(again) > 16 {
				t.Fatalf("step %d: a frame without a change: %q", step, again)
			}
		}
		outer.Write(p.Restore(nil))
		if d := pristine(outer); d != "" {
			t.Fatalf("after Restore: %s", d)
		}
	})
}

func recolored(t *vt.Terminal) bool {
	fg, bg, _ := t.DefaultColors()
	_, one := t.PaletteColor(1)
	return !fg.IsDefault() || !bg.IsDefault() || one
}

func modesDiff(inner, outer *vt.Terminal) string {
	want, got := inner.InputModes(), outer.InputModes()
	if want.Mouse != vt.MouseNone {
		want.MouseEncoding = vt.MouseEncodingSGR
	}
	if want.Mouse == vt.MouseNone {
		want.MouseEncoding = got.MouseEncoding
	}
	if want != got {
		return fmt.Sprintf("modes %+v, want %+v", got, want)
	}
	if inner.Title() != outer.Title() {
		return fmt.Sprintf("title %q, want %q", outer.Title(), inner.Title())
	}
	return ""
}

// pristine tells what a terminal that was restored differs from a new one in.
func pristine(t *vt.Terminal) string {
	cols, rows := t.Size()
	fresh := vt.New(vt.Options{Cols: cols, Rows: rows, Scrollback: -1})
	switch {
	case t.AltScreen():
		return "still on the alternate screen"
	case t.InputModes() != fresh.InputModes():
		return fmt.Sprintf("modes %+v", t.InputModes())
	case t.Cursor() != fresh.Cursor():
		return fmt.Sprintf("cursor %+v", t.Cursor())
	case t.Title() != "":
		return "title " + t.Title()
	case t.Synchronized():
		return "synchronised"
	}
	return sameNow(fresh, t)
}

// sameNow tells where two terminals differ, also in what they make of further
// output.
func sameNow(want, got *vt.Terminal) string {
	for _, probe := range []string{"", "probe " + strings.Repeat("wraps ", 20), "\x1b[?47h", "\x1b[?47l"} {
		want.Write([]byte(probe))
		got.Write([]byte(probe))
		if d := diff(want, got, 0, 0); d != "" {
			return fmt.Sprintf("after %q: %s", probe, d)
		}
		if want.Cursor() != got.Cursor() {
			return fmt.Sprintf("after %q: cursor %+v, want %+v", probe, got.Cursor(), want.Cursor())
		}
		if want.InputModes() != got.InputModes() || want.Title() != got.Title() {
			return fmt.Sprintf("after %q: modes %+v %q, want %+v %q", probe, got.InputModes(), got.Title(), want.InputModes(), want.Title())
		}
	}
	return ""
}

func TestRestoreLeavesNothing(t *testing.T) {
	found := "\x1b[?47h\x1b[>1u\x1b[?47luser's screen\r\n$ termio \x1b]2;shell\x1b\\"
	for name, restore := range map[string]func(*Painter) []byte{
		"Restore":   func(p *Painter) []byte { return p.Restore(nil) },
		"Emergency": func(*Painter) []byte { return Emergency() },
	} {
		inner := vt.New(vt.Options{Cols: 40, Rows: 10})
		want := vt.New(vt.Options{Cols: 40, Rows: 10})
		outer := vt.New(vt.Options{Cols: 40, Rows: 10})
		want.Write([]byte(found))
		outer.Write([]byte(found))
		p := New(Options{Cols: 40, Rows: 10})
		outer.Write(p.Enter(nil))
		inner.Write([]byte("\x1b[?1003h\x1b[?1006h\x1b[?1004h\x1b[?2004h\x1b[?1h\x1b=\x1b[?67h\x1b[20h\x1b[>4;2m\x1b[>31u\x1b[5 q\x1b[?25l" +
			"\x1b]12;red\x1b\\\x1b]2;agent\x1b\\\x1b]8;;http://x/\x1b\\\x1b[1;31mtext"))
		p.Pass(vt.Event{Kind: vt.EventProgress, Progress: vt.Progress{State: vt.ProgressNormal, Percent: 40}})
		outer.Write(p.Frame(nil, Scene{Screen: inner, Notice: "n"}))
		if modes := outer.InputModes(); modes.Kitty != 31 || modes.Mouse != vt.MouseMotion || !modes.FocusEvents || outer.Title() != "agent" {
			t.Errorf("%s: the modes were not mirrored: %+v %q", name, modes, outer.Title())
		}
		outer.Write(restore(p))
		if d := sameNow(want, outer); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestEchoIsSmall(t *testing.T) {
	inner := vt.New(vt.Options{Cols: 80, Rows: 24})
	p := New(Options{Cols: 80, Rows: 24})
	inner.Write([]byte("\x1b[31m$ \x1b[m"))
	p.Frame(nil, Scene{Screen: inner})
	inner.Write([]byte("a"))
	if got := string(p.Frame(nil, Scene{Screen: inner})); got != "a" {
		t.Errorf("the echo of a is %q", got)
	}
	inner.Write([]byte("\b \b"))
	if got := string(p.Frame(nil, Scene{Screen: inner})); got != "\x1b[3G\x1b[K\x1b[3G" && got != "\x1b[3G\x1b[K" {
		t.Errorf("the echo of backspace is %q", got)
	}
}

func TestLargeFramesAreSynchronised(t *testing.T) {
	inner := vt.New(vt.Options{Cols: 80, Rows: 24})
	p := New(Options{Cols: 80, Rows: 24})
	inner.Write([]byte(strings.Repeat("0123456789", 192)))
	got := string(p.Frame(nil, Scene{Screen: inner}))
	if !strings.HasPrefix(got, "\x1b[?2026h\x1b[?25l") || !strings.HasSuffix(got, "\x1b[?2026l") {
		t.Errorf("a full frame is %q", got)
	}
}

func TestWheelTakesTheMouse(t *testing.T) {
	inner := vt.New(vt.Options{Cols: 80, Rows: 24})
	p := New(Options{Cols: 80, Rows: 24})
	if got := string(p.Frame(nil, Scene{Screen: inner, Wheel: true})); !strings.Contains(got, "\x1b[?1000h\x1b[?1006h") {
		t.Errorf("no mouse in %q", got)
	}
	inner.Write([]byte("\x1b[?1002h"))
	if got := string(p.Frame(nil, Scene{Screen: inner, Wheel: true})); got != "\x1b[?1000l\x1b[?1002h" {
		t.Errorf("from wheel to drags with %q", got)
	}
}

func TestPass(t *testing.T) {
	for _, tt := range []struct {
		event vt.Event
		want  string
	}{
		{vt.Event{Kind: vt.EventBell}, "\a"},
		{vt.Event{Kind: vt.EventNotification, Text: "done\x1b]\a"}, "\x1b]9;done]\x1b\\"},
		{vt.Event{Kind: vt.EventNotification, Text: "4;1;50"}, "\x1b]777;notify;;4;1;50\x1b\\"},
		{vt.Event{Kind: vt.EventNotification, Title: "a;b", Text: "c"}, "\x1b]777;notify;a,b;c\x1b\\"},
		{vt.Event{Kind: vt.EventClipboard, Text: "c", Data: []byte("hi")}, "\x1b]52;c;aGk=\x1b\\"},
		{vt.Event{Kind: vt.EventProgress, Progress: vt.Progress{State: 1, Percent: 7}}, "\x1b]9;4;1;7\x1b\\"},
		{vt.Event{Kind: vt.EventProgress, Progress: vt.Progress{State: 0, Percent: -1}}, "\x1b]9;4;0\x1b\\"},
		{vt.Event{Kind: vt.EventTitle, Text: "x"}, ""},
	} {
		inner := vt.New(vt.Options{Cols: 8, Rows: 2})
		p := New(Options{Cols: 8, Rows: 2})
		p.Frame(nil, Scene{Screen: inner})
		if p.Pass(tt.event) != (tt.want != "") {
			t.Errorf("Pass(%+v) says otherwise", tt.event)
		}
		if got := string(p.Frame(nil, Scene{Screen: inner})); got != tt.want {
			t.Errorf("Pass(%+v) = %q, want %q", tt.event, got, tt.want)
		}
	}
}

func TestCropFollowsTheCursor(t *testing.T) {
	inner := vt.New(vt.Options{Cols: 20, Rows: 10})
	outer := vt.New(vt.Options{Cols: 10, Rows: 4, Scrollback: -1})
	p := New(Options{Cols: 10, Rows: 4})
	for y := range 10 {
		fmt.Fprintf(inner, "\x1b[%d;1Hrow %d of the screen", y+1, y)
	}
	inner.Write([]byte("\x1b[9;15H"))
	outer.Write(p.Frame(nil, Scene{Screen: inner}))
	if x, y := p.Origin(); x != 5 || y != 5 {
		t.Errorf("origin %d,%d", x, y)
	}
	if got := outer.RowText(3); got != " of the sc" {
		t.Errorf("bottom row %q", got)
	}
	inner.Write([]byte("\x1b[1;1H"))
	outer.Write(p.Frame(nil, Scene{Screen: inner}))
	if got := outer.RowText(0); got != "row 0 of t" {
		t.Errorf("top row %q", got)
	}
}

func TestLetterbox(t *testing.T) {
	inner := vt.New(vt.Options{Cols: 4, Rows: 1})
	outer := vt.New(vt.Options{Cols: 6, Rows: 2, Scrollback: -1})
	p := New(Options{Cols: 6, Rows: 2})
	inner.Write([]byte("ab"))
	outer.Write(p.Frame(nil, Scene{Screen: inner}))
	if got := outer.ScreenText(); got != "ab  ··\n······" {
		t.Errorf("screen %q", got)
	}
}

func TestDepthOf(t *testing.T) {
	for _, tt := range []struct {
		term, colorterm string
		want            Depth
	}{
		{"xterm-256color", "truecolor", DepthTrue},
		{"linux", "24bit", DepthTrue},
		{"xterm-256color", "", Depth256},
		{"screen-256color", "", Depth256},
		{"xterm-direct", "", DepthTrue},
		{"xterm-kitty", "", DepthTrue},
		{"alacritty", "", DepthTrue},
		{"linux", "", Depth16},
		{"xterm", "", Depth16},
		{"xterm-16color", "", Depth16},
		{"vt220", "", DepthNone},
	} {
		env := map[string]string{"TERM": tt.term, "COLORTERM": tt.colorterm}
		if got := DepthOf(func(k string) string { return env[k] }); got != tt.want {
			t.Errorf("%+v: %d", tt, got)
		}
	}
}

func TestFewerColors(t *testing.T) {
	for _, tt := range []struct {
		depth    Depth
		from, to vt.Color
	}{
		{DepthTrue, vt.RGB(1, 2, 3), vt.RGB(1, 2, 3)},
		{Depth256, vt.RGB(255, 0, 0), vt.Indexed(196)},
		{Depth256, vt.RGB(8, 8, 8), vt.Indexed(232)},
		{Depth256, vt.RGB(128, 128, 128), vt.Indexed(244)},
		{Depth256, vt.RGB(95, 135, 175), vt.Indexed(67)},
		{Depth256, vt.Indexed(3), vt.Indexed(3)},
		{Depth16, vt.Indexed(9), vt.Indexed(9)},
		{Depth16, vt.Indexed(196), vt.Indexed(9)},
		{Depth16, vt.RGB(0, 200, 0), vt.Indexed(2)},
		{Depth16, vt.RGB(250, 250, 250), vt.Indexed(15)},
		{Depth16, vt.RGB(1, 1, 1), vt.Indexed(0)},
		{DepthNone, vt.RGB(1, 1, 1), 0},
		{DepthNone, vt.Indexed(1), 0},
		{Depth16, 0, 0},
	} {
		c := colors{depth: tt.depth}
		if got := c.style(vt.Style{FG: tt.from}).FG; got != tt.to {
			t.Errorf("%d: %x becomes %x, want %x", tt.depth, tt.from, got, tt.to)
		}
	}
	// Every colour of the cube and of the greys is its own nearest.
	for i := 16; i < 256; i++ {
		r, g, b := xterm256(uint8(i))
		j := nearest256(r, g, b)
		if jr, jg, jb := xterm256(j); jr != r || jg != g || jb != b {
			t.Errorf("colour %d becomes %d", i, j)
		}
	}
}

func TestProgramsPalette(t *testing.T) {
	inner := vt.New(vt.Options{Cols: 8, Rows: 1})
	outer := vt.New(vt.Options{Cols: 8, Rows: 1, Scrollback: -1})
	p := New(Options{Cols: 8, Rows: 1})
	inner.Write([]byte("\x1b[31mr"))
	outer.Write(p.Frame(nil, Scene{Screen: inner}))
	inner.Write([]byte("\x1b]4;1;rgb:10/20/30\x1b\\\x1b]11;rgb:40/50/60\x1b\\"))
	outer.Write(p.Frame(nil, Scene{Screen: inner}))
	if s := outer.Cell(0, 0).Style; s.FG != vt.RGB(16, 32, 48) || s.BG != vt.RGB(64, 80, 96) {
		t.Errorf("the palette's red on the program's background is %+v", s)
	}
	inner.Write([]byte("\x1b]4;1;rgb:11/20/30\x1b\\"))
	outer.Write(p.Frame(nil, Scene{Screen: inner}))
	if s := outer.Cell(0, 0).Style; s.FG != vt.RGB(17, 32, 48) {
		t.Errorf("another red is %+v", s)
	}
	if _, set := outer.PaletteColor(1); set {
		t.Error("the outer terminal's palette was changed")
	}
	inner.Write([]byte("\x1b]104\x1b\\\x1b]111\x1b\\"))
	outer.Write(p.Frame(nil, Scene{Screen: inner}))
	if s := outer.Cell(0, 0).Style; s != (vt.Style{FG: vt.Indexed(1)}) {
		t.Errorf("red again is %+v", s)
	}
}

// A change in the second half of a wide character draws it whole.
func TestWideCharactersAreDrawnWhole(t *testing.T) {
	p := New(Options{Cols: 4, Rows: 1})
	outer := vt.New(vt.Options{Cols: 4, Rows: 1, Scrollback: -1})
	outer.Write(p.clear(nil))
	row := []vt.Cell{{Text: "a", Width: 1}, {Text: "日", Width: 2}, {}, {Text: "b", Width: 1}}
	copy(p.want, row)
	outer.Write(p.drawRow(nil, 0))
	p.want[2].Style.Attrs = vt.AttrBold
	outer.Write(p.drawRow(nil, 0))
	if got := outer.RowText(0); got != "a日b" {
		t.Errorf("the row is %q", got)
	}
}

func BenchmarkFrameEcho(b *testing.B) {
	inner := vt.New(vt.Options{Cols: 200, Rows: 50})
	p := New(Options{Cols: 200, Rows: 50})
	var dst []byte
	b.ReportAllocs()
	for i := range b.N {
		inner.Write([]byte("ab\b\b\x1b[m")[i%2 : i%2+1])
		dst = p.Frame(dst[:0], Scene{Screen: inner})
	}
}

func BenchmarkFrameFull(b *testing.B) {
	inner := vt.New(vt.Options{Cols: 200, Rows: 50})
	p := New(Options{Cols: 200, Rows: 50})
	var dst []byte
	b.ReportAllocs()
	for i := range b.N {
		for y := range 50 {
			fmt.Fprintf(inner, "\x1b[%d;1H\x1b[3%dm%0199d", y+1, y%8, i*7+y)
		}
		dst = p.Frame(dst[:0], Scene{Screen: inner})
	}
	b.SetBytes(int64(len(dst)))
}
