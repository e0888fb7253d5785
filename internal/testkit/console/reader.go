package console

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxString bounds the escape strings (OSC, DCS, APC) that are kept, in bytes.
const maxString = 1 << 16

// A reader takes the program's bytes apart and applies them to the screen. It
// holds everything that a program can ask or set.
type reader struct {
	screen  *screen
	modes   map[int]bool // DEC private modes that were set
	keys    []int        // the kitty keyboard protocol's stack of flags
	titles  []string
	oscs    []string
	bells   int
	answers []byte // to be written back to the program

	// support7501 says whether the Program Status query is answered.
	support7501 bool

	state  byte // one of the st constants
	params []byte
	str    []byte
	utf    []byte
}

const (
	stGround byte = iota
	stEscape
	stCharset // ESC ( and its kind: one more byte
	stCSI
	stOSC
	stString // DCS, APC, PM, SOS
	stStringEscape
)

func (d *reader) write(p []byte) {
	for _, b := range p {
		d.byte(b)
	}
}

func (d *reader) byte(b byte) {
	switch d.state {
	case stGround:
		d.ground(b)
	case stEscape:
		d.escape(b)
	case stCharset:
		d.state = stGround
	case stCSI:
		if b >= 0x40 && b <= 0x7e {
			d.state = stGround
			d.csi(b)
		} else if b == 0x1b {
			d.state, d.params = stEscape, nil
		} else if b >= 0x20 && len(d.params) < 256 {
			d.params = append(d.params, b)
		} else if b < 0x20 {
			d.control(b)
		}
	case stOSC, stString:
		switch {
		case b == 0x07 && d.state == stOSC:
			d.endString()
		case b == 0x1b:
			d.params = []byte{d.state}
			d.state = stStringEscape
		case len(d.str) < maxString:
			d.str = append(d.str, b)
		}
	case stStringEscape:
		d.state = d.params[0]
		d.params = nil
		d.endString()
		if b != '\\' {
			d.state = stEscape
			d.escape(b)
		}
	}
}

func (d *reader) ground(b byte) {
	if len(d.utf) > 0 || b >= 0x80 {
		d.utf = append(d.utf, b)
		if !utf8.FullRune(d.utf) {
			return
		}
		r, n := utf8.DecodeRune(d.utf)
		if r == utf8.RuneError && len(d.utf) > 1 && n == 1 {
			n = len(d.utf) - 1 // one sign for what the last byte cut short
		}
		rest := d.utf[n:]
		d.utf = nil
		d.screen.put(r)
		for _, c := range rest {
			d.byte(c)
		}
		return
	}
	switch {
	case b == 0x1b:
		d.state, d.params = stEscape, nil
	case b < 0x20:
		d.control(b)
	case b != 0x7f:
		d.screen.put(rune(b))
	}
}

func (d *reader) control(b byte) {
	s := d.screen
	switch b {
	case '\a':
		d.bells++
	case '\b':
		s.move(s.row, s.col-1)
	case '\t':
		s.move(s.row, (s.col/8+1)*8)
	case '\n', '\v', '\f':
		s.lineFeed()
	case '\r':
		s.move(s.row, 0)
	}
}

func (d *reader) escape(b byte) {
	s := d.screen
	d.state = stGround
	switch b {
	case '[':
		d.state, d.params = stCSI, nil
	case ']':
		d.state, d.str = stOSC, nil
	case 'P', 'X', '^', '_':
		d.state, d.str = stString, []byte{b}
	case '(', ')', '*', '+', '#', '%', ' ':
		d.state = stCharset
	case '7':
		s.saved = [2]int{s.row, s.col}
	case '8':
		s.move(s.saved[0], s.saved[1])
	case 'D':
		s.lineFeed()
	case 'E':
		s.lineFeed()
		s.move(s.row, 0)
	case 'M':
		s.reverseFeed()
	case 'c':
		d.screen = newScreen(s.rows, s.cols)
		d.modes, d.keys = map[int]bool{}, nil
	}
}

// endString handles a finished OSC or DCS.
func (d *reader) endString() {
	kind := d.state
	d.state = stGround
	s := string(d.str)
	d.str = nil
	if kind != stOSC {
		return
	}
	d.oscs = append(d.oscs, s)
	num, rest, _ := strings.Cut(s, ";")
	switch {
	case num == "0" || num == "2":
		d.titles = append(d.titles, rest)
	case num == "10" && rest == "?":
		d.answer("\x1b]10;rgb:dddd/dddd/dddd\x1b\\")
	case num == "11" && rest == "?":
		d.answer("\x1b]11;rgb:1111/1111/1111\x1b\\")
	case s == "7501;?" && d.support7501:
		d.answer("\x1b]7501;?\x1b\\")
	}
}

func (d *reader) answer(s string) { d.answers = append(d.answers, s...) }

