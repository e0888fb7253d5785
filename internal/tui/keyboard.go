package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/termio-sh/termio/vt"
)

// special are the keys that have no character, by bubbletea's codes.
var special = map[rune]vt.KeyCode{
	tea.KeyEscape: vt.KeyEscape, tea.KeyEnter: vt.KeyEnter, tea.KeyTab: vt.KeyTab, tea.KeyBackspace: vt.KeyBackspace,
	tea.KeyInsert: vt.KeyInsert, tea.KeyDelete: vt.KeyDelete, tea.KeyLeft: vt.KeyLeft, tea.KeyRight: vt.KeyRight,
	tea.KeyUp: vt.KeyUp, tea.KeyDown: vt.KeyDown, tea.KeyPgUp: vt.KeyPageUp, tea.KeyPgDown: vt.KeyPageDown,
	tea.KeyHome: vt.KeyHome, tea.KeyEnd: vt.KeyEnd, tea.KeyBegin: vt.KeyKPBegin, tea.KeyFind: vt.KeyHome, tea.KeySelect: vt.KeyEnd,
	tea.KeyCapsLock: vt.KeyCapsLock, tea.KeyScrollLock: vt.KeyScrollLock, tea.KeyNumLock: vt.KeyNumLock,
	tea.KeyPrintScreen: vt.KeyPrintScreen, tea.KeyPause: vt.KeyPause, tea.KeyMenu: vt.KeyMenu,
	tea.KeyKpEnter: vt.KeyKPEnter, tea.KeyKpEqual: vt.KeyKPEqual, tea.KeyKpMultiply: vt.KeyKPMultiply, tea.KeyKpPlus: vt.KeyKPAdd,
	tea.KeyKpComma: vt.KeyKPSeparator, tea.KeyKpSep: vt.KeyKPSeparator, tea.KeyKpMinus: vt.KeyKPSubtract,
	tea.KeyKpDecimal: vt.KeyKPDecimal, tea.KeyKpDivide: vt.KeyKPDivide,
	tea.KeyKpUp: vt.KeyKPUp, tea.KeyKpDown: vt.KeyKPDown, tea.KeyKpLeft: vt.KeyKPLeft, tea.KeyKpRight: vt.KeyKPRight,
	tea.KeyKpPgUp: vt.KeyKPPageUp, tea.KeyKpPgDown: vt.KeyKPPageDown, tea.KeyKpHome: vt.KeyKPHome, tea.KeyKpEnd: vt.KeyKPEnd,
	tea.KeyKpInsert: vt.KeyKPInsert, tea.KeyKpDelete: vt.KeyKPDelete, tea.KeyKpBegin: vt.KeyKPBegin,
	tea.KeyMediaPlay: vt.KeyMediaPlay, tea.KeyMediaPause: vt.KeyMediaPause, tea.KeyMediaPlayPause: vt.KeyMediaPlayPause,
	tea.KeyMediaReverse: vt.KeyMediaReverse, tea.KeyMediaStop: vt.KeyMediaStop, tea.KeyMediaFastForward: vt.KeyMediaFastForward,
	tea.KeyMediaRewind: vt.KeyMediaRewind, tea.KeyMediaNext: vt.KeyMediaTrackNext, tea.KeyMediaPrev: vt.KeyMediaTrackPrevious,
	tea.KeyMediaRecord: vt.KeyMediaRecord, tea.KeyLowerVol: vt.KeyLowerVolume, tea.KeyRaiseVol: vt.KeyRaiseVolume, tea.KeyMute: vt.KeyMuteVolume,
	tea.KeyLeftShift: vt.KeyLeftShift, tea.KeyLeftCtrl: vt.KeyLeftControl, tea.KeyLeftAlt: vt.KeyLeftAlt,
	tea.KeyLeftSuper: vt.KeyLeftSuper, tea.KeyLeftHyper: vt.KeyLeftHyper, tea.KeyLeftMeta: vt.KeyLeftMeta,
	tea.KeyRightShift: vt.KeyRightShift, tea.KeyRightCtrl: vt.KeyRightControl, tea.KeyRightAlt: vt.KeyRightAlt,
	tea.KeyRightSuper: vt.KeyRightSuper, tea.KeyRightHyper: vt.KeyRightHyper, tea.KeyRightMeta: vt.KeyRightMeta,
	tea.KeyIsoLevel3Shift: vt.KeyISOLevel3Shift, tea.KeyIsoLevel5Shift: vt.KeyISOLevel5Shift,
}

