package attach

import (
	"bytes"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/termio-sh/termio/vt"
)

// maxHeld bounds an unfinished sequence, in bytes; a longer one is none.
const maxHeld = 128

// keyboard takes the outer terminal's input apart: what is ours (the key that
// leaves, the mouse) and what is the program's, which it passes on as it is.
type keyboard struct {
	leave   map[string]bool // what the key that leaves looks like
	held    []byte          // the beginning of a sequence that goes on
	passed  []byte          // one that was passed on because its rest took long
	pasting bool
}

// token is one piece of input. Mouse is set for a mouse event, leave for the
// key that leaves; all others are bytes for the program.
type token struct {
	bytes []byte
	mouse *vt.MouseEvent
	leave bool
}

func newKeyboard(leave vt.Key) *keyboard {
	k := &keyboard{leave: map[string]bool{}}
	for _, m := range []vt.InputModes{
		{},
		{AppCursor: true, AppKeypad: true},
		{ModifyOtherKeys: 2},
		{Kitty: vt.KittyDisambiguate},
		{Kitty: vt.KittyDisambiguate | vt.KittyEventTypes | vt.KittyAlternateKeys | vt.KittyAllKeys},
		{Kitty: vt.KittyDisambiguate | vt.KittyEventTypes | vt.KittyAlternateKeys | vt.KittyAllKeys | vt.KittyAssociatedText},
	} {
		if seq := vt.EncodeKey(nil, leave, m); len(seq) > 0 {
			plain, _ := canonical(seq)
			k.leave[plain] = true
		}
	}
	return k
}

// canonical is a key's sequence without what does not tell which key it is:
// Caps Lock and Num Lock, the alternate keys, the text, press or repeat. down
// is false for a release.
func canonical(seq []byte) (plain string, down bool) {
	if len(seq) < 4 || seq[0] != '\x1b' || seq[1] != '[' {
		return string(seq), true
	}
	final := seq[len(seq)-1]
	fields := bytes.Split(seq[2:len(seq)-1], []byte{';'})
	if final != 'u' && final != '~' && (final < 'A' || final > 'Z') {
		return string(seq), true
	}
	at := 1 // the modifiers' field
	if final == '~' && string(fields[0]) == "27" && len(fields) == 3 {
		fields = [][]byte{fields[2], fields[1]} // modifyOtherKeys, as CSI u
		final = 'u'
	}
	code, _, _ := bytes.Cut(fields[0], []byte{':'})
	down = true
	mods := 0
	if len(fields) > at {
		m, event, _ := bytes.Cut(fields[at], []byte{':'})
		n, err := strconv.Atoi(string(m))
		if err != nil && len(m) > 0 {
			return string(seq), true
		}
		mods = max(n-1, 0) &^ int(vt.ModCapsLock|vt.ModNumLock)
		down = string(event) != "3"
	}
	if mods == 0 && (final != 'u' && final != '~') {
		code = nil
	}
	out := append([]byte("\x1b["), code...)
	if mods != 0 {
		out = append(out, ';')
		out = strconv.AppendInt(out, int64(mods+1), 10)
	}
	return string(append(out, final)), down
}

// feed takes input and hands its pieces to emit, in order. The bytes of a
// token are valid during the call only.
func (k *keyboard) feed(p []byte, emit func(token)) {
	if len(k.held) > 0 {
		p = append(k.held, p...)
		k.held = nil
	}
	if n := k.late(p); n > 0 {
		emit(token{bytes: p[:n]})
		p = p[n:]
	}
	from := 0 // of what is passed on as it is
	pass := func(to int) {
		if to > from {
			emit(token{bytes: p[from:to]})
		}
	}
	for i := 0; i < len(p); {
		n, whole := k.next(p[i:])
		if !whole {
			pass(i)
			k.held = append([]byte(nil), p[i:]...)
			return
		}
		seq := p[i : i+n]
		if t, ours := k.classify(seq); ours {
			pass(i)
			emit(t)
			from = i + n
		}
		i += n
	}
	pass(len(p))
}

// flush gives up waiting for the rest of a sequence: what is held was typed.
func (k *keyboard) flush(emit func(token)) {
	held := k.held
	k.held = nil
	if len(held) == 0 {
		return
	}
	if t, ours := k.classify(held); ours {
		emit(t)
		return
	}
	k.passed = held
	emit(token{bytes: held})
}

// late is how much of p ends a paste's begin marker whose beginning was passed
// on already.
func (k *keyboard) late(p []byte) int {
	passed := k.passed
	k.passed = nil
	if len(passed) == 0 || !bytes.HasPrefix(append(passed, p...), []byte(pasteBegin)) {
		return 0
	}
	k.pasting = true
	return len(pasteBegin) - len(passed)
}

const (
	// escapeWait is how long an Escape may be the beginning of a sequence,
	// and sequenceWait how long one that is more than that may take.
	escapeWait   = 10 * time.Millisecond
	sequenceWait = 200 * time.Millisecond
)

