package vt

// mode is one of the switches that SM, RM, DECSET and DECRST work.
type mode uint8

const (
	modeNone mode = iota
	modeKeyboardLock
	modeInsert
	modeLocalEcho
	modeNewline
	modeAppCursor
	modeColumns
	modeSmooth
	modeReverseScreen
	modeOrigin // held in the cursor
	modeAutowrap
	modeAutoRepeat
	modeMouseX10
	modeCursorBlink
	modeCursorVisible
	modePrintFF
	modePrintExtent
	modeAllowColumns
	modeNational
	modeReverseWrap
	modeAlt // held by the screen in use
	modeAppKeypad
	modeBackarrow
	modeSideMargins
	modeSixelDisplay
	modeNoClear
	modeMouseButton
	modeMouseHighlight
	modeMouseDrag
	modeMouseMotion
	modeFocus
	modeMouseUTF8
	modeMouseSGR
	modeAltScroll
	modeMouseURXVT
	modeMousePixels
	modeMetaEighth
	modeMetaEscape
	modeAltEscape
	modeReverseWrapExt
	modeAlt1047
	modeSaveCursor
	modeAlt1049
	modeBracketedPaste
	modeSynchronized
	modeGraphemes
	modeColorScheme
	modeResizeReports
	modeCount
)

// modeSet is a set of modes.
type modeSet uint64

const _ = uint(64 - modeCount) // they fit

func (s modeSet) has(m mode) bool { return s&(1<<m) != 0 }

func (s *modeSet) set(m mode, on bool) {
	if on {
		*s |= 1 << m
	} else {
		*s &^= 1 << m
	}
}

// modeNumber ties a mode to its number in SM/RM (ansi) or DECSET/DECRST.
type modeNumber struct {
	n    uint16
	ansi bool
	mode mode
}

// modeNumbers are all the modes that can be set and asked for.
var modeNumbers = [...]modeNumber{
	{2, true, modeKeyboardLock},
	{4, true, modeInsert},
	{12, true, modeLocalEcho},
	{20, true, modeNewline},
	{1, false, modeAppCursor},
	{3, false, modeColumns},
	{4, false, modeSmooth},
	{5, false, modeReverseScreen},
	{6, false, modeOrigin},
	{7, false, modeAutowrap},
	{8, false, modeAutoRepeat},
	{9, false, modeMouseX10},
	{12, false, modeCursorBlink},
	{18, false, modePrintFF},
	{19, false, modePrintExtent},
	{25, false, modeCursorVisible},
	{40, false, modeAllowColumns},
	{42, false, modeNational},
	{45, false, modeReverseWrap},
	{47, false, modeAlt},
	{66, false, modeAppKeypad},
	{67, false, modeBackarrow},
	{69, false, modeSideMargins},
	{80, false, modeSixelDisplay},
	{95, false, modeNoClear},
	{1000, false, modeMouseButton},
	{1001, false, modeMouseHighlight},
	{1002, false, modeMouseDrag},
	{1003, false, modeMouseMotion},
	{1004, false, modeFocus},
	{1005, false, modeMouseUTF8},
	{1006, false, modeMouseSGR},
	{1007, false, modeAltScroll},
	{1015, false, modeMouseURXVT},
	{1016, false, modeMousePixels},
	{1034, false, modeMetaEighth},
	{1036, false, modeMetaEscape},
	{1039, false, modeAltEscape},
	{1045, false, modeReverseWrapExt},
	{1047, false, modeAlt1047},
	{1048, false, modeSaveCursor},
	{1049, false, modeAlt1049},
	{2004, false, modeBracketedPaste},
	{2026, false, modeSynchronized},
	{2027, false, modeGraphemes},
	{2031, false, modeColorScheme},
	{2048, false, modeResizeReports},
}

// defaultModes are the modes that are on after a reset.
const defaultModes = modeSet(1<<modeAutowrap | 1<<modeAutoRepeat | 1<<modeCursorVisible |
	1<<modeCursorBlink | 1<<modeLocalEcho | 1<<modeGraphemes)

// specialModes do something rather than to be on or off; XTSAVE does not keep
// them.
const specialModes = modeSet(1<<modeColumns | 1<<modeAlt | 1<<modeAlt1047 | 1<<modeAlt1049 | 1<<modeSaveCursor)

// mouseModes and mouseEncodings are in rising order of precedence; a program
// that turns one on turns the others off.
var mouseModes = [...]struct {
	mode  mode
	mouse MouseMode
}{
	{modeMouseX10, MouseX10},
	{modeMouseButton, MouseButton},
	{modeMouseHighlight, MouseButton}, // without the highlighting
	{modeMouseDrag, MouseDrag},
	{modeMouseMotion, MouseMotion},
}

var mouseEncodings = [...]struct {
	mode     mode
	encoding MouseEncoding
}{
	{modeMouseUTF8, MouseEncodingUTF8},
	{modeMouseURXVT, MouseEncodingURXVT},
	{modeMouseSGR, MouseEncodingSGR},
	{modeMousePixels, MouseEncodingSGRPixels},
}

const (
	mouseModeSet     = modeSet(1<<modeMouseX10 | 1<<modeMouseButton | 1<<modeMouseHighlight | 1<<modeMouseDrag | 1<<modeMouseMotion)
	mouseEncodingSet = modeSet(1<<modeMouseUTF8 | 1<<modeMouseURXVT | 1<<modeMouseSGR | 1<<modeMousePixels)
)

// findMode finds a mode by its number.
func findMode(n int, ansi bool) mode {
	for i := range modeNumbers {
		if m := &modeNumbers[i]; int(m.n) == n && m.ansi == ansi {
			return m.mode
		}
	}
	return modeNone
}

