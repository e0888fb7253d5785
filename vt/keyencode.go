package vt

import (
	"strconv"
	"unicode"
	"unicode/utf8"
)

// EncodeKey appends what the program is to read for a key event in the modes
// that it has set: the kitty keyboard protocol if any of its flags is on, else
// xterm's sequences, with modifyOtherKeys if that is on. What the modes cannot
// say adds nothing (a release in legacy modes, Super, a media key).
func EncodeKey(dst []byte, k Key, m InputModes) []byte {
	if k.Code >= keyCount || k.Code == KeyRune && k.Rune == 0 && k.Text == "" {
		return dst
	}
	if k.Event == KeyRelease && m.Kitty&KittyEventTypes == 0 {
		return dst
	}
	if m.Kitty != 0 {
		return appendKitty(dst, k, m)
	}
	return appendLegacy(dst, k, m)
}

// appendLegacy writes the key as xterm does. Control characters and keys that
// type take the modifyOtherKeys form where it is on.
func appendLegacy(dst []byte, k Key, m InputModes) []byte {
	f := k.Code.form()
	if f.class == classKeypad {
		if m.AppKeypad && f.ss3 != 0 && k.Mods&ModNumLock == 0 {
			return append(dst, '\x1b', 'O', f.ss3)
		}
		if f.text != 0 {
			k.Code, k.Rune, k.Shifted = KeyRune, rune(f.text), rune(f.text)
		} else {
			k.Code = f.plain
		}
		f = k.Code.form()
	}
	mods := k.Mods & modsLegacy
	switch {
	case k.Code == KeyRune || f.class == classC0:
		if code, ok := otherKey(k, m); ok {
			dst = append(dst, "\x1b[27;"...)
			dst = strconv.AppendUint(dst, uint64(mods)+1, 10)
			dst = append(dst, ';')
			dst = strconv.AppendInt(dst, int64(code), 10)
			return append(dst, '~')
		}
		if k.Code == KeyRune {
			return appendLegacyRune(dst, k)
		}
		return appendLegacyC0(dst, k, m)
	case f.class == classCursor && m.AppCursor && mods == 0, f.class == classPF && mods == 0:
		return append(dst, '\x1b', 'O', f.ss3)
	case f.class == classCursor:
		return appendCSI(dst, 1, mods, f.final)
	case f.class == classPF:
		return appendCSI(dst, 1, mods, f.ss3)
	case f.class == classTilde:
		return appendCSI(dst, f.number, mods, '~')
	case k.Code >= KeyF13 && k.Code <= KeyF20:
		return appendCSI(dst, vt220Function[k.Code-KeyF13], mods, '~')
	}
	return dst
}

// vt220Function are the numbers of F13–F20.
var vt220Function = [...]uint16{25, 26, 28, 29, 31, 32, 33, 34}

// appendCSI writes CSI number ; mods+1 final, leaving out what says nothing.
func appendCSI(dst []byte, number uint16, mods Mods, final byte) []byte {
	dst = append(dst, '\x1b', '[')
	if number != 1 || mods != 0 {
		dst = strconv.AppendUint(dst, uint64(number), 10)
	}
	if mods != 0 {
		dst = append(dst, ';')
		dst = strconv.AppendUint(dst, uint64(mods)+1, 10)
	}
	return append(dst, final)
}

// otherKey reports whether modifyOtherKeys takes the key, and the character
// it writes.
func otherKey(k Key, m InputModes) (code rune, ok bool) {
	mods := k.Mods & modsLegacy
	if m.ModifyOtherKeys <= 0 || mods == 0 || k.Mods&^(modsLegacy|modsLocks) != 0 {
		return 0, false
	}
	all := m.ModifyOtherKeys >= 2
	switch k.Code {
	case KeyRune:
		code = k.Rune
		if mods&ModShift != 0 {
			code = k.shifted()
		}
		if all {
			// Shift alone only types another character; of the space it does not.
			return code, mods != ModShift || code == ' '
		}
		_, c0 := controlOf(code)
		return code, mods&ModCtrl != 0 && !c0
	case KeyEnter:
		return '\r', true
	case KeyTab:
		return '\t', mods != ModShift
	case KeyEscape:
		return '\x1b', all
	case KeyBackspace:
		if m.BackarrowBS {
			return '\b', all
		}
		return 0x7f, all
	}
	return 0, false
}

// controlOf is the control character that Ctrl makes of a character.
func controlOf(r rune) (byte, bool) {
	switch {
	case r >= 'a' && r <= 'z':
		return byte(r) & 0x1f, true
	case r >= '@' && r <= '_':
		return byte(r) & 0x1f, true
	case r == ' ', r == '2', r == '`':
		return 0, true
	case r >= '3' && r <= '7':
		return byte(r) - '3' + 0x1b, true
	case r == '8', r == '?':
		return 0x7f, true
	case r == '/':
		return 0x1f, true
	case r >= '{' && r <= '~':
		return byte(r) & 0x1f, true
	}
	return 0, false
}

func appendLegacyRune(dst []byte, k Key) []byte {
	if k.Mods&(ModSuper|ModHyper|ModMeta) != 0 {
		return dst
	}
	if k.Mods&ModAlt != 0 {
		dst = append(dst, '\x1b')
	}
	r := k.Rune
	if k.Mods&ModShift != 0 {
		r = k.shifted()
	}
	if k.Mods&ModCtrl != 0 {
		if c, ok := controlOf(r); ok {
			return append(dst, c)
		}
		if c, ok := controlOf(k.Rune); ok {
			return append(dst, c)
		}
		return utf8.AppendRune(dst, r)
	}
	if k.Mods&ModAlt == 0 {
		return append(dst, k.text()...)
	}
	return utf8.AppendRune(dst, r)
}

