package vt

// execute acts on a C0 control.
func (t *Terminal) execute(b byte) {
	switch b {
	case 0x00: // nothing, but no character joins the one before it
		t.breakJoin()
	case 0x07:
		t.emit(Event{Kind: EventBell})
	case 0x08:
		t.back(1)
	case 0x09:
		t.tab(1)
	case 0x0a, 0x0b, 0x0c:
		t.lineFeed()
		if t.modes.has(modeNewline) {
			t.carriageReturn()
		}
	case 0x0d:
		t.carriageReturn()
	case 0x0e:
		t.cur.sets.gl = 1
		t.updatePrint()
	case 0x0f:
		t.cur.sets.gl = 0
		t.updatePrint()
	}
}

// escDispatch acts on an escape sequence; b is its last byte.
func (t *Terminal) escDispatch(b byte) {
	p := &t.parser
	if p.tooMany {
		return
	}
	if p.interN > 0 {
		t.escInter(p.inter[0], b)
		return
	}
	switch b {
	case '6': // DECBI
		if t.cur.x == t.left && t.inRegion() {
			t.shiftAll(1, true)
		} else if t.cur.x > 0 {
			t.moveTo(t.cur.x-1, t.cur.y)
		}
	case '9': // DECFI
		if t.cur.x == t.right && t.inRegion() {
			t.shiftAll(1, false)
		} else if t.cur.x < t.cols-1 {
			t.moveTo(t.cur.x+1, t.cur.y)
		}
	case '7':
		t.saveCursor()
	case '8':
		t.restoreCursor()
	case '=':
		t.modes.set(modeAppKeypad, true)
	case '>':
		t.modes.set(modeAppKeypad, false)
	case 'D':
		t.lineFeed()
	case 'E':
		t.lineFeed()
		t.carriageReturn()
	case 'F': // HP lower left: off, as in xterm
	case 'H':
		t.setTab(t.cur.x, true)
	case 'M':
		t.reverseIndex()
	case 'N':
		t.cur.sets.single = 2
		t.updatePrint()
	case 'O':
		t.cur.sets.single = 3
		t.updatePrint()
	case 'V': // SPA
		t.cur.pen.Attrs |= AttrGuarded
		t.penStale = true
	case 'W': // EPA
		t.cur.pen.Attrs &^= AttrGuarded
		t.penStale = true
	case 'Z':
		t.deviceAttributes()
	case 'c':
		t.reset()
	case 'n', 'o': // LS2, LS3
		t.cur.sets.gl = b - 'n' + 2
		t.updatePrint()
	case '~', '}', '|': // LS1R, LS2R, LS3R
		t.cur.sets.gr = '~' - b + 1
	}
}

// inRegion reports whether the cursor is within all four margins.
func (t *Terminal) inRegion() bool {
	return t.inMargins() && t.cur.y >= t.top && t.cur.y <= t.bottom
}

// escInter acts on an escape sequence with an intermediate byte.
func (t *Terminal) escInter(inter, b byte) {
	p := &t.parser
	switch inter {
	case '(', ')', '*', '+', '-', '.', '/':
		t.designate(p.inter[:p.interN], b)
	case '#':
		switch b {
		case '3':
			t.setLineAttr(lineDoubleTop)
		case '4':
			t.setLineAttr(lineDoubleBottom)
		case '5':
			t.setLineAttr(lineNormal)
		case '6':
			t.setLineAttr(lineDoubleWidth)
		case '8':
			t.alignment()
		}
	case ' ':
		switch b {
		case 'F', 'G': // S7C1T, S8C1T
			t.conf.eightBit = b == 'G'
		case 'L', 'M', 'N': // ANSI conformance levels
			t.announce(b != 'N')
		}
	case '%':
		switch b {
		case '@':
			t.parser.eightBit = true
		case 'G':
			t.parser.eightBit = false
		}
	}
}

// minDoubleCols is the width below which lines have no double size.
const minDoubleCols = 4

// setLineAttr is DECSWL, DECDWL and DECDHL. Of a line of double width the
// first half of the cells is seen.
func (t *Terminal) setLineAttr(a lineAttr) {
	if t.modes.has(modeSideMargins) || t.cols < minDoubleCols {
		return
	}
	y := t.cur.y
	m := t.scr.metaAt(y)
	if m.attr == a {
		return
	}
	m.attr = a
	t.scr.unwrap(y)
	t.touch(y)
	if w := t.scr.width(y); t.cur.x >= w {
		t.moveTo(w-1, y)
	} else if t.cur.pending {
		t.moveTo(t.cur.x, y)
	}
}

// alignment is DECALN: the screen full of E.
func (t *Terminal) alignment() {
	t.top, t.bottom, t.left, t.right = 0, t.rows-1, 0, t.cols-1
	for y := range t.rows {
		t.clearRow(t.scr, y, 0)
		t.fill(y, 0, t.cols, 'E')
	}
	t.moveTo(0, 0)
}

// reset is RIS.
func (t *Terminal) reset() {
	t.history.clear()
	t.images = images{number: t.images.number}
	for i := range t.screens {
		s := &t.screens[i]
		if s.ready() {
			t.eraseRowsPlain(s)
		}
		s.saved = cursorState{}
		s.keys = keyStack{}
	}
	t.alt = false
	t.scr = &t.screens[0]
	t.resetState()
	t.touchAll()
	t.emit(Event{Kind: EventReset})
}

// resetState sets everything but the cells to what it is at the start.
func (t *Terminal) resetState() {
	t.cur = cursorState{sets: charsets{}}
	t.cur.sets.gr = 2
	t.screens[0].saved.sets.gr, t.screens[1].saved.sets.gr = 2, 2
	t.penStale, t.link = true, 0
	t.breakJoin()
	t.top, t.bottom, t.left, t.right = 0, t.rows-1, 0, t.cols-1
	t.tabs = make([]uint64, (t.cols+63)/64)
	t.resetTabs(0)
	t.modes, t.savedModes, t.savedMask = defaultModes, 0, 0
	t.shape = CursorBlock
	t.conf = conformance{level: 4}
	t.sgrStack, t.otherKeys, t.rectExtent, t.checksum = nil, 0, false, 0
	t.title, t.icon, t.titleStack, t.titleModes = "", "", nil, 0
	t.notif = notification{}
	t.colors, t.fg, t.bg, t.cc = nil, 0, 0, 0
	t.others, t.colorStack = nil, nil
	t.parser.eightBit = false
	t.updatePrint()
}

// softReset is DECSTR.
func (t *Terminal) softReset() {
	t.cur.pen, t.cur.sets, t.cur.origin, t.cur.pending = Style{}, charsets{gr: 2}, false, false
	t.penStale, t.link = true, 0
	t.screens[0].saved = cursorState{sets: charsets{gr: 2}}
	t.screens[1].saved = t.screens[0].saved
	t.top, t.bottom, t.left, t.right = 0, t.rows-1, 0, t.cols-1
	for _, m := range [...]mode{modeInsert, modeKeyboardLock, modeAppCursor, modeAppKeypad, modeReverseWrap, modeReverseWrapExt, modeSideMargins} {
		t.modes.set(m, false)
	}
	t.modes.set(modeAutowrap, true)
	t.modes.set(modeCursorVisible, true)
	t.rectExtent = false
	t.otherKeys = 0
	t.scr.keys = keyStack{}
	t.breakJoin()
	t.updatePrint()
	t.changed = true
}

// conformance is the level that DECSCL chose and the form of C1 in answers.
type conformance struct {
	level    uint8 // 1–5
	eightBit bool
}
