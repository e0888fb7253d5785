package vt

// Color is a colour of a cell: the default, one of the 256 of the palette, or
// an RGB value. The zero value is the default colour.
type Color uint32

const (
	colorIndexed Color = 1 << 24
	colorRGB     Color = 2 << 24
)

// Indexed is the palette colour i.
func Indexed(i uint8) Color { return colorIndexed | Color(i) }

// RGB is the colour with the given components.
func RGB(r, g, b uint8) Color {
	return colorRGB | Color(r)<<16 | Color(g)<<8 | Color(b)
}

// IsDefault reports whether c is the terminal's default colour.
func (c Color) IsDefault() bool { return c == 0 }

// Index is the palette index of c and whether c is a palette colour.
func (c Color) Index() (uint8, bool) { return uint8(c), c>>24 == 1 }

// RGB is the components of c and whether c is an RGB colour.
func (c Color) RGB() (r, g, b uint8, ok bool) {
	return uint8(c >> 16), uint8(c >> 8), uint8(c), c>>24 == 2
}

// Attr is a set of the attributes that SGR switches on and off.
type Attr uint16

// The attributes.
const (
	AttrBold Attr = 1 << iota
	AttrFaint
	AttrItalic
	AttrBlink      // SGR 5
	AttrRapidBlink // SGR 6
	AttrReverse
	AttrHidden
	AttrStrike
	AttrOverline
	// AttrProtected is DECSCA: the cell resists selective erases. It is not
	// visible.
	AttrProtected
	// AttrGuarded is SPA … EPA (ISO 6429): the cell resists every erase. It
	// is not visible.
	AttrGuarded
)

// attrVisible are the attributes that SGR sets.
const attrVisible = AttrProtected - 1

// UnderlineStyle is the shape of an underline; zero is none.
type UnderlineStyle uint8

// The underline styles, numbered as SGR 4:n numbers them.
const (
	UnderlineNone UnderlineStyle = iota
	UnderlineSingle
	UnderlineDouble
	UnderlineCurly
	UnderlineDotted
	UnderlineDashed
)

// Style is how a cell is drawn. Styles may be compared with ==; the zero
// value is the default style.
type Style struct {
	FG, BG, UnderlineColor Color
	Attrs                  Attr
	Underline              UnderlineStyle
}

// AppendSGR appends the SGR sequence that sets exactly s, whatever was set
// before.
func (s Style) AppendSGR(dst []byte) []byte {
	dst = append(dst, "\x1b["...)
	if s.visible() == (Style{}) {
		return append(dst, 'm')
	}
	dst = append(dst, '0')
	dst = s.appendParams(dst)
	return append(dst, 'm')
}

// visible is s without what SGR does not set.
func (s Style) visible() Style {
	s.Attrs &= attrVisible
	return s
}

// attrSGR lists the SGR number of each attribute, in the order of their bits.
const attrSGR = "1\x002\x003\x005\x006\x007\x008\x009\x0053"

// appendParams appends ";n" for everything in s that is not the default.
func (s Style) appendParams(dst []byte) []byte {
	if a := s.Attrs & attrVisible; a != 0 {
		for bit, names := AttrBold, attrSGR; bit <= AttrOverline; bit <<= 1 {
			end := 0
			for end < len(names) && names[end] != 0 {
				end++
			}
			if a&bit != 0 {
				dst = append(dst, ';')
				dst = append(dst, names[:end]...)
			}
			names = names[min(end+1, len(names)):]
		}
	}
	switch s.Underline {
	case UnderlineNone:
	case UnderlineSingle:
		dst = append(dst, ";4"...)
	default:
		dst = append(dst, ";4:"...)
		dst = append(dst, '0'+byte(s.Underline))
	}
	dst = appendColor(dst, s.FG, 30)
	dst = appendColor(dst, s.BG, 40)
	return appendColor(dst, s.UnderlineColor, 50)
}

// appendColor appends ";n" for colour c, where base is 30 for the foreground,
// 40 for the background and 50 for the underline.
func appendColor(dst []byte, c Color, base int) []byte {
	switch c >> 24 {
	case 1:
		i := int(uint8(c))
		switch {
		case i < 8 && base != 50:
			dst = append(dst, ';')
			return appendInt(dst, base+i)
		case i < 16 && base != 50:
			dst = append(dst, ';')
			return appendInt(dst, base+60+i-8)
		case base == 50:
			dst = append(dst, ";58:5:"...)
			return appendInt(dst, i)
		}
		dst = append(dst, ';')
		dst = appendInt(dst, base+8)
		dst = append(dst, ";5;"...)
		return appendInt(dst, i)
	case 2:
		sep := byte(';')
		dst = append(dst, ';')
		dst = appendInt(dst, base+8)
		if base == 50 {
			// With colons: terminals without underline colours skip it whole.
			sep = ':'
			dst = append(dst, ":2:"...)
		} else {
			dst = append(dst, ";2"...)
		}
		for shift := 16; shift >= 0; shift -= 8 {
			dst = append(dst, sep)
			dst = appendInt(dst, int(uint8(c>>shift)))
		}
	}
	return dst
}

// appendInt appends n, which is not negative, in decimal.
func appendInt(dst []byte, n int) []byte {
	if n < 10 {
		return append(dst, '0'+byte(n))
	}
	if n < 100 {
		return append(dst, '0'+byte(n/10), '0'+byte(n%10))
	}
	var buf [20]byte
	i := len(buf)
	for n > 0 {
		i--
		buf[i] = '0' + byte(n%10)
		n /= 10
	}
	return append(dst, buf[i:]...)
}
