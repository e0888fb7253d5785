package vt

import (
	"bytes"
	"strconv"
)

// colorTable holds the palette entries that OSC 4 changed.
type colorTable [256]Color

// PaletteColor is palette entry i: as the program set it, or xterm's.
func (t *Terminal) PaletteColor(i int) (rgb Color, set bool) {
	if i < 0 || i > 255 {
		return 0, false
	}
	if t.colors != nil && t.colors[i] != 0 {
		return t.colors[i], true
	}
	return defaultPalette(i), false
}

// DefaultColors are the foreground, background and cursor colours that the
// program set with OSC 10, 11 and 12; the default colour where it did not.
func (t *Terminal) DefaultColors() (fg, bg, cursor Color) { return t.fg, t.bg, t.cc }

// SetColors says which colours the viewer's terminal has, as RGB: what a
// program hears when it asks for them. If that turns dark to light or back, a
// program that wants to know (mode 2031) is told.
func (t *Terminal) SetColors(fg, bg, cursor Color) {
	was := t.light()
	for _, s := range [...]struct {
		to   *Color
		from Color
	}{{&t.baseFG, fg}, {&t.baseBG, bg}, {&t.baseCC, cursor}} {
		if _, _, _, ok := s.from.RGB(); ok {
			*s.to = s.from
		}
	}
	if t.light() != was && t.modes.has(modeColorScheme) {
		t.reportScheme()
	}
}

// basicColors are the first 16 colours, as in xterm.
const basicColors = "\x00\x00\x00\xcd\x00\x00\x00\xcd\x00\xcd\xcd\x00\x00\x00\xee\xcd\x00\xcd\x00\xcd\xcd\xe5\xe5\xe5" +
	"\x7f\x7f\x7f\xff\x00\x00\x00\xff\x00\xff\xff\x00\x5c\x5c\xff\xff\x00\xff\x00\xff\xff\xff\xff\xff"

// defaultPalette is xterm's colour i: 16 basic ones, a cube, and greys.
func defaultPalette(i int) Color {
	switch {
	case i < 16:
		return RGB(basicColors[3*i], basicColors[3*i+1], basicColors[3*i+2])
	case i < 232:
		level := func(n int) uint8 {
			if n == 0 {
				return 0
			}
			return uint8(55 + 40*n)
		}
		i -= 16
		return RGB(level(i/36), level(i/6%6), level(i%6))
	}
	v := uint8(8 + 10*(i-232))
	return RGB(v, v, v)
}

func (t *Terminal) paletteChanged() {
	t.touchAll()
	t.emit(Event{Kind: EventPalette})
}

// colorSlot is where OSC 10, 11 or 12 keeps its colour.
func (t *Terminal) colorSlot(n int) *Color {
	switch n {
	case 10:
		return &t.fg
	case 11:
		return &t.bg
	case 12:
		return &t.cc
	}
	if t.others == nil {
		t.others = new(otherColors)
	}
	return &t.others.dynamic[n-13]
}

// otherColors are colours that a program may set and ask for, and that are
// drawn nowhere: those of OSC 13–19 (pointer, Tektronix, highlight) and of OSC
// 5 (bold, underlined, blinking, reverse, italic text).
type otherColors struct {
	dynamic [7]Color
	special [5]Color
}

// colorSet is all colours that a program can change.
type colorSet struct {
	palette    colorTable
	fg, bg, cc Color
	others     otherColors
}

// maxColorStack is as in xterm.
const maxColorStack = 10

func (t *Terminal) colorsNow() (c colorSet) {
	if t.colors != nil {
		c.palette = *t.colors
	}
	if t.others != nil {
		c.others = *t.others
	}
	c.fg, c.bg, c.cc = t.fg, t.bg, t.cc
	return c
}

// pushColors keeps the colours: on top (0), or at place n from 1.
func (t *Terminal) pushColors(n int) {
	if n == 0 {
		n = len(t.colorStack) + 1
	}
	if n > maxColorStack {
		return
	}
	for len(t.colorStack) < n {
		t.colorStack = append(t.colorStack, colorSet{})
	}
	t.colorStack[n-1] = t.colorsNow()
}

// popColors takes the colours back from the top (0), which is gone then, or
// from place n.
func (t *Terminal) popColors(n int) {
	top := len(t.colorStack)
	if n > top || top == 0 {
		return
	}
	if n == 0 {
		t.setColors(t.colorStack[top-1])
		t.colorStack = t.colorStack[:top-1]
	} else {
		t.setColors(t.colorStack[n-1])
	}
	t.paletteChanged()
}

func (t *Terminal) setColors(c colorSet) {
	t.fg, t.bg, t.cc = c.fg, c.bg, c.cc
	t.colors, t.others = nil, nil
	if c.palette != (colorTable{}) {
		t.colors = &c.palette
	}
	if c.others != (otherColors{}) {
		t.others = &c.others
	}
}

// dynamicColor is what OSC 10–19 answers: what the program set, or what the
// terminal has for it.
func (t *Terminal) dynamicColor(n int) Color {
	if n < 13 || t.others != nil {
		if c := *t.colorSlot(n); c != 0 {
			return c
		}
	}
	switch n {
	case 10, 13, 15, 17:
		return t.baseFG
	case 11, 14, 16, 19:
		return t.baseBG
	}
	return t.baseCC
}

// oscColor is OSC 10 to 19: several colours set the ones that follow.
func (t *Terminal) oscColor(n int, b []byte) {
	changed := false
	for ; n <= 19; n++ {
		one, rest, more := bytes.Cut(b, []byte(";"))
		b = rest
		if string(one) == "?" {
			t.c1Intro(']')
			t.out = append(appendInt(t.out, n), ';')
			t.out = appendColorSpec(t.out, t.dynamicColor(n))
			t.endAnswer()
		} else if c, ok := parseColor(one); ok {
			*t.colorSlot(n) = c
			changed = changed || n <= 12
		}
		if !more {
			break
		}
	}
	if changed {
		t.paletteChanged()
	}
}

