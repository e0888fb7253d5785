package vt

import (
	"unicode/utf8"
	"unsafe"
)

// runeCache keeps the text of single characters, so that reading cells does
// not allocate. It is made when somebody reads the first one.
type runeCache [1024]struct {
	r rune
	s string
}

// asciiText is all ASCII, to take one-byte strings from.
const asciiText = "" +
	"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f" +
	"\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f" +
	" !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_" +
	"`abcdefghijklmnopqrstuvwxyz{|}~\x7f"

// cellText is the text of a cell.
func (t *Terminal) cellText(c cell) string {
	switch {
	case c&cellContent == 0 || c.kind() >= cellTail:
		return ""
	case c&cellCluster != 0:
		return t.clusters.entries[c&cellRuneMask]
	}
	r := rune(c & cellRuneMask)
	if r < 0x80 {
		return asciiText[r : r+1]
	}
	if t.runes == nil {
		t.runes = new(runeCache)
	}
	e := &t.runes[uint32(r)%uint32(len(t.runes))]
	if e.r != r {
		e.r, e.s = r, string(r)
	}
	return e.s
}

// Cell is the cell at x, y of the visible screen; the zero Cell outside it.
func (t *Terminal) Cell(x, y int) Cell {
	if x < 0 || y < 0 || x >= t.cols || y >= t.rows {
		return Cell{}
	}
	c := t.scr.row(y)[x]
	e := t.styles.at(c.style())
	out := Cell{Text: t.cellText(c), Width: 1, Style: e.style, Link: t.linkAt(e.link).uri}
	switch c.kind() {
	case cellTail:
		out.Width = 0
	case cellWide:
		out.Width = 2
	}
	return out
}

// RowWrapped reports whether visible row y was full and goes on in the next.
func (t *Terminal) RowWrapped(y int) bool {
	return y >= 0 && y < t.rows && t.scr.metaAt(y).wrapped
}

// RowDoubleWidth reports whether visible row y has characters of double width
// (DECDWL, DECDHL): only the first half of its cells is shown.
func (t *Terminal) RowDoubleWidth(y int) bool {
	return y >= 0 && y < t.rows && t.scr.metaAt(y).attr != lineNormal
}

// RowMarks lists the OSC 133 marks on visible row y, of "ABCD".
func (t *Terminal) RowMarks(y int) string {
	if y < 0 || y >= t.rows {
		return ""
	}
	return t.scr.metaAt(y).marks.String()
}

// String lists the marks as letters.
func (m promptMarks) String() string {
	if m == 0 {
		return ""
	}
	b := make([]byte, 0, 4)
	for i := range 4 {
		if m&(1<<i) != 0 {
			b = append(b, 'A'+byte(i))
		}
	}
	return string(b)
}

// ansiWriter writes cells as text with SGR and OSC 8.
type ansiWriter struct {
	dst   []byte
	style Style
	uri   string
	id    string
}

// setLook switches to the visible part of a style.
func (w *ansiWriter) setLook(s *Style) {
	was := &w.style
	attrs := s.Attrs & attrVisible
	if attrs == was.Attrs && s.Underline == was.Underline && s.UnderlineColor == was.UnderlineColor {
		if s.FG == was.FG && s.BG == was.BG {
			return
		}
		if s.FG|s.BG|s.UnderlineColor != 0 || attrs != 0 || s.Underline != 0 {
			w.dst = appendColorChange(w.dst, was, s)
			was.FG, was.BG = s.FG, s.BG
			return
		}
	}
	*was = s.visible()
	w.dst = was.AppendSGR(w.dst)
}

// setStyle switches to a style and a link.
func (w *ansiWriter) setStyle(s Style, l hyperlink) {
	w.setLook(&s)
	if l == (hyperlink{}) && w.uri == "" {
		return
	}
	if l.uri != w.uri || l.id != w.id {
		w.dst = appendLink(w.dst, l)
		w.uri, w.id = l.uri, l.id
	}
}

// appendLink appends the OSC 8 that opens l, or closes the link open if l is
// none.
func appendLink(dst []byte, l hyperlink) []byte {
	dst = append(dst, "\x1b]8;"...)
	if l.id != "" && l.uri != "" {
		dst = append(dst, "id="...)
		dst = append(dst, l.id...)
	}
	dst = append(dst, ';')
	dst = append(dst, l.uri...)
	return append(dst, "\x1b\\"...)
}

