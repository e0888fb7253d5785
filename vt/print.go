package vt

import "unicode/utf8"

// joinState is what decides whether the next character joins the one printed
// last in one grapheme cluster. Moving the cursor or editing ends it.
type joinState struct {
	seg   segmenter
	last  props // of the last code point in the cluster
	x     int   // where the cluster stands, on the cursor's row
	ascii byte  // it is this byte alone, which seg has not seen yet
	on    bool
}

// feed runs the parser over p.
func (t *Terminal) feed(p []byte) {
	for i := 0; i < len(p); {
		switch {
		case t.parser.state == stGround:
			i = t.ground(p, i)
		case t.parser.state >= stDCSIgnore && !t.plain:
			i = t.stringRun(p, i)
		default:
			t.step(p[i])
			i++
		}
		if t.gcDue {
			t.collect()
		}
	}
}

// stringRun takes bytes of a string that mean nothing but themselves all at
// once, then one by the table.
func (t *Terminal) stringRun(p []byte, i int) int {
	pr := &t.parser
	if pr.state > stDCSIgnore && !pr.strTooBig && !pr.c1Lead {
		j, end := i, min(len(p), i+pr.strLimit-len(pr.str))
		for j < end && p[j] >= 0x20 && p[j] != 0x7f && (p[j] < 0x80 || p[j] > 0x9f && p[j] != 0xc2) {
			j++
		}
		if j > i {
			pr.str = append(pr.str, p[i:j]...)
			return j
		}
	}
	t.step(p[i])
	return i + 1
}

// ground handles p from i on in the ground state and says how far it came.
func (t *Terminal) ground(p []byte, i int) int {
	pr := &t.parser
	if pr.utfN > 0 {
		return i + t.resumeRune(p[i:])
	}
	for i < len(p) {
		b := p[i]
		switch {
		case b >= 0x80 && !pr.eightBit:
			r, n, full := decodeRune(p[i:])
			if !full {
				pr.utfN = uint8(copy(pr.utf[:], p[i:]))
				return len(p)
			}
			i += n
			if r < 0xa0 {
				t.c1(byte(r))
				return i
			}
			t.printRune(r)
			if t.gcDue {
				return i
			}
		case b >= 0x80:
			i++
			if b < 0xa0 {
				t.c1(b)
				return i
			}
			t.printGR(b)
		case b >= 0x20 && b < 0x7f:
			if t.plain {
				t.printByte(b)
				i++
			} else {
				i += t.printRun(p[i:])
			}
		case b == 0x1b:
			if !t.plain && i+2 < len(p) && p[i+1] == '[' {
				if n := t.fastCSI(p[i+2:]); n > 0 {
					i += 2 + n
					if t.gcDue {
						return i
					}
					continue
				}
			}
			pr.begin()
			pr.state = stEscape
			return i + 1
		case b == 0x7f:
			i++
		default:
			t.execute(b)
			i++
		}
	}
	return i
}

// resumeRune goes on with a character whose start came in an earlier Write
// and says how many bytes of p it took.
func (t *Terminal) resumeRune(p []byte) int {
	pr := &t.parser
	held := int(pr.utfN)
	var buf [utf8.UTFMax + utf8.UTFMax]byte
	n := copy(buf[:], pr.utf[:held])
	n += copy(buf[n:utf8.UTFMax], p)
	r, size, full := decodeRune(buf[:n])
	if !full {
		pr.utfN = uint8(copy(pr.utf[:], buf[:n]))
		return len(p)
	}
	pr.utfN = 0
	if r < 0xa0 {
		t.c1(byte(r))
	} else {
		t.printRune(r)
	}
	return size - held
}

