package vt

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// keyNames are the names of keys that ParseKey knows, in lower case; F1–F12
// and single characters besides.
var keyNames = [...]struct {
	name string
	code KeyCode
}{
	{"enter", KeyEnter},
	{"return", KeyEnter},
	{"cr", KeyEnter},
	{"escape", KeyEscape},
	{"esc", KeyEscape},
	{"tab", KeyTab},
	{"backspace", KeyBackspace},
	{"bspace", KeyBackspace},
	{"bs", KeyBackspace},
	{"delete", KeyDelete},
	{"del", KeyDelete},
	{"dc", KeyDelete},
	{"insert", KeyInsert},
	{"ic", KeyInsert},
	{"up", KeyUp},
	{"down", KeyDown},
	{"left", KeyLeft},
	{"right", KeyRight},
	{"home", KeyHome},
	{"end", KeyEnd},
	{"pageup", KeyPageUp},
	{"pgup", KeyPageUp},
	{"ppage", KeyPageUp},
	{"pagedown", KeyPageDown},
	{"pgdn", KeyPageDown},
	{"npage", KeyPageDown},
}

// modNames are the names of modifiers that ParseKey knows.
var modNames = [...]struct {
	name string
	mod  Mods
}{
	{"c", ModCtrl},
	{"ctrl", ModCtrl},
	{"control", ModCtrl},
	{"s", ModShift},
	{"shift", ModShift},
	{"m", ModAlt},
	{"alt", ModAlt},
	{"meta", ModAlt},
	{"opt", ModAlt},
	{"option", ModAlt},
	{"d", ModSuper},
	{"cmd", ModSuper},
	{"command", ModSuper},
	{"super", ModSuper},
	{"win", ModSuper},
}

// shiftedUS pairs each key of a US keyboard that types no letter with what
// Shift makes of it.
const shiftedUS = "`~1!2@3#4$5%6^7&8*9(0)-_=+[{]}\\|;:'\",<.>/?"

// ParseKey reads the name of a key as people write it: "enter", "ctrl-c",
// "shift-tab", "f5", "alt+left". Case does not matter; "-" and "+" both join
// modifiers to the key; "ctrl--" is Ctrl and the minus key. A single printable
// ASCII character is the key of a US keyboard that types it, so that "?" is
// Shift and the slash key. Super (cmd, win) is refused: only the kitty
// protocol can carry it, for which there is ParseKeyFor. Errors name the key.
func ParseKey(name string) (Key, error) { return ParseKeyFor(name, InputModes{}) }

// ParseKeyFor is ParseKey for a program whose modes are known: it takes Super
// if the program speaks the kitty keyboard protocol.
func ParseKeyFor(name string, m InputModes) (Key, error) {
	rest := strings.ToLower(strings.TrimSpace(name))
	var mods Mods
	for {
		i := strings.IndexAny(rest, "-+")
		if i <= 0 {
			break // no separator, or it is the key itself
		}
		mod, ok := modNamed(rest[:i])
		if !ok {
			return Key{}, fmt.Errorf("key %q: unknown modifier %q", name, rest[:i])
		}
		mods |= mod
		rest = rest[i+1:]
	}
	k, ok := keyNamed(rest)
	if !ok && rest == name {
		return Key{}, fmt.Errorf("unknown key %q", name)
	}
	if !ok {
		return Key{}, fmt.Errorf("key %q: unknown key %q", name, rest)
	}
	if mods&ModSuper != 0 && m.Kitty == 0 {
		return Key{}, fmt.Errorf("key %q: super reaches only programs that use the kitty keyboard protocol", name)
	}
	k.Mods |= mods
	return k, nil
}

func modNamed(s string) (Mods, bool) {
	for _, m := range modNames {
		if m.name == s {
			return m.mod, true
		}
	}
	return 0, false
}

// keyNamed finds a key by its lower-case name.
func keyNamed(s string) (Key, bool) {
	for _, k := range keyNames {
		if k.name == s {
			return Key{Code: k.code}, true
		}
	}
	if s == "space" {
		return Key{Rune: ' '}, true
	}
	if len(s) == 1 && s[0] > ' ' && s[0] < 0x7f {
		return usKey(rune(s[0])), true
	}
	if n, ok := strings.CutPrefix(s, "f"); ok && n != "" && n[0] != '0' {
		if i, ok := percent([]byte(n)); ok && i >= 1 && i <= 12 {
			return Key{Code: KeyF1 + KeyCode(i-1)}, true
		}
	}
	return Key{}, false
}

// usKey is the key of a US keyboard that types the printable ASCII character
// r, with Shift if it takes it.
func usKey(r rune) Key {
	if r >= 'A' && r <= 'Z' {
		return Key{Rune: r + 'a' - 'A', Shifted: r, Mods: ModShift}
	}
	i := strings.IndexRune(shiftedUS, r)
	if i < 0 {
		return Key{Rune: r}
	}
	if i%2 == 0 {
		return Key{Rune: r, Shifted: rune(shiftedUS[i+1])}
	}
	return Key{Rune: rune(shiftedUS[i-1]), Shifted: r, Mods: ModShift}
}

// shifted is what Shift makes of the key's character.
func (k Key) shifted() rune {
	switch {
	case k.Shifted != 0:
		return k.Shifted
	case k.Rune < utf8.RuneSelf:
		if i := strings.IndexRune(shiftedUS, k.Rune); i >= 0 && i%2 == 0 {
			return rune(shiftedUS[i+1])
		}
	}
	return unicode.ToUpper(k.Rune)
}
