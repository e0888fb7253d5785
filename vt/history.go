package vt

import (
	"bytes"
	"encoding/binary"
)

const (
	chunkSize = 32 << 10
	// historyRowBytes bounds the scrollback's memory: it holds no more than
	// this times its maximum of lines, however dense the lines are.
	historyRowBytes = 2 << 10
)

// history is the scrollback: packed rows in chunks, the oldest first. A row
// leaves by moving a number, a chunk by being used again.
type history struct {
	max    int // rows
	rows   int
	bytes  int
	chunks []chunk
	spare  []byte
	cols   int // the width that rows are wrapped at,
	stale  int // but for so many of the oldest, which are wrapped at another
}

// chunk is some rows, one after the other.
type chunk struct {
	data  []byte
	ends  []uint32 // where each row ends
	first int      // rows before it have left
}

func (c *chunk) len() int { return len(c.ends) - c.first }

func (c *chunk) row(i int) []byte {
	i += c.first
	start := uint32(0)
	if i > 0 {
		start = c.ends[i-1]
	}
	return c.data[start:c.ends[i]]
}

// open is the chunk to append to.
func (h *history) open() *chunk {
	if n := len(h.chunks); n > 0 {
		return &h.chunks[n-1]
	}
	return h.fresh()
}

func (h *history) fresh() *chunk {
	data := h.spare[:0]
	if data == nil && len(h.chunks) > 0 {
		data = make([]byte, 0, chunkSize) // the first grows as it needs
	}
	h.chunks = append(h.chunks, chunk{data: data})
	h.spare = nil
	return &h.chunks[len(h.chunks)-1]
}

// pushRow moves a copy of visible row y of the main screen to the scrollback.
func (t *Terminal) pushRow(s *screen, y int) {
	h := &t.history
	if h.max == 0 {
		return
	}
	c := h.open()
	start := len(c.data)
	if cap(c.data)-start < 512 && cap(c.data) >= chunkSize {
		c = h.fresh()
		start = 0
	}
	c.data = t.packRow(c.data, s.row(y), s.metaAt(y))
	h.commit(c, start)
}

// commit takes the bytes of c from start on as a row.
func (h *history) commit(c *chunk, start int) {
	size := len(c.data) - start
	if len(c.data) > chunkSize && start > 0 {
		d := h.fresh()
		c = &h.chunks[len(h.chunks)-2]
		d.data = append(d.data, c.data[start:]...)
		c.data = c.data[:start]
		c = d
	}
	c.ends = append(c.ends, uint32(len(c.data)))
	h.rows++
	h.bytes += size
	for h.rows > h.max || h.bytes > h.max*historyRowBytes && h.rows > 1 {
		h.evict()
	}
}

// push appends a packed row.
func (h *history) push(row []byte) {
	c := h.open()
	start := len(c.data)
	c.data = append(c.data, row...)
	h.commit(c, start)
}

// evict drops the oldest row.
func (h *history) evict() {
	c := &h.chunks[0]
	h.bytes -= len(c.row(0))
	c.first++
	h.rows--
	h.stale = max(h.stale-1, 0)
	if c.len() > 0 {
		return
	}
	if cap(c.data) <= 2*chunkSize {
		h.spare = c.data
	}
	n := copy(h.chunks, h.chunks[1:])
	h.chunks[n] = chunk{}
	h.chunks = h.chunks[:n]
}

// pop takes the newest row off. Its bytes stay valid until the next push.
func (h *history) pop() []byte {
	for {
		n := len(h.chunks) - 1
		c := &h.chunks[n]
		if c.len() == 0 {
			h.chunks = h.chunks[:n]
			continue
		}
		row := c.row(c.len() - 1)
		c.ends = c.ends[:len(c.ends)-1]
		c.data = c.data[:len(c.data)-len(row)]
		h.rows--
		h.stale = min(h.stale, h.rows)
		h.bytes -= len(row)
		if c.len() == 0 {
			h.chunks = h.chunks[:n]
		}
		return row
	}
}

// clear drops everything.
func (h *history) clear() {
	*h = history{max: h.max, cols: h.cols}
}

// last is the newest row, nil if there is none.
func (h *history) last() []byte {
	for n := len(h.chunks) - 1; n >= 0; n-- {
		if c := &h.chunks[n]; c.len() > 0 {
			return c.row(c.len() - 1)
		}
	}
	return nil
}

// row is row i, 0 the oldest.
func (h *history) row(i int) []byte {
	for k := range h.chunks {
		c := &h.chunks[k]
		if i < c.len() {
			return c.row(i)
		}
		i -= c.len()
	}
	return nil
}

// all calls f with every row, the oldest first.
func (h *history) all(f func(row []byte)) {
	for k := range h.chunks {
		for i := range h.chunks[k].len() {
			f(h.chunks[k].row(i))
		}
	}
}