// decodeRune decodes the character at the start of p, which is not ASCII. For
// an ill-formed sequence it gives U+FFFD and the length of its maximal
// subpart (The Unicode Standard, section 3.9, "U+FFFD Substitution of Maximal
// Subparts"). full is false if p ends within what may still become a
// character.
func decodeRune(p []byte) (r rune, n int, full bool) {
	b := p[0]
	lo, hi, need := byte(0x80), byte(0xbf), 0
	switch {
	case b >= 0xc2 && b <= 0xdf:
		need, r = 1, rune(b&0x1f)
	case b >= 0xe0 && b <= 0xef:
		need, r = 2, rune(b&0x0f)
		switch b {
		case 0xe0:
			lo = 0xa0
		case 0xed:
			hi = 0x9f
		}
	case b >= 0xf0 && b <= 0xf4:
		need, r = 3, rune(b&0x07)
		switch b {
		case 0xf0:
			lo = 0x90
		case 0xf4:
			hi = 0x8f
		}
	default:
		return utf8.RuneError, 1, true
	}
	for n = 1; n <= need; n++ {
		if n == len(p) {
			return 0, n, false
		}
		c := p[n]
		if c < lo || c > hi {
			return utf8.RuneError, n, true
		}
		lo, hi = 0x80, 0xbf
		r = r<<6 | rune(c&0x3f)
	}
	return r, n, true
}

// limit is the column after the last that the cursor's line may fill.
func (t *Terminal) limit() int {
	w := t.scr.width(t.cur.y)
	if t.cur.x <= t.right && t.right+1 < w {
		return t.right + 1
	}
	return w
}

// wrap goes to the start of the next line because this one is full.
func (t *Terminal) wrap() {
	t.cur.pending = false
	m := t.scr.metaAt(t.cur.y)
	last := t.scr.row(t.cur.y)[t.cols-1]
	m.wrapped = t.fullWidth() && m.attr == lineNormal && last&cellContent != 0
	t.wrapping = true
	t.index()
	t.wrapping = false
	t.cur.x = 0
	if t.left > 0 && !t.fullWidth() {
		t.cur.x = t.left
	}
}

// printRun prints the printable ASCII at the start of p and says how many
// bytes that was. It is the fast path of printByte.
func (t *Terminal) printRun(p []byte) int {
	if t.slowPrint || t.join.on && t.join.seg.last == classPrepend && t.join.ascii == 0 {
		t.printByte(p[0])
		return 1
	}
	if t.cur.pending {
		t.wrap()
	}
	s := t.scr
	y, x := t.cur.y, t.cur.x
	limit := t.limit()
	if x >= limit {
		x = limit - 1
	}
	base := cell(t.pen()) << cellStyleShift
	row, m := s.row(y), s.metaAt(y)
	cut(row, x)
	room := row[x:limit]
	if len(p) > len(room) {
		p = p[:len(room)]
	}
	n := 0
	for n < len(p) && n < len(room) {
		b := p[n]
		if b-0x20 >= 0x5f {
			break
		}
		room[n] = base | cell(b)
		n++
	}
	last := p[n-1]
	x += n
	if x < len(row) && row[x].isTail() { // its first half is overwritten
		row[x] = row[x]&^cellContent | ' '
	}
	if int32(x) > m.used {
		m.used = int32(x)
	}
	m.gen = t.next
	t.changed = true
	t.last = uint32(last)
	t.join.on, t.join.ascii, t.join.x = true, last, x-1
	if x == limit {
		x--
		t.cur.pending = t.modes.has(modeAutowrap)
		if x == s.cols-1 {
			m.wrapped = false
		}
	}
	t.cur.x = x
	return n
}

// printByte prints one byte of the left half of the code table, through the
// character set in use.
func (t *Terminal) printByte(b byte) { t.printByteRune(t.leftHalf(b)) }

// printGR prints one byte of the right half, when bytes are not UTF-8.
func (t *Terminal) printGR(b byte) { t.printByteRune(t.rightHalf(b)) }

func (t *Terminal) printByteRune(r rune) {
	if r < 0x80 {
		t.joinASCII(byte(r))
		return
	}
	t.printRune(r)
}

// joinASCII prints an ASCII character.
func (t *Terminal) joinASCII(b byte) {
	if t.join.on && t.join.ascii == 0 && t.join.seg.last == classPrepend && t.clustering() {
		t.printRune(rune(b))
		return
	}
	if !t.put(uint32(b), 1) {
		return
	}
	t.join.ascii = b
}

// clustering reports whether characters are joined to grapheme clusters (mode
// 2027), and not only combining marks to what they stand on.
func (t *Terminal) clustering() bool { return t.modes.has(modeGraphemes) }

