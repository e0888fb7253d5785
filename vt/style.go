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
// 40 for the background and 50 for the underline; nothing for the default.
func appendColor(dst []byte, c Color, base int) []byte {
	tens := '0' + byte(base/10)
	switch c >> 24 {
	case 1:
		i := uint8(c)
		switch {
		case base == 50:
			return appendByte(append(dst, ";58:5:"...), i)
		case i < 8:
			return append(dst, ';', tens, '0'+i)
		case i < 16 && base == 30:
			return append(dst, ';', '9', '0'+i-8)
		case i < 16:
			return append(dst, ';', '1', '0', '0'+i-8)
		}
		return appendByte(append(dst, ';', tens, '8', ';', '5', ';'), i)
	case 2:
		sep := byte(';')
		if base == 50 {
			// With colons: terminals without underline colours skip it whole.
			sep = ':'
			dst = append(dst, ";58:2:"...)
		} else {
			dst = append(dst, ';', tens, '8', ';', '2')
		}
		dst = appendByte(append(dst, sep), uint8(c>>16))
		dst = appendByte(append(dst, sep), uint8(c>>8))
		return appendByte(append(dst, sep), uint8(c))
	}
	return dst
}

// appendByte is appendInt for a number below 256.
func appendByte(dst []byte, n uint8) []byte {
	switch {
	case n >= 100:
		return append(dst, '0'+n/100, '0'+n/10%10, '0'+n%10)
	case n >= 10:
		return append(dst, '0'+n/10, '0'+n%10)
	}
	return append(dst, '0'+n)
}

// maxColorChange bounds what putColorChange writes.
const maxColorChange = 48

// appendColorChange appends the SGR sequence from a style to another that
// differs in the foreground and background only.
func appendColorChange(dst []byte, from, to *Style) []byte {
	n := len(dst)
	if cap(dst)-n < maxColorChange {
		dst = append(dst, make([]byte, maxColorChange)...)
	}
	b := (*[maxColorChange]byte)(dst[n : n+maxColorChange])
	b[0], b[1] = 0x1b, '['
	i := 1 // the first semicolon is overwritten
	if from.FG != to.FG {
		i = putColor(b, i, to.FG, '3')
	}
	if from.BG != to.BG {
		i = putColor(b, i, to.BG, '4')
	}
	b[1], b[i] = '[', 'm'
	return dst[:n+i+1]
}

// putColor writes ";n" for colour c at b[i], where tens is '3' for the
// foreground and '4' for the background, and gives the end of it.
func putColor(b *[maxColorChange]byte, i int, c Color, tens byte) int {
	b[i], b[i+1] = ';', tens
	switch c >> 24 {
	case 0:
		b[i+2] = '9'
		return i + 3
	case 1:
		if n := uint8(c); n >= 16 {
			b[i+2], b[i+3], b[i+4], b[i+5] = '8', ';', '5', ';'
			return putByte(b, i+6, n)
		} else if n < 8 {
			b[i+2] = '0' + n
			return i + 3
		}
		if tens == '3' {
			b[i+1], b[i+2] = '9', '0'+uint8(c)-8
			return i + 3
		}
		b[i+1], b[i+2], b[i+3] = '1', '0', '0'+uint8(c)-8
		return i + 4
	}
	b[i+2], b[i+3], b[i+4], b[i+5] = '8', ';', '2', ';'
	i = putByte(b, i+6, uint8(c>>16))
	b[i] = ';'
	i = putByte(b, i+1, uint8(c>>8))
	b[i] = ';'
	return putByte(b, i+1, uint8(c))
}

func putByte(b *[maxColorChange]byte, i int, n uint8) int {
	d := decimals[4*int(n) : 4*int(n)+4]
	b[i], b[i+1], b[i+2] = d[0], d[1], d[2]
	return i + int(d[3])
}

// decimals are the numbers below 256 in decimal: three bytes, of which as many
// count as the fourth says.
const decimals = "" +
	"0  \x011  \x012  \x013  \x014  \x015  \x016  \x017  \x01" +
	"8  \x019  \x0110 \x0211 \x0212 \x0213 \x0214 \x0215 \x02" +
	"16 \x0217 \x0218 \x0219 \x0220 \x0221 \x0222 \x0223 \x02" +
	"24 \x0225 \x0226 \x0227 \x0228 \x0229 \x0230 \x0231 \x02" +
	"32 \x0233 \x0234 \x0235 \x0236 \x0237 \x0238 \x0239 \x02" +
	"40 \x0241 \x0242 \x0243 \x0244 \x0245 \x0246 \x0247 \x02" +
	"48 \x0249 \x0250 \x0251 \x0252 \x0253 \x0254 \x0255 \x02" +
	"56 \x0257 \x0258 \x0259 \x0260 \x0261 \x0262 \x0263 \x02" +
	"64 \x0265 \x0266 \x0267 \x0268 \x0269 \x0270 \x0271 \x02" +
	"72 \x0273 \x0274 \x0275 \x0276 \x0277 \x0278 \x0279 \x02" +
	"80 \x0281 \x0282 \x0283 \x0284 \x0285 \x0286 \x0287 \x02" +
	"88 \x0289 \x0290 \x0291 \x0292 \x0293 \x0294 \x0295 \x02" +
	"96 \x0297 \x0298 \x0299 \x02100\x03101\x03102\x03103\x03" +
	"104\x03105\x03106\x03107\x03108\x03109\x03110\x03111\x03" +
	"112\x03113\x03114\x03115\x03116\x03117\x03118\x03119\x03" +
	"120\x03121\x03122\x03123\x03124\x03125\x03126\x03127\x03" +
	"128\x03129\x03130\x03131\x03132\x03133\x03134\x03135\x03" +
	"136\x03137\x03138\x03139\x03140\x03141\x03142\x03143\x03" +
	"144\x03145\x03146\x03147\x03148\x03149\x03150\x03151\x03" +
	"152\x03153\x03154\x03155\x03156\x03157\x03158\x03159\x03" +
	"160\x03161\x03162\x03163\x03164\x03165\x03166\x03167\x03" +
	"168\x03169\x03170\x03171\x03172\x03173\x03174\x03175\x03" +
	"176\x03177\x03178\x03179\x03180\x03181\x03182\x03183\x03" +
	"184\x03185\x03186\x03187\x03188\x03189\x03190\x03191\x03" +
	"192\x03193\x03194\x03195\x03196\x03197\x03198\x03199\x03" +
	"200\x03201\x03202\x03203\x03204\x03205\x03206\x03207\x03" +
	"208\x03209\x03210\x03211\x03212\x03213\x03214\x03215\x03" +
	"216\x03217\x03218\x03219\x03220\x03221\x03222\x03223\x03" +
	"224\x03225\x03226\x03227\x03228\x03229\x03230\x03231\x03" +
	"232\x03233\x03234\x03235\x03236\x03237\x03238\x03239\x03" +
	"240\x03241\x03242\x03243\x03244\x03245\x03246\x03247\x03" +
	"248\x03249\x03250\x03251\x03252\x03253\x03254\x03255\x03"

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
