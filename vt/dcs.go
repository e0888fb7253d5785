package vt

import "strconv"

// dcsDispatch acts on a device control string: DECRQSS, XTGETTCAP, DECRSPS;
// sixel pictures go to the owner as they came.
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
	case inter == 0 && p.final == 'q':
		t.passOn('P', b)
	}
}

// apcDispatch acts on an application program command: kitty graphics go to
// the owner as they came.
func (t *Terminal) apcDispatch(b []byte) {
	if len(b) > 0 && b[0] == 'G' {
		t.passOn('_', b)
	}
}

// passOn gives a picture's sequence to the owner.
func (t *Terminal) passOn(kind byte, b []byte) {
	if t.event == nil {
		return
	}
	p := &t.parser
	data := make([]byte, 0, len(b)+32)
	data = append(data, 0x1b, kind)
	if kind == 'P' {
		data = p.appendParams(data)
		data = append(data, p.final)
	}
	data = append(data, b...)
	data = append(data, 0x1b, '\\')
	t.event(Event{Kind: EventImage, Data: data})
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
