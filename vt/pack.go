package vt

import (
	"encoding/binary"
	"unicode/utf8"
)

// Rows of the scrollback are packed as bytes that need nothing else to be
// read: text in UTF-8, with everything that is not text behind control bytes,
// which no cell contains.
//
//	header  flags, uvarint number of cells
//	text    a narrow character, or a wide one between packWide and packNarrow
const (
	packStyle   = 0x01 // a style follows (appendPackedStyle); it holds from here on
	packErased  = 0x02 // uvarint: so many cells with nothing in them
	packCluster = 0x03 // a cluster: width, length, bytes
	packWide    = 0x05
	packNarrow  = 0x06
	packRepeat  = 0x07 // uvarint: the character before, so many more times
	packGap     = 0x08 // what a wide character left when it wrapped
)

// Flags in the first byte of a packed row.
const (
	packWrapped    = 1 << 0
	packAttrShift  = 1 // two bits
	packMarksShift = 3 // four bits
)

// packer writes packed text.
type packer struct {
	dst   []byte
	style styleEntry
	id    uint32 // number of style where the caller has numbers
	link  uint32 // last link written in this row
	wide  bool
}

func packHeader(dst []byte, m rowMeta, cells int) []byte {
	f := byte(m.attr)<<packAttrShift | byte(m.marks)<<packMarksShift
	if m.wrapped {
		f |= packWrapped
	}
	return binary.AppendUvarint(append(dst, f), uint64(cells))
}

// packRow appends the packed form of a row.
func (t *Terminal) packRow(dst []byte, row []cell, m *rowMeta) []byte {
	n := int(m.used)
	for n > 0 && (row[n-1] == 0 || row[n-1] == cellGap && !m.wrapped) {
		n--
	}
	dst = packHeader(dst, *m, n)
	row = row[:n]
	// A row of plain text is its bytes.
	x := 0
	if !t.plain {
		base := len(dst)
		if cap(dst)-base < n {
			dst = append(dst, make([]byte, n)...)
		}
		b := dst[base : base+n : base+n]
		for ; x < len(row) && x < len(b); x++ {
			c := row[x]
			if c-' ' >= 0x5f {
				break
			}
			b[x] = byte(c)
		}
		dst = dst[:base+x]
		if x == n {
			return dst
		}
	}
	p := packer{dst: dst}
	for x < n {
		if id := row[x].style(); id != p.id {
			p.id = id
			e := t.styles.at(id)
			p.setStyle(*e, t.linkAt(e.link))
		}
		if !t.plain {
			x += p.packRun(row[x:], p.id)
			if x == n || row[x].style() != p.id {
				continue
			}
		}
		x += t.packCell(&p, row[x:])
	}
	return p.dst
}

// packCell appends the first cell of row, and those after it that are the
// same, and says how many cells that were. The style is set.
func (t *Terminal) packCell(p *packer, row []cell) int {
	c := row[0]
	if c&cellContent == 0 {
		n := 1
		for n < len(row) && row[n] == c {
			n++
		}
		p.erased(n)
		return n
	}
	n, w := 1, 1
	switch c.kind() {
	case cellTail: // cannot be first; kept from doing harm
		p.erased(1)
		return 1
	case cellGap:
		p.dst = append(p.dst, packGap)
		return 1
	case cellWide:
		w = 2
	}
	if c&cellCluster != 0 {
		p.cluster(t.clusters.entries[c&cellRuneMask], w)
	} else {
		p.char(rune(c&cellRuneMask), w)
	}
	for n*w+w <= len(row) && row[n*w] == c {
		n++
	}
	if n > 1 {
		p.repeat(n - 1)
	}
	return n * w
}

