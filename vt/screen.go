package vt

// screen is a grid of rows. Rows lie in one slice of cells; order says which
// of them is shown where, so that scrolling moves two-byte numbers.
type screen struct {
	cols, rows int
	cells      []cell
	order      []uint16  // order[y] is the row of cells and meta shown at y
	meta       []rowMeta // by row of cells
	saved      cursorState
	keys       keyStack
}

// rowMeta is what is known of a row beside its cells.
type rowMeta struct {
	gen uint64
	// used bounds what is written: every cell from it on is the zero cell.
	used int32
	// wrapped: the row ended because it was full; the next continues it.
	wrapped bool
	// pictured: a picture was shown from here on.
	pictured bool
	attr     lineAttr
	marks    promptMarks
}

// lineAttr is the size of a row's characters (DECSWL, DECDWL, DECDHL).
type lineAttr uint8

const (
	lineNormal lineAttr = iota
	lineDoubleWidth
	lineDoubleTop
	lineDoubleBottom
)

// promptMarks are the OSC 133 marks that were set on a row.
type promptMarks uint8

const (
	markPrompt promptMarks = 1 << iota // A
	markInput                          // B
	markOutput                         // C
	markEnd                            // D
)

// cursorState is the cursor and what DECSC saves with it. The zero value
// is what DECRC finds if nothing was saved.
type cursorState struct {
	x, y    int
	pending bool // a character was written in the last column; the next wraps
	origin  bool // DECOM
	pen     Style
	sets    charsets
}

func (s *screen) init(cols, rows int) {
	s.cols, s.rows = cols, rows
	s.cells = make([]cell, cols*rows)
	s.meta = make([]rowMeta, rows)
	s.order = make([]uint16, rows)
	for i := range s.order {
		s.order[i] = uint16(i)
	}
}

// ready reports whether the screen was ever used.
func (s *screen) ready() bool { return s.cells != nil }

// row is the cells of visible row y.
func (s *screen) row(y int) []cell {
	i := int(s.order[y]) * s.cols
	return s.cells[i : i+s.cols : i+s.cols]
}

// unwrap makes visible row y end where it ends: the next does not continue it.
func (s *screen) unwrap(y int) {
	m := s.metaAt(y)
	if !m.wrapped {
		return
	}
	m.wrapped = false
	ungap(s.row(y), s.cols-1, s.cols)
}

func (s *screen) metaAt(y int) *rowMeta { return &s.meta[s.order[y]] }

// width is how many cells of row y can be used.
func (s *screen) width(y int) int {
	if s.metaAt(y).attr != lineNormal {
		return s.cols / 2
	}
	return s.cols
}

// cut makes x a boundary: a wide character that straddles it is replaced by
// two spaces, so that no half is left.
func cut(row []cell, x int) {
	if x > 0 && x < len(row) && row[x].isTail() {
		row[x-1] = row[x-1]&^cellContent | ' '
		row[x] = row[x]&^cellContent | ' '
	}
}

// blank is the cell that erasing leaves: nothing, on the background in use.
func (t *Terminal) blank() cell {
	if t.cur.pen.BG == 0 {
		return 0
	}
	return cell(t.styleID(Style{BG: t.cur.pen.BG}, 0)) << cellStyleShift
}

// touch marks row y as changed.
func (t *Terminal) touch(y int) {
	t.scr.metaAt(y).gen = t.next
	t.changed = true
}

// touchAll marks all rows as changed.
func (t *Terminal) touchAll() {
	t.allGen = t.next
	t.changed = true
}

// fill sets the cells x0 to x1-1 of row y to c. A wide character that the
// range cuts is gone whole.
func (t *Terminal) fill(y, x0, x1 int, c cell) {
	if x0 >= x1 {
		return
	}
	s := t.scr
	row, m := s.row(y), s.metaAt(y)
	cut(row, x0)
	cut(row, x1)
	if c == 0 {
		if int(m.used) > x0 {
			clear(row[x0:min(x1, int(m.used))])
			if int(m.used) <= x1 {
				m.used = int32(x0)
			}
		}
	} else {
		for i := x0; i < x1; i++ {
			row[i] = c
		}
		m.used = max(m.used, int32(x1))
	}
	if x1 == s.cols {
		m.wrapped = false
	}
	m.gen = t.next
	t.changed = true
}

// clearRow empties row y whole, with its attributes.
func (t *Terminal) clearRow(s *screen, y int, c cell) {
	row, m := s.row(y), s.metaAt(y)
	if c == 0 {
		clear(row[:m.used])
		m.used = 0
	} else {
		for i := range row {
			row[i] = c
		}
		m.used = int32(s.cols)
	}
	m.wrapped, m.attr, m.marks = false, lineNormal, 0
	if m.pictured {
		t.rowCleared(s, y)
	}
	m.gen = t.next
	t.changed = true
}

// erase blanks the cells x0 to x1-1 of row y, all but guarded ones, and if
// selective not the protected ones either.
func (t *Terminal) erase(y, x0, x1 int, selective bool) {
	keep := Attr(0)
	if t.styles.guards {
		keep = AttrGuarded
	}
	if selective {
		keep |= AttrProtected
	}
	t.eraseBut(y, x0, x1, keep)
}

