package vt

import "unicode/utf8"

// SnapshotOptions say what a snapshot holds beside the screen.
type SnapshotOptions struct {
	// Scrollback is the number of lines of the scrollback: 0 none, negative
	// all.
	Scrollback int
	// Images asks for the pictures on the screen too (see Images), which may
	// be some MiB.
	Images bool
	// Reset begins with sequences that bring a terminal in any state to where
	// the snapshot starts, without RIS.
	Reset bool
}

// resetSequence brings a terminal to the state of a fresh one as far as this
// can be done without RIS: out of any sequence, the main screen, all modes
// off, no margins, default tabs, colours, pen and character sets, an empty
// screen and scrollback.
const resetSequence = "\x18\x1b\\\x1b[?2026l\x1b[<99u\x1b[=0;1u\x1b[?1049l\x1b[<99u\x1b[=0;1u\x1b[!p\x1b[>4;0m\x1b[>0;1T" +
	"\x1b[?4;5;9;12;18;19;40;42;45;66;67;69;80;95;1000;1001;1002;1003;1004;1005;1006;1007;1015;1016;1034;1036;1039;1045;2004;2031;2048l\x1b[?7;8;25;2027h\x1b[2;4;20l\x1b[12h" +
	"\x1b]104\x1b\\\x1b]105\x1b\\\x1b]110\x1b\\\x1b]111\x1b\\\x1b]112\x1b\\\x1b]113\x1b\\\x1b]114\x1b\\\x1b]115\x1b\\\x1b]116\x1b\\\x1b]117\x1b\\\x1b]118\x1b\\\x1b]119\x1b\\\x1b]8;;\x1b\\\x1b%G\x1b(B\x1b)B\x0f\x1b[0m\x1b[0\"q\x1b[0 q\x1b[?5W\x1b[H\x1b[9999M\x1b[2J\x1b[3J"

// AppendReset appends what a viewer writes to leave its terminal as it should
// be found: the sequences that SnapshotOptions.Reset puts first.
func AppendReset(dst []byte) []byte { return append(dst, resetSequence...) }

// Snapshot appends bytes that put a fresh terminal of the same size, of this
// package or another, into the state of this one: screens, scrollback (as far
// as asked for), cursor, saved cursors, modes, margins, tabs, character sets,
// titles, keyboard stacks, colours, links, a wrap that is pending, a sequence
// that is not complete. Written to a new Terminal, nothing that the program
// can send or ask tells the two apart.
func (t *Terminal) Snapshot(dst []byte, o SnapshotOptions) []byte {
	w := snapshotWriter{t: t, modes: defaultModes}
	w.dst = dst
	if o.Reset {
		w.str(resetSequence)
	}
	if t.conf.level != 4 {
		w.csi("", "\"p", 60+int(t.conf.level), 1)
	}
	w.colors()
	w.titles()
	w.tabs()
	w.savedModes()
	w.misc()

	main, alt := &t.screens[0], &t.screens[1]
	if !t.alt && alt.ready() && (!alt.isBlank() || alt.saved != freshCursor || len(alt.keys.entries) > 0) {
		w.csi("?", "h", 47)
		w.saved(alt.saved)
		w.screen(alt, 0)
		w.keys(alt.keys)
		w.csi("?", "l", 47)
		w.home()
	}
	w.saved(main.saved)
	lines := 0
	if o.Scrollback != 0 {
		lines = t.lines().rows
		if o.Scrollback > 0 {
			lines = min(lines, o.Scrollback)
		}
	}
	w.screen(main, lines)
	w.keys(main.keys)
	if t.alt {
		if main.saved.pending { // restoring it could lose that
			w.csi("?", "h", 47)
		} else { // 1049 saves the cursor
			w.str("\x1b8")
			w.csi("?", "h", 1049)
			pen := main.saved.pen
			w.style, w.guards = pen.visible(), pen.Attrs&^attrVisible
			w.unplace(main.saved)
		}
		w.home()
		w.saved(alt.saved)
		w.screen(alt, 0)
		w.keys(alt.keys)
	}
	if o.Images {
		w.images()
	}
	w.finish()
	w.partial()
	return w.dst
}

