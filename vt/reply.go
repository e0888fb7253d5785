package vt

import "encoding/hex"

// send gives the answer under construction to the program.
func (t *Terminal) send() {
	if t.reply != nil {
		t.reply(t.out)
	}
	t.out = t.out[:0]
}

// c1Intro begins an answer with the C1 control whose 7-bit form is ESC b.
func (t *Terminal) c1Intro(b byte) {
	t.out = t.out[:0]
	if t.conf.eightBit {
		t.out = append(t.out, b+0x40)
		return
	}
	t.out = append(t.out, 0x1b, b)
}

func (t *Terminal) stringEnd() {
	if t.conf.eightBit {
		t.out = append(t.out, 0x9c)
		return
	}
	t.out = append(t.out, 0x1b, '\\')
}

// answerCSI answers a control sequence: prefix, parameters, final bytes.
func (t *Terminal) answerCSI(prefix, final string, params ...int) {
	t.c1Intro('[')
	t.out = append(t.out, prefix...)
	for i, n := range params {
		if i > 0 {
			t.out = append(t.out, ';')
		}
		t.out = appendInt(t.out, n)
	}
	t.out = append(t.out, final...)
	t.send()
}

// answerString answers a DCS (kind 'P') or OSC (kind ']').
func (t *Terminal) answerString(kind byte, body string) {
	t.c1Intro(kind)
	t.out = append(t.out, body...)
	t.stringEnd()
	t.send()
}

// deviceAttributes is DA1: a VT420 with selective erase, national sets,
// technical characters, horizontal scrolling, colour, rectangles and the
// clipboard.
func (t *Terminal) deviceAttributes() { t.answerCSI("?", "c", 64, 6, 9, 15, 21, 22, 28, 52) }

// deviceStatus is DSR.
func (t *Terminal) deviceStatus(n int) {
	switch n {
	case 5:
		t.answerCSI("", "n", 0)
	case 6: // CPR
		t.answerCSI("", "R", t.cur.y-t.originY()+1, t.cur.x-t.originX()+1)
	}
}

// privateStatus is the DEC form of DSR.
func (t *Terminal) privateStatus(n int) {
	switch n {
	case 6: // DECXCPR
		t.answerCSI("?", "R", t.cur.y-t.originY()+1, t.cur.x-t.originX()+1, 1)
	case 15: // printer: none
		t.answerCSI("?", "n", 13)
	case 25: // user-defined keys: locked
		t.answerCSI("?", "n", 21)
	case 26: // keyboard: North American, ready
		t.answerCSI("?", "n", 27, 1, 0, 0)
	case 53, 55: // locator: none
		t.answerCSI("?", "n", 50)
	case 56: // its type: unknown
		t.answerCSI("?", "n", 57, 0)
	case 62: // macro space: none
		t.answerCSI("", "*{", 0)
	case 63: // DECCKSR
		t.c1Intro('P')
		t.out = appendInt(t.out, t.parser.arg(1, 0))
		t.out = append(t.out, "!~0000"...)
		t.stringEnd()
		t.send()
	case 75: // data integrity: no errors
		t.answerCSI("?", "n", 70)
	case 85: // multiple sessions: none
		t.answerCSI("?", "n", 83)
	case 996:
		t.reportScheme()
	}
}

// reportScheme says whether the colours are dark (1) or light (2).
func (t *Terminal) reportScheme() {
	n := 1
	if t.light() {
		n = 2
	}
	t.answerCSI("?", "n", 997, n)
}

// light reports whether the background is a light colour.
func (t *Terminal) light() bool {
	r, g, b, _ := t.baseBG.RGB()
	return 299*int(r)+587*int(g)+114*int(b) > 127_500
}

// reportMode is DECRPM.
func (t *Terminal) reportMode(n int, ansi bool) {
	prefix := "?"
	if ansi {
		prefix = ""
	}
	state := 0
	if m := findMode(n, ansi); m != modeNone {
		state = 2
		if t.modeOn(m) {
			state = 1
		}
	} else if ansi && (n == 1 || n == 5 || n == 7 || n >= 10 && n <= 19 && n != 12) || !ansi && n == 2 {
		state = 4 // known and never on
		if !ansi {
			state = 3 // DECANM: always ANSI
		}
	}
	t.answerCSI(prefix, "$y", n, state)
}

