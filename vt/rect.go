package vt

// rect is a rectangle of cells, inclusive, on the screen.
type rect struct{ top, left, bottom, right int }

// rectangle reads a rectangle from the parameters from i on; it counts from
// the margins in origin mode and is clipped to them or to the screen.
func (t *Terminal) rectangle(i int) (rect, bool) {
	p := &t.parser
	x0, y0, x1, y1 := 0, 0, t.cols-1, t.rows-1
	if t.cur.origin {
		x0, y0, x1, y1 = t.left, t.top, t.right, t.bottom
	}
	r := rect{
		top: y0 + p.arg1(i) - 1, left: x0 + p.arg1(i+1) - 1,
		bottom: y1, right: x1,
	}
	if n := p.arg(i+2, 0); n > 0 {
		r.bottom = min(y0+n-1, y1)
	}
	if n := p.arg(i+3, 0); n > 0 {
		r.right = min(x0+n-1, x1)
	}
	return r, r.top <= r.bottom && r.left <= r.right
}

// csiDollar is CSI … $ …: rectangular operations and some reports.
func (t *Terminal) csiDollar(b byte) {
	p := &t.parser
	switch b {
	case 'p': // DECRQM
		t.reportMode(p.arg(0, 0), true)
		return
	case 'w': // DECRQPSR
		t.presentationReport(p.arg(0, 0))
		return
	case 'r', 't': // DECCARA, DECRARA
		t.changeAttrs(b == 't')
	case 'v': // DECCRA
		t.copyRect()
	case 'x': // DECFRA
		ch := p.arg(0, ' ')
		if r, ok := t.rectangle(1); ok && (ch >= 0x20 && ch <= 0x7e || ch >= 0xa0 && ch <= 0xff) {
			c := rune(ch)
			if ch < 0x80 {
				c = t.cur.sets.g[t.cur.sets.gl].mapped(byte(ch))
			}
			id := cell(t.pen())
			for y := r.top; y <= r.bottom; y++ {
				t.fill(y, r.left, r.right+1, id<<cellStyleShift|cell(c))
			}
		}
	case 'z', '{': // DECERA, DECSERA
		if r, ok := t.rectangle(0); ok {
			for y := r.top; y <= r.bottom; y++ {
				keep := Attr(0) // SPA … EPA guards from neither
				if b == '{' {
					keep = AttrProtected
				}
				t.eraseBut(y, r.left, r.right+1, keep)
			}
		}
	default:
		return
	}
	t.checkPending()
	t.breakJoin()
}

// copyRect is DECCRA. There is one page.
func (t *Terminal) copyRect() {
	p := &t.parser
	r, ok := t.rectangle(0)
	if !ok {
		return
	}
	x0, y0, x1, y1 := 0, 0, t.cols-1, t.rows-1
	if t.cur.origin {
		x0, y0, x1, y1 = t.left, t.top, t.right, t.bottom
	}
	dy, dx := y0+p.arg1(5)-1, x0+p.arg1(6)-1
	h, w := min(r.bottom-r.top+1, y1-dy+1), min(r.right-r.left+1, x1-dx+1)
	if h <= 0 || w <= 0 {
		return
	}
	for i := range h {
		if dy > r.top { // from the bottom up, where they overlap
			i = h - 1 - i
		}
		t.copyWithin(dy+i, dx, r.top+i, r.left, w)
	}
}

// copyWithin copies w cells; wide characters that the ends cut are gone from
// the copy, and whole in the source.
func (t *Terminal) copyWithin(y, x, fromY, fromX, w int) {
	dst, src := t.scr.row(y), t.scr.row(fromY)
	first, last := src[fromX].isTail(), src[fromX+w-1].isWide()
	cut(dst, x)
	cut(dst, x+w)
	copy(dst[x:x+w], src[fromX:fromX+w])
	if y == fromY { // the cut may have changed what is copied
		last = last && dst[x+w-1].isWide()
		first = first && dst[x].isTail()
	}
	if first {
		dst[x] = dst[x]&^cellContent | ' '
	}
	if last {
		dst[x+w-1] = dst[x+w-1]&^cellContent | ' '
	}
	ungap(dst, x, x+w)
	m := t.scr.metaAt(y)
	m.used = max(m.used, int32(x+w))
	if x+w == t.cols {
		m.wrapped = false
	}
	t.touch(y)
}