// images writes the pictures of the screen that is shown, those of the kitty
// protocol that are not shown, and what has come of one that is not complete.
// The terminal has no margins yet.
func (w *snapshotWriter) images() {
	shown := w.t.Images()
	for _, p := range w.t.images.pics {
		if p.format == ImageKitty {
			w.dst = p.appendKitty(w.dst)
		}
	}
	for _, m := range shown {
		// A sixel that ends below the screen would scroll it.
		if m.Format == ImageKitty || m.Y+m.Rows <= w.t.rows {
			w.csi("", "H", m.Y+1, m.X+1)
			w.dst = m.AppendShow(w.dst)
		}
	}
	if p := &w.t.images.part; p.open && !p.tooBig {
		w.dst = appendKittyParts(w.dst, p.keys.appendKeys(nil), p.data, true)
	}
}

var freshCursor = cursorState{sets: charsets{gr: 2}}

// isBlank reports whether nothing was written on the screen.
func (s *screen) isBlank() bool {
	for y := range s.rows {
		if !s.rowBlank(y) {
			return false
		}
	}
	return true
}

// rowBlank reports whether visible row y is as it is on an empty screen.
func (s *screen) rowBlank(y int) bool {
	m := s.metaAt(y)
	if m.marks != 0 || m.attr != lineNormal {
		return false
	}
	for _, c := range s.row(y)[:m.used] {
		if c != 0 && (c != cellGap || m.wrapped) {
			return false
		}
	}
	return true
}

// snapshotWriter writes a snapshot.
type snapshotWriter struct {
	ansiWriter
	t      *Terminal
	modes  modeSet // of the terminal being written to
	seg    segmenter
	ascii  byte // printed last, not in seg yet
	guards Attr // protection in force
}

func (w *snapshotWriter) str(s string) { w.dst = append(w.dst, s...) }

func (w *snapshotWriter) csi(prefix, final string, params ...int) {
	w.str("\x1b[")
	w.str(prefix)
	for i, n := range params {
		if i > 0 {
			w.dst = append(w.dst, ';')
		}
		w.dst = appendInt(w.dst, n)
	}
	w.str(final)
}

// osc writes an OSC; the text has no control characters.
func (w *snapshotWriter) osc(number, text string) {
	w.str("\x1b]")
	w.str(number)
	w.dst = append(w.dst, ';')
	w.str(text)
	w.str("\x1b\\")
}

// home empties the screen and brings the pen back to the default.
func (w *snapshotWriter) home() {
	w.protect(0)
	w.style, w.uri, w.id = Style{}, "", ""
	w.str("\x1b[m\x1b[H\x1b[J")
}

// saved writes a saved cursor, if it is not that of a fresh terminal. The
// screen is empty afterwards.
func (w *snapshotWriter) saved(c cursorState) {
	if c == freshCursor {
		return
	}
	w.place(c)
	w.str("\x1b7")
	w.unplace(c)
	w.home()
}

// place puts the cursor into state c, on an empty screen without margins.
func (w *snapshotWriter) place(c cursorState) {
	if c.origin {
		w.csi("?", "h", 6)
	}
	// A margin makes the wrap pending where it is not the last column.
	margin := c.pending && c.x < w.t.cols-1 && c.x > 0
	if margin {
		w.csi("?", "h", 69)
		w.csi("", "s", 1, c.x+1)
	}
	w.csi("", "H", c.y+1, c.x+1)
	if c.pending && (margin || c.x == w.t.cols-1) {
		w.dst = append(w.dst, ' ')
	}
	w.pen(c.pen)
	w.charsets(c.sets)
}

// unplace undoes what place did beside moving.
func (w *snapshotWriter) unplace(c cursorState) {
	w.plain() // nothing guarded may stay
	if c.sets != freshCursor.sets {
		w.str("\r \x1b(B\x1b)B\x1b*B\x1b+B\x0f\x1b}") // the space uses up a single shift
	}
	if c.origin {
		w.csi("?", "l", 6)
	}
	if c.pending {
		w.csi("?", "l", 69)
	}
}

// pen sets the pen with its protection.
func (w *snapshotWriter) pen(s Style) {
	w.protect(s.Attrs)
	w.setStyle(s, hyperlink{w.id, w.uri})
}