// reportSize is the in-band size report (mode 2048).
func (t *Terminal) reportSize() {
	t.answerCSI("", "t", 48, t.rows, t.cols, t.rows*t.cellH, t.cols*t.cellW)
}

// windowOp is XTWINOPS: reports and the stack of titles. What would move or
// size a window does nothing.
func (t *Terminal) windowOp() {
	p := &t.parser
	switch p.arg(0, 0) {
	case 11: // is it an icon?
		t.answerCSI("", "t", 1)
	case 13: // position
		t.answerCSI("", "t", 3, 0, 0)
	case 14: // text area in pixels
		t.answerCSI("", "t", 4, t.rows*t.cellH, t.cols*t.cellW)
	case 15: // screen in pixels
		t.answerCSI("", "t", 5, t.rows*t.cellH, t.cols*t.cellW)
	case 16: // cell in pixels
		t.answerCSI("", "t", 6, t.cellH, t.cellW)
	case 18: // text area in cells
		t.answerCSI("", "t", 8, t.rows, t.cols)
	case 19: // screen in cells
		t.answerCSI("", "t", 9, t.rows, t.cols)
	case 20:
		t.answerTitle('L', t.icon)
	case 21:
		t.answerTitle('l', t.title)
	case 22:
		t.pushTitle(p.arg(1, 0))
	case 23:
		t.popTitle(p.arg(1, 0))
	}
}

// reportSGR is XTREPORTSGR: the style that all cells of a rectangle have.
func (t *Terminal) reportSGR() {
	r, ok := t.rectangle(0)
	if !ok {
		return
	}
	first := true
	var common Style
	for y := r.top; y <= r.bottom; y++ {
		row := t.scr.row(y)
		for x := r.left; x <= r.right; x++ {
			s := t.styles.at(row[x].style()).style.visible()
			if first {
				common, first = s, false
				continue
			}
			common.Attrs &= s.Attrs
			if s.FG != common.FG {
				common.FG = 0
			}
			if s.BG != common.BG {
				common.BG = 0
			}
			if s.UnderlineColor != common.UnderlineColor {
				common.UnderlineColor = 0
			}
			if s.Underline != common.Underline {
				common.Underline = 0
			}
		}
	}
	t.c1Intro('[')
	t.out = append(t.out, '0')
	t.out = common.appendParams(t.out)
	t.out = append(t.out, 'm')
	t.send()
}

// statusString is DECRQSS.
func (t *Terminal) statusString(request []byte) {
	t.c1Intro('P')
	mark := len(t.out)
	t.out = append(t.out, "1$r"...)
	ok := true
	switch string(request) {
	case "m":
		t.out = append(t.out, '0')
		t.out = t.cur.pen.appendParams(t.out)
	case "r":
		t.out = appendPair(t.out, t.top+1, t.bottom+1)
	case "s":
		ok = t.modes.has(modeSideMargins)
		t.out = appendPair(t.out, t.left+1, t.right+1)
	case "\"q":
		n := byte('0')
		if t.cur.pen.Attrs&AttrProtected != 0 {
			n = '1'
		}
		t.out = append(t.out, n)
	case " q":
		t.out = appendInt(t.out, t.cursorStyle())
	case "\"p":
		c1 := 1
		if t.conf.eightBit {
			c1 = 0
		}
		t.out = appendPair(t.out, 60+int(t.conf.level), c1)
	case "$}", "$~": // DECSASD, DECSSDT: there is no status line
		t.out = append(t.out, '0')
	case "t", "*|":
		t.out = appendInt(t.out, t.rows)
	case "$|":
		t.out = appendInt(t.out, t.cols)
	case "*x":
		n := byte('1')
		if t.rectExtent {
			n = '2'
		}
		t.out = append(t.out, n)
	default:
		ok = false
	}
	if ok {
		t.out = append(t.out, request...)
	} else {
		t.out = append(t.out[:mark], "0$r"...)
	}
	t.stringEnd()
	t.send()
}