// printRune prints a character.
func (t *Terminal) printRune(r rune) {
	p := runeProps(r)
	w := p.width()
	j := &t.join
	if j.on && j.ascii != 0 {
		j.seg.reset()
		j.last = runeProps(rune(j.ascii))
		j.seg.next(rune(j.ascii), j.last)
		j.ascii = 0
	}
	if !j.on {
		j.seg.reset()
	}
	joins := j.seg.next(r, p)
	if !t.clustering() {
		joins = joins && w == 0
	}
	if joins && j.on {
		t.extend(r, p)
		return
	}
	if w == 0 {
		if c := p.class(); c < classHangulV || c > classHangulT {
			t.combine(r, p)
			return
		}
		w = 1 // half a syllable by itself
	}
	if !t.put(uint32(r), w) {
		t.breakJoin()
		return
	}
	j.last = p
}

// combine prints a character without width that joins nothing printed just
// before: it is added to what stands left of the cursor, if anything does.
func (t *Terminal) combine(r rune, p props) {
	if c := p.class(); c < classExtend || c > classSpacingMark || isSelector(r) {
		t.breakJoin()
		return
	}
	x := t.cur.x - 1
	if t.cur.pending {
		x = t.cur.x
	}
	row := t.scr.row(t.cur.y)
	if x > 0 && row[x].isTail() {
		x--
	}
	t.breakJoin()
	if x < 0 || row[x].isErased() {
		return
	}
	if text, ok := t.appended(row[x], r); ok {
		row[x] = row[x]&^(cellCluster|cellRuneMask) | cellCluster | cell(text)
		t.touch(t.cur.y)
	}
}

// isSelector reports whether r chooses a shape, and with it a width, for what
// it stands behind. Where it cannot change the width it is dropped, so that
// the text of a cell never is of another width than the cell.
func isSelector(r rune) bool { return r == variationText || r == variationEmoji }

// joinCache remembers which cluster a character made of another: what joins
// one character to the next need not look at their text.
type joinCache [64]struct {
	before uint32 // content of the cell
	r      rune
	id     uint32
}

// appended is the number of the cluster that c and r make; ok is false if
// that would be too long.
func (t *Terminal) appended(c cell, r rune) (id uint32, ok bool) {
	if t.plain {
		return t.appendedPlain(c, r)
	}
	before := uint32(c) & (cellCluster | cellRuneMask)
	e := &t.joins[(before*31+uint32(r))%uint32(len(t.joins))]
	if e.r == r && e.before == before {
		return e.id, true
	}
	if id, ok = t.appendedPlain(c, r); ok {
		e.before, e.r, e.id = before, r, id
	}
	return id, ok
}

func (t *Terminal) appendedPlain(c cell, r rune) (id uint32, ok bool) {
	var buf [maxCluster + utf8.UTFMax]byte
	b := t.appendText(buf[:0], c)
	b = utf8.AppendRune(b, r)
	if len(b) > maxCluster {
		return 0, false
	}
	return t.clusterID(b), true
}

// appendText appends the text of a cell.
func (t *Terminal) appendText(dst []byte, c cell) []byte {
	switch {
	case c&cellCluster != 0:
		return append(dst, t.clusters.entries[c&cellRuneMask]...)
	case c&cellContent == 0 || c.kind() >= cellTail:
		return dst
	}
	return utf8.AppendRune(dst, rune(c&cellRuneMask))
}

// extend adds r to the cluster printed last, which may change its width.
func (t *Terminal) extend(r rune, p props) {
	j := &t.join
	y, x := t.cur.y, j.x
	row := t.scr.row(y)
	c := row[x]
	last := j.last
	j.last = p
	if isSelector(r) && !t.clustering() {
		return
	}
	id, ok := t.appended(c, r)
	if !ok {
		return
	}
	content := uint32(cellCluster) | id
	had := 1
	if c.isWide() {
		had = 2
	}
	w := had
	if t.clustering() {
		w = min(max(clusterWidth(had, last, r, p), 1), 2)
	}
	switch {
	case w == had:
		row[x] = c&^cellContent | cell(content) | c&cellKindMask
	case w == 1:
		row[x] = c&^cellContent | cell(content)
		row[x+1] = row[x+1]&^cellContent | ' '
		t.cur.x, t.cur.pending = x+1, false
	case !t.widen(content):
		j.last = last // r is dropped
		return
	}
	t.last = content
	if w == 2 {
		t.last |= cellWide
	}
	t.touch(t.cur.y)
}

