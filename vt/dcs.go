package vt

import (
	"strconv"
	"strings"
)

// dcsDispatch acts on a device control string: DECRQSS, XTGETTCAP, DECRSPS;
// sixel pictures are kept for viewers, and go to the owner as they came.
func (t *Terminal) dcsDispatch(b []byte) {
	p := &t.parser
	if p.tooMany || p.interN > 1 {
		return
	}
	inter := byte(0)
	if p.interN == 1 {
		inter = p.inter[0]
	}
	switch {
	case p.prefix != 0:
	case inter == '$' && p.final == 'q':
		t.statusString(b)
	case inter == '+' && p.final == 'q':
		t.termcap(b)
	case inter == '$' && p.final == 't' && p.arg(0, 0) == 2:
		t.restoreTabs(b)
	case inter == '$' && p.final == 't' && p.arg(0, 0) == 1:
		t.restoreCursorInfo(b)
	case inter == 0 && p.final == 'q':
		data := t.passOn('P', b)
		t.sixel(data, b)
	}
}

// apcDispatch acts on an application program command: kitty graphics are kept
// for viewers, and go to the owner as they came.
func (t *Terminal) apcDispatch(b []byte) {
	if len(b) > 0 && b[0] == 'G' {
		t.passOn('_', b)
		t.kitty(b[1:])
	}
}

// passOn gives a picture's sequence to the owner, and returns it.
func (t *Terminal) passOn(kind byte, b []byte) []byte {
	p := &t.parser
	if t.event == nil && kind == '_' {
		return nil
	}
	data := make([]byte, 0, len(b)+32)
	data = append(data, 0x1b, kind)
	if kind == 'P' {
		data = p.appendParams(data)
		data = append(data, p.final)
	}
	data = append(data, b...)
	data = append(data, 0x1b, '\\')
	t.emit(Event{Kind: EventImage, Data: data})
	return data
}

// appendParams appends the parameters as they were written.
func (p *parser) appendParams(dst []byte) []byte {
	for i := range p.count() {
		if i > 0 {
			sep := byte(';')
			if p.colons&(1<<i) != 0 {
				sep = ':'
			}
			dst = append(dst, sep)
		}
		if p.params[i] >= 0 {
			dst = strconv.AppendInt(dst, int64(p.params[i]), 10)
		}
	}
	return dst
}

// restoreCursorInfo is DECRSPS for a DECCIR: row; column; page; rendition;
// attributes; flags; GL; GR; sizes of the sets; sets.
func (t *Terminal) restoreCursorInfo(b []byte) {
	f := strings.SplitN(string(b), ";", 10)
	if len(f) != 10 {
		return
	}
	row, err1 := strconv.ParseUint(f[0], 10, 16)
	col, err2 := strconv.ParseUint(f[1], 10, 16)
	if err1 != nil || err2 != nil {
		return
	}
	bits := func(i int) byte {
		if len(f[i]) == 0 || f[i][0] < '@' || f[i][0] > '_' {
			return 0
		}
		return f[i][0] - '@'
	}
	c := &t.cur
	t.penStale = true
	c.pen = Style{}
	for i, a := range [...]Attr{AttrBold, 0, AttrBlink, AttrReverse} {
		if bits(3)&(1<<i) != 0 {
			c.pen.Attrs |= a
		}
	}
	if bits(3)&2 != 0 {
		c.pen.Underline = UnderlineSingle
	}
	if bits(4)&1 != 0 {
		c.pen.Attrs |= AttrProtected
	}
	c.origin = bits(5)&1 != 0
	if of96, names := bits(8), f[9]; len(names) > 0 {
		for g := range c.sets.g {
			n := min(1, len(names))
			if n > 0 && names[0] >= 0x20 && names[0] < 0x30 {
				n = min(2, len(names))
			}
			if set, ok := charsetByName(names[:n], of96&(1<<g) != 0); ok {
				c.sets.g[g] = set
			}
			names = names[n:]
		}
	}
	for i, to := range [...]*uint8{&c.sets.gl, &c.sets.gr} {
		if s := f[6+i]; len(s) == 1 && s[0] >= '0' && s[0] <= '3' {
			*to = s[0] - '0'
		}
	}
	c.sets.single = 0
	switch bits(5) & 6 {
	case 2:
		c.sets.single = 2
	case 4:
		c.sets.single = 3
	}
	t.updatePrint()
	t.moveOrigin(int(max(col, 1))-1, int(max(row, 1))-1)
	c.pending = bits(5)&8 != 0
	t.checkPending()
}

// restoreTabs is DECRSPS for a DECTABSR: columns between slashes.
func (t *Terminal) restoreTabs(b []byte) {
	clear(t.tabs)
	n := 0
	for i := 0; i <= len(b); i++ {
		if i < len(b) && b[i]-'0' < 10 {
			n = min(n*10+int(b[i]-'0'), maxParamValue)
			continue
		}
		if n > 0 && n <= t.cols {
			t.setTab(n-1, true)
		}
		n = 0
	}
}
