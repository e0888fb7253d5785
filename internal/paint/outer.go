package paint

import (
	"encoding/base64"
	"strings"

	"github.com/termio-sh/termio/vt"
)

// outer is which modes were set on the outer terminal. The zero value of each
// is how a terminal is found.
type outer struct {
	modes    vt.InputModes
	mouse    vt.MouseMode // in SGR encoding, whatever the program asked for
	keys     bool         // a kitty keyboard entry was pushed
	title    string
	titled   bool // the title was saved and changed
	hidden   bool // the cursor
	shape    vt.Cursor
	shaped   bool
	first    vt.Cursor // the shape that a program never asked for
	color    vt.Color  // of the cursor
	progress bool
}

func newOuter() outer {
	first := shapeOf(vt.New(vt.Options{Cols: 1, Rows: 1, Scrollback: -1}).Cursor())
	return outer{first: first, shape: first}
}

// shapeOf is a cursor without its place.
func shapeOf(c vt.Cursor) vt.Cursor { return vt.Cursor{Blink: c.Blink, Shape: c.Shape} }

// Enter appends what takes the outer terminal over: its alternate screen, with
// the user's own kept, and no wrapping at the right edge.
func (p *Painter) Enter(dst []byte) []byte {
	p.outer = newOuter()
	p.Invalidate()
	return append(dst, "\x1b[?1049h\x1b[?7l"...)
}

// Restore appends what gives the outer terminal back as it was found. Enter
// must come before anything else is drawn.
func (p *Painter) Restore(dst []byte) []byte {
	o := &p.outer
	dst = append(dst, "\x1b[?2026l\x1b]8;;\x1b\\\x1b[m"...)
	dst = p.pictures.forget(dst)
	dst = o.setModes(dst, vt.InputModes{}, vt.MouseNone)
	if o.keys {
		dst = append(dst, "\x1b[<u"...)
	}
	if o.shaped {
		dst = append(dst, "\x1b[0 q"...)
	}
	if !o.color.IsDefault() {
		dst = append(dst, "\x1b]112\x1b\\"...)
	}
	if o.progress {
		dst = append(dst, "\x1b]9;4;0\x1b\\"...)
	}
	if o.titled {
		dst = append(dst, "\x1b[23;2t"...)
	}
	p.outer = newOuter()
	p.Invalidate()
	return append(dst, leave...)
}

// leave shows the cursor, wraps again, empties the alternate screen and goes
// back to the user's own.
const leave = "\x1b[?25h\x1b[?7h\x1b[H\x1b[2J\x1b[?1049l"

// Emergency is Restore for one who does not know what was set: it sets back
// everything that a painter may have set.
func Emergency() []byte {
	return []byte("\x1b\\\x1b[?2026l\x1b]8;;\x1b\\\x1b[m" +
		"\x1b[?1003l\x1b[?1002l\x1b[?1000l\x1b[?1006l\x1b[?1004l\x1b[?2004l" +
		"\x1b[?1l\x1b>\x1b[?67l\x1b[20l\x1b[>4m\x1b[<u\x1b[0 q" +
		"\x1b]112\x1b\\\x1b]9;4;0\x1b\\\x1b[23;2t" + leave)
}

// mirror appends what makes the outer terminal send what the program asked
// for, and show its title.
func (o *outer) mirror(dst []byte, s *Scene) []byte {
	live := s.live()
	modes := live.InputModes()
	mouse := modes.Mouse
	if mouse == vt.MouseX10 || mouse == vt.MouseNone && s.Wheel {
		mouse = vt.MouseButton
	}
	dst = o.setModes(dst, modes, mouse)
	if title := printable(live.Title()); title != o.title {
		if !o.titled {
			dst = append(dst, "\x1b[22;2t"...)
			o.titled = true
		}
		o.title = title
		dst = append(append(append(dst, "\x1b]2;"...), title...), "\x1b\\"...)
	}
	if _, _, color := live.DefaultColors(); color != o.color {
		o.color = color
		dst = appendCursorColor(dst, color)
	}
	return dst
}

func appendCursorColor(dst []byte, c vt.Color) []byte {
	r, g, b, ok := c.RGB()
	if !ok {
		return append(dst, "\x1b]112\x1b\\"...)
	}
	const digits = "0123456789abcdef"
	dst = append(dst, "\x1b]12;rgb:"...)
	for i, v := range [3]uint8{r, g, b} {
		if i > 0 {
			dst = append(dst, '/')
		}
		dst = append(dst, digits[v>>4], digits[v&15])
	}
	return append(dst, "\x1b\\"...)
}

