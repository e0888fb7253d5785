package vt

// fastCSI handles a whole control sequence without the table, if p, which
// starts after the introducer, has all of it and it is of the usual form:
// an optional private byte, parameters, a final byte. It says how many bytes
// it took, 0 if it did nothing.
func (t *Terminal) fastCSI(p []byte) int {
	pr := &t.parser
	pr.begin()
	i := 0
	if b := p[0]; b >= 0x3c && b <= 0x3f {
		pr.prefix = b
		i++
	}
	n, v := 0, int32(-1)
	for ; i < len(p); i++ {
		b := p[i]
		switch {
		case b-'0' < 10:
			v = min(max(v, 0)*10+int32(b-'0'), maxParamValue)
		case b == ';' || b == ':':
			if n >= maxParams-1 {
				return 0
			}
			pr.params[n] = v
			n++
			v = -1
			pr.params[n] = v
			if b == ':' {
				pr.colons |= 1 << n
			}
			pr.nparam = n + 1
		case b >= 0x40 && b < 0x7f:
			if v >= 0 || n > 0 {
				pr.params[n] = v
				n++
			}
			pr.nparam = n
			if b == 'm' && pr.prefix == 0 {
				t.sgr()
			} else {
				t.csiDispatch(b)
			}
			return i + 1
		default:
			return 0
		}
	}
	return 0
}

// csiDispatch acts on a control sequence; b is its last byte.
func (t *Terminal) csiDispatch(b byte) {
	p := &t.parser
	if p.tooMany || p.interN > 1 {
		return
	}
	if p.interN == 1 {
		t.csiInter(p.prefix, p.inter[0], b)
		return
	}
	switch p.prefix {
	case 0:
		t.csiPlain(b)
	case '?':
		t.csiPrivate(b)
	case '>':
		t.csiGreater(b)
	case '=':
		switch b {
		case 'c': // DA3
			if p.arg(0, 0) == 0 {
				t.answerString('P', "!|00000000")
			}
		case 'u':
			t.scr.keys.set(KittyFlags(p.arg(0, 0)&0xff), p.arg(1, 1))
		}
	case '<':
		if b == 'u' {
			t.scr.keys.pop(p.arg1(0))
		}
	}
}

// csiPlain is the control sequences without private or intermediate bytes.
func (t *Terminal) csiPlain(b byte) {
	p := &t.parser
	switch b {
	case 'm':
		t.sgr()
	case 'A', 'k': // CUU, VPB
		t.up(p.arg1(0))
	case 'B': // CUD
		t.down(p.arg1(0))
	case 'C': // CUF
		t.forward(p.arg1(0))
	case 'D', 'j': // CUB, HPB
		t.back(p.arg1(0))
	case 'E': // CNL
		t.down(p.arg1(0))
		t.carriageReturn()
	case 'F': // CPL
		t.up(p.arg1(0))
		t.carriageReturn()
	case 'G', '`': // CHA, HPA
		t.moveOrigin(p.arg1(0)-1, t.cur.y-t.originY())
	case 'H', 'f': // CUP, HVP
		t.moveOrigin(p.arg1(1)-1, p.arg1(0)-1)
	case 'd': // VPA
		t.moveOrigin(t.cur.x-t.originX(), p.arg1(0)-1)
	case 'a': // HPR
		t.moveOrigin(t.cur.x-t.originX()+p.arg1(0), t.cur.y-t.originY())
	case 'e': // VPR
		t.moveOrigin(t.cur.x-t.originX(), t.cur.y-t.originY()+p.arg1(0))
	case 'I': // CHT
		t.tab(min(p.arg1(0), t.cols))
	case 'Z': // CBT
		t.backTab(min(p.arg1(0), t.cols))
	case 'g': // TBC
		t.clearTabs(p.arg(0, 0))
	case 'W': // CTC
		t.tabControl(p.arg(0, 0))
	case 'b': // REP
		t.repeat(p.arg1(0))
	case 'h', 'l': // SM, RM
		t.setModes(true, b == 'h')
	case 's': // DECSLRM, SCOSC
		if t.modes.has(modeSideMargins) {
			t.setSideMargins(p.arg(0, 0), p.arg(1, 0))
		} else {
			t.saveCursor()
		}
	case 'u': // SCORC
		t.restoreCursor()
	case 'r': // DECSTBM
		t.setMargins(p.arg(0, 0), p.arg(1, 0))
	case 'c': // DA1
		if p.arg(0, 0) == 0 {
			t.deviceAttributes()
		}
	case 'n': // DSR
		t.deviceStatus(p.arg(0, 0))
	case 'x': // DECREQTPARM
		if n := p.arg(0, 0); n < 2 {
			t.answerCSI("", "x", n+2, 1, 1, 128, 128, 1, 0)
		}
	case 't': // XTWINOPS
		t.windowOp()
	default:
		t.csiEdit(b)
	}
}