func (w *snapshotWriter) protect(a Attr) {
	if (a^w.guards)&AttrProtected != 0 {
		n := 0
		if a&AttrProtected != 0 {
			n = 1
		}
		w.csi("", "\"q", n)
	}
	if (a^w.guards)&AttrGuarded != 0 {
		if a&AttrGuarded != 0 {
			w.str("\x1bV")
		} else {
			w.str("\x1bW")
		}
	}
	w.guards = a & (AttrProtected | AttrGuarded)
}

// charsets designates and invokes, from a fresh state.
func (w *snapshotWriter) charsets(c charsets) {
	for g, set := range c.g {
		if set == charsASCII {
			continue
		}
		if set == charsLatin1 {
			w.dst = append(w.dst, 0x1b, ','+byte(g))
		} else {
			w.dst = append(w.dst, 0x1b, '('+byte(g))
		}
		w.str(set.name())
	}
	switch c.gl {
	case 1:
		w.dst = append(w.dst, 0x0e)
	case 2, 3:
		w.dst = append(w.dst, 0x1b, 'n'+c.gl-2)
	}
	if c.gr != 2 {
		w.dst = append(w.dst, 0x1b, '~'+1-c.gr)
	}
	if c.single != 0 {
		w.dst = append(w.dst, 0x1b, 'N'+c.single-2)
	}
}

// screen writes the rows of a screen, with so many lines of the scrollback
// before them. The terminal's screen is empty, the cursor at its top.
func (w *snapshotWriter) screen(s *screen, lines int) {
	h := &w.t.history
	for i := h.rows - lines; i < h.rows; i++ {
		w.packed(h.row(i))
	}
	for y := range s.rows {
		if lines == 0 {
			if s.rowBlank(y) && (y == 0 || !s.wraps(y-1)) {
				continue
			}
			if y == 0 || !s.wraps(y-1) {
				w.csi("", "H", y+1, 1)
			}
		}
		w.row(s, y)
		if s.wraps(y) {
			w.wrap(s.row(y)[s.cols-1], s.cols)
		} else if lines > 0 && y < s.rows-1 {
			w.plain()
			w.str("\r\n")
		}
	}
	w.plain()
}

// plain brings the pen to the default, so that what comes new onto the screen
// has the default background.
func (w *snapshotWriter) plain() {
	w.protect(0)
	w.setStyle(Style{}, hyperlink{})
}

// wraps reports whether visible row y goes on in the next.
func (s *screen) wraps(y int) bool {
	if !s.metaAt(y).wrapped || y == s.rows-1 {
		return false
	}
	last := s.row(y)[s.cols-1]
	return last&cellContent != 0
}

// wrap makes the terminal wrap after a full row, and leaves the cursor at the
// start of an empty next one. last is the last cell of the row.
func (w *snapshotWriter) wrap(last cell, cols int) {
	if last.kind() == cellGap {
		s := w.t.styles.at(last.style()).style
		w.wrapGap(s, cols)
		return
	}
	w.wrapPlain()
}

// wrapPlain makes the terminal wrap at the end of a row without a gap.
func (w *snapshotWriter) wrapPlain() {
	w.plain()
	w.separate()
	w.str(" \r\x1b[X")
}

// separate keeps what follows from joining a prepended mark.
func (w *snapshotWriter) separate() {
	if w.ascii == 0 && w.seg.last == classPrepend {
		w.dst = append(w.dst, 0)
	}
}

func (w *snapshotWriter) wrapGap(s Style, cols int) {
	w.pen(s)
	w.separate()
	w.str("\u3000")
	w.plain()
	w.str("\r")
	w.csi("", "X", cols)
}