// eraseBut blanks the cells x0 to x1-1 of row y that have none of the
// attributes keep.
func (t *Terminal) eraseBut(y, x0, x1 int, keep Attr) {
	x0, x1 = max(x0, 0), min(x1, t.cols)
	if x0 >= x1 {
		return
	}
	if len(t.images.shown) > 0 {
		t.cellsErased(y, x0, x1)
	}
	if keep == 0 {
		t.fill(y, x0, x1, t.blank())
		return
	}
	row := t.scr.row(y)
	for x := x0; x < x1; {
		end := x
		for end < x1 && t.styles.at(row[end].style()).style.Attrs&keep == 0 {
			end++
		}
		if end > x {
			t.fill(y, x, end, t.blank())
		}
		x = max(end, x+1)
	}
}

// rotate moves the rows top to bottom of the screen up by n (down if n < 0)
// and gives the emptied rows.
func (s *screen) rotate(top, bottom, n int) {
	o := s.order[top : bottom+1]
	if n == 1 {
		first := o[0]
		copy(o, o[1:])
		o[len(o)-1] = first
		return
	}
	if n < 0 {
		n += len(o)
	}
	reverse(o[:n])
	reverse(o[n:])
	reverse(o)
}

func reverse(o []uint16) {
	for i, j := 0, len(o)-1; i < j; i, j = i+1, j-1 {
		o[i], o[j] = o[j], o[i]
	}
}

// fullWidth reports whether the left and right margins are the screen's edges.
func (t *Terminal) fullWidth() bool { return t.left == 0 && t.right == t.cols-1 }

// inMargins reports whether the cursor is within the left and right margins.
func (t *Terminal) inMargins() bool { return t.cur.x >= t.left && t.cur.x <= t.right }

// scrollUp moves the rows top to bottom up by n within the left and right
// margins. What leaves the top of the main screen goes to the scrollback.
func (t *Terminal) scrollUp(top, bottom, n int) {
	n = min(n, bottom-top+1)
	if n <= 0 {
		return
	}
	c := t.blank()
	if !t.fullWidth() {
		for y := top; y <= bottom; y++ {
			if y+n <= bottom {
				t.copyCells(y, y+n, t.left, t.right+1)
			} else {
				t.fill(y, t.left, t.right+1, c)
			}
		}
		return
	}
	s := t.scr
	if top == 0 && !t.alt && !t.deleting {
		for y := range n {
			t.pushRow(s, y)
		}
	} else if top > 0 {
		s.unwrap(top - 1)
	}
	s.rotate(top, bottom, n)
	for y := bottom - n + 1; y <= bottom; y++ {
		t.clearRow(s, y, c)
	}
	if bottom-n >= top && !t.wrapping {
		s.unwrap(bottom - n)
	}
	t.touchRows(top, bottom)
}

// scrollDown moves the rows top to bottom down by n within the margins.
func (t *Terminal) scrollDown(top, bottom, n int) {
	n = min(n, bottom-top+1)
	if n <= 0 {
		return
	}
	c := t.blank()
	if !t.fullWidth() {
		for y := bottom; y >= top; y-- {
			if y-n >= top {
				t.copyCells(y, y-n, t.left, t.right+1)
			} else {
				t.fill(y, t.left, t.right+1, c)
			}
		}
		return
	}
	s := t.scr
	if top > 0 {
		s.unwrap(top - 1)
	}
	s.rotate(top, bottom, -n)
	for y := top; y < top+n; y++ {
		t.clearRow(s, y, c)
	}
	s.unwrap(bottom)
	t.touchRows(top, bottom)
}

func (t *Terminal) touchRows(top, bottom int) {
	t.changed = true
	if top == 0 && bottom == t.rows-1 {
		t.allGen = t.next
		return
	}
	for y := top; y <= bottom; y++ {
		t.scr.metaAt(y).gen = t.next
	}
}

// copyCells copies the cells x0 to x1-1 of row from to row y.
func (t *Terminal) copyCells(y, from, x0, x1 int) {
	dst, src := t.scr.row(y), t.scr.row(from)
	m := t.scr.metaAt(y)
	cut(dst, x0)
	cut(dst, x1)
	cut(src, x0)
	cut(src, x1)
	copy(dst[x0:x1], src[x0:x1])
	ungap(dst, x0, x1)
	m.used = max(m.used, min(int32(x1), t.scr.metaAt(from).used))
	if x1 == t.cols {
		m.wrapped = false
	}
	t.touch(y)
}

// ungap turns a gap that is no longer at the end of its row into a blank.
func ungap(row []cell, x0, x1 int) {
	for x := x0; x < x1; x++ {
		if uint32(row[x])&cellKindMask == cellGap {
			row[x] &^= cellContent
		}
	}
}

// insertCells moves the cells from x on to the right by n, up to right.
func (t *Terminal) insertCells(y, x, right, n int) {
	n = min(n, right+1-x)
	if n <= 0 {
		return
	}
	row, m := t.scr.row(y), t.scr.metaAt(y)
	cut(row, x)
	cut(row, right+1)
	cut(row, right+1-n)
	copy(row[x+n:right+1], row[x:right+1-n])
	ungap(row, x, right+1)
	m.used = max(m.used, min(m.used+int32(n), int32(right+1)))
	t.fill(y, x, x+n, t.blank())
	if right+1 == t.cols {
		m.wrapped = false
	}
}

// deleteCells moves the cells from x+n on to the left by n, up to right.
func (t *Terminal) deleteCells(y, x, right, n int) {
	n = min(n, right+1-x)
	if n <= 0 {
		return
	}
	row := t.scr.row(y)
	cut(row, x)
	cut(row, x+n)
	cut(row, right+1)
	copy(row[x:], row[x+n:right+1])
	clear(row[right+1-n : right+1])
	ungap(row, x, right+1)
	t.fill(y, right+1-n, right+1, t.blank())
}
