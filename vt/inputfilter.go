package vt

import "bytes"

// InputFilter takes what a viewer's terminal sends and leaves what its user
// did. The engine answers every query of the program itself; a viewer sees the
// queries too and its terminal answers them again, late, twice or cut in two,
// and none of that may reach the program as typed text.
//
// Dropped are device attributes (DA1–DA3), status and mode reports (DSR,
// DECRPM, DECRQSS, DECRQCRA), XTVERSION, XTGETTCAP, window and size reports
// (XTWINOPS, mode 2048), colour-scheme reports, kitty keyboard flags and
// graphics answers, and OSC answers (colours, clipboard, program status,
// titles). Keys, mouse, focus and pastes pass byte by byte as they came; what
// looks like an answer inside a bracketed paste is text. A cursor position
// report (CPR) has the form of a modified F3 when the cursor is in the first
// row; that form is dropped only while ExpectCPR says that one is outstanding.
//
// A sequence that is not complete is held until the rest comes. The zero value
// is ready; one filter serves one viewer and is not safe for concurrent use.
type InputFilter struct {
	state filterState
	// held is the sequence so far, while it is not decided where it goes.
	held []byte
	// matched counts the bytes of the end of a paste that came last.
	matched int
	cpr     int
}

type filterState uint8

const (
	filterGround    filterState = iota
	filterEscape                // held is ESC
	filterCSI                   // held is CSI and what came of it
	filterString                // held is the introducer of an OSC, DCS or APC and what came of it
	filterDrop                  // in a string that is an answer: nothing is held
	filterDropOSC               // the same in an OSC, which BEL may end
	filterDropEsc               // ESC came in the string
	filterPasteText             // inside a bracketed paste
)

const (
	// maxHeldCSI is longer than any CSI sequence that a terminal sends.
	maxHeldCSI = 256
	// maxHeldString bounds the part of a string that tells what it is.
	maxHeldString = 32
)

// ExpectCPR says that n cursor position reports are outstanding: the program
// asked n times and the viewer's terminal has not answered yet, as far as the
// caller knows.
func (f *InputFilter) ExpectCPR(n int) { f.cpr = max(n, 0) }

// Pending reports whether bytes are held that Flush would let go.
func (f *InputFilter) Pending() bool {
	switch f.state {
	case filterEscape:
		return true
	case filterCSI:
		// CSI number $ is a shifted key of rxvt; an answer with $ has more.
		return len(f.held) == 2 || f.held[len(f.held)-1] == '$' && !bytes.ContainsAny(f.held, "?;")
	case filterString:
		return len(f.held) == 2
	}
	return false
}

// Flush appends what is held and can be a key by itself: Escape, or Alt with
// one of the characters that introduce sequences. The caller calls it when
// nothing came for some 20 ms. What can only be the beginning of a longer
// sequence stays.
func (f *InputFilter) Flush(dst []byte) []byte {
	if f.Pending() {
		return f.release(dst)
	}
	return dst
}

// Filter appends to dst what of p is the user's.
func (f *InputFilter) Filter(dst, p []byte) []byte {
	for i := 0; i < len(p); {
		switch f.state {
		case filterGround:
			n := bytes.IndexByte(p[i:], '\x1b')
			if n < 0 {
				return append(dst, p[i:]...)
			}
			dst = append(dst, p[i:i+n]...)
			f.hold('\x1b', filterEscape)
			i += n + 1
			continue
		case filterPasteText:
			dst = append(dst, p[i])
			f.paste(p[i])
			i++
			continue
		}
		var again bool
		if dst, again = f.step(dst, p[i]); !again {
			i++
		}
	}
	return dst
}

// step takes one byte inside a sequence; again says that the byte ended it
// without belonging to it and has to be looked at anew.
func (f *InputFilter) step(dst []byte, c byte) (_ []byte, again bool) {
	switch f.state {
	case filterEscape:
		return f.stepEscape(dst, c), false
	case filterCSI:
		return f.stepCSI(dst, c)
	case filterString:
		return f.stepString(dst, c)
	case filterDropEsc:
		f.state = filterGround
		if c == '\\' {
			return dst, false
		}
		f.hold('\x1b', filterEscape) // the ESC began another sequence
		return dst, true
	}
	// In an answer that is dropped. A control character is not part of it: it
	// was cut short and the user goes on.
	switch {
	case c == '\x1b':
		f.state = filterDropEsc
	case c == '\a' && f.state == filterDropOSC:
		f.state = filterGround
	case c < 0x20 || c == 0x7f:
		f.state = filterGround
		return dst, true
	}
	return dst, false
}

func (f *InputFilter) stepEscape(dst []byte, c byte) []byte {
	switch c {
	case '[':
		f.hold(c, filterCSI)
	case ']', 'P', '_':
		f.hold(c, filterString)
	case '\x1b':
		dst = append(dst, '\x1b') // the one before was the Escape key
	default:
		f.hold(c, filterEscape)
		return f.release(dst)
	}
	return dst
}