// csiEdit is the control sequences that change cells.
func (t *Terminal) csiEdit(b byte) {
	p := &t.parser
	n := p.arg1(0)
	switch b {
	case 'J': // ED
		t.eraseDisplay(p.arg(0, 0), false)
		if p.arg(0, 0) > 2 {
			return // not the screen
		}
	case 'K': // EL
		t.eraseLine(p.arg(0, 0), false)
	case 'X': // ECH
		t.erase(t.cur.y, t.cur.x, min(t.cur.x+n, t.cols), false)
	case '@': // ICH
		if t.inMargins() {
			t.insertCells(t.cur.y, t.cur.x, t.right, n)
		}
	case 'P': // DCH
		if t.inMargins() {
			t.deleteCells(t.cur.y, t.cur.x, t.right, n)
		}
	case 'L': // IL
		t.insertLines(n)
	case 'M': // DL
		t.deleteLines(n)
	case 'S', 'T', '^':
		t.csiScroll(b, n)
		return
	default:
		return
	}
	t.cur.pending = false
	t.breakJoin()
}

// csiScroll is SU and SD. The cursor does not move, and a wrap that is due
// stays so.
func (t *Terminal) csiScroll(b byte, n int) {
	switch {
	case b == 'S':
		t.scrollUp(t.top, t.bottom, n)
	case b == '^' || t.parser.count() <= 1: // T with more is mouse highlighting, which is not done
		t.scrollDown(t.top, t.bottom, n)
	}
	t.checkPending()
	t.breakJoin()
}

// csiPrivate is CSI ? …
func (t *Terminal) csiPrivate(b byte) {
	p := &t.parser
	switch b {
	case 'h', 'l': // DECSET, DECRST
		t.setModes(false, b == 'h')
	case 's', 'r': // XTSAVE, XTRESTORE
		for i := range p.count() {
			m := findMode(p.arg(i, 0), false)
			switch {
			case m == modeNone || specialModes.has(m):
			case b == 's':
				t.savedModes.set(m, t.modeOn(m))
				t.savedMask.set(m, true)
			case t.savedMask.has(m):
				t.setMode(m, t.savedModes.has(m))
			}
		}
	case 'J': // DECSED
		t.eraseDisplay(p.arg(0, 0), true)
		t.breakJoin()
	case 'K': // DECSEL
		t.eraseLine(p.arg(0, 0), true)
		t.breakJoin()
	case 'n':
		t.privateStatus(p.arg(0, 0))
	case 'u': // kitty keyboard query
		t.answerCSI("?", "u", int(t.scr.keys.flags()))
	case 'm': // XTQMODKEYS
		if p.arg(0, 0) == 4 {
			t.answerCSI(">", "m", 4, t.otherKeys)
		}
	case 'W': // DECST8C
		if p.arg(0, 0) == 5 {
			t.resetTabs(0)
		}
	case 'S': // XTSMGRAPHICS: there are no graphics
		t.answerCSI("?", "S", p.arg(0, 0), 3, 0)
	}
}

// csiGreater is CSI > …
func (t *Terminal) csiGreater(b byte) {
	p := &t.parser
	switch b {
	case 'c': // DA2: a VT420
		if p.arg(0, 0) == 0 {
			t.answerCSI(">", "c", 41, 400, 0)
		}
	case 'q': // XTVERSION
		if p.arg(0, 0) == 0 {
			t.answerString('P', ">|"+t.name)
		}
	case 'u': // kitty keyboard push
		t.scr.keys.push(KittyFlags(p.arg(0, 0) & 0xff))
	case 'm': // XTMODKEYS
		if n := p.arg(0, 0); n == 0 || n == 4 {
			t.otherKeys = min(p.arg(1, 0), 3)
		}
	case 'n': // disable it
		if p.arg(0, 4) == 4 {
			t.otherKeys = 0
		}
	case 't', 'T': // XTSMTITLE, XTRMTITLE
		t.setTitleModes(b == 't')
	}
}

// setModes is SM, RM, DECSET and DECRST.
func (t *Terminal) setModes(ansi, on bool) {
	p := &t.parser
	for i := range p.count() {
		t.setMode(findMode(p.arg(i, 0), ansi), on)
	}
}

