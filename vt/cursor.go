package vt

// moveTo puts the cursor at x, y, clamped to the screen.
func (t *Terminal) moveTo(x, y int) {
	t.cur.x = min(max(x, 0), t.cols-1)
	t.cur.y = min(max(y, 0), t.rows-1)
	t.cur.pending = false
	t.breakJoin()
}

// moveOrigin is moveTo for a position that counts from the margins in origin
// mode.
func (t *Terminal) moveOrigin(x, y int) {
	if t.cur.origin {
		t.moveTo(min(max(x, 0)+t.left, t.right), min(max(y, 0)+t.top, t.bottom))
		return
	}
	t.moveTo(x, y)
}

// originX and originY are where the cursor's reports count from.
func (t *Terminal) originX() int {
	if t.cur.origin {
		return t.left
	}
	return 0
}

func (t *Terminal) originY() int {
	if t.cur.origin {
		return t.top
	}
	return 0
}

// up moves the cursor up by n, not past the top margin if it is below it.
func (t *Terminal) up(n int) {
	stop := 0
	if t.cur.y >= t.top {
		stop = t.top
	}
	t.moveTo(t.cur.x, max(t.cur.y-n, stop))
}

func (t *Terminal) down(n int) {
	stop := t.rows - 1
	if t.cur.y <= t.bottom {
		stop = t.bottom
	}
	t.moveTo(t.cur.x, min(t.cur.y+n, stop))
}

func (t *Terminal) forward(n int) {
	stop := t.cols - 1
	if t.cur.x <= t.right {
		stop = t.right
	}
	t.moveTo(min(t.cur.x+n, stop), t.cur.y)
}

// back moves the cursor left by n. With reverse wrap it goes on at the end of
// the line before: of one that had wrapped (mode 45), or of any (1045).
func (t *Terminal) back(n int) {
	x, y := t.cur.x, t.cur.y
	wraps := t.modes.has(modeAutowrap) && (t.modes.has(modeReverseWrap) || t.modes.has(modeReverseWrapExt))
	if wraps && t.cur.pending {
		n--
	}
	stop := 0
	if x >= t.left {
		stop = t.left
	}
	for n > 0 {
		step := min(n, x-stop)
		x, n = x-step, n-step
		if n == 0 || !wraps {
			break
		}
		switch ext := t.modes.has(modeReverseWrapExt); {
		case ext && y == t.top:
			y = t.bottom
		case y == 0 || y == t.top:
			n = 0
			continue
		case ext || t.scr.metaAt(y-1).wrapped:
			y--
		default:
			n = 0
			continue
		}
		stop = t.left
		x = t.right
		n = min(n-1, t.cols*t.rows)
	}
	t.moveTo(x, y)
}

// index moves the cursor down, scrolling at the bottom margin (IND, LF).
func (t *Terminal) index() {
	switch {
	case t.cur.y == t.bottom:
		if t.inMargins() {
			t.scrollUp(t.top, t.bottom, 1)
		}
	case t.cur.y < t.rows-1:
		t.cur.y++
	}
}

// lineFeed is LF, VT, FF, IND.
func (t *Terminal) lineFeed() {
	t.cur.pending = false
	t.breakJoin()
	t.index()
}

// reverseIndex moves the cursor up, scrolling at the top margin (RI).
func (t *Terminal) reverseIndex() {
	t.cur.pending = false
	t.breakJoin()
	switch {
	case t.cur.y == t.top:
		if t.inMargins() {
			t.scrollDown(t.top, t.bottom, 1)
		}
	case t.cur.y > 0:
		t.cur.y--
	}
}

// carriageReturn moves to the left margin, or to the edge if left of it.
func (t *Terminal) carriageReturn() {
	x := 0
	if t.cur.origin || t.cur.x >= t.left {
		x = t.left
	}
	t.cur.x, t.cur.pending = x, false
	t.breakJoin()
}

// Tab stops.

func (t *Terminal) resetTabs(from int) {
	for x := from; x < t.cols; x++ {
		t.setTab(x, x%8 == 0 && x > 0)
	}
}

func (t *Terminal) setTab(x int, on bool) {
	if on {
		t.tabs[x/64] |= 1 << (x % 64)
	} else {
		t.tabs[x/64] &^= 1 << (x % 64)
	}
}

func (t *Terminal) hasTab(x int) bool { return t.tabs[x/64]&(1<<(x%64)) != 0 }

// tab moves n tab stops to the right, not past the margin.
func (t *Terminal) tab(n int) {
	stop := t.cols - 1
	if t.cur.x <= t.right {
		stop = t.right
	}
	x := t.cur.x
	for ; n > 0 && x < stop; n-- {
		for x++; x < stop && !t.hasTab(x); x++ {
		}
	}
	if x != t.cur.x {
		t.moveTo(x, t.cur.y)
	}
}

