package vt

// What a snapshot holds beside cells and cursors: colours, titles, tab stops,
// modes, keyboard stacks.

// colors writes the stack of colours, then those in force.
func (w *snapshotWriter) colors() {
	t := w.t
	var last colorSet
	for i := range t.colorStack {
		w.colorSet(&last, &t.colorStack[i])
		last = t.colorStack[i]
		w.csi("", "#P")
	}
	now := t.colorsNow()
	w.colorSet(&last, &now)
}

// colorSet writes what differs between what the other terminal has and c.
func (w *snapshotWriter) colorSet(last, c *colorSet) {
	for i, v := range c.palette {
		w.color(4, i, last.palette[i], v)
	}
	for i, v := range c.others.special {
		w.color(5, i, last.others.special[i], v)
	}
	w.color(10, -1, last.fg, c.fg)
	w.color(11, -1, last.bg, c.bg)
	w.color(12, -1, last.cc, c.cc)
	for i, v := range c.others.dynamic {
		w.color(13+i, -1, last.others.dynamic[i], v)
	}
}

// color writes one colour, if it differs; i < 0 where the number says which.
func (w *snapshotWriter) color(n, i int, last, c Color) {
	if c == last {
		return
	}
	w.str("\x1b]")
	if c == 0 {
		w.dst = appendInt(w.dst, 100+n)
	} else {
		w.dst = appendInt(w.dst, n)
	}
	if i >= 0 {
		w.dst = appendInt(append(w.dst, ';'), i)
	}
	if c != 0 {
		w.dst = appendColorSpec(append(w.dst, ';'), c)
	}
	w.str("\x1b\\")
}

func (w *snapshotWriter) titles() {
	t := w.t
	for _, p := range t.titleStack {
		w.osc("1", p.icon)
		w.osc("2", p.title)
		w.csi("", "t", 22, 0)
	}
	if t.icon != "" || len(t.titleStack) > 0 {
		w.osc("1", t.icon)
	}
	if t.title != "" || len(t.titleStack) > 0 {
		w.osc("2", t.title)
	}
	for bit, on := range [...]bool{t.titleModes&titleSetHex != 0, t.titleModes&titleQueryHex != 0} {
		if on {
			w.csi(">", "t", bit)
		}
	}
	if t.cwd != "" && t.cwd[0] != '/' { // from OSC 9;9, of another system
		w.osc("9", "9;"+t.cwd)
	} else if t.cwd != "" {
		w.str("\x1b]7;file://")
		w.dst = appendEscapedPath(w.dst, t.cwd)
		w.str("\x1b\\")
	}
	if n := &t.notif; n.open {
		w.osc("99;i="+n.id+":d=0:p=title", n.title)
		w.osc("99;i="+n.id+":d=0:p=body", n.body)
	}
}

// appendEscapedPath appends a path as a URL has it.
func appendEscapedPath(dst []byte, s string) []byte {
	const digits = "0123456789ABCDEF"
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || c == '%' || c == '?' || c == '#' {
			dst = append(dst, '%', digits[c>>4], digits[c&15])
		} else {
			dst = append(dst, c)
		}
	}
	return dst
}

func (w *snapshotWriter) tabs() {
	t := w.t
	same := true
	for x := range t.cols {
		same = same && t.hasTab(x) == (x > 0 && x%8 == 0)
	}
	if same {
		return
	}
	w.csi("", "g", 3)
	for x := range t.cols {
		if t.hasTab(x) {
			w.csi("", "G", x+1)
			w.str("\x1bH")
		}
	}
	w.str("\r")
}

// setMode writes a mode if the other terminal has it otherwise.
func (w *snapshotWriter) setMode(m *modeNumber, on bool) {
	if w.modes.has(m.mode) == on {
		return
	}
	if on {
		switch bit := modeSet(1) << m.mode; {
		case mouseModeSet&bit != 0:
			w.modes &^= mouseModeSet
		case mouseEncodingSet&bit != 0:
			w.modes &^= mouseEncodingSet
		}
	}
	w.modes.set(m.mode, on)
	prefix, final := "?", "l"
	if m.ansi {
		prefix = ""
	}
	if on {
		final = "h"
	}
	w.csi(prefix, final, int(m.n))
}

// savedModes writes what XTSAVE kept.
func (w *snapshotWriter) savedModes() {
	for i := range modeNumbers {
		m := &modeNumbers[i]
		if m.ansi || !w.t.savedMask.has(m.mode) {
			continue
		}
		on := w.t.savedModes.has(m.mode)
		w.setMode(m, on)
		w.csi("?", "s", int(m.n))
	}
	w.setModes(defaultModes, nil)
}

// setModes sets all modes but those that skip names.
func (w *snapshotWriter) setModes(want modeSet, skip func(mode) bool) {
	for _, on := range [...]bool{false, true} { // off first: mouse modes exclude one another
		for i := range modeNumbers {
			m := &modeNumbers[i]
			if specialModes.has(m.mode) || want.has(m.mode) != on || skip != nil && skip(m.mode) {
				continue
			}
			w.setMode(m, on)
		}
	}
}

// misc writes what has no place of its own.
func (w *snapshotWriter) misc() {
	t := w.t
	for _, s := range t.sgrStack {
		w.dst = s.AppendSGR(w.dst)
		w.csi("", "#{")
	}
	if len(t.sgrStack) > 0 {
		w.str("\x1b[m")
	}
	if t.otherKeys != 0 {
		w.csi(">", "m", 4, t.otherKeys)
	}
	if t.rectExtent {
		w.csi("", "*x", 2)
	}
	if t.checksum != 0 {
		w.csi("", "#y", int(t.checksum))
	}
	if t.shape != CursorBlock {
		w.csi("", " q", t.cursorStyle())
		w.modes.set(modeCursorBlink, t.modes.has(modeCursorBlink))
	}
}

func (w *snapshotWriter) keys(k keyStack) {
	for i, f := range k.entries {
		if i == 0 {
			w.csi("=", "u", int(f), 1)
		} else {
			w.csi(">", "u", int(f))
		}
	}
}