// lines is the scrollback, wrapped at the present width. Rows from before a
// resize are wrapped anew here, when somebody looks at them, and not in the
// resize.
func (t *Terminal) lines() *history {
	h := &t.history
	if h.stale == 0 {
		return h
	}
	w := rewrapper{to: history{max: h.max, cols: h.cols}, cols: h.cols}
	n := 0
	h.all(func(row []byte) {
		if n++; n > h.stale {
			w.to.push(row)
			return
		}
		w.add(row)
		if n == h.stale {
			w.meta.wrapped = row[0]&packWrapped != 0 // it goes on after the resize
			w.flush()
		}
	})
	*h = w.to
	return h
}

// rewrapper wraps packed rows at another width without unpacking them to
// cells: lines that fit are copied as they are.
type rewrapper struct {
	to   history
	cols int

	open bool // a line is being wrapped, its last row is not written yet
	meta rowMeta
	p    packer
	prev packedLink
	col  int
	// Where in p.dst the last cells of the row begin if they are erased, else
	// -1, where they end, and how many they are.
	blank, blankEnd, blanks int
}

func (w *rewrapper) add(row []byte) {
	n, _ := binary.Uvarint(row[1:])
	wrapped := row[0]&packWrapped != 0
	attr := lineAttr(row[0] >> packAttrShift & 3)
	if !w.open && (!wrapped && int(n) <= w.cols || attr != lineNormal) {
		w.to.push(row)
		if w.cols < minDoubleCols {
			w.to.last()[0] &^= 3 << packAttrShift
		}
		return
	}
	u := unpack(row)
	if !w.open {
		w.open = true
		w.begin(u.meta)
	}
	w.meta.marks |= u.meta.marks
	var style Style
	var link packedLink
	w.setStyle(style, link)
	for {
		it, ok := u.next()
		if !ok {
			break
		}
		if it.gap {
			continue
		}
		if u.style != style || !sameLink(u.link, link) {
			style, link = u.style, u.link
			w.setStyle(style, link)
		}
		for it.n > 0 {
			w.put(&it)
		}
	}
	if !wrapped {
		w.flush()
	}
}

func sameLink(a, b packedLink) bool { return bytes.Equal(a.uri, b.uri) && bytes.Equal(a.id, b.id) }

// begin starts a row.
func (w *rewrapper) begin(m rowMeta) {
	w.meta = rowMeta{attr: m.attr, marks: m.marks}
	w.p = packer{dst: w.p.dst[:0]}
	w.prev = packedLink{}
	w.col, w.blank = 0, -1
}

// setStyle sets the style of what follows. Link numbers are made up here:
// packer only asks whether a link is the one before.
func (w *rewrapper) setStyle(s Style, l packedLink) {
	e := styleEntry{style: s}
	if len(l.uri) > 0 {
		e.link = max(w.p.link, 1)
		if w.p.link != 0 && !sameLink(l, w.prev) {
			e.link++
		}
		w.prev = l
	}
	if e != w.p.style {
		w.p.setStyle(e, hyperlink{string(l.id), string(l.uri)})
	}
}

// put writes as much of it as fits into the row, or ends the row.
func (w *rewrapper) put(it *packedItem) {
	fit := (w.cols - w.col) / it.width
	if fit == 0 {
		if it.width > w.cols { // a wide character where there is no room for any
			it.n = 0
			return
		}
		style, link := w.p.style, w.prev
		if style.link == 0 {
			link = packedLink{}
		}
		switch {
		case w.col < w.cols:
			w.setStyle(Style{}, packedLink{})
			w.p.dst = append(w.p.dst, packGap)
			w.col++
		case w.blank >= 0: // a full row ends in a character
			w.p.dst = w.p.dst[:w.blank]
			if w.blanks > 1 {
				w.p.erased(w.blanks - 1)
			}
			w.p.dst = append(w.p.dst, ' ')
		}
		w.meta.wrapped = true
		w.end()
		w.begin(rowMeta{})
		w.setStyle(style.style, link)
		return
	}
	n := min(fit, it.n)
	merge := w.blank >= 0 && w.blankEnd == len(w.p.dst)
	switch {
	case it.text == nil && merge:
		w.p.dst = w.p.dst[:w.blank]
		w.blanks += n
		w.p.erased(w.blanks)
	case it.text == nil:
		w.blank, w.blanks = len(w.p.dst), n
		w.p.erased(n)
	case it.cluster:
		w.p.clusterBytes(it.text, it.width)
	default:
		w.p.charBytes(it.text, it.width)
	}
	if n > 1 && it.text != nil {
		w.p.repeat(n - 1)
	}
	if it.text != nil {
		w.blank = -1
	}
	w.blankEnd = len(w.p.dst)
	w.col += n * it.width
	it.n -= n
}

// end writes the row.
func (w *rewrapper) end() {
	if !w.meta.wrapped && w.blank >= 0 && w.blankEnd == len(w.p.dst) && w.p.style == (styleEntry{}) {
		w.p.dst = w.p.dst[:w.blank]
		w.col -= w.blanks
	}
	c := w.to.open()
	start := len(c.data)
	c.data = packHeader(c.data, w.meta, w.col)
	c.data = append(c.data, w.p.dst...)
	w.to.commit(c, start)
}

// flush ends the line.
func (w *rewrapper) flush() {
	if w.open {
		w.open = false
		w.end()
	}
}
