package vt

// point is a position that moves with the text when lines are wrapped anew.
type point struct {
	x, y int
	past bool // it stands after the last column (a pending wrap)
}

// Resize changes the size of the screen, clamped to [1, MaxCols] and
// [1, MaxRows]. Lines of the main screen that were wrapped are wrapped anew;
// the scrollback follows when somebody looks at it. What does not fit goes to
// the scrollback, and what there is room for comes back from it. The alternate
// screen is cut or extended.
func (t *Terminal) Resize(cols, rows int) {
	cols, rows = min(max(cols, 1), MaxCols), min(max(rows, 1), MaxRows)
	if cols == t.cols && rows == t.rows {
		return
	}
	t.dropAllShown()
	cur := point{t.cur.x, t.cur.y, t.cur.pending}
	main, alt := &t.screens[0], &t.screens[1]
	saved := point{main.saved.x, main.saved.y, main.saved.pending}
	if t.alt {
		t.reflow(cols, rows, &saved, &saved)
	} else {
		t.reflow(cols, rows, &cur, &saved)
	}
	main.saved.x, main.saved.y, main.saved.pending = saved.x, saved.y, saved.past
	if alt.ready() {
		drop := 0
		if t.alt {
			drop = max(cur.y-rows+1, 0)
			cur = point{min(cur.x, cols-1), cur.y - drop, false}
		}
		alt.crop(cols, rows, drop)
		s := &alt.saved
		s.x, s.y, s.pending = min(s.x, cols-1), min(max(s.y-drop, 0), rows-1), false
	}
	old := t.cols
	t.cols, t.rows = cols, rows
	t.cur.x, t.cur.y, t.cur.pending = cur.x, cur.y, cur.past
	t.top, t.bottom, t.left, t.right = 0, rows-1, 0, cols-1
	tabs := make([]uint64, (cols+63)/64)
	copy(tabs, t.tabs)
	t.tabs = tabs
	for x := cols; x < len(tabs)*64; x++ {
		t.setTab(x, false)
	}
	if cols > old {
		t.resetTabs(old)
	}
	t.checkPending()
	t.breakJoin()
	t.touchAll()
	t.settle()
	if t.modes.has(modeResizeReports) {
		t.reportSize()
	}
	if t.gcDue {
		t.collect()
	}
}

// crop cuts or extends a screen without wrapping anything, the first drop rows
// going first.
func (s *screen) crop(cols, rows, drop int) {
	old := *s
	s.init(cols, rows)
	for y := range min(rows, old.rows-drop) {
		row, m := s.row(y), s.metaAt(y)
		*m = *old.metaAt(y + drop)
		n := copy(row, old.row(y+drop))
		m.used = min(m.used, int32(n))
		m.wrapped = m.wrapped && cols == old.cols
		if cols < minDoubleCols {
			m.attr = lineNormal
		}
		trim(row, n)
		if !m.wrapped {
			ungap(row, 0, n)
		}
	}
}

// trim blanks a wide character of which the first n cells hold only half.
func trim(row []cell, n int) {
	if n > 0 && row[n-1].isWide() {
		row[n-1] = row[n-1]&^cellContent | ' '
	}
}

// reflow gives the main screen a new size. The points move with the text.
func (t *Terminal) reflow(cols, rows int, cursor, saved *point) {
	s := &t.screens[0]
	f := reflower{t: t, old: *s, cols: cols, cursor: cursor, saved: saved}
	h := &t.history
	if cols != s.cols {
		h.stale = h.rows
	}
	h.cols = cols

	// What is blank below the cursor is no text.
	end := s.rows
	for end > cursor.y+1 && s.rowBlank(end-1) {
		end--
	}
	below := s.rows - end
	if cols == s.cols {
		for y := range end {
			f.keep(s.row(y), *s.metaAt(y), y)
		}
	} else {
		f.straddling()
		f.rewrap(end)
	}

	// Too much: the top goes to the scrollback, unless that would take the
	// cursor's row; then the bottom goes.
	if extra := len(f.rows) - rows; extra > 0 {
		up := min(extra, f.cursorRow())
		f.pushTop(up)
		f.rows = f.rows[:min(len(f.rows), rows)]
		last := &f.rows[len(f.rows)-1]
		last.meta.wrapped = false
		ungap(last.cells, 0, len(last.cells))
	} else if room := rows - len(f.rows) - below; room > 0 {
		f.pullTop(room)
	}

	next := screen{saved: s.saved, keys: s.keys}
	next.init(cols, rows)
	for y := range f.rows {
		r := &f.rows[y]
		copy(next.row(y), r.cells)
		*next.metaAt(y) = r.meta
	}
	*s = next
	f.place(cursor, cols, rows)
	if saved != cursor {
		f.place(saved, cols, rows)
	}
}