// appendLegacyC0 writes Enter, Tab, Backspace and Escape, for which xterm knows
// Alt, but Shift only with Tab and Ctrl only with Backspace.
func appendLegacyC0(dst []byte, k Key, m InputModes) []byte {
	if k.Mods&ModAlt != 0 {
		dst = append(dst, '\x1b')
	}
	switch k.Code {
	case KeyEnter:
		dst = append(dst, '\r')
		if m.Newline {
			dst = append(dst, '\n')
		}
	case KeyTab:
		if k.Mods&ModShift != 0 {
			return append(dst, "\x1b[Z"...)
		}
		dst = append(dst, '\t')
	case KeyEscape:
		dst = append(dst, '\x1b')
	case KeyBackspace:
		if m.BackarrowBS != (k.Mods&ModCtrl != 0) {
			dst = append(dst, '\b')
		} else {
			dst = append(dst, 0x7f)
		}
	}
	return dst
}

// text is what the key types: nothing with Ctrl, Alt or Super held.
func (k Key) text() string {
	const silent = ModCtrl | ModAlt | ModSuper | ModHyper | ModMeta
	if k.Text != "" && !isControlText(k.Text) {
		return k.Text
	}
	if k.Mods&silent != 0 {
		return ""
	}
	if f := k.Code.form(); f.text != 0 {
		return string(rune(f.text))
	}
	if k.Code != KeyRune || k.Rune == 0 {
		return ""
	}
	shift := k.Mods&ModShift != 0
	if k.Mods&ModCapsLock != 0 && unicode.IsLetter(k.Rune) {
		shift = !shift
	}
	if shift {
		return string(k.shifted())
	}
	return string(k.Rune)
}

func isControlText(s string) bool { return s[0] < 0x20 || s[0] == 0x7f }

// appendKitty writes the key after the kitty keyboard protocol.
func appendKitty(dst []byte, k Key, m InputModes) []byte {
	f := k.Code.form()
	all := m.Kitty&KittyAllKeys != 0
	disambiguate := all || m.Kitty&KittyDisambiguate != 0
	mods := k.Mods
	if f.class == classModifier && !all {
		return dst
	}
	if f.class == classKeypad && !disambiguate {
		if f.text != 0 {
			k.Code, k.Rune, k.Shifted = KeyRune, rune(f.text), rune(f.text)
		} else {
			k.Code = f.plain
		}
		f = k.Code.form()
	}
	typed := ""
	if k.Event != KeyRelease {
		typed = k.text()
	}
	if !all {
		if typed != "" {
			return append(dst, typed...)
		}
		if c0 := f.class == classC0 && k.Code != KeyEscape; c0 && mods&^modsLocks == 0 {
			if k.Event == KeyRelease {
				return dst // or a shell would be typed into by the key that ran the last command
			}
			return appendLegacyC0(dst, Key{Code: k.Code}, m)
		}
		// A lock alone modifies nothing for keys that are not reported as text.
		if k.Code == KeyRune {
			mods &^= modsLocks
		}
		if !disambiguate && k.Event == KeyPress && (k.Code == KeyRune || f.class == classC0) && mods&^modsLegacy == 0 {
			return appendLegacy(dst, k, InputModes{BackarrowBS: m.BackarrowBS, Newline: m.Newline})
		}
	}
	if !disambiguate && k.Event == KeyPress && mods&^modsLocks == 0 && (f.class == classPF || f.class == classCursor && m.AppCursor) {
		return append(dst, '\x1b', 'O', f.ss3)
	}
	return appendKittyCSI(dst, k, f, mods, typed, m.Kitty)
}

// appendKittyCSI writes CSI key:shifted:base ; mods:event ; text final,
// leaving out what says nothing.
func appendKittyCSI(dst []byte, k Key, f keyForm, mods Mods, typed string, flags KittyFlags) []byte {
	number, final := int64(f.number), f.final
	var shifted, base rune
	if k.Code == KeyRune {
		number, final = int64(k.Rune), 'u'
		if flags&KittyAlternateKeys != 0 {
			if s := k.shifted(); mods&ModShift != 0 && s != k.Rune {
				shifted = s
			}
			if k.Base != k.Rune {
				base = k.Base
			}
		}
	}
	event := flags&KittyEventTypes != 0 && k.Event != KeyPress
	if flags&KittyAssociatedText == 0 || flags&KittyAllKeys == 0 {
		typed = ""
	}
	dst = append(dst, '\x1b', '[')
	if number != 1 || mods != 0 || event || typed != "" {
		dst = strconv.AppendInt(dst, number, 10)
	}
	if shifted != 0 || base != 0 {
		dst = append(dst, ':')
		if shifted != 0 {
			dst = strconv.AppendInt(dst, int64(shifted), 10)
		}
		if base != 0 {
			dst = append(dst, ':')
			dst = strconv.AppendInt(dst, int64(base), 10)
		}
	}
	if mods != 0 || event || typed != "" {
		dst = append(dst, ';')
	}
	if mods != 0 || event {
		dst = strconv.AppendUint(dst, uint64(mods)+1, 10)
	}
	if event {
		dst = append(dst, ':')
		dst = strconv.AppendUint(dst, uint64(k.Event)+1, 10)
	}
	for i, r := range typed {
		if i == 0 {
			dst = append(dst, ';')
		} else {
			dst = append(dst, ':')
		}
		dst = strconv.AppendInt(dst, int64(r), 10)
	}
	return append(dst, final)
}