// wait is how long to wait for the rest of what is held before flush; 0 for
// none. A paste always has an end.
func (k *keyboard) wait() time.Duration {
	switch {
	case len(k.held) == 0 || k.pasting:
		return 0
	case len(k.held) == 1:
		return escapeWait
	}
	return sequenceWait
}

const (
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// next is the length of the first piece of p, and whether it is whole.
func (k *keyboard) next(p []byte) (n int, whole bool) {
	if k.pasting {
		if i := bytes.Index(p, []byte(pasteEnd)); i > 0 {
			return i, true
		} else if i == 0 {
			return len(pasteEnd), true
		}
		// The end marker may be cut in two.
		for n := min(len(pasteEnd)-1, len(p)); n > 0; n-- {
			if bytes.HasPrefix([]byte(pasteEnd), p[len(p)-n:]) {
				return len(p) - n, len(p) > n
			}
		}
		return len(p), true
	}
	if p[0] != '\x1b' {
		if p[0] < utf8.RuneSelf {
			return 1, true
		}
		_, n := utf8.DecodeRune(p)
		return n, true
	}
	if len(p) == 1 {
		return 1, false
	}
	switch p[1] {
	case '[':
		return csiLen(p)
	case 'O':
		if len(p) < 3 {
			return 0, false
		}
		return 3, true
	case '\x1b':
		return 1, true // Alt and what follows, or two Escapes
	}
	return 2, true
}

// csiLen is the length of the control sequence that p begins with. One that is
// broken or too long is as long as what was read of it.
func csiLen(p []byte) (int, bool) {
	for i := 2; i < len(p); i++ {
		switch c := p[i]; {
		case c == 'M' && i == 2: // three bytes follow: the old mouse reports
			if len(p) < 6 {
				return 0, false
			}
			return 6, true
		case c >= 0x40 && c <= 0x7e:
			return i + 1, true
		case c < 0x20 || c > 0x7e, i >= maxHeld:
			return i, true
		}
	}
	return 0, len(p) > maxHeld
}

// classify reports whether seq is for us.
func (k *keyboard) classify(seq []byte) (token, bool) {
	if k.pasting {
		k.pasting = string(seq) != pasteEnd
		return token{}, false
	}
	if len(seq) == 1 {
		return token{leave: true}, k.leave[string(seq)]
	}
	if seq[0] != '\x1b' {
		return token{}, false
	}
	if string(seq) == pasteBegin {
		k.pasting = true
		return token{}, false
	}
	if e, ok := parseMouse(seq); ok {
		return token{mouse: &e}, true
	}
	if plain, down := canonical(seq); down && k.leave[plain] {
		return token{leave: true}, true
	}
	return token{}, false
}

// parseMouse reads a mouse report in SGR form, or the old one from a terminal
// that does not know that.
func parseMouse(seq []byte) (vt.MouseEvent, bool) {
	if len(seq) == 6 && string(seq[:3]) == "\x1b[M" {
		code := int(seq[3]) - 32
		e, ok := mouseEvent(code, int(seq[4])-33, int(seq[5])-33)
		if code&3 == 3 && code < 64 && e.Action == vt.MousePress {
			e.Action = vt.MouseRelease
		}
		return e, ok
	}
	last := len(seq) - 1
	if last < 8 || string(seq[:3]) != "\x1b[<" || seq[last] != 'M' && seq[last] != 'm' {
		return vt.MouseEvent{}, false
	}
	fields := bytes.Split(seq[3:last], []byte{';'})
	if len(fields) != 3 {
		return vt.MouseEvent{}, false
	}
	var n [3]int
	for i, f := range fields {
		v, err := strconv.Atoi(string(f))
		if err != nil {
			return vt.MouseEvent{}, false
		}
		n[i] = v
	}
	e, ok := mouseEvent(n[0], n[1]-1, n[2]-1)
	if seq[last] == 'm' {
		e.Action = vt.MouseRelease
	}
	return e, ok
}

// buttons are the buttons by the bits 0, 1, 6 and 7 of a report's first number.
var buttons = [...]vt.Button{
	vt.ButtonLeft, vt.ButtonMiddle, vt.ButtonRight, vt.ButtonNone,
	vt.ButtonWheelUp, vt.ButtonWheelDown, vt.ButtonWheelLeft, vt.ButtonWheelRight,
	vt.Button8, vt.Button9, vt.Button10, vt.Button11,
}

func mouseEvent(code, x, y int) (vt.MouseEvent, bool) {
	at := code&3 | code>>6<<2
	if code < 0 || at >= len(buttons) || x < 0 || y < 0 {
		return vt.MouseEvent{}, false
	}
	e := vt.MouseEvent{Action: vt.MousePress, Button: buttons[at], X: x, Y: y}
	if code&4 != 0 {
		e.Mods |= vt.ModShift
	}
	if code&8 != 0 {
		e.Mods |= vt.ModAlt
	}
	if code&16 != 0 {
		e.Mods |= vt.ModCtrl
	}
	if code&32 != 0 {
		e.Action = vt.MouseMove
	}
	return e, true
}