// packRun appends the characters at the start of row that are in style, code
// points of their own and not the same as the next, and says how many cells
// that were. It is the fast path of packCell; they agree on everything but on
// which repetitions are counted.
func (p *packer) packRun(row []cell, style uint32) int {
	dst, wide := p.dst, p.wide
	x := 0
	for x < len(row) {
		c := row[x]
		r := uint32(c)
		if c.style() != style || r < ' ' {
			break
		}
		if r < 0x80 {
			if r == ' ' && x+3 < len(row) && row[x+1] == c && row[x+2] == c && row[x+3] == c {
				break
			}
			dst = append(dst, byte(r))
			x++
			continue
		}
		w := 1
		if r&cellKindMask == cellWide {
			w = 2
		}
		if r&cellCluster != 0 || r&cellKindMask > cellWide || x+w < len(row) && row[x+w] == c {
			break
		}
		if wide != (w == 2) {
			wide = !wide
			dst = append(dst, packNarrow-byte(w-1))
		}
		switch r &= cellRuneMask; {
		case r < 0x800:
			dst = append(dst, 0xc0|byte(r>>6), 0x80|byte(r)&0x3f)
		case r < 0x10000:
			dst = append(dst, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
		default:
			dst = append(dst, 0xf0|byte(r>>18), 0x80|byte(r>>12)&0x3f, 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
		}
		x += w
	}
	p.dst, p.wide = dst, wide
	return x
}

func (p *packer) erased(n int) {
	p.dst = binary.AppendUvarint(append(p.dst, packErased), uint64(n))
}

func (p *packer) repeat(n int) {
	p.dst = binary.AppendUvarint(append(p.dst, packRepeat), uint64(n))
}

func (p *packer) char(r rune, w int) {
	if w == 2 && !p.wide {
		p.dst = append(p.dst, packWide)
		p.wide = true
	} else if w == 1 && p.wide && r >= 0x80 {
		p.dst = append(p.dst, packNarrow)
		p.wide = false
	}
	p.dst = utf8.AppendRune(p.dst, r)
}

// charBytes is char for a character in UTF-8.
func (p *packer) charBytes(b []byte, w int) {
	if b[0] >= 0x80 && p.wide != (w == 2) {
		p.wide = w == 2
		if p.wide {
			p.dst = append(p.dst, packWide)
		} else {
			p.dst = append(p.dst, packNarrow)
		}
	}
	p.dst = append(p.dst, b...)
}

// clusterBytes is cluster for a cluster in bytes.
func (p *packer) clusterBytes(b []byte, w int) {
	p.dst = append(p.dst, packCluster, byte(w), byte(len(b)))
	p.dst = append(p.dst, b...)
}

func (p *packer) cluster(s string, w int) {
	p.dst = append(p.dst, packCluster, byte(w), byte(len(s)))
	p.dst = append(p.dst, s...)
}

// Flags in the first byte of a packed style; two bits each for the kind of
// the foreground and the background come first.
const (
	packUnderlineColor = 1 << 4
	packAttrs          = 1 << 5
	packNewLink        = 1 << 6
	packSameLink       = 1 << 7 // the link used last in this row
)

// setStyle makes e the style of what follows.
func (p *packer) setStyle(e styleEntry, link hyperlink) {
	p.style = e
	s := &e.style
	f := byte(s.FG>>24) | byte(s.BG>>24)<<2
	attrs := uint16(s.Attrs) | uint16(s.Underline)<<12
	if s.UnderlineColor != 0 {
		f |= packUnderlineColor
	}
	if attrs != 0 {
		f |= packAttrs
	}
	switch {
	case e.link == 0:
	case e.link == p.link:
		f |= packSameLink
	default:
		f |= packNewLink
		p.link = e.link
	}
	dst := append(p.dst, packStyle, f)
	dst = packColor(dst, s.FG)
	dst = packColor(dst, s.BG)
	if s.UnderlineColor != 0 {
		dst = packColor(append(dst, byte(s.UnderlineColor>>24)), s.UnderlineColor)
	}
	if attrs != 0 {
		dst = binary.LittleEndian.AppendUint16(dst, attrs)
	}
	if f&packNewLink != 0 {
		dst = append(dst, byte(len(link.id)))
		dst = append(dst, link.id...)
		dst = binary.AppendUvarint(dst, uint64(len(link.uri)))
		dst = append(dst, link.uri...)
	}
	p.dst = dst
}

func packColor(dst []byte, c Color) []byte {
	switch c >> 24 {
	case 1:
		return append(dst, byte(c))
	case 2:
		return append(dst, byte(c>>16), byte(c>>8), byte(c))
	}
	return dst
}

// packedItem is a piece of a packed row: n cells of the same content.
type packedItem struct {
	text  []byte // UTF-8 of one character or cluster; nil if nothing is there
	n     int    // repetitions
	width int    // cells of each
	gap   bool
	// cluster: text is more than one code point, or wider than its own.
	cluster bool
}

// unpacker reads a packed row.
type unpacker struct {
	b     []byte
	meta  rowMeta // used is the number of cells
	style Style
	link  packedLink
	last  packedLink
	wide  bool
}

// packedLink is a link as it lies in the packed row.
type packedLink struct{ id, uri []byte }

func unpack(row []byte) unpacker {
	f := row[0]
	n, k := binary.Uvarint(row[1:])
	return unpacker{b: row[1+k:], meta: rowMeta{
		used: int32(n), wrapped: f&packWrapped != 0,
		attr: lineAttr(f >> packAttrShift & 3), marks: promptMarks(f >> packMarksShift & 15),
	}}
}

// next reads the next piece; style and link are then those that it has.
func (u *unpacker) next() (it packedItem, ok bool) {
	for len(u.b) > 0 {
		switch c := u.b[0]; c {
		case packStyle:
			u.readStyle()
			continue
		case packWide, packNarrow:
			u.wide = c == packWide
			u.b = u.b[1:]
			continue
		case packErased:
			return packedItem{n: u.count(), width: 1}, true
		case packGap:
			u.b = u.b[1:]
			return packedItem{n: 1, width: 1, gap: true}, true
		case packCluster:
			n := int(u.b[2])
			it = packedItem{text: u.b[3 : 3+n], n: 1, width: int(u.b[1]), cluster: true}
			u.b = u.b[3+n:]
		default:
			n := 1
			if c >= 0x80 {
				_, n = utf8.DecodeRune(u.b)
			}
			it = packedItem{text: u.b[:n], n: 1, width: 1}
			if u.wide && c >= 0x80 {
				it.width = 2
			}
			u.b = u.b[n:]
		}
		if len(u.b) > 0 && u.b[0] == packRepeat {
			it.n += u.count()
		}
		return it, true
	}
	return packedItem{}, false
}

// count reads a control byte and the number after it.
func (u *unpacker) count() int {
	n, k := binary.Uvarint(u.b[1:])
	u.b = u.b[1+k:]
	return int(n)
}

func (u *unpacker) readStyle() {
	f := u.b[1]
	b := u.b[2:]
	var s Style
	s.FG, b = unpackColor(b, f&3)
	s.BG, b = unpackColor(b, f>>2&3)
	if f&packUnderlineColor != 0 {
		s.UnderlineColor, b = unpackColor(b[1:], b[0])
	}
	if f&packAttrs != 0 {
		a := binary.LittleEndian.Uint16(b)
		s.Attrs, s.Underline = Attr(a&0xfff), UnderlineStyle(a>>12)
		b = b[2:]
	}
	u.link = packedLink{}
	if f&packNewLink != 0 {
		n := int(b[0])
		u.link.id, b = b[1:1+n], b[1+n:]
		size, k := binary.Uvarint(b)
		u.link.uri, b = b[k:k+int(size)], b[k+int(size):]
		u.last = u.link
	} else if f&packSameLink != 0 {
		u.link = u.last
	}
	u.style, u.b = s, b
}

func unpackColor(b []byte, kind byte) (Color, []byte) {
	switch kind {
	case 1:
		return Indexed(b[0]), b[1:]
	case 2:
		return RGB(b[0], b[1], b[2]), b[3:]
	}
	return 0, b
}