// csiInter is the control sequences with an intermediate byte.
func (t *Terminal) csiInter(prefix, inter, b byte) {
	p := &t.parser
	switch {
	case prefix == '?' && inter == '$' && b == 'p': // DECRQM
		t.reportMode(p.arg(0, 0), false)
		return
	case prefix != 0:
		return
	}
	switch inter {
	case '$':
		t.csiDollar(b)
	case '*':
		switch b {
		case 'x': // DECSACE
			t.rectExtent = p.arg(0, 0) == 2
		case 'y': // DECRQCRA
			t.reportChecksum()
		}
	case '"':
		switch b {
		case 'v': // DECRQDE
			t.answerCSI("", "\"w", t.rows, t.cols, 1, 1, 1)
		case 'p': // DECSCL
			t.setConformance(p.arg(0, 0), p.arg(1, 0))
		case 'q': // DECSCA
			t.protect(p.arg(0, 0))
		}
	case ' ':
		n := p.arg1(0)
		switch b {
		case 'q': // DECSCUSR
			t.setCursorStyle(p.arg(0, 0))
		case '@': // SL
			t.shiftAll(n, false)
		case 'A': // SR
			t.shiftAll(n, true)
		}
	case '!':
		if b == 'p' {
			t.softReset()
		}
	case '&':
		if b == 'u' { // DECRQUPSS: DEC Supplemental
			t.answerString('P', "0!u%5")
		}
	case '\'':
		n := p.arg1(0)
		if b == '|' { // DECRQLP: there is no locator
			t.answerCSI("", "&w", 0)
		}
		if b != '}' && b != '~' || !t.inRegion() {
			return
		}
		t.shiftColumns(t.cur.x, n, b == '}') // DECIC, DECDC
		t.cur.pending = false
		t.breakJoin()
	case '#':
		t.csiHash(b)
	}
}

// csiHash is CSI … # …: the stacks of styles and colours, XTCHECKSUM.
func (t *Terminal) csiHash(b byte) {
	p := &t.parser
	switch b {
	case 'p', '{': // XTPUSHSGR
		if len(t.sgrStack) < maxSGRStack {
			t.sgrStack = append(t.sgrStack, t.cur.pen.visible())
		}
	case 'q', '}': // XTPOPSGR
		if n := len(t.sgrStack); n > 0 {
			attrs := t.cur.pen.Attrs &^ attrVisible
			t.cur.pen = t.sgrStack[n-1].visible()
			t.cur.pen.Attrs |= attrs
			t.sgrStack = t.sgrStack[:n-1]
			t.penStale = true
		}
	case '|': // XTREPORTSGR
		t.reportSGR()
	case 'P': // XTPUSHCOLORS
		t.pushColors(p.arg(0, 0))
	case 'Q': // XTPOPCOLORS
		t.popColors(p.arg(0, 0))
	case 'R': // XTREPORTCOLORS
		t.answerCSI("", "#Q", len(t.colorStack), len(t.colorStack))
	case 'S': // XTTITLEPOS
		t.answerCSI("", "#S", len(t.titleStack), maxTitleStack)
	case 'y': // XTCHECKSUM
		t.checksum = uint8(p.arg(0, 0))
	}
}

// shiftAll is SL and SR.
func (t *Terminal) shiftAll(n int, right bool) {
	if t.inRegion() {
		t.shiftColumns(t.left, n, right)
	}
	t.cur.pending = false
	t.breakJoin()
}

func (t *Terminal) clearTabs(how int) {
	switch how {
	case 0:
		t.setTab(t.cur.x, false)
	case 3:
		clear(t.tabs)
	}
}

// tabControl is CTC.
func (t *Terminal) tabControl(how int) {
	switch how {
	case 0:
		t.setTab(t.cur.x, true)
	case 2:
		t.setTab(t.cur.x, false)
	case 5:
		clear(t.tabs)
	}
}

// protect is DECSCA.
func (t *Terminal) protect(how int) {
	switch how {
	case 0, 2:
		t.cur.pen.Attrs &^= AttrProtected
	case 1:
		t.cur.pen.Attrs |= AttrProtected
	}
	t.penStale = true
}

// setConformance is DECSCL.
func (t *Terminal) setConformance(level, c1 int) {
	if level < 61 || level > 65 {
		return
	}
	t.softReset()
	t.conf = conformance{level: uint8(level - 60), eightBit: level > 61 && c1 != 1}
}

// setCursorStyle is DECSCUSR.
func (t *Terminal) setCursorStyle(n int) {
	if n > 6 {
		return
	}
	n = max(n, 1)
	t.shape = CursorShape((n - 1) / 2)
	t.modes.set(modeCursorBlink, n%2 == 1)
	t.changed = true
}