// paletteSlot is the palette entry i, or, from 256 on, the special colour; nil
// if there is none.
func (t *Terminal) paletteSlot(i uint64) *Color {
	switch {
	case i < 256:
		if t.colors == nil {
			t.colors = new(colorTable)
		}
		return &t.colors[i]
	case i < 256+uint64(len(otherColors{}.special)):
		if t.others == nil {
			t.others = new(otherColors)
		}
		return &t.others.special[i-256]
	}
	return nil
}

// oscPalette is OSC 4, and OSC 5, which counts from 256: pairs of an index and
// a colour or a question mark.
func (t *Terminal) oscPalette(b []byte, from uint64) {
	changed := false
	for len(b) > 0 {
		var index, spec []byte
		index, b, _ = bytes.Cut(b, []byte(";"))
		spec, b, _ = bytes.Cut(b, []byte(";"))
		i, err := strconv.ParseUint(string(index), 10, 16)
		if err != nil || from+i > 260 {
			continue
		}
		if string(spec) == "?" {
			c, _ := t.PaletteColor(int(from + i))
			if from+i > 255 {
				c = t.baseFG
				if t.others != nil && t.others.special[from+i-256] != 0 {
					c = t.others.special[from+i-256]
				}
			}
			t.c1Intro(']')
			if from == 0 {
				t.out = append(t.out, "4;"...)
			} else {
				t.out = append(t.out, "5;"...)
			}
			t.out = append(appendInt(t.out, int(i)), ';')
			t.out = appendColorSpec(t.out, c)
			t.endAnswer()
			continue
		}
		if c, ok := parseColor(spec); ok {
			*t.paletteSlot(from + i) = c
			changed = changed || from+i < 256
		}
	}
	if changed {
		t.paletteChanged()
	}
}

// resetPalette is OSC 104, and OSC 105, which counts from 256: all entries, or
// those named.
func (t *Terminal) resetPalette(b []byte, from uint64) {
	if len(b) == 0 {
		if from == 0 {
			t.colors = nil
		} else if t.others != nil {
			t.others.special = [5]Color{}
		}
	}
	for len(b) > 0 {
		var index []byte
		index, b, _ = bytes.Cut(b, []byte(";"))
		if i, err := strconv.ParseUint(string(index), 10, 16); err == nil && from+i <= 260 {
			*t.paletteSlot(from + i) = 0
		}
	}
	t.setColors(t.colorsNow()) // tables without an entry go
	if from == 0 {
		t.paletteChanged()
	}
}

// appendColorSpec appends a colour as X11 writes it: rgb:rrrr/gggg/bbbb.
func appendColorSpec(dst []byte, c Color) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, "rgb"...)
	sep := byte(':')
	for shift := 16; shift >= 0; shift -= 8 {
		v := uint8(c >> shift)
		hi, lo := digits[v>>4], digits[v&15]
		dst = append(dst, sep, hi, lo, hi, lo)
		sep = '/'
	}
	return dst
}

// parseColor reads a colour as X11 writes it: rgb:r/g/b with one to four
// digits each, rgba: with a fourth part, #rgb with one to four digits each,
// or one of the basic names.
func parseColor(b []byte) (Color, bool) {
	if hex, ok := bytes.CutPrefix(b, []byte("#")); ok {
		n := len(hex) / 3
		if n < 1 || n > 4 || len(hex) != 3*n {
			return 0, false
		}
		var v [3]uint8
		for i := range v {
			u, err := strconv.ParseUint(string(hex[i*n:(i+1)*n]), 16, 16)
			if err != nil {
				return 0, false
			}
			v[i] = uint8(u << (16 - 4*n) >> 8) // the highest digits
		}
		return RGB(v[0], v[1], v[2]), true
	}
	parts, ok := bytes.CutPrefix(b, []byte("rgb:"))
	if !ok {
		if parts, ok = bytes.CutPrefix(b, []byte("rgba:")); ok {
			if i := bytes.LastIndexByte(parts, '/'); i >= 0 {
				parts = parts[:i]
			}
		}
	}
	if !ok {
		return namedColor(string(bytes.ToLower(b[:min(len(b), 16)])))
	}
	var v [3]uint8
	for i := range v {
		var one []byte
		one, parts, ok = bytes.Cut(parts, []byte("/"))
		if ok == (i == 2) || len(one) < 1 || len(one) > 4 {
			return 0, false
		}
		u, err := strconv.ParseUint(string(one), 16, 16)
		if err != nil {
			return 0, false
		}
		full := uint64(1)<<(4*len(one)) - 1
		v[i] = uint8((u*255 + full/2) / full)
	}
	return RGB(v[0], v[1], v[2]), true
}

func namedColor(name string) (Color, bool) {
	switch name {
	case "black":
		return RGB(0, 0, 0), true
	case "white":
		return RGB(255, 255, 255), true
	case "red":
		return RGB(255, 0, 0), true
	case "green":
		return RGB(0, 255, 0), true
	case "blue":
		return RGB(0, 0, 255), true
	case "yellow":
		return RGB(255, 255, 0), true
	case "cyan":
		return RGB(0, 255, 255), true
	case "magenta":
		return RGB(255, 0, 255), true
	case "gray", "grey":
		return RGB(190, 190, 190), true
	case "orange":
		return RGB(255, 165, 0), true
	}
	return 0, false
}
