package vt

// attrOn and attrOff say what SGR 1–9 and 21–29 do to the attributes.
var attrOn = [10]Attr{1: AttrBold, 2: AttrFaint, 3: AttrItalic, 5: AttrBlink, 6: AttrRapidBlink, 7: AttrReverse, 8: AttrHidden, 9: AttrStrike}

var attrOff = [10]Attr{2: AttrBold | AttrFaint, 3: AttrItalic, 5: AttrBlink | AttrRapidBlink, 7: AttrReverse, 8: AttrHidden, 9: AttrStrike}

// sgr changes the pen (SGR).
func (t *Terminal) sgr() {
	t.penStale = true
	applySGR(&t.cur.pen, &t.parser, 0)
}

// applySGR changes s by the parameters of p from i on.
func applySGR(s *Style, p *parser, i int) {
	n := p.count()
	if i >= n {
		s.reset()
		return
	}
	for i < n {
		v := p.params[i]
		if p.colons != 0 && i+1 < n && p.colons&(1<<(i+1)) != 0 {
			i = applySubSGR(s, p, i, n)
			continue
		}
		switch {
		case v <= 0:
			s.reset()
		case v == 4:
			s.Underline = UnderlineSingle
		case v < 10:
			s.Attrs |= attrOn[v]
		case v == 21:
			s.Underline = UnderlineDouble
		case v == 24:
			s.Underline = UnderlineNone
		case v >= 20 && v < 30:
			s.Attrs &^= attrOff[v-20]
		case v >= 30 && v < 38:
			s.FG = Indexed(uint8(v - 30))
		case v == 39:
			s.FG = 0
		case v >= 40 && v < 48:
			s.BG = Indexed(uint8(v - 40))
		case v == 49:
			s.BG = 0
		case v == 53:
			s.Attrs |= AttrOverline
		case v == 55:
			s.Attrs &^= AttrOverline
		case v == 59:
			s.UnderlineColor = 0
		case v >= 90 && v < 98:
			s.FG = Indexed(uint8(v - 90 + 8))
		case v >= 100 && v < 108:
			s.BG = Indexed(uint8(v - 100 + 8))
		case v == 38 || v == 48 || v == 58:
			c, used, ok := sgrColor(p, i+1, n)
			if ok {
				s.setColor(int(v), c)
			}
			i += used
		}
		i++
	}
}

// reset is SGR 0, which leaves the protection alone.
func (s *Style) reset() { *s = Style{Attrs: s.Attrs &^ attrVisible} }

func (s *Style) setColor(which int, c Color) {
	switch which {
	case 38:
		s.FG = c
	case 48:
		s.BG = c
	case 58:
		s.UnderlineColor = c
	}
}

// sgrColor reads the colour after 38, 48 or 58 written with semicolons and
// says how many parameters it took.
func sgrColor(p *parser, i, n int) (c Color, used int, ok bool) {
	if i >= n {
		return 0, 0, false
	}
	switch p.params[i] {
	case 5:
		if i+1 >= n {
			return 0, n - i, false
		}
		v := max(p.params[i+1], 0)
		return Indexed(uint8(v)), 2, v < 256
	case 2:
		if i+3 >= n {
			return 0, n - i, false
		}
		r, g, b := max(p.params[i+1], 0), max(p.params[i+2], 0), max(p.params[i+3], 0)
		return RGB(uint8(r), uint8(g), uint8(b)), 4, r < 256 && g < 256 && b < 256
	}
	return 0, 1, false
}

// applySubSGR handles parameter i with the parameters after colons that
// belong to it, and gives the index of the one after them.
func applySubSGR(s *Style, p *parser, i, n int) int {
	end := i + 1
	for end < n && p.colons&(1<<end) != 0 {
		end++
	}
	sub := p.params[i+1 : end]
	switch v := p.params[i]; v {
	case 4:
		if u := sub[0]; u >= 0 && u <= int32(UnderlineDashed) {
			s.Underline = UnderlineStyle(u)
		}
	case 38, 48, 58:
		switch {
		case sub[0] == 5 && len(sub) >= 2 && sub[1] < 256:
			s.setColor(int(v), Indexed(uint8(max(sub[1], 0))))
		case sub[0] == 2 && len(sub) >= 4:
			rgb := sub[1:4]
			if len(sub) >= 5 { // a colour space comes first
				rgb = sub[2:5]
			}
			r, g, b := max(rgb[0], 0), max(rgb[1], 0), max(rgb[2], 0)
			if r < 256 && g < 256 && b < 256 {
				s.setColor(int(v), RGB(uint8(r), uint8(g), uint8(b)))
			}
		}
	}
	return end
}
