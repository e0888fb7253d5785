package vt

import (
	"fmt"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestEncodeMouse(t *testing.T) {
	press := MouseEvent{Button: ButtonLeft, X: 4, Y: 9, PixelX: 41, PixelY: 181}
	with := func(f func(*MouseEvent)) MouseEvent { e := press; f(&e); return e }
	release := with(func(e *MouseEvent) { e.Action = MouseRelease })
	drag := with(func(e *MouseEvent) { e.Action = MouseMove })
	move := with(func(e *MouseEvent) { e.Action, e.Button = MouseMove, ButtonNone })
	wheel := with(func(e *MouseEvent) { e.Button = ButtonWheelDown })
	far := with(func(e *MouseEvent) { e.X = 223 })
	mods := with(func(e *MouseEvent) { e.Mods = ModShift | ModAlt | ModCtrl })
	tests := []struct {
		name string
		e    MouseEvent
		mode MouseMode
		enc  MouseEncoding
		want string
	}{
		{"off", press, MouseNone, MouseEncodingSGR, ""},
		{"X10 press", press, MouseX10, MouseEncodingDefault, "\x1b[M %*"},
		{"X10 has no modifiers", mods, MouseX10, MouseEncodingDefault, "\x1b[M %*"},
		{"X10 has no release", release, MouseX10, MouseEncodingDefault, ""},
		{"X10 has no wheel", wheel, MouseX10, MouseEncodingDefault, ""},
		{"press", press, MouseButton, MouseEncodingDefault, "\x1b[M %*"},
		{"release", release, MouseButton, MouseEncodingDefault, "\x1b[M#%*"},
		{"1000 has no drag", drag, MouseButton, MouseEncodingDefault, ""},
		{"drag", drag, MouseDrag, MouseEncodingDefault, "\x1b[M@%*"},
		{"1002 has no move", move, MouseDrag, MouseEncodingDefault, ""},
		{"move", move, MouseMotion, MouseEncodingDefault, "\x1b[MC%*"},
		{"drag, 1003", drag, MouseMotion, MouseEncodingDefault, "\x1b[M@%*"},
		{"wheel", wheel, MouseButton, MouseEncodingDefault, "\x1b[Ma%*"},
		{"wheel has no release", with(func(e *MouseEvent) { e.Button, e.Action = ButtonWheelUp, MouseRelease }), MouseMotion, MouseEncodingSGR, ""},
		{"modifiers", mods, MouseButton, MouseEncodingDefault, "\x1b[M<%*"},
		{"modifiers of a release", with(func(e *MouseEvent) { e.Action, e.Mods = MouseRelease, ModCtrl }), MouseButton, MouseEncodingDefault, "\x1b[M3%*"},
		{"last column", with(func(e *MouseEvent) { e.X = 222 }), MouseButton, MouseEncodingDefault, "\x1b[M \xff*"},
		{"past the last column", far, MouseButton, MouseEncodingDefault, ""},
		{"UTF-8", far, MouseButton, MouseEncodingUTF8, "\x1b[M \u0100*"},
		{"UTF-8, last", with(func(e *MouseEvent) { e.X = 2014 }), MouseButton, MouseEncodingUTF8, "\x1b[M \u07ff*"},
		{"UTF-8, past the last", with(func(e *MouseEvent) { e.Y = 2015 }), MouseButton, MouseEncodingUTF8, ""},
		{"SGR", far, MouseButton, MouseEncodingSGR, "\x1b[<0;224;10M"},
		{"SGR release", release, MouseButton, MouseEncodingSGR, "\x1b[<0;5;10m"},
		{"SGR right release", with(func(e *MouseEvent) { e.Button, e.Action = ButtonRight, MouseRelease }), MouseButton, MouseEncodingSGR, "\x1b[<2;5;10m"},
		{"SGR drag", drag, MouseDrag, MouseEncodingSGR, "\x1b[<32;5;10M"},
		{"SGR move", move, MouseMotion, MouseEncodingSGR, "\x1b[<35;5;10M"},
		{"SGR wheel", wheel, MouseButton, MouseEncodingSGR, "\x1b[<65;5;10M"},
		{"SGR button 8", with(func(e *MouseEvent) { e.Button = Button8 }), MouseButton, MouseEncodingSGR, "\x1b[<128;5;10M"},
		{"SGR modifiers", mods, MouseButton, MouseEncodingSGR, "\x1b[<28;5;10M"},
		{"URXVT", far, MouseButton, MouseEncodingURXVT, "\x1b[32;224;10M"},
		{"URXVT release", release, MouseButton, MouseEncodingURXVT, "\x1b[35;5;10M"},
		{"pixels", press, MouseButton, MouseEncodingSGRPixels, "\x1b[<0;42;182M"},
		{"before the edge", with(func(e *MouseEvent) { e.X, e.Y = -3, -1 }), MouseButton, MouseEncodingSGR, "\x1b[<0;1;1M"},
		{"no button pressed", with(func(e *MouseEvent) { e.Button = ButtonNone }), MouseMotion, MouseEncodingSGR, ""},
		{"unknown button", with(func(e *MouseEvent) { e.Button = 99 }), MouseMotion, MouseEncodingSGR, ""},
	}
	for _, tt := range tests {
		if got := string(EncodeMouse(nil, tt.e, InputModes{Mouse: tt.mode, MouseEncoding: tt.enc})); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// decodeMouse reads a report as a program does.
func decodeMouse(s string, enc MouseEncoding) (code, x, y int, release bool, err error) {
	var final byte
	switch enc {
	case MouseEncodingSGR, MouseEncodingSGRPixels:
		_, err = fmt.Sscanf(s, "\x1b[<%d;%d;%d%c", &code, &x, &y, &final)
		return code, x, y, final == 'm', err
	case MouseEncodingURXVT:
		_, err = fmt.Sscanf(s, "\x1b[%d;%d;%dM", &code, &x, &y)
		code -= 32
	default:
		var v [3]int
		rest := s[len("\x1b[M"):]
		for i := range v {
			if enc == MouseEncodingUTF8 {
				r, n := utf8.DecodeRuneInString(rest)
				v[i], rest = int(r)-32, rest[n:]
			} else {
				v[i], rest = int(rest[0])-32, rest[1:]
			}
		}
		code, x, y = v[0], v[1], v[2]
	}
	return code, x, y, code&3 == 3 && code&(32|64|128) == 0, err
}

func TestMouseRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := MouseEvent{
			Action: MouseAction(rapid.IntRange(0, 2).Draw(t, "action")),
			Button: Button(rapid.IntRange(0, int(buttonCount)-1).Draw(t, "button")),
			X:      rapid.IntRange(0, 222).Draw(t, "x"), Y: rapid.IntRange(0, 222).Draw(t, "y"),
			Mods: Mods(rapid.IntRange(0, 7).Draw(t, "mods")),
		}
		e.PixelX, e.PixelY = e.X, e.Y
		enc := MouseEncoding(rapid.IntRange(0, int(MouseEncodingSGRPixels)).Draw(t, "encoding"))
		s := string(EncodeMouse(nil, e, InputModes{Mouse: MouseMotion, MouseEncoding: enc}))
		if s == "" {
			return
		}
		code, x, y, release, err := decodeMouse(s, enc)
		if err != nil || x != e.X+1 || y != e.Y+1 || release != (e.Action == MouseRelease) {
			t.Fatalf("%+v became %q, read as %d at %d,%d: %v", e, s, code, x, y, err)
		}
		var mods Mods
		for bit, m := range map[int]Mods{mouseShift: ModShift, mouseAlt: ModAlt, mouseCtrl: ModCtrl} {
			if code&bit != 0 {
				mods |= m
			}
		}
		if mods != e.Mods || (code&mouseMotion != 0) != (e.Action == MouseMove) {
			t.Fatalf("%+v became %q", e, s)
		}
		if sgr := enc == MouseEncodingSGR || enc == MouseEncodingSGRPixels; (sgr || !release) && code&^(28|32) != buttonCodes[e.Button] {
			t.Fatalf("%+v became %q with the button %d", e, s, code)
		}
	})
}

func TestEncodeFocus(t *testing.T) {
	on := InputModes{FocusEvents: true}
	if got := string(EncodeFocus(nil, true, on)); got != "\x1b[I" {
		t.Errorf("focus in: %q", got)
	}
	if got := string(EncodeFocus(nil, false, on)); got != "\x1b[O" {
		t.Errorf("focus out: %q", got)
	}
	if got := EncodeFocus(nil, true, InputModes{}); len(got) != 0 {
		t.Errorf("not asked for: %q", got)
	}
}