// widen makes the cluster printed last two cells wide. At the end of a line
// it moves to the next. Without room for that it reports false: what was to
// join it is dropped.
func (t *Terminal) widen(content uint32) bool {
	j := &t.join
	row := t.scr.row(t.cur.y)
	c := row[j.x]
	limit := t.limit()
	if j.x+2 <= limit {
		cut(row, j.x+2)
		row[j.x] = c&^cellContent | cell(content|cellWide)
		row[j.x+1] = c&^cellContent | cellTail
		m := t.scr.metaAt(t.cur.y)
		m.used = max(m.used, int32(j.x+2))
		if j.x+2 == t.cols {
			m.wrapped = false
		}
		t.cur.x, t.cur.pending = j.x+2, false
		if t.cur.x >= limit {
			t.cur.x, t.cur.pending = limit-1, t.modes.has(modeAutowrap)
		}
		return true
	}
	if !t.modes.has(modeAutowrap) || limit-t.lineStart() < 2 {
		return false
	}
	row[j.x] = 0
	t.cur.x, t.cur.pending = j.x, false
	seg, last, pen := j.seg, j.last, t.penID
	stale := t.penStale
	t.penID, t.penStale = c.style(), false
	t.put(content, 2)
	t.penID, t.penStale = pen, stale
	j.seg, j.last = seg, last
	return true
}

// put writes a character of width w (1 or 2) at the cursor and moves the
// cursor. It reports false if there was no room for it.
func (t *Terminal) put(content uint32, w int) bool {
	if t.cur.pending {
		t.wrap()
	}
	limit := t.limit()
	t.cur.x = min(t.cur.x, limit-1)
	if w == 2 {
		if limit-t.lineStart() < 2 {
			return false
		}
		if t.cur.x == limit-1 {
			if !t.modes.has(modeAutowrap) {
				return false
			}
			t.gap()
			t.wrap()
			limit = t.limit()
		}
		content |= cellWide
	}
	pen := cell(t.pen()) << cellStyleShift
	y, x := t.cur.y, t.cur.x
	if t.modes.has(modeInsert) {
		t.insertCells(y, x, limit-1, w)
	}
	row, m := t.scr.row(y), t.scr.metaAt(y)
	if x < int(m.used) {
		cut(row, x)
		cut(row, x+w)
	}
	row[x] = pen | cell(content)
	if w == 2 {
		row[x+1] = pen | cellTail
	}
	m.used = max(m.used, int32(x+w))
	m.gen = t.next
	t.changed = true
	t.last = content
	t.join.on, t.join.ascii, t.join.x = true, 0, x
	x += w
	if x >= limit {
		x = limit - 1
		t.cur.pending = t.modes.has(modeAutowrap)
		if x == t.cols-1 {
			m.wrapped = false
		}
	}
	t.cur.x = x
	return true
}

// lineStart is the column that wrapping goes to.
func (t *Terminal) lineStart() int {
	if t.fullWidth() || t.cur.x < t.left {
		return 0
	}
	return t.left
}

// gap leaves the last cell of the line empty before a wide character wraps.
func (t *Terminal) gap() {
	x := t.cur.x
	t.fill(t.cur.y, x, x+1, t.blank())
	if x != t.cols-1 {
		return
	}
	row, m := t.scr.row(t.cur.y), t.scr.metaAt(t.cur.y)
	if t.fullWidth() && m.attr == lineNormal {
		row[x] = row[x]&^cellContent | cellGap
		m.used = int32(t.cols)
	}
}

// repeat prints the last character n more times (REP).
func (t *Terminal) repeat(n int) {
	if t.last == 0 {
		return
	}
	w := 1
	if t.last&cellKindMask == cellWide {
		w = 2
	}
	content := t.last &^ cellKindMask
	j := t.join
	for range min(n, t.cols*t.rows) {
		if !t.put(content, w) {
			break
		}
	}
	j.x = t.join.x
	t.join = j
}

// breakJoin forgets the last character: nothing joins it and REP does not
// repeat it.
func (t *Terminal) breakJoin() {
	t.join.on = false
	t.last = 0
}