// setModes appends the difference between the modes set and those wanted.
func (o *outer) setModes(dst []byte, m vt.InputModes, mouse vt.MouseMode) []byte {
	old := o.modes
	m.Mouse, m.MouseEncoding = old.Mouse, old.MouseEncoding
	if m == old && mouse == o.mouse {
		return dst
	}
	dst = appendMode(dst, "?1", old.AppCursor, m.AppCursor)
	if m.AppKeypad != old.AppKeypad {
		if m.AppKeypad {
			dst = append(dst, "\x1b="...)
		} else {
			dst = append(dst, "\x1b>"...)
		}
	}
	dst = appendMode(dst, "?2004", old.BracketedPaste, m.BracketedPaste)
	dst = appendMode(dst, "?1004", old.FocusEvents, m.FocusEvents)
	dst = appendMode(dst, "20", old.Newline, m.Newline)
	dst = appendMode(dst, "?67", old.BackarrowBS, m.BackarrowBS)
	if m.ModifyOtherKeys != old.ModifyOtherKeys {
		dst = append(dst, "\x1b[>4"...)
		if m.ModifyOtherKeys > 0 {
			dst = append(dst, ';', '0'+byte(m.ModifyOtherKeys))
		}
		dst = append(dst, 'm')
	}
	if m.Kitty != old.Kitty {
		if !o.keys {
			o.keys = true
			dst = append(dst, "\x1b[>"...)
			dst = append(appendInt(dst, int(m.Kitty)), 'u')
		} else {
			dst = append(dst, "\x1b[="...)
			dst = append(appendInt(dst, int(m.Kitty)), ";1u"...)
		}
	}
	if mouse != o.mouse {
		dst = appendMode(dst, mouseMode(o.mouse), o.mouse != vt.MouseNone, false)
		dst = appendMode(dst, mouseMode(mouse), false, mouse != vt.MouseNone)
		dst = appendMode(dst, "?1006", o.mouse != vt.MouseNone, mouse != vt.MouseNone)
	}
	o.modes, o.mouse = m, mouse
	return dst
}

func mouseMode(m vt.MouseMode) string {
	switch m {
	case vt.MouseDrag:
		return "?1002"
	case vt.MouseMotion:
		return "?1003"
	}
	return "?1000"
}

func appendMode(dst []byte, mode string, old, on bool) []byte {
	if old == on {
		return dst
	}
	dst = append(append(dst, "\x1b["...), mode...)
	if on {
		return append(dst, 'h')
	}
	return append(dst, 'l')
}

func (o *outer) hideCursor(dst []byte) []byte {
	if o.hidden {
		return dst
	}
	o.hidden = true
	return append(dst, "\x1b[?25l"...)
}

// cursor appends what shows or hides the cursor and gives it its shape.
func (o *outer) cursor(dst []byte, shown bool, c vt.Cursor) []byte {
	if shape := shapeOf(c); shape != o.shape {
		o.shape, o.shaped = shape, true
		n := byte('0')
		if shape != o.first {
			n = '2' + 2*byte(shape.Shape)
			if shape.Blink {
				n--
			}
		}
		dst = append(dst, "\x1b["...)
		dst = append(dst, n, ' ', 'q')
	}
	if !shown {
		return o.hideCursor(dst)
	}
	if o.hidden {
		o.hidden = false
		dst = append(dst, "\x1b[?25h"...)
	}
	return dst
}

// Pass takes an event of the program that is for the person in front of the
// outer terminal: a bell, a notification, a text for the clipboard, progress.
// It is written with the next frame; others are ignored. Pass reports whether
// there is something to write.
func (p *Painter) Pass(e vt.Event) bool {
	switch e.Kind {
	case vt.EventBell:
		p.passing = append(p.passing, '\a')
	case vt.EventNotification:
		p.passing = appendNotification(p.passing, printable(e.Title), printable(e.Text))
	case vt.EventClipboard:
		p.passing = append(append(append(p.passing, "\x1b]52;"...), selection(e.Text)...), ';')
		p.passing = base64.StdEncoding.AppendEncode(p.passing, e.Data)
		p.passing = append(p.passing, "\x1b\\"...)
	case vt.EventProgress:
		p.outer.progress = e.Progress.State != 0
		p.passing = append(p.passing, "\x1b]9;4;"...)
		p.passing = appendInt(p.passing, int(e.Progress.State))
		if e.Progress.Percent >= 0 {
			p.passing = appendInt(append(p.passing, ';'), e.Progress.Percent)
		}
		p.passing = append(p.passing, "\x1b\\"...)
	default:
		return false
	}
	return true
}

// appendNotification uses the form that has a place for a title if there is
// one, and where OSC 9 would be taken for one of its numbered commands.
func appendNotification(dst []byte, title, text string) []byte {
	if title == "" && (text == "" || text[0] < '0' || text[0] > '9') {
		return append(append(append(dst, "\x1b]9;"...), text...), "\x1b\\"...)
	}
	title = strings.ReplaceAll(title, ";", ",")
	dst = append(append(dst, "\x1b]777;notify;"...), title...)
	return append(append(append(dst, ';'), text...), "\x1b\\"...)
}

// selection keeps the names of selections and drops what is none.
func selection(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("cpqs01234567", r) {
			return r
		}
		return -1
	}, s)
}

// printable is s without control characters.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, s)
}
