//go:build unix

package term

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// typing reads what a viewer's terminal sends, after the filter, for what the
// status has to know of it. It belongs to one viewer; the zero value is ready.
type typing struct {
	paste   bool   // inside a bracketed paste
	matched int    // bytes of the paste's end that came last
	skip    int    // bytes of a mouse report that are still to come
	draft   []byte // the end of what was typed since the last Enter, erased as it was
}

// pressed is what a person did with some bytes.
type pressed struct {
	key       bool   // any key or paste: a report of the mouse or the focus is none
	interrupt bool   // Esc or Ctrl-C
	submit    bool   // Enter, outside a paste
	draft     string // what was typed and not sent, as far as the keys tell
	line      string // what was submitted, as far as the keys tell
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
			t.write(p[0])
			t.pasted(p[0])
		case p[0] == 0x1b:
			n = t.escape(p, &out)
		default:
			out.key = true
			out.interrupt = out.interrupt || p[0] == 0x03
			if p[0] == '\r' {
				out.submit, out.line = true, string(t.draft)
			}
			t.edit(p[0])
		}
		p = p[n:]
	}
	out.draft = string(t.draft)
	return out
}

// maxDraft is how much of a draft is remembered, in bytes.
const maxDraft = 256

func (t *typing) write(c byte) {
	if c == 0x1b || c >= 0x20 && c != 0x7f {
		t.draft = append(t.draft, c)
	}
	if n := len(t.draft) - maxDraft; n > 0 {
		t.draft = append(t.draft[:0], t.draft[n:]...)
	}
}

// edit does to the draft what a key does to a line in most programs.
func (t *typing) edit(c byte) {
	switch c {
	case '\r', 0x03, 0x15: // Enter, Ctrl-C, Ctrl-U
		t.draft = t.draft[:0]
	case 0x7f, 0x08:
		_, n := utf8.DecodeLastRune(t.draft)
		t.draft = t.draft[:len(t.draft)-n]
	case 0x17: // Ctrl-W
		words := bytes.TrimRight(t.draft, " ")
		t.draft = t.draft[:bytes.LastIndexByte(words, ' ')+1]
	default:
		t.write(c)
	}
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
		t.draft = bytes.TrimSuffix(t.draft, []byte(pasteEnd))
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
	t.pressKey(k)
	plain := k.mods == 0
	out.submit = out.submit || plain && (k.code == 13 || k.code == 57414)
	out.interrupt = out.interrupt || plain && k.code == 27 || k.mods == modCtrl && (k.code == 'c' || k.base == 'c')
}

// pressKey is edit for a key in a long form.
func (t *typing) pressKey(k encoded) {
	switch {
	case k.mods == modCtrl && k.code >= 'a' && k.code <= 'z':
		t.edit(byte(k.code) & 0x1f)
	case k.mods&^modShift != 0:
	case k.code == 13 || k.code == 57414 || k.code == 127:
		t.edit(byte(map[int]byte{13: '\r', 57414: '\r', 127: 0x7f}[k.code]))
	case k.code >= 0x20 && k.code < 0xd800:
		for _, c := range []byte(string(rune(k.code))) {
			t.write(c)
		}
	}
}

// encoded is a key in the kitty form (CSI code:shifted:base ; mods:event u) or
// in xterm's (CSI 27 ; mods ; code ~). Other keys have code 0.
type encoded struct {
	code, base int
	mods       int // without the locks
	released   bool
}

const (
	modShift = 1
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