// row writes the cells, the attribute and the marks of a row; the cursor is
// at its start and stays on it.
func (w *snapshotWriter) row(s *screen, y int) {
	t := w.t
	m := s.metaAt(y)
	w.marks(m.marks)
	row := s.row(y)[:m.used]
	n := len(row)
	for n > 0 && (row[n-1] == 0 || row[n-1] == cellGap && !s.wraps(y)) {
		n--
	}
	row = row[:n]
	last := uint32(0)
	w.plain()
	w.seg, w.ascii = segmenter{}, 0
	for x := 0; x < n; {
		c := row[x]
		if id := c.style(); id != last {
			last = id
			e := t.styles.at(id)
			if (e.style.Attrs^w.guards)&(AttrProtected|AttrGuarded) != 0 {
				w.protect(e.style.Attrs)
			}
			if e.link == 0 && w.uri == "" {
				w.setLook(&e.style)
			} else {
				w.setStyle(e.style, t.linkAt(e.link))
			}
		}
		r := c & cellContent
		switch {
		case r >= ' ' && r < 0x80 && w.seg.last != classPrepend:
			w.dst = append(w.dst, byte(r))
			w.ascii = byte(r)
			x++
		case c.kind() == cellGap && s.wraps(y):
			x++ // wrap writes it
		case c.isErased():
			end := x + 1
			for end < n && row[end] == c {
				end++
			}
			w.erased(end-x, c.style() != 0, end == s.cols)
			x = end
		case c.isTail():
			x++
		default:
			w.cell(c, x)
			x++
		}
	}
	w.lineAttr(m.attr)
}

// cell writes what stands in c at column x.
func (w *snapshotWriter) cell(c cell, x int) {
	var buf [maxCluster + 4]byte
	w.cluster(w.t.appendText(buf[:0], c), x)
}

// cluster writes a character or cluster at column x. Where it would join the
// one before, the cursor is moved in between.
func (w *snapshotWriter) cluster(text []byte, x int) {
	if w.ascii != 0 {
		w.seg.reset()
		w.seg.next(rune(w.ascii), runeProps(rune(w.ascii)))
		w.ascii = 0
	}
	r, n := utf8.DecodeRune(text)
	p := runeProps(r)
	if w.seg.next(r, p) {
		w.csi("", "G", x+1)
		w.seg.reset()
		w.seg.next(r, p)
	}
	for i := n; i < len(text); i += n {
		r, n = utf8.DecodeRune(text[i:])
		w.seg.next(r, runeProps(r))
	}
	w.dst = append(w.dst, text...)
}

// erased writes n cells with nothing in them, in the background in force.
func (w *snapshotWriter) erased(n int, colored, toEnd bool) {
	if colored {
		w.csi("", "X", n)
	}
	if !toEnd {
		w.csi("", "C", n)
	}
	w.seg, w.ascii = segmenter{}, 0
}

func (w *snapshotWriter) lineAttr(a lineAttr) {
	switch a {
	case lineDoubleTop:
		w.str("\x1b#3")
	case lineDoubleBottom:
		w.str("\x1b#4")
	case lineDoubleWidth:
		w.str("\x1b#6")
	}
}

func (w *snapshotWriter) marks(m promptMarks) {
	if m == 0 {
		return
	}
	for i := range 4 {
		if m&(1<<i) != 0 {
			w.osc("133", string(rune('A'+i)))
		}
	}
}

// packed writes a row of the scrollback and goes to the next.
func (w *snapshotWriter) packed(packed []byte) {
	u := unpack(packed)
	w.marks(u.meta.marks)
	w.plain()
	w.seg, w.ascii = segmenter{}, 0
	cols := w.t.cols
	col := 0
	for {
		it, ok := u.next()
		if !ok {
			break
		}
		if it.gap && u.meta.wrapped {
			w.wrapGap(u.style, cols)
			return
		}
		it.n = min(it.n, (cols-col)/it.width)
		if it.n == 0 { // rows of double size may be longer
			break
		}
		w.protect(u.style.Attrs)
		w.setStyle(u.style, u.hyperlink(w.id, w.uri))
		x := col
		col += it.n * it.width
		if it.text == nil {
			w.erased(it.n, u.style != Style{}, col >= cols)
			continue
		}
		for range it.n {
			if it.text[0] < 0x80 && len(it.text) == 1 && w.seg.last != classPrepend {
				w.dst = append(w.dst, it.text[0])
				w.ascii = it.text[0]
			} else {
				w.cluster(it.text, x)
			}
			x += it.width
		}
	}
	w.lineAttr(u.meta.attr)
	w.plain()
	if u.meta.wrapped && col == cols {
		w.wrapPlain()
	} else {
		w.str("\r\n")
	}
}

// late are the modes that come after the cursor is in its place: they change
// what printing and moving do.
func late(m mode) bool {
	return m == modeInsert || m == modeAutowrap || m == modeGraphemes || m == modeSynchronized || m == modeOrigin
}