func (f *InputFilter) stepCSI(dst []byte, c byte) (_ []byte, again bool) {
	last := f.held[len(f.held)-1]
	intermediate := last >= 0x20 && last < 0x30
	switch {
	case c < 0x20 || c > 0x7e || len(f.held) >= maxHeldCSI || intermediate && c >= 0x30 && c < 0x40:
		if len(f.held) > 2 && (f.held[2] == '?' || f.held[2] == '>') {
			f.drop(filterGround) // a broken answer: no key begins like this
			return dst, true
		}
		return f.release(dst), true
	case c < 0x40:
		f.hold(c, filterCSI)
		return dst, false
	}
	f.hold(c, filterCSI)
	switch {
	case string(f.held) == pasteStart:
		dst = f.release(dst)
		f.state, f.matched = filterPasteText, 0
	case f.isReply():
		f.drop(filterGround)
	default:
		dst = f.release(dst)
	}
	return dst, false
}

// isReply reports whether the CSI sequence that is held is an answer.
func (f *InputFilter) isReply() bool {
	body, final := f.held[2:len(f.held)-1], f.held[len(f.held)-1]
	var marker, intermediate byte
	if len(body) > 0 && body[0] >= '<' {
		marker = body[0]
	}
	if n := len(body); n > 0 && body[n-1] < '0' {
		intermediate = body[n-1]
	}
	switch marker {
	case '?', '>', '=': // no key, no mouse
		return true
	case '<': // the mouse
		return false
	}
	switch {
	case intermediate == '$':
		return final == 'y' // DECRPM of an ANSI mode
	case intermediate != 0:
		return false
	case final == 'R':
		return f.isCPR(body)
	case final == 'n', final == 't': // DSR; XTWINOPS, in-band resize
		return true
	case final == 'x':
		return len(body) > 0 // DECREPTPARM
	}
	return false
}

// isCPR reports whether CSI body R is a cursor position report, and counts it.
// Only in row 1 with a column that is a modifier's number can it be F3.
func (f *InputFilter) isCPR(body []byte) bool {
	r, c, ok := bytes.Cut(body, []byte{';'})
	if !ok || !isDigits(r) || !isDigits(c) {
		return false
	}
	const maxModifier = 256 // all eight modifiers, plus one
	n := 0
	for _, d := range c {
		n = min(n*10+int(d-'0'), maxModifier+1)
	}
	if string(r) == "1" && n >= 2 && n <= maxModifier && f.cpr == 0 {
		return false
	}
	f.cpr = max(f.cpr-1, 0)
	return true
}

func isDigits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(b) > 0
}

// stepString looks at the beginning of a string, until it is known to be an
// answer or known not to be one. Then it was Alt and a character.
func (f *InputFilter) stepString(dst []byte, c byte) (_ []byte, again bool) {
	if len(f.held) >= maxHeldString {
		return f.release(dst), true
	}
	last := f.held[len(f.held)-1]
	first := len(f.held) == 2
	digit := c >= '0' && c <= '9'
	switch f.held[1] {
	case ']':
		switch {
		case digit, first && (c == 'l' || c == 'L' || c == 'I'): // titles have letters
			f.hold(c, filterString)
			return dst, false
		case first:
		case c == ';' || last > '9':
			f.drop(filterDropOSC)
			return dst, last > '9' && c != ';'
		case c == '\a', c == '\x1b':
			f.drop(filterDropOSC)
			return dst, true
		}
	case 'P': // parameters, one of !$+>=? and a final byte
		intro := bytes.IndexByte([]byte("!$+>=?"), last) >= 0
		switch {
		case intro && c >= 0x40 && c < 0x7f:
			f.drop(filterDrop)
			return dst, false
		case !intro && (digit || c == ';' && !first || bytes.IndexByte([]byte("!$+>=?"), c) >= 0):
			f.hold(c, filterString)
			return dst, false
		}
	case '_':
		if c == 'G' { // kitty graphics
			f.drop(filterDrop)
			return dst, false
		}
	}
	return f.release(dst), true
}

// paste follows the end marker of a bracketed paste.
func (f *InputFilter) paste(c byte) {
	switch {
	case c == pasteEnd[f.matched]:
		f.matched++
	case c == pasteEnd[0]:
		f.matched = 1
	default:
		f.matched = 0
	}
	if f.matched == len(pasteEnd) {
		f.state = filterGround
	}
}

func (f *InputFilter) hold(c byte, s filterState) {
	f.held, f.state = append(f.held, c), s
}

func (f *InputFilter) drop(s filterState) { f.held, f.state = f.held[:0], s }

func (f *InputFilter) release(dst []byte) []byte {
	dst = append(dst, f.held...)
	f.drop(filterGround)
	return dst
}