// AppendRow appends the cells x0 to x1-1 of visible row y as text with SGR and
// OSC 8 sequences, starting and ending in the default style. A wide character
// that the range cuts is blank. Every cell of the range is written.
func (t *Terminal) AppendRow(dst []byte, y, x0, x1 int) []byte {
	x0, x1 = max(x0, 0), min(x1, t.cols)
	if y < 0 || y >= t.rows || x0 >= x1 {
		return dst
	}
	row := t.scr.row(y)
	w := ansiWriter{dst: dst}
	last := uint32(0)
	for x := x0; x < x1; x++ {
		c := row[x]
		if id := c.style(); id != last {
			last = id
			e := t.styles.at(id)
			w.setStyle(e.style, t.linkAt(e.link))
		}
		switch r := c & cellContent; {
		case r < 0x80 && r >= ' ':
			w.dst = append(w.dst, byte(r))
		case c.isErased() || c.isTail() && x == x0 || c.isWide() && x+1 >= x1:
			w.dst = append(w.dst, ' ')
		case c.isTail():
		default:
			w.dst = t.appendText(w.dst, c)
		}
	}
	w.setStyle(Style{}, hyperlink{})
	return w.dst
}

// appendRowText appends the text of a row, blanks at the end left off.
func (t *Terminal) appendRowText(dst []byte, row []cell, used int) []byte {
	end := len(dst)
	for _, c := range row[:used] {
		switch r := c & cellContent; {
		case r > ' ' && r < 0x80:
			dst = append(dst, byte(r))
			end = len(dst)
		case r == ' ' || c.isErased():
			dst = append(dst, ' ')
		case c.isTail():
		default:
			dst = t.appendText(dst, c)
			end = len(dst)
		}
	}
	return dst[:end]
}

// RowText is the text of visible row y without the blanks at its end.
func (t *Terminal) RowText(y int) string {
	if y < 0 || y >= t.rows {
		return ""
	}
	return string(t.appendRowText(nil, t.scr.row(y), int(t.scr.metaAt(y).used)))
}

// usedRows is the number of rows of the screen up to the last with text.
func (t *Terminal) usedRows() int {
	for y := t.rows; y > 0; y-- {
		for _, c := range t.scr.row(y - 1)[:t.scr.metaAt(y-1).used] {
			if !c.isErased() && c&cellContent != ' ' {
				return y
			}
		}
	}
	return 0
}

// appendScreenText appends rows y0 to y1-1, joined by newlines.
func (t *Terminal) appendScreenText(dst []byte, y0, y1 int) []byte {
	for y := y0; y < y1; y++ {
		if y > y0 {
			dst = append(dst, '\n')
		}
		dst = t.appendRowText(dst, t.scr.row(y), int(t.scr.metaAt(y).used))
	}
	return dst
}

// ScreenText is the text of the screen: its rows without the blanks at their
// ends, joined by newlines; rows at the end that are blank are left out.
func (t *Terminal) ScreenText() string {
	return string(t.appendScreenText(nil, 0, t.usedRows()))
}

// TailText is the last n lines of scrollback and screen, as ScreenText has
// them. A line that was wrapped stays as many lines as it takes.
func (t *Terminal) TailText(n int) string {
	rows := t.usedRows()
	if n <= rows || t.alt {
		return string(t.appendScreenText(nil, max(rows-n, 0), rows))
	}
	h := t.lines()
	var b []byte
	for i := max(h.rows-(n-rows), 0); i < h.rows; i++ {
		b = appendPackedText(b, h.row(i))
		b = append(b, '\n')
	}
	if rows == 0 && len(b) > 0 {
		return string(b[:len(b)-1])
	}
	return string(t.appendScreenText(b, 0, rows))
}

// ScrollbackLen is the number of rows in the scrollback.
func (t *Terminal) ScrollbackLen() int { return t.lines().rows }

// scrollbackRow is packed row i, nil outside.
func (t *Terminal) scrollbackRow(i int) []byte {
	h := t.lines()
	if i < 0 || i >= h.rows {
		return nil
	}
	return h.row(i)
}

// ScrollbackWrapped reports whether row i of the scrollback was full and goes
// on in the next.
func (t *Terminal) ScrollbackWrapped(i int) bool {
	row := t.scrollbackRow(i)
	return row != nil && row[0]&packWrapped != 0
}

// ScrollbackMarks lists the OSC 133 marks on row i of the scrollback.
func (t *Terminal) ScrollbackMarks(i int) string {
	row := t.scrollbackRow(i)
	if row == nil {
		return ""
	}
	return promptMarks(row[0] >> packMarksShift & 15).String()
}

// ScrollbackText is the text of row i of the scrollback, 0 the oldest,
// without the blanks at its end.
func (t *Terminal) ScrollbackText(i int) string {
	row := t.scrollbackRow(i)
	if row == nil {
		return ""
	}
	return string(appendPackedText(nil, row))
}