// reflower wraps the lines of a screen anew.
type reflower struct {
	t             *Terminal
	old           screen
	cols          int
	rows          []reflowRow
	cursor, saved *point
	above         int // rows before the screen's first in the line it continues
	prefix        []reflowRow
}

// reflowRow is a row of the new screen.
type reflowRow struct {
	cells []cell
	meta  rowMeta
}

// keep takes a row as it is.
func (f *reflower) keep(row []cell, m rowMeta, _ int) {
	f.rows = append(f.rows, reflowRow{row, m})
}

// straddling fetches the rows of the scrollback that the screen's first row
// continues.
func (f *reflower) straddling() {
	f.prefix = f.popLine(func(last []byte) bool { return last[0]&packWrapped != 0 })
	f.above = len(f.prefix)
}

// popLine takes rows off the scrollback as long as more says so.
func (f *reflower) popLine(more func(last []byte) bool) []reflowRow {
	h := &f.t.history
	var rows []reflowRow
	for {
		last := h.last()
		if last == nil || !more(last) {
			break
		}
		rows = append(rows, f.unpack(h.pop()))
	}
	for i, j := 0, len(rows)-1; i < j; i, j = i+1, j-1 {
		rows[i], rows[j] = rows[j], rows[i]
	}
	return rows
}

func (f *reflower) unpack(packed []byte) reflowRow {
	u := unpack(packed)
	cells := make([]cell, max(int(u.meta.used), f.cols))
	m := f.t.unpackRow(packed, cells)
	if f.cols < minDoubleCols {
		m.attr = lineNormal
	}
	return reflowRow{cells, m}
}

// rewrap wraps the prefix and the rows before end of the old screen.
func (f *reflower) rewrap(end int) {
	all := f.prefix
	for y := range end {
		all = append(all, reflowRow{f.old.row(y), *f.old.metaAt(y)})
	}
	for i := 0; i < len(all); {
		n := 1
		for i+n < len(all) && all[i+n-1].meta.wrapped {
			n++
		}
		f.line(all[i:i+n], i-f.above)
		i += n
	}
}

// line wraps one line, whose first row is row y of the old screen.
func (f *reflower) line(rows []reflowRow, y int) {
	if rows[0].meta.attr != lineNormal {
		f.sized(rows, y)
		return
	}
	// Where the points are in the line, counted in cells.
	cursor, saved := -1, -1
	size := 0
	for i := range rows {
		r := &rows[i]
		used := int(r.meta.used)
		if used > 0 && r.cells[used-1].kind() == cellGap {
			used--
			r.cells[used] = 0
			r.meta.used--
		}
		cursor = f.offset(f.cursor, y+i, size, cursor)
		saved = f.offset(f.saved, y+i, size, saved)
		if i+1 < len(rows) {
			size += used
		} else {
			for used > 0 && r.cells[used-1] == 0 {
				used--
			}
			r.meta.used = int32(used)
			size += used
		}
	}
	if cols := f.cols; len(rows) == 1 && int(rows[0].meta.used) <= cols {
		first := len(f.rows)
		f.rows = append(f.rows, reflowRow{rows[0].cells[:min(cols, len(rows[0].cells))], rows[0].meta})
		f.settle(f.cursor, cursor, size, first, 0)
		f.settle(f.saved, saved, size, first, 0)
		return
	}
	line := make([]cell, 0, size)
	marks := promptMarks(0)
	for i := range rows {
		line = append(line, rows[i].cells[:rows[i].meta.used]...)
		marks |= rows[i].meta.marks
	}
	start, meta := 0, rowMeta{marks: marks, gen: f.t.next}
	for {
		n := min(f.cols, len(line)-start)
		var gap bool
		if start+n < len(line) && line[start+n].isTail() {
			n--
			gap = true
		}
		if n == 0 && start < len(line) { // no room for a wide character
			line[start], line[start+1] = line[start]&^cellContent|' ', line[start+1]&^cellContent|' '
			continue
		}
		row := line[start : start+n : start+n]
		meta.used = int32(n)
		meta.wrapped = start+n < len(line)
		if gap {
			row = append(row, cellGap)
			meta.used++
		} else if meta.wrapped && row[n-1].isErased() {
			row[n-1] |= ' ' // a full row ends in a character
		}
		at := len(f.rows)
		f.rows = append(f.rows, reflowRow{row, meta})
		f.settle(f.cursor, cursor-start, len(line)-start, at, n)
		f.settle(f.saved, saved-start, len(line)-start, at, n)
		start += n
		if start >= len(line) {
			return
		}
		meta = rowMeta{gen: f.t.next}
	}
}