// changeAttrs is DECCARA, and DECRARA if flip.
func (t *Terminal) changeAttrs(flip bool) {
	r, ok := t.rectangle(0)
	if !ok {
		return
	}
	for y := r.top; y <= r.bottom; y++ {
		x0, x1 := r.left, r.right
		if !t.rectExtent { // a stream: whole lines between the two corners
			left, right := 0, t.cols-1
			if t.cur.origin {
				left, right = t.left, t.right
			}
			if y > r.top {
				x0 = left
			}
			if y < r.bottom {
				x1 = right
			}
		}
		t.changeRowAttrs(y, x0, x1, flip)
	}
}

func (t *Terminal) changeRowAttrs(y, x0, x1 int, flip bool) {
	row, m := t.scr.row(y), t.scr.metaAt(y)
	from, to := uint32(0), uint32(0)
	known := false
	for x := x0; x <= x1; x++ {
		c := row[x]
		if c&cellContent == 0 || c.kind() == cellGap { // as DEC has it: nothing there, nothing to change
			if c.style() == 0 {
				continue
			}
		}
		if id := c.style(); !known || id != from {
			e := *t.styles.at(id)
			if flip {
				reverseSGR(&e.style, &t.parser, 4)
			} else {
				applySGR(&e.style, &t.parser, 4)
			}
			from, to, known = id, t.styleID(e.style, e.link), true
		}
		if to != from && c.isErased() { // what has attributes of its own is a blank
			c = c&^cellContent | ' '
		}
		row[x] = c&cellContent | cell(to)<<cellStyleShift
	}
	// A wide character has one style.
	if x0 > 0 && row[x0].isTail() {
		row[x0] = row[x0-1]&^cellContent | cellTail
	}
	if x1+1 < len(row) && row[x1+1].isTail() {
		row[x1+1] = row[x1]&^cellContent | cellTail
	}
	m.used = max(m.used, int32(min(x1+2, t.cols)))
	t.touch(y)
}

// reverseSGR flips the attributes that parameters from i on name (DECRARA).
func reverseSGR(s *Style, p *parser, i int) {
	flipUnderline := func() {
		if s.Underline == UnderlineNone {
			s.Underline = UnderlineSingle
		} else {
			s.Underline = UnderlineNone
		}
	}
	if i >= p.count() {
		s.Attrs ^= AttrBold | AttrBlink | AttrReverse
		flipUnderline()
		return
	}
	for ; i < p.count(); i++ {
		switch v := p.arg(i, 0); {
		case v == 0:
			s.Attrs ^= AttrBold | AttrBlink | AttrReverse
			flipUnderline()
		case v == 4:
			flipUnderline()
		case v < len(attrOn):
			s.Attrs ^= attrOn[v]
		}
	}
}

// Bits of XTCHECKSUM.
const (
	checksumPositive  = 1 << iota // do not negate
	checksumPlain                 // leave the attributes out
	checksumBlanks                // count trailing blanks
	checksumWritten               // leave out what was never written
	checksumAllBits               // whole characters, not 8 bits
	checksumSevenBits             // 7 bits
)

// reportChecksum is DECRQCRA: Pid; Ppage; rectangle.
func (t *Terminal) reportChecksum() {
	p := &t.parser
	id := p.arg(0, 0)
	sum := 0
	if r, ok := t.rectangle(2); ok {
		for y := r.top; y <= r.bottom; y++ {
			sum += t.checksumRow(y, r.left, r.right)
		}
	}
	if t.checksum&checksumPositive == 0 {
		sum = -sum
	}
	t.c1Intro('P')
	t.out = appendInt(t.out, id)
	t.out = append(t.out, "!~"...)
	const digits = "0123456789ABCDEF"
	for shift := 12; shift >= 0; shift -= 4 {
		t.out = append(t.out, digits[sum>>shift&15])
	}
	t.stringEnd()
	t.send()
}