// backTab moves n tab stops to the left.
func (t *Terminal) backTab(n int) {
	stop := 0
	if t.cur.origin {
		stop = t.left
	}
	x := t.cur.x
	for ; n > 0 && x > stop; n-- {
		for x--; x > stop && !t.hasTab(x); x-- {
		}
	}
	t.moveTo(x, t.cur.y)
}

// saveCursor is DECSC.
func (t *Terminal) saveCursor() { t.scr.saved = t.cur }

// restoreCursor is DECRC.
func (t *Terminal) restoreCursor() {
	t.cur = t.scr.saved
	x0, y0, x1, y1 := 0, 0, t.cols-1, t.rows-1
	if t.cur.origin {
		x0, y0, x1, y1 = t.left, t.top, t.right, t.bottom
	}
	c := &t.cur
	c.x, c.y = min(max(c.x, x0), x1), min(max(c.y, y0), y1)
	t.checkPending()
	t.penStale = true
	t.breakJoin()
	t.updatePrint()
}

// checkPending drops a wrap that is pending where none can be: one is due only
// in the last column of a row that does not go on in the next already.
func (t *Terminal) checkPending() {
	c := &t.cur
	if !c.pending {
		return
	}
	if !t.modes.has(modeAutowrap) || c.x != t.limit()-1 || t.scr.row(c.y)[c.x].isWide() {
		c.pending = false
		return
	}
	t.scr.unwrap(c.y)
}

// setMargins sets the top and bottom margins, given from 1; 0 is the edge.
func (t *Terminal) setMargins(top, bottom int) {
	if bottom == 0 || bottom > t.rows {
		bottom = t.rows
	}
	top = max(top, 1)
	if top >= bottom {
		return
	}
	t.top, t.bottom = top-1, bottom-1
	t.moveOrigin(0, 0)
}

// setSideMargins sets the left and right margins, given from 1.
func (t *Terminal) setSideMargins(left, right int) {
	if right == 0 || right > t.cols {
		right = t.cols
	}
	left = max(left, 1)
	if left >= right {
		return
	}
	t.left, t.right = left-1, right-1
	t.moveOrigin(0, 0)
}

// insertLines and deleteLines are IL and DL.
func (t *Terminal) insertLines(n int) {
	if t.cur.y < t.top || t.cur.y > t.bottom || !t.inMargins() {
		return
	}
	t.scrollDown(t.cur.y, t.bottom, n)
	t.cur.x, t.cur.pending = t.left, false
}

func (t *Terminal) deleteLines(n int) {
	if t.cur.y < t.top || t.cur.y > t.bottom || !t.inMargins() {
		return
	}
	t.deleting = true // deleted lines do not go to the scrollback
	t.scrollUp(t.cur.y, t.bottom, n)
	t.deleting = false
	t.cur.x, t.cur.pending = t.left, false
}

// shiftColumns moves the columns from x on within the margins, over all rows
// between the margins (DECIC, DECDC, DECFI, DECBI, SL, SR).
func (t *Terminal) shiftColumns(x, n int, insert bool) {
	for y := t.top; y <= t.bottom; y++ {
		if insert {
			t.insertCells(y, x, t.right, n)
		} else {
			t.deleteCells(y, x, t.right, n)
		}
	}
}

// eraseDisplay is ED and DECSED.
func (t *Terminal) eraseDisplay(how int, selective bool) {
	t.cur.pending = t.cur.pending && how > 2
	x, y := t.cur.x, t.cur.y
	switch how {
	case 0:
		t.erase(y, x, t.cols, selective)
		t.eraseRows(y+1, t.rows, selective)
		if x == 0 && y > 0 {
			t.scr.unwrap(y - 1)
		}
	case 1:
		t.eraseRows(0, y, selective)
		t.erase(y, 0, x+1, selective)
	case 2:
		t.eraseRows(0, t.rows, selective)
	case 3:
		if !selective && !t.alt {
			t.history.clear()
		}
	}
}

// eraseRows erases the rows y0 to y1-1, and makes them single-width again.
func (t *Terminal) eraseRows(y0, y1 int, selective bool) {
	if selective || t.styles.guards {
		for y := y0; y < y1; y++ {
			t.erase(y, 0, t.cols, selective)
		}
		return
	}
	c := t.blank()
	for y := y0; y < y1; y++ {
		t.clearRow(t.scr, y, c)
	}
}

// eraseLine is EL and DECSEL.
func (t *Terminal) eraseLine(how int, selective bool) {
	t.cur.pending = false
	switch how {
	case 0:
		t.erase(t.cur.y, t.cur.x, t.cols, selective)
	case 1:
		t.erase(t.cur.y, 0, t.cur.x+1, selective)
	case 2:
		t.erase(t.cur.y, 0, t.cols, selective)
	}
}