// csi handles one control sequence; its parameters are in d.params.
func (d *reader) csi(final byte) {
	p := string(d.params)
	d.params = nil
	prefix := ""
	if p != "" && strings.ContainsAny(p[:1], "?><=") {
		prefix, p = p[:1], p[1:]
	}
	inter := ""
	for p != "" && p[len(p)-1] >= 0x20 && p[len(p)-1] <= 0x2f {
		inter, p = p[len(p)-1:]+inter, p[:len(p)-1]
	}
	args := numbers(p)
	switch {
	case d.query(prefix, inter, final, args):
	case prefix == "?" && inter == "" && (final == 'h' || final == 'l'):
		for _, m := range args {
			d.setMode(m, final == 'h')
		}
	case prefix == ">" && final == 'u':
		d.keys = append(d.keys, arg(args, 0, 0))
	case prefix == "<" && final == 'u':
		d.keys = d.keys[:max(0, len(d.keys)-arg(args, 0, 1))]
	case prefix == "" && inter == "":
		d.draw(final, args)
	}
}

// query answers what asks for an answer.
func (d *reader) query(prefix, inter string, final byte, args []int) bool {
	switch prefix + inter + string(final) {
	case "c":
		d.answer("\x1b[?62;22c")
	case ">c":
		d.answer("\x1b[>1;10;0c")
	case ">q":
		d.answer("\x1bP>|testkit 1\x1b\\")
	case "n":
		switch arg(args, 0, 0) {
		case 5:
			d.answer("\x1b[0n")
		case 6:
			d.answer(fmt.Sprintf("\x1b[%d;%dR", d.screen.row+1, d.screen.col+1))
		}
	case "?u":
		flags := 0
		if len(d.keys) > 0 {
			flags = d.keys[len(d.keys)-1]
		}
		d.answer(fmt.Sprintf("\x1b[?%du", flags))
	case "?$p":
		state := 0
		if on, known := d.modes[arg(args, 0, 0)]; known {
			state = 2
			if on {
				state = 1
			}
		}
		d.answer(fmt.Sprintf("\x1b[?%d;%d$y", arg(args, 0, 0), state))
	case "t":
		if arg(args, 0, 0) == 18 {
			d.answer(fmt.Sprintf("\x1b[8;%d;%dt", d.screen.rows, d.screen.cols))
		}
	default:
		return false
	}
	return true
}

func (d *reader) setMode(m int, on bool) {
	d.modes[m] = on
	s := d.screen
	switch m {
	case 1049:
		if on {
			s.saved = [2]int{s.row, s.col}
		}
		s.show(on)
		if !on {
			s.move(s.saved[0], s.saved[1])
		}
	case 47, 1047:
		s.show(on)
	}
}

// draw applies the sequences that move the cursor and change the screen.
func (d *reader) draw(final byte, args []int) {
	s, n := d.screen, max(1, min(arg(args, 0, 1), 1<<12))
	switch final {
	case 'A':
		s.move(s.row-n, s.col)
	case 'B', 'e':
		s.move(s.row+n, s.col)
	case 'C', 'a':
		s.move(s.row, s.col+n)
	case 'D':
		s.move(s.row, s.col-n)
	case 'E':
		s.move(s.row+n, 0)
	case 'F':
		s.move(s.row-n, 0)
	case 'G', '`':
		s.move(s.row, n-1)
	case 'd':
		s.move(n-1, s.col)
	case 'H', 'f':
		s.move(n-1, max(1, arg(args, 1, 1))-1)
	case 'r':
		d.region(args)
	case 's':
		s.saved = [2]int{s.row, s.col}
	case 'u':
		s.move(s.saved[0], s.saved[1])
	default:
		d.change(final, args, n)
	}
}

func (d *reader) region(args []int) {
	s := d.screen
	top, bottom := max(1, arg(args, 0, 1))-1, arg(args, 1, s.rows)-1
	if bottom < 0 || bottom >= s.rows {
		bottom = s.rows - 1
	}
	if top < bottom {
		s.top, s.bottom = top, bottom
		s.move(0, 0)
	}
}

func (d *reader) change(final byte, args []int, n int) {
	s := d.screen
	inRegion := s.row >= s.top && s.row <= s.bottom
	switch final {
	case 'J':
		s.eraseDisplay(arg(args, 0, 0))
	case 'K':
		switch arg(args, 0, 0) {
		case 0:
			s.eraseLine(s.row, s.col, s.cols)
		case 1:
			s.eraseLine(s.row, 0, s.col+1)
		case 2:
			s.eraseLine(s.row, 0, s.cols)
		}
	case 'X':
		s.eraseLine(s.row, s.col, s.col+n)
	case '@':
		s.shift(n)
	case 'P':
		s.shift(-n)
	case 'L':
		if inRegion {
			s.scroll(s.row, s.bottom, -min(n, s.rows))
		}
	case 'M':
		if inRegion {
			s.scroll(s.row, s.bottom, min(n, s.rows))
		}
	case 'S':
		s.scroll(s.top, s.bottom, min(n, s.rows))
	case 'T':
		s.scroll(s.top, s.bottom, -min(n, s.rows))
	case 'b':
		for range n {
			s.put(s.last)
		}
	}
}

// numbers reads parameters; an absent one is -1, a sub-parameter is left out.
func numbers(p string) []int {
	var out []int
	for _, f := range strings.Split(p, ";") {
		f, _, _ = strings.Cut(f, ":")
		n, err := strconv.Atoi(f)
		if err != nil {
			n = -1
		}
		out = append(out, n)
	}
	return out
}

func arg(args []int, i, fallback int) int {
	if i >= len(args) || args[i] < 0 {
		return fallback
	}
	return args[i]
}