// sized takes a row of double size: such rows are not wrapped.
func (f *reflower) sized(rows []reflowRow, y int) {
	for i := range rows {
		r := rows[i]
		n := min(len(r.cells), f.cols)
		cells := append([]cell(nil), r.cells[:n]...)
		trim(cells, n)
		r.meta.used = min(r.meta.used, int32(n))
		r.meta.wrapped = false
		ungap(cells, 0, n)
		if f.cols < minDoubleCols {
			r.meta.attr = lineNormal
		}
		for _, p := range [...]*point{f.cursor, f.saved} {
			if p.y == y+i && !p.moved() {
				p.set(len(f.rows), min(p.x, f.cols-1), false)
			}
		}
		f.rows = append(f.rows, reflowRow{cells, r.meta})
	}
}

// movedBit marks a point that has its place among the new rows; its y is then
// an index into them.
const movedBit = 1 << 40

func (p *point) moved() bool { return p.y >= movedBit }

func (p *point) set(y, x int, past bool) { p.y, p.x, p.past = y|movedBit, x, past }

// offset is where p is in the line if it stands on row y, whose first cell is
// cell size of the line; else before.
func (f *reflower) offset(p *point, y, size, before int) int {
	if p.y != y || p.moved() {
		return before
	}
	x := p.x
	if p.past {
		x++
	}
	return size + x
}

// settle places p if it falls into the row that begins at cell 0 of what is
// left of the line, which is n cells long (0 if the line has one row).
func (f *reflower) settle(p *point, at, left, row, n int) {
	if at < 0 || p.moved() {
		return
	}
	switch {
	case n == 0 || n == left: // the last row takes all that is left
		past := at == f.cols && at == left // after the text, which fills the row
		p.set(row, min(at, f.cols-1), past)
	case at < n:
		p.set(row, at, false)
	}
}

func (f *reflower) cursorRow() int {
	if f.cursor.moved() {
		return f.cursor.y &^ movedBit
	}
	return f.cursor.y
}

// pushTop moves the first n rows to the scrollback.
func (f *reflower) pushTop(n int) {
	t := f.t
	for i := range n {
		r := &f.rows[i]
		t.pushCells(r.cells, &r.meta)
	}
	f.rows = f.rows[n:]
	f.shift(-n)
}

// shift moves the points by n rows.
func (f *reflower) shift(n int) {
	for i, p := range [...]*point{f.cursor, f.saved} {
		if i == 1 && f.saved == f.cursor {
			break
		}
		if p.moved() {
			p.y = max(p.y&^movedBit+n, 0) | movedBit
		} else {
			p.y = max(p.y+n, 0)
		}
	}
}

// pullTop takes up to n rows back from the scrollback.
func (f *reflower) pullTop(n int) {
	h := &f.t.history
	sub := reflower{t: f.t, cols: f.cols, cursor: &point{y: -1}, saved: &point{y: -1}}
	var got [][]reflowRow
	total := 0
	for total < n && h.rows > 0 {
		first, stale := true, h.stale == h.rows
		lines := f.popLine(func(last []byte) bool {
			ok := first || last[0]&packWrapped != 0 && stale == (h.stale == h.rows)
			first = false
			return ok
		})
		sub.rows = nil
		if stale {
			sub.wrapAll(lines)
		} else {
			sub.rows = lines
		}
		got = append(got, sub.rows)
		total += len(sub.rows)
	}
	var rows []reflowRow
	for i := len(got) - 1; i >= 0; i-- {
		rows = append(rows, got[i]...)
	}
	if over := total - n; over > 0 {
		for i := range over {
			f.t.pushCells(rows[i].cells, &rows[i].meta)
		}
		rows = rows[over:]
	}
	for i := range rows {
		if len(rows[i].cells) > f.cols {
			rows[i].cells = rows[i].cells[:f.cols]
		}
	}
	f.rows = append(rows, f.rows...)
	f.shift(len(rows))
}

// wrapAll wraps the rows of one line.
func (f *reflower) wrapAll(rows []reflowRow) {
	goesOn := rows[len(rows)-1].meta.wrapped // on the screen
	f.line(rows, 0)
	f.rows[len(f.rows)-1].meta.wrapped = goesOn
}

// place puts a moved point on the screen.
func (f *reflower) place(p *point, cols, rows int) {
	if p.moved() {
		p.y &^= movedBit
	}
	p.y = min(max(p.y, 0), rows-1)
	if p.x >= cols {
		p.x = cols - 1
		p.past = false
	}
	p.x = max(p.x, 0)
	p.past = p.past && p.x == cols-1
}

// pushCells moves a row that is not on the screen to the scrollback.
func (t *Terminal) pushCells(cells []cell, m *rowMeta) {
	h := &t.history
	if h.max == 0 {
		return
	}
	c := h.open()
	start := len(c.data)
	c.data = t.packRow(c.data, cells, m)
	h.commit(c, start)
}