// finish writes margins, modes and the cursor.
func (w *snapshotWriter) finish() {
	t := w.t
	w.setModes(t.modes, late)
	if t.top != 0 || t.bottom != t.rows-1 {
		w.csi("", "r", t.top+1, t.bottom+1)
	}
	if !t.fullWidth() {
		w.csi("", "s", t.left+1, t.right+1)
	}
	if t.cur.origin {
		w.csi("?", "h", 6)
	}
	w.cursor()
	w.setModes(t.modes, nil)
	w.protect(t.cur.pen.Attrs)
	w.setStyle(t.cur.pen, t.linkAt(t.link))
	w.charsets(t.cur.sets)
	if t.conf.eightBit {
		w.str("\x1b G")
	}
	if t.parser.eightBit {
		w.str("\x1b%@")
	}
}

// cursor puts the cursor into its place. If a wrap is pending there, or
// something may still join the character before it, that is printed again.
func (w *snapshotWriter) cursor() {
	t := w.t
	x, y := t.cur.x, t.cur.y
	row := t.scr.row(y)
	switch {
	case t.join.on:
		x = t.join.x
	case t.cur.pending && row[x].isTail():
		x--
	}
	w.csi("", "H", y-t.originY()+1, x-t.originX()+1)
	if !t.join.on && !t.cur.pending {
		return
	}
	if row[x].isErased() { // a wrap is due after a character that is gone
		w.str(" ")
		w.setStyle(t.styles.at(row[x].style()).style, hyperlink{})
		at := [2]int{y - t.originY() + 1, x - t.originX() + 1}
		w.csi("", "$z", at[0], at[1], at[0], at[1])
		return
	}
	e := t.styles.at(row[x].style())
	w.protect(e.style.Attrs)
	w.setStyle(e.style, t.linkAt(e.link))
	w.seg, w.ascii = segmenter{}, 0
	w.cell(row[x], x-t.originX())
	if !t.cur.pending { // not even at the end of a line
		w.str("\x1b[?7l\x1b[?7h")
	}
	if !t.join.on { // nothing joins it
		w.dst = append(w.dst, 0)
	}
}

// partial writes the sequence that is not complete.
func (w *snapshotWriter) partial() {
	p := &w.t.parser
	if p.utfN > 0 {
		w.dst = append(w.dst, p.utf[:p.utfN]...)
		return
	}
	if p.state == stGround {
		return
	}
	w.dst = append(w.dst, 0x1b)
	switch p.state {
	case stEscape:
	case stEscapeInter:
		w.inter(p)
	case stCSIEntry, stCSIParam, stCSIInter, stCSIIgnore:
		w.dst = append(w.dst, '[')
		if p.state == stCSIIgnore {
			w.str("0<")
			break
		}
		w.collected(p)
	case stDCSEntry, stDCSParam, stDCSInter, stDCSIgnore:
		w.dst = append(w.dst, 'P')
		if p.state == stDCSIgnore {
			w.dst = append(w.dst, ':')
			break
		}
		w.collected(p)
	case stDCSData:
		w.dst = append(w.dst, 'P')
		if p.strTooBig {
			w.dst = append(w.dst, ':')
			return
		}
		w.collected(p)
		w.dst = append(w.dst, p.final)
		w.dst = append(w.dst, p.str...)
		return
	case stOSC, stString:
		w.dst = append(w.dst, p.strKind)
		if p.strTooBig && p.strKind == ']' {
			w.dst = append(w.dst, 'x')
		}
		w.dst = append(w.dst, p.str...)
		return
	}
	if p.c1Lead {
		w.dst = append(w.dst, 0xc2)
	}
}

func (w *snapshotWriter) inter(p *parser) {
	w.dst = append(w.dst, p.inter[:p.interN]...)
	if p.tooMany {
		w.dst = append(w.dst, ' ')
	}
}

// collected writes the parameters and intermediates read so far.
func (w *snapshotWriter) collected(p *parser) {
	if p.prefix != 0 {
		w.dst = append(w.dst, p.prefix)
	}
	w.dst = p.appendParams(w.dst)
	if p.nparam > maxParams {
		w.dst = append(w.dst, ';')
	}
	w.inter(p)
}