// AppendScrollbackRow appends row i of the scrollback, 0 the oldest, as text
// with SGR and OSC 8 sequences, starting and ending in the default style.
// Cells after the last that was written are left out.
func (t *Terminal) AppendScrollbackRow(dst []byte, i int) []byte {
	row := t.scrollbackRow(i)
	if row == nil {
		return dst
	}
	w := ansiWriter{dst: dst}
	for u := unpack(row); ; {
		it, ok := u.next()
		if !ok {
			break
		}
		w.setStyle(u.style, u.hyperlink(w.id, w.uri))
		for range it.n {
			if it.text == nil {
				w.dst = append(w.dst, ' ')
			} else {
				w.dst = append(w.dst, it.text...)
			}
		}
	}
	w.setStyle(Style{}, hyperlink{})
	return w.dst
}

// hyperlink is the link as strings; those given are used if they are equal.
func (u *unpacker) hyperlink(id, uri string) hyperlink {
	if string(u.link.uri) == uri && string(u.link.id) == id {
		return hyperlink{id, uri}
	}
	return hyperlink{string(u.link.id), string(u.link.uri)}
}

// appendPackedText appends the text of a packed row, blanks at the end left
// off.
func appendPackedText(dst []byte, row []byte) []byte {
	end := len(dst)
	for u := unpack(row); ; {
		it, ok := u.next()
		if !ok {
			return dst[:end]
		}
		blank := it.text == nil || string(it.text) == " "
		for range it.n {
			if blank {
				dst = append(dst, ' ')
			} else {
				dst = append(dst, it.text...)
			}
		}
		if !blank {
			end = len(dst)
		}
	}
}

// unpackRow writes a packed row to cells, which are blank, and gives what was
// known of the row. What does not fit is dropped.
func (t *Terminal) unpackRow(packed []byte, row []cell) rowMeta {
	u := unpack(packed)
	x := 0
	var style Style
	var link packedLink
	id := cell(0)
	for {
		it, ok := u.next()
		if !ok || x+it.width > len(row) {
			break
		}
		if u.style != style || !sameLink(u.link, link) {
			style, link = u.style, u.link
			id = cell(t.styleID(style, t.linkID(hyperlink{string(link.id), string(link.uri)}))) << cellStyleShift
		}
		c := id
		switch {
		case it.gap:
			c |= cellGap
		case it.text == nil:
		case it.cluster:
			c |= cellCluster | cell(t.clusterID(it.text))
		default:
			r, _ := utf8.DecodeRune(it.text)
			c |= cell(r)
		}
		for range it.n {
			if x+it.width > len(row) {
				break
			}
			row[x] = c
			if it.width == 2 {
				row[x] |= cellWide
				row[x+1] = id | cellTail
			}
			x += it.width
		}
	}
	u.meta.used = int32(x)
	return u.meta
}

// MemoryUsed estimates the bytes that the terminal holds.
func (t *Terminal) MemoryUsed() int {
	n := int(unsafe.Sizeof(*t)) + cap(t.parser.str) + cap(t.out) + cap(t.tabs)*8
	for i := range t.screens {
		s := &t.screens[i]
		n += cap(s.cells)*8 + cap(s.order)*2 + cap(s.meta)*int(unsafe.Sizeof(rowMeta{})) + cap(s.keys.entries)
	}
	h := &t.history
	n += cap(h.spare) + cap(h.chunks)*int(unsafe.Sizeof(chunk{}))
	for i := range h.chunks {
		n += cap(h.chunks[i].data) + cap(h.chunks[i].ends)*4
	}
	n += t.styles.memory(int(unsafe.Sizeof(styleEntry{}))) + t.clusters.memory(16) + t.links.memory(32)
	for _, s := range t.clusters.entries {
		n += len(s)
	}
	for _, l := range t.links.entries {
		n += len(l.id) + len(l.uri)
	}
	if t.runes != nil {
		n += int(unsafe.Sizeof(*t.runes))
	}
	if t.colors != nil {
		n += int(unsafe.Sizeof(*t.colors))
	}
	if t.others != nil {
		n += int(unsafe.Sizeof(*t.others))
	}
	n += t.images.memory()
	n += cap(t.colorStack) * int(unsafe.Sizeof(colorSet{}))
	for _, p := range t.titleStack {
		n += len(p.title) + len(p.icon) + 32
	}
	return n + len(t.title) + len(t.icon) + len(t.cwd) + len(t.notif.title) + len(t.notif.body)
}