// cursorStyle is the number of DECSCUSR.
func (t *Terminal) cursorStyle() int {
	n := 2*int(t.shape) + 2
	if t.modes.has(modeCursorBlink) {
		n--
	}
	return n
}

func appendPair(dst []byte, a, b int) []byte {
	return appendInt(append(appendInt(dst, a), ';'), b)
}

// capabilities are what XTGETTCAP knows, as name=value; sorted by nothing.
var capabilities = [...][2]string{
	{"TN", "xterm-256color"},
	{"name", "xterm-256color"},
	{"Co", "256"},
	{"colors", "256"},
	{"RGB", "8/8/8"},
	{"Tc", ""},
	{"Su", ""},
	{"XF", ""},
	{"Sync", "\x1b[?2026%?%p1%{1}%-%tl%eh%;"},
	{"Smulx", "\x1b[4:%p1%dm"},
	{"Setulc", "\x1b[58:2:%p1%{65536}%/%d:%p1%{256}%/%{255}%&%d:%p1%{255}%&%dm"},
	{"Ss", "\x1b[%p1%d q"},
	{"Se", "\x1b[2 q"},
	{"Ms", "\x1b]52;%p1%s;%p2%s\x1b\\"},
	{"setrgbf", "\x1b[38;2;%p1%d;%p2%d;%p3%dm"},
	{"setrgbb", "\x1b[48;2;%p1%d;%p2%d;%p3%dm"},
	{"indn", "\x1b[%p1%dS"},
	{"ku", "\x1bOA"},
	{"kd", "\x1bOB"},
	{"kr", "\x1bOC"},
	{"kl", "\x1bOD"},
	{"kh", "\x1bOH"},
	{"@7", "\x1bOF"},
	{"kb", "\x7f"},
	{"kI", "\x1b[2~"},
	{"kD", "\x1b[3~"},
	{"kP", "\x1b[5~"},
	{"kN", "\x1b[6~"},
	{"k1", "\x1bOP"},
	{"k2", "\x1bOQ"},
	{"k3", "\x1bOR"},
	{"k4", "\x1bOS"},
	{"k5", "\x1b[15~"},
	{"k6", "\x1b[17~"},
	{"k7", "\x1b[18~"},
	{"k8", "\x1b[19~"},
	{"k9", "\x1b[20~"},
	{"k;", "\x1b[21~"},
	{"F1", "\x1b[23~"},
	{"F2", "\x1b[24~"},
}

// termcap is XTGETTCAP: names in hex, separated by semicolons, each answered
// by itself.
func (t *Terminal) termcap(request []byte) {
	for len(request) > 0 {
		one := request
		request = nil
		for i, b := range one {
			if b == ';' {
				one, request = one[:i], one[i+1:]
				break
			}
		}
		t.answerCapability(one)
	}
}

func (t *Terminal) answerCapability(name []byte) {
	var buf [64]byte
	t.c1Intro('P')
	n := hex.DecodedLen(len(name))
	if n > 0 && n <= len(buf) {
		if _, err := hex.Decode(buf[:n], name); err == nil {
			for i := range capabilities {
				c := &capabilities[i]
				if c[0] != string(buf[:n]) {
					continue
				}
				t.out = append(t.out, "1+r"...)
				t.out = append(t.out, name...)
				if c[1] != "" {
					t.out = append(t.out, '=')
					t.out = hex.AppendEncode(t.out, []byte(c[1]))
				}
				t.stringEnd()
				t.send()
				return
			}
		}
	}
	t.out = append(t.out, "0+r"...)
	if n <= len(buf) && isHex(name) {
		t.out = append(t.out, name...)
	}
	t.stringEnd()
	t.send()
}

func isHex(b []byte) bool {
	for _, c := range b {
		if !(c-'0' < 10 || c|0x20 >= 'a' && c|0x20 <= 'f') {
			return false
		}
	}
	return true
}
