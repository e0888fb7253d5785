package vt

import (
	"strconv"
	"unicode/utf8"
)

// MouseEvent is one event of the mouse over the screen.
type MouseEvent struct {
	Action MouseAction
	Button Button // of a move: the button held, ButtonNone if there is none
	X, Y   int    // the cell, 0 based
	// PixelX and PixelY are the position in pixels, 0 based, for programs that
	// ask for it (MouseEncodingSGRPixels).
	PixelX, PixelY int
	Mods           Mods
}

// MouseAction is what the mouse did.
type MouseAction uint8

// The mouse actions. A turn of the wheel is a press.
const (
	MousePress MouseAction = iota
	MouseRelease
	MouseMove
)

// Button is a mouse button or a direction of the wheel.
type Button uint8

// The buttons.
const (
	ButtonNone Button = iota
	ButtonLeft
	ButtonMiddle
	ButtonRight
	ButtonWheelUp
	ButtonWheelDown
	ButtonWheelLeft
	ButtonWheelRight
	Button8
	Button9
	Button10
	Button11

	buttonCount
)

// buttonCodes are the numbers of the buttons in a mouse report.
var buttonCodes = [buttonCount]int{
	ButtonNone: 3, ButtonLeft: 0, ButtonMiddle: 1, ButtonRight: 2,
	ButtonWheelUp: 64, ButtonWheelDown: 65, ButtonWheelLeft: 66, ButtonWheelRight: 67,
	Button8: 128, Button9: 129, Button10: 130, Button11: 131,
}

const (
	mouseShift   = 4
	mouseAlt     = 8
	mouseCtrl    = 16
	mouseMotion  = 32
	mouseRelease = 3 // the button of every release but in the SGR encodings

	// mouseMaxByte and mouseMaxUTF8 are the last positions (1 based) that the
	// default encoding and mode 1005 can say.
	mouseMaxByte = 255 - 32
	mouseMaxUTF8 = 2047 - 32
)

// EncodeMouse appends the report that the program wants of a mouse event,
// which is nothing if it did not ask for such events or if the encoding that
// it chose cannot say the position.
func EncodeMouse(dst []byte, e MouseEvent, m InputModes) []byte {
	if !mouseWanted(e, m.Mouse) {
		return dst
	}
	code := buttonCodes[e.Button]
	if e.Action == MouseMove {
		code += mouseMotion
	}
	if m.Mouse != MouseX10 {
		if e.Mods&ModShift != 0 {
			code += mouseShift
		}
		if e.Mods&ModAlt != 0 {
			code += mouseAlt
		}
		if e.Mods&ModCtrl != 0 {
			code += mouseCtrl
		}
	}
	x, y := max(e.X, 0)+1, max(e.Y, 0)+1
	switch m.MouseEncoding {
	case MouseEncodingSGRPixels:
		return appendSGRMouse(dst, code, max(e.PixelX, 0)+1, max(e.PixelY, 0)+1, e.Action)
	case MouseEncodingSGR:
		return appendSGRMouse(dst, code, x, y, e.Action)
	}
	if e.Action == MouseRelease {
		code = code&(mouseShift|mouseAlt|mouseCtrl) | mouseRelease
	}
	switch m.MouseEncoding {
	case MouseEncodingURXVT:
		dst = append(dst, '\x1b', '[')
		dst = strconv.AppendInt(dst, int64(code)+32, 10)
		dst = append(dst, ';')
		dst = strconv.AppendInt(dst, int64(x), 10)
		dst = append(dst, ';')
		dst = strconv.AppendInt(dst, int64(y), 10)
		return append(dst, 'M')
	case MouseEncodingUTF8:
		if x > mouseMaxUTF8 || y > mouseMaxUTF8 {
			return dst
		}
		dst = append(dst, "\x1b[M"...)
		dst = utf8.AppendRune(dst, rune(code+32))
		dst = utf8.AppendRune(dst, rune(x+32))
		return utf8.AppendRune(dst, rune(y+32))
	}
	if x > mouseMaxByte || y > mouseMaxByte {
		return dst
	}
	return append(dst, '\x1b', '[', 'M', byte(code+32), byte(x+32), byte(y+32))
}

// mouseWanted reports whether a program in this mode hears of the event.
func mouseWanted(e MouseEvent, mode MouseMode) bool {
	wheel := e.Button >= ButtonWheelUp && e.Button <= ButtonWheelRight
	if e.Button >= buttonCount || e.Action != MouseMove && e.Button == ButtonNone || wheel && e.Action != MousePress {
		return false
	}
	switch mode {
	case MouseX10:
		return e.Action == MousePress && e.Button <= ButtonRight
	case MouseButton:
		return e.Action != MouseMove
	case MouseDrag:
		return e.Action != MouseMove || e.Button != ButtonNone
	case MouseMotion:
		return true
	}
	return false
}

func appendSGRMouse(dst []byte, code, x, y int, a MouseAction) []byte {
	dst = append(dst, "\x1b[<"...)
	dst = strconv.AppendInt(dst, int64(code), 10)
	dst = append(dst, ';')
	dst = strconv.AppendInt(dst, int64(x), 10)
	dst = append(dst, ';')
	dst = strconv.AppendInt(dst, int64(y), 10)
	if a == MouseRelease {
		return append(dst, 'm')
	}
	return append(dst, 'M')
}

// EncodeFocus appends the report that the terminal got (in) or lost the focus,
// if the program asked for it.
func EncodeFocus(dst []byte, in bool, m InputModes) []byte {
	switch {
	case !m.FocusEvents:
		return dst
	case in:
		return append(dst, "\x1b[I"...)
	}
	return append(dst, "\x1b[O"...)
}