// mods are the modifiers of both, bit by bit.
var mods = [...]struct {
	from tea.KeyMod
	to   vt.Mods
}{
	{tea.ModShift, vt.ModShift},
	{tea.ModAlt, vt.ModAlt},
	{tea.ModCtrl, vt.ModCtrl},
	{tea.ModSuper, vt.ModSuper},
	{tea.ModHyper, vt.ModHyper},
	{tea.ModMeta, vt.ModMeta},
	{tea.ModCapsLock, vt.ModCapsLock},
	{tea.ModNumLock, vt.ModNumLock},
}

func modsOf(m tea.KeyMod) vt.Mods {
	var out vt.Mods
	for _, p := range mods {
		if m&p.from != 0 {
			out |= p.to
		}
	}
	return out
}

// keyOf is a key as the engine encodes it.
func keyOf(k tea.Key, event vt.KeyEvent) vt.Key {
	out := vt.Key{Mods: modsOf(k.Mod), Event: event}
	if event == vt.KeyPress && k.IsRepeat {
		out.Event = vt.KeyRepeat
	}
	switch code := k.Code; {
	case code >= tea.KeyF1 && code <= tea.KeyF12:
		out.Code = vt.KeyF1 + vt.KeyCode(code-tea.KeyF1)
		return out
	case code >= tea.KeyF13 && code <= tea.KeyF35:
		out.Code = vt.KeyF13 + vt.KeyCode(code-tea.KeyF13)
		return out
	case code >= tea.KeyKp0 && code <= tea.KeyKp9:
		out.Code = vt.KeyKP0 + vt.KeyCode(code-tea.KeyKp0)
		return out
	}
	if code, ok := special[k.Code]; ok {
		out.Code = code
		return out
	}
	out.Code, out.Text = vt.KeyRune, k.Text
	if k.Code != tea.KeyExtended {
		out.Rune, out.Shifted, out.Base = k.Code, k.ShiftedCode, k.BaseCode
	}
	return out
}

// locks are not part of a shortcut.
const locks = vt.ModCapsLock | vt.ModNumLock

// sameKey reports whether two keys are the same shortcut.
func sameKey(a, b vt.Key) bool {
	return a.Code == b.Code && a.Rune == b.Rune && a.Mods&^locks == b.Mods&^locks
}

// buttons are the mouse's.
var buttons = map[tea.MouseButton]vt.Button{
	tea.MouseLeft: vt.ButtonLeft, tea.MouseMiddle: vt.ButtonMiddle, tea.MouseRight: vt.ButtonRight,
	tea.MouseWheelUp: vt.ButtonWheelUp, tea.MouseWheelDown: vt.ButtonWheelDown,
	tea.MouseWheelLeft: vt.ButtonWheelLeft, tea.MouseWheelRight: vt.ButtonWheelRight,
	tea.MouseBackward: vt.Button8, tea.MouseForward: vt.Button9, tea.MouseButton10: vt.Button10, tea.MouseButton11: vt.Button11,
}

// mouseOf is a mouse event as the engine encodes it, in the outer terminal's
// cells.
func mouseOf(msg tea.MouseMsg) vt.MouseEvent {
	m := msg.Mouse()
	e := vt.MouseEvent{X: m.X, Y: m.Y, Button: buttons[m.Button], Mods: modsOf(m.Mod)}
	switch msg.(type) {
	case tea.MouseReleaseMsg:
		e.Action = vt.MouseRelease
	case tea.MouseMotionMsg:
		e.Action = vt.MouseMove
	}
	return e
}
