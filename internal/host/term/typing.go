//go:build unix

package term

import (
	"bytes"
	"strconv"
)

// typing reads what a viewer's terminal sends, after the filter, for what the
// status has to know of it. It belongs to one viewer; the zero value is ready.
type typing struct {
	paste   bool // inside a bracketed paste
	matched int  // bytes of the paste's end that came last
	skip    int  // bytes of a mouse report that are still to come
}

// pressed is what a person did with some bytes.
type pressed struct {
	key       bool // any key or paste: a report of the mouse or the focus is none
	interrupt bool // Esc or Ctrl-C
	submit    bool // Enter, outside a paste
}

// read takes the next bytes.
func (t *typing) read(p []byte) (out pressed) {
	for len(p) > 0 {
		n := 1
		switch {
		case t.skip > 0:
			t.skip--
		case t.paste:
			out.key = true
			t.pasted(p[0])
		case p[0] == 0x1b:
			n = t.escape(p, &out)
		default:
			out.key = true
			out.interrupt = out.interrupt || p[0] == 0x03
			out.submit = out.submit || p[0] == '\r'
		}
		p = p[n:]
	}
	return out
}

func (t *typing) pasted(c byte) {
	switch {
	case c == pasteEnd[t.matched]:
		t.matched++
	case c == pasteEnd[0]:
		t.matched = 1
	default:
		t.matched = 0
	}
	if t.matched == len(pasteEnd) {
		t.paste, t.matched = false, 0
	}
}

// escape takes what ESC begins and says how long it is. The filter passes whole
// sequences, so that an ESC at the end is the key.
func (t *typing) escape(p []byte, out *pressed) int {
	if len(p) == 1 || p[1] == 0x1b {
		out.key, out.interrupt = true, true
		return 1
	}
	if p[1] == '[' {
		for i := 2; i < len(p); i++ {
			if p[i] >= 0x40 && p[i] <= 0x7e {
				t.sequence(p[2:i], p[i], out)
				return i + 1
			}
		}
	}
	out.key = true
	if p[1] == 'O' && len(p) > 2 {
		out.submit = out.submit || p[2] == 'M' // Enter of the keypad
		return 3
	}
	return 2 // Alt and a key
}

// sequence takes CSI args final.
func (t *typing) sequence(args []byte, final byte, out *pressed) {
	switch {
	case len(args) == 0 && (final == 'I' || final == 'O'): // focus
		return
	case final == 'M' && len(args) == 0: // the mouse, in the oldest form
		t.skip = 3
		return
	case final == 'M' || len(args) > 0 && args[0] == '<':
		return
	case final == '~' && string(args) == "200":
		t.paste, out.key = true, true
		return
	}
	k := parseKey(args, final)
	if k.released || k.modifier() {
		return
	}
	out.key = true
	plain := k.mods == 0
	out.submit = out.submit || plain && (k.code == 13 || k.code == 57414)
	out.interrupt = out.interrupt || plain && k.code == 27 || k.mods == modCtrl && (k.code == 'c' || k.base == 'c')
}

// encoded is a key in the kitty form (CSI code:shifted:base ; mods:event u) or
// in xterm's (CSI 27 ; mods ; code ~). Other keys have code 0.
type encoded struct {
	code, base int
	mods       int // without the locks
	released   bool
}

const (
	modCtrl  = 4
	modLocks = 64 | 128
)

func parseKey(args []byte, final byte) encoded {
	field := func(i, sub int) int {
		for n, f := range bytes.Split(args, []byte{';'}) {
			if n != i {
				continue
			}
			for m, s := range bytes.Split(f, []byte{':'}) {
				if m == sub {
					v, _ := strconv.Atoi(string(s))
					return v
				}
			}
		}
		return 0
	}
	k := encoded{mods: max(field(1, 0)-1, 0) &^ modLocks, released: field(1, 1) == 3}
	switch {
	case final == 'u':
		k.code, k.base = field(0, 0), field(0, 2)
	case final == '~' && field(0, 0) == 27:
		k.code = field(2, 0)
	}
	return k
}

// modifier tells that a modifier or a lock was pressed alone.
func (k encoded) modifier() bool {
	return k.code >= 57358 && k.code <= 57360 || k.code >= 57441 && k.code <= 57454
}