func (t *Terminal) checksumRow(y, x0, x1 int) int {
	row := t.scr.row(y)
	total, blanks, first := 0, 0, true
	for x := x0; x <= x1; x++ {
		c := row[x]
		if c.isTail() {
			continue
		}
		if c.isErased() && t.checksum&checksumWritten != 0 {
			continue
		}
		v := t.checksumChar(c)
		attrs := 0
		if t.checksum&checksumPlain == 0 {
			attrs = checksumAttrs(t.styles.at(c.style()).style)
		}
		if v == ' ' && attrs == 0 && !first && t.checksum&checksumBlanks == 0 {
			blanks += v
			continue
		}
		total += v + attrs + blanks
		blanks, first = 0, false
	}
	return total
}

func (t *Terminal) checksumChar(c cell) int {
	v := int(c & cellRuneMask)
	switch {
	case c.isErased():
		return ' '
	case c&cellCluster != 0:
		v = 0
		for i, r := range t.clusters.entries[c&cellRuneMask] {
			if i == 0 || t.checksum&checksumAllBits != 0 {
				v += int(r)
			}
		}
	}
	switch {
	case t.checksum&checksumAllBits != 0:
	case t.checksum&checksumSevenBits != 0:
		v &= 0x7f
	default:
		v &= 0xff
	}
	return v
}

// checksumAttrs is what a VT adds to a cell's checksum for its attributes.
func checksumAttrs(s Style) int {
	n := 0
	for _, e := range [...]struct {
		attr  Attr
		value int
	}{{AttrProtected, 4}, {AttrHidden, 8}, {AttrReverse, 0x20}, {AttrBlink, 0x40}, {AttrBold, 0x80}} {
		if s.Attrs&e.attr != 0 {
			n += e.value
		}
	}
	if s.Underline != UnderlineNone {
		n += 0x10
	}
	return n
}

// presentationReport is DECRQPSR: the cursor (1) or the tab stops (2).
func (t *Terminal) presentationReport(n int) {
	switch n {
	case 1: // DECCIR
		t.c1Intro('P')
		t.out = append(t.out, "1$u"...)
		t.out = appendPair(t.out, t.cur.y-t.originY()+1, t.cur.x-t.originX()+1)
		t.out = append(t.out, ";1;"...)
		t.out = t.appendCursorInfo(t.out)
		t.stringEnd()
		t.send()
	case 2: // DECTABSR
		t.c1Intro('P')
		t.out = append(t.out, "2$u"...)
		sep := false
		for x := range t.cols {
			if t.hasTab(x) {
				if sep {
					t.out = append(t.out, '/')
				}
				t.out = appendInt(t.out, x+1)
				sep = true
			}
		}
		t.stringEnd()
		t.send()
	}
}

// appendCursorInfo appends the part of DECCIR after the page.
func (t *Terminal) appendCursorInfo(dst []byte) []byte {
	bits := func(set ...bool) byte {
		b := byte('@')
		for i, on := range set {
			if on {
				b |= 1 << i
			}
		}
		return b
	}
	s, cs := t.cur.pen, t.cur.sets
	dst = append(dst, bits(s.Attrs&AttrBold != 0, s.Underline != 0, s.Attrs&AttrBlink != 0, s.Attrs&AttrReverse != 0), ';')
	dst = append(dst, bits(s.Attrs&AttrProtected != 0), ';')
	dst = append(dst, bits(t.cur.origin, cs.single == 2, cs.single == 3, t.cur.pending), ';')
	dst = append(dst, '0'+cs.gl, ';', '0'+cs.gr, ';')
	dst = append(dst, bits(cs.g[0] == charsLatin1, cs.g[1] == charsLatin1, cs.g[2] == charsLatin1, cs.g[3] == charsLatin1), ';')
	for _, c := range cs.g {
		dst = append(dst, c.name()...)
	}
	return dst
}