// modeOn reports whether a mode is on, wherever it is held.
func (t *Terminal) modeOn(m mode) bool {
	switch m {
	case modeOrigin:
		return t.cur.origin
	case modeAlt, modeAlt1047, modeAlt1049:
		return t.alt
	}
	return t.modes.has(m)
}

// setMode turns a mode on or off, with what goes with it.
func (t *Terminal) setMode(m mode, on bool) {
	switch m {
	case modeNone:
		return
	case modeOrigin:
		t.cur.origin = on
		t.moveOrigin(0, 0)
		return
	case modeColumns:
		t.setColumns()
		return
	case modeAlt, modeAlt1047, modeAlt1049:
		t.setAlt(m, on)
		return
	case modeSaveCursor:
		if on {
			t.saveCursor()
		} else {
			t.restoreCursor()
		}
		return
	case modeMouseX10, modeMouseButton, modeMouseHighlight, modeMouseDrag, modeMouseMotion:
		if on {
			t.modes &^= mouseModeSet
		}
	case modeMouseUTF8, modeMouseURXVT, modeMouseSGR, modeMousePixels:
		if on {
			t.modes &^= mouseEncodingSet
		}
	case modeReverseScreen, modeCursorVisible, modeCursorBlink:
		if t.modes.has(m) != on {
			t.touchAllIf(m == modeReverseScreen)
		}
	}
	if m == modeGraphemes && on && !t.modes.has(m) {
		t.breakJoin() // what was joined by other rules is complete
	}
	t.modes.set(m, on)
	switch m {
	case modeInsert:
		t.updatePrint()
	case modeAutowrap:
		t.cur.pending = t.cur.pending && on
	case modeSideMargins:
		t.cur.pending = false
		t.left, t.right = 0, t.cols-1
		if on { // lines are of one size between margins
			for y := range t.rows {
				t.scr.metaAt(y).attr = lineNormal
			}
			t.touchAll()
		}
	case modeResizeReports:
		if on {
			t.reportSize()
		}
	}
}

func (t *Terminal) touchAllIf(all bool) {
	t.changed = true
	if all {
		t.allGen = t.next
	}
}

// setColumns is DECCOLM. The size is not the program's to change; what else
// the mode does happens if mode 40 allows it.
func (t *Terminal) setColumns() {
	if !t.modes.has(modeAllowColumns) {
		return
	}
	t.top, t.bottom, t.left, t.right = 0, t.rows-1, 0, t.cols-1
	t.modes.set(modeSideMargins, false)
	if !t.modes.has(modeNoClear) {
		t.eraseRows(0, t.rows, false)
	}
	t.moveOrigin(0, 0)
}

// setAlt switches between the screens. 1049 saves the cursor first and clears
// the alternate screen, 1047 clears it when leaving, 47 does neither.
func (t *Terminal) setAlt(m mode, on bool) {
	if on == t.alt {
		if m == modeAlt1049 && !on {
			t.restoreCursor()
		}
		return
	}
	if m == modeAlt1049 && on {
		t.saveCursor()
	}
	if m == modeAlt1047 && !on {
		t.eraseRowsPlain(t.scr)
	}
	t.alt = on
	t.scr = &t.screens[0]
	if on {
		t.scr = &t.screens[1]
		if !t.scr.ready() {
			t.scr.init(t.cols, t.rows)
		}
		if m == modeAlt1049 {
			c := t.blank()
			for y := range t.rows {
				t.clearRow(t.scr, y, c)
			}
		}
	} else if m == modeAlt1049 {
		t.restoreCursor()
	}
	t.cur.pending = t.cur.pending && m == modeAlt1049 && !on
	if t.modes.has(modeSideMargins) {
		for i := range t.scr.meta {
			t.scr.meta[i].attr = lineNormal
		}
	}
	t.breakJoin()
	t.touchAll()
	t.emit(Event{Kind: EventAltScreen})
}

// eraseRowsPlain empties a screen to the default background.
func (t *Terminal) eraseRowsPlain(s *screen) {
	for y := range s.rows {
		t.clearRow(s, y, 0)
	}
}

// keyStack is the stack of the kitty keyboard protocol. Each screen has one.
type keyStack struct {
	entries []KittyFlags // the top is the last; an empty stack is flags 0
}

const kittyAll = KittyDisambiguate | KittyEventTypes | KittyAlternateKeys | KittyAllKeys | KittyAssociatedText

func (k *keyStack) flags() KittyFlags {
	if len(k.entries) == 0 {
		return 0
	}
	return k.entries[len(k.entries)-1]
}

func (k *keyStack) push(f KittyFlags) {
	if len(k.entries) >= maxKeyStack { // the oldest goes
		copy(k.entries, k.entries[1:])
		k.entries = k.entries[:maxKeyStack-1]
	}
	if len(k.entries) == 0 { // what was set without a push is below
		k.entries = append(k.entries, 0)
	}
	k.entries = append(k.entries, f&kittyAll)
}

func (k *keyStack) pop(n int) {
	k.entries = k.entries[:max(len(k.entries)-n, 0)]
}

// set changes the top: how is 1 to replace it, 2 to add flags, 3 to remove.
func (k *keyStack) set(f KittyFlags, how int) {
	if len(k.entries) == 0 {
		k.entries = append(k.entries, 0)
	}
	top := &k.entries[len(k.entries)-1]
	switch f &= kittyAll; how {
	case 1:
		*top = f
	case 2:
		*top |= f
	case 3:
		*top &^= f
	}
}
