package vt

import (
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestEncodeKey(t *testing.T) {
	var (
		legacy  = InputModes{}
		app     = InputModes{AppCursor: true, AppKeypad: true}
		other1  = InputModes{ModifyOtherKeys: 1}
		other2  = InputModes{ModifyOtherKeys: 2}
		k1      = InputModes{Kitty: KittyDisambiguate}
		k1app   = InputModes{Kitty: KittyDisambiguate, AppCursor: true, AppKeypad: true}
		k2      = InputModes{Kitty: KittyEventTypes}
		k3      = InputModes{Kitty: KittyDisambiguate | KittyEventTypes}
		k5      = InputModes{Kitty: KittyDisambiguate | KittyAlternateKeys}
		k8      = InputModes{Kitty: KittyAllKeys}
		k10     = InputModes{Kitty: KittyAllKeys | KittyEventTypes}
		k24     = InputModes{Kitty: KittyAllKeys | KittyAssociatedText}
		k31     = InputModes{Kitty: 31}
		shift   = ModShift
		ctrl    = ModCtrl
		alt     = ModAlt
		runeKey = func(r rune, m Mods) Key { return Key{Rune: r, Mods: m} }
		fkey    = func(c KeyCode, m Mods) Key { return Key{Code: c, Mods: m} }
	)
	event := func(k Key, e KeyEvent) Key { k.Event = e; return k }
	tests := []struct {
		name string
		k    Key
		m    InputModes
		want string
	}{
		// Legacy text: xterm, and kitty's table of legacy text keys.
		{"a", runeKey('a', 0), legacy, "a"},
		{"A", runeKey('a', shift), legacy, "A"},
		{"caps lock", runeKey('a', ModCapsLock), legacy, "A"},
		{"caps lock and shift", runeKey('a', ModCapsLock|shift), legacy, "a"},
		{"caps lock on a digit", runeKey('3', ModCapsLock), legacy, "3"},
		{"#", runeKey('3', shift), legacy, "#"},
		{"?", runeKey('/', shift), legacy, "?"},
		{"é", runeKey('é', 0), legacy, "é"},
		{"É", runeKey('é', shift), legacy, "É"},
		{"own shifted", Key{Rune: '2', Shifted: '"', Mods: shift}, legacy, "\""},
		{"input method", Key{Text: "日本"}, legacy, "日本"},
		{"alt-a", runeKey('a', alt), legacy, "\x1ba"},
		{"alt-A", runeKey('a', alt|shift), legacy, "\x1bA"},
		{"alt-é", runeKey('é', alt), legacy, "\x1bé"},
		{"ctrl-a", runeKey('a', ctrl), legacy, "\x01"},
		{"ctrl-A", runeKey('a', ctrl|shift), legacy, "\x01"},
		{"ctrl-alt-a", runeKey('a', ctrl|alt), legacy, "\x1b\x01"},
		{"ctrl-c", runeKey('c', ctrl), legacy, "\x03"},
		{"ctrl-space", runeKey(' ', ctrl), legacy, "\x00"},
		{"ctrl-alt-space", runeKey(' ', ctrl|alt), legacy, "\x1b\x00"},
		{"ctrl-2", runeKey('2', ctrl), legacy, "\x00"},
		{"ctrl-3", runeKey('3', ctrl), legacy, "\x1b"},
		{"ctrl-6", runeKey('6', ctrl), legacy, "\x1e"},
		{"ctrl-7", runeKey('7', ctrl), legacy, "\x1f"},
		{"ctrl-8", runeKey('8', ctrl), legacy, "\x7f"},
		{"ctrl-9", runeKey('9', ctrl), legacy, "9"},
		{"ctrl-0", runeKey('0', ctrl), legacy, "0"},
		{"ctrl-[", runeKey('[', ctrl), legacy, "\x1b"},
		{"ctrl-\\", runeKey('\\', ctrl), legacy, "\x1c"},
		{"ctrl-]", runeKey(']', ctrl), legacy, "\x1d"},
		{"ctrl-/", runeKey('/', ctrl), legacy, "\x1f"},
		{"ctrl-?", runeKey('/', ctrl|shift), legacy, "\x7f"},
		{"ctrl-@", runeKey('2', ctrl|shift), legacy, "\x00"},
		{"ctrl-_", runeKey('-', ctrl|shift), legacy, "\x1f"},
		{"ctrl--", runeKey('-', ctrl), legacy, "-"},
		{"ctrl-;", runeKey(';', ctrl), legacy, ";"},
		{"super-a", runeKey('a', ModSuper), legacy, ""},
		{"release", event(runeKey('a', 0), KeyRelease), legacy, ""},
		{"repeat", event(runeKey('a', 0), KeyRepeat), legacy, "a"},
		{"nothing", Key{}, legacy, ""},

		// Legacy C0 keys: kitty's table.
		{"enter", fkey(KeyEnter, 0), legacy, "\r"},
		{"ctrl-enter", fkey(KeyEnter, ctrl), legacy, "\r"},
		{"shift-enter", fkey(KeyEnter, shift), legacy, "\r"},
		{"alt-enter", fkey(KeyEnter, alt), legacy, "\x1b\r"},
		{"enter, LNM", fkey(KeyEnter, 0), InputModes{Newline: true}, "\r\n"},
		{"escape", fkey(KeyEscape, 0), legacy, "\x1b"},
		{"alt-escape", fkey(KeyEscape, alt), legacy, "\x1b\x1b"},
		{"backspace", fkey(KeyBackspace, 0), legacy, "\x7f"},
		{"ctrl-backspace", fkey(KeyBackspace, ctrl), legacy, "\b"},
		{"alt-backspace", fkey(KeyBackspace, alt), legacy, "\x1b\x7f"},
		{"ctrl-alt-backspace", fkey(KeyBackspace, ctrl|alt), legacy, "\x1b\b"},
		{"backspace, DECBKM", fkey(KeyBackspace, 0), InputModes{BackarrowBS: true}, "\b"},
		{"ctrl-backspace, DECBKM", fkey(KeyBackspace, ctrl), InputModes{BackarrowBS: true}, "\x7f"},
		{"tab", fkey(KeyTab, 0), legacy, "\t"},
		{"shift-tab", fkey(KeyTab, shift), legacy, "\x1b[Z"},
		{"alt-tab", fkey(KeyTab, alt), legacy, "\x1b\t"},
		{"alt-shift-tab", fkey(KeyTab, alt|shift), legacy, "\x1b\x1b[Z"},
		{"ctrl-tab", fkey(KeyTab, ctrl), legacy, "\t"},

		// Legacy functional keys.
		{"up", fkey(KeyUp, 0), legacy, "\x1b[A"},
		{"up, application", fkey(KeyUp, 0), app, "\x1bOA"},
		{"shift-up, application", fkey(KeyUp, shift), app, "\x1b[1;2A"},
		{"down", fkey(KeyDown, 0), legacy, "\x1b[B"},
		{"right", fkey(KeyRight, 0), app, "\x1bOC"},
		{"ctrl-left", fkey(KeyLeft, ctrl), legacy, "\x1b[1;5D"},
		{"ctrl-shift-alt-left", fkey(KeyLeft, ctrl|shift|alt), legacy, "\x1b[1;8D"},
		{"home", fkey(KeyHome, 0), legacy, "\x1b[H"},
		{"home, application", fkey(KeyHome, 0), app, "\x1bOH"},
		{"end", fkey(KeyEnd, 0), legacy, "\x1b[F"},
		{"insert", fkey(KeyInsert, 0), legacy, "\x1b[2~"},
		{"delete", fkey(KeyDelete, 0), app, "\x1b[3~"},
		{"shift-delete", fkey(KeyDelete, shift), legacy, "\x1b[3;2~"},
		{"page up", fkey(KeyPageUp, 0), legacy, "\x1b[5~"},
		{"alt-page down", fkey(KeyPageDown, alt), legacy, "\x1b[6;3~"},
		{"f1", fkey(KeyF1, 0), legacy, "\x1bOP"},
		{"f3", fkey(KeyF3, 0), legacy, "\x1bOR"},
		{"shift-f3", fkey(KeyF3, shift), legacy, "\x1b[1;2R"},
		{"ctrl-f4", fkey(KeyF4, ctrl), legacy, "\x1b[1;5S"},
		{"f5", fkey(KeyF5, 0), legacy, "\x1b[15~"},
		{"f12", fkey(KeyF12, 0), legacy, "\x1b[24~"},
		{"ctrl-f12", fkey(KeyF12, ctrl), legacy, "\x1b[24;5~"},
		{"f13", fkey(KeyF13, 0), legacy, "\x1b[25~"},
		{"f20", fkey(KeyF20, 0), legacy, "\x1b[34~"},
		{"f21", fkey(KeyF21, 0), legacy, ""},
		{"super-up", fkey(KeyUp, ModSuper), legacy, "\x1b[A"},
		{"caps lock", fkey(KeyUp, ModCapsLock|ModNumLock), app, "\x1bOA"},
		{"menu", fkey(KeyMenu, 0), legacy, ""},
		{"left shift", fkey(KeyLeftShift, shift), legacy, ""},

		// The keypad.
		{"kp 5", fkey(KeyKP5, 0), legacy, "5"},
		{"kp 5, application", fkey(KeyKP5, 0), app, "\x1bOu"},
		{"kp 5, application, num lock", fkey(KeyKP5, ModNumLock), app, "5"},
		{"kp enter", fkey(KeyKPEnter, 0), legacy, "\r"},
		{"kp enter, application", fkey(KeyKPEnter, 0), app, "\x1bOM"},
		{"kp +", fkey(KeyKPAdd, 0), app, "\x1bOk"},
		{"kp left", fkey(KeyKPLeft, 0), legacy, "\x1b[D"},
		{"kp left, application", fkey(KeyKPLeft, 0), app, "\x1bOD"},
		{"kp page up", fkey(KeyKPPageUp, 0), app, "\x1b[5~"},
		{"kp begin", fkey(KeyKPBegin, 0), legacy, "\x1b[E"},

		// modifyOtherKeys: xterm's tables.
		{"1: a", runeKey('a', 0), other1, "a"},
		{"1: A", runeKey('a', shift), other1, "A"},
		{"1: ctrl-a", runeKey('a', ctrl), other1, "\x01"},
		{"1: alt-a", runeKey('a', alt), other1, "\x1ba"},
		{"1: ctrl-;", runeKey(';', ctrl), other1, "\x1b[27;5;59~"},
		{"1: ctrl-9", runeKey('9', ctrl), other1, "\x1b[27;5;57~"},
		{"1: shift-enter", fkey(KeyEnter, shift), other1, "\x1b[27;2;13~"},
		{"1: ctrl-enter", fkey(KeyEnter, ctrl), other1, "\x1b[27;5;13~"},
		{"1: enter", fkey(KeyEnter, 0), other1, "\r"},
		{"1: shift-tab", fkey(KeyTab, shift), other1, "\x1b[Z"},
		{"1: ctrl-tab", fkey(KeyTab, ctrl), other1, "\x1b[27;5;9~"},
		{"1: ctrl-backspace", fkey(KeyBackspace, ctrl), other1, "\b"},
		{"1: shift-up", fkey(KeyUp, shift), other1, "\x1b[1;2A"},
		{"2: A", runeKey('a', shift), other2, "A"},
		{"2: shift-space", runeKey(' ', shift), other2, "\x1b[27;2;32~"},
		{"2: ctrl-a", runeKey('a', ctrl), other2, "\x1b[27;5;97~"},
		{"2: ctrl-A", runeKey('a', ctrl|shift), other2, "\x1b[27;6;65~"},
		{"2: alt-a", runeKey('a', alt), other2, "\x1b[27;3;97~"},
		{"2: shift-enter", fkey(KeyEnter, shift), other2, "\x1b[27;2;13~"},
		{"2: shift-tab", fkey(KeyTab, shift), other2, "\x1b[Z"},
		{"2: ctrl-backspace", fkey(KeyBackspace, ctrl), other2, "\x1b[27;5;127~"},
		{"2: alt-escape", fkey(KeyEscape, alt), other2, "\x1b[27;3;27~"},
		{"2: f1", fkey(KeyF1, ctrl), other2, "\x1b[1;5P"},

		// kitty, disambiguate.
		{"k1: a", runeKey('a', 0), k1, "a"},
		{"k1: A", runeKey('a', shift), k1, "A"},
		{"k1: escape", fkey(KeyEscape, 0), k1, "\x1b[27u"},
		{"k1: ctrl-c", runeKey('c', ctrl), k1, "\x1b[99;5u"},
		{"k1: ctrl-shift-c", runeKey('c', ctrl|shift), k1, "\x1b[99;6u"},
		{"k1: alt-a", runeKey('a', alt), k1, "\x1b[97;3u"},
		{"k1: super-a", runeKey('a', ModSuper), k1, "\x1b[97;9u"},
		{"k1: ctrl-a with num lock", runeKey('a', ctrl|ModNumLock), k1, "\x1b[97;5u"},
		{"k1: enter", fkey(KeyEnter, 0), k1, "\r"},
		{"k1: shift-enter", fkey(KeyEnter, shift), k1, "\x1b[13;2u"},
		{"k1: tab", fkey(KeyTab, 0), k1, "\t"},
		{"k1: shift-tab", fkey(KeyTab, shift), k1, "\x1b[9;2u"},
		{"k1: backspace", fkey(KeyBackspace, 0), k1, "\x7f"},
		{"k1: ctrl-backspace", fkey(KeyBackspace, ctrl), k1, "\x1b[127;5u"},
		{"k1: up", fkey(KeyUp, 0), k1app, "\x1b[A"},
		{"k1: shift-up", fkey(KeyUp, shift), k1, "\x1b[1;2A"},
		{"k1: super-up", fkey(KeyUp, ModSuper), k1, "\x1b[1;9A"},
		{"k1: f1", fkey(KeyF1, 0), k1, "\x1b[P"},
		{"k1: f3", fkey(KeyF3, 0), k1, "\x1b[13~"},
		{"k1: shift-f3", fkey(KeyF3, shift), k1, "\x1b[13;2~"},
		{"k1: f5", fkey(KeyF5, 0), k1, "\x1b[15~"},
		{"k1: f13", fkey(KeyF13, 0), k1, "\x1b[57376u"},
		{"k1: f35", fkey(KeyF35, 0), k1, "\x1b[57398u"},
		{"k1: menu", fkey(KeyMenu, 0), k1, "\x1b[57363u"},
		{"k1: mute", fkey(KeyMuteVolume, 0), k1, "\x1b[57440u"},
		{"k1: kp 5", fkey(KeyKP5, 0), k1app, "5"},
		{"k1: ctrl-kp 5", fkey(KeyKP5, ctrl), k1, "\x1b[57404;5u"},
		{"k1: kp enter", fkey(KeyKPEnter, 0), k1, "\x1b[57414u"},
		{"k1: kp left", fkey(KeyKPLeft, 0), k1, "\x1b[57417u"},
		{"k1: left shift", fkey(KeyLeftShift, shift), k1, ""},
		{"k1: caps lock", fkey(KeyCapsLock, 0), k1, ""},

		// kitty, event types.
		{"k2: ctrl-c", runeKey('c', ctrl), k2, "\x03"},
		{"k2: ctrl-c again", event(runeKey('c', ctrl), KeyRepeat), k2, "\x1b[99;5:2u"},
		{"k2: shift-enter", fkey(KeyEnter, shift), k2, "\r"},
		{"k2: kp left", fkey(KeyKPLeft, 0), k2, "\x1b[D"},
		{"k3: a again", event(runeKey('a', 0), KeyRepeat), k3, "a"},
		{"k3: a up", event(runeKey('a', 0), KeyRelease), k3, "\x1b[97;1:3u"},
		{"k3: up up", event(fkey(KeyUp, 0), KeyRelease), k3, "\x1b[1;1:3A"},
		{"k3: ctrl-up again", event(fkey(KeyUp, ctrl), KeyRepeat), k3, "\x1b[1;5:2A"},
		{"k3: enter up", event(fkey(KeyEnter, 0), KeyRelease), k3, ""},
		{"k3: escape up", event(fkey(KeyEscape, 0), KeyRelease), k3, "\x1b[27;1:3u"},
		{"k1: a up", event(runeKey('a', 0), KeyRelease), k1, ""},

		// kitty, alternate keys.
		{"k5: ctrl-shift-a", runeKey('a', ctrl|shift), k5, "\x1b[97:65;6u"},
		{"k5: ctrl-a", runeKey('a', ctrl), k5, "\x1b[97;5u"},
		{"k5: ctrl-с", Key{Rune: 'с', Base: 'c', Mods: ctrl}, k5, "\x1b[1089::99;5u"},
		{"k5: ctrl-shift-с", Key{Rune: 'с', Base: 'c', Mods: ctrl | shift}, k5, "\x1b[1089:1057:99;6u"},

		// kitty, all keys.
		{"k8: a", runeKey('a', 0), k8, "\x1b[97u"},
		{"k8: A", runeKey('a', shift), k8, "\x1b[97;2u"},
		{"k8: enter", fkey(KeyEnter, 0), k8, "\x1b[13u"},
		{"k8: tab", fkey(KeyTab, 0), k8, "\x1b[9u"},
		{"k8: left shift", fkey(KeyLeftShift, shift), k8, "\x1b[57441;2u"},
		{"k8: right meta", fkey(KeyRightMeta, 0), k8, "\x1b[57452u"},
		{"k8: level 5", fkey(KeyISOLevel5Shift, 0), k8, "\x1b[57454u"},
		{"k8: caps lock on", runeKey('a', ModCapsLock), k8, "\x1b[97;65u"},
		{"k8: kp 5", fkey(KeyKP5, 0), k8, "\x1b[57404u"},
		{"k10: enter up", event(fkey(KeyEnter, 0), KeyRelease), k10, "\x1b[13;1:3u"},
		{"k10: a again", event(runeKey('a', 0), KeyRepeat), k10, "\x1b[97;1:2u"},
		{"k24: a", runeKey('a', 0), k24, "\x1b[97;;97u"},
		{"k24: A", runeKey('a', shift), k24, "\x1b[97;2;65u"},
		{"k24: option-a", Key{Rune: 'a', Text: "å"}, k24, "\x1b[97;;229u"},
		{"k24: input method", Key{Text: "日本"}, k24, "\x1b[0;;26085:26412u"},
		{"k24: ctrl-a", runeKey('a', ctrl), k24, "\x1b[97;5u"},
		{"k24: enter", fkey(KeyEnter, 0), k24, "\x1b[13u"},
		{"k31: A", runeKey('a', shift), k31, "\x1b[97:65;2;65u"},
		{"k31: A up", event(runeKey('a', shift), KeyRelease), k31, "\x1b[97:65;2:3u"},
	}
	for _, tt := range tests {
		if got := string(EncodeKey(nil, tt.k, tt.m)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		if got := string(EncodeKey([]byte("x"), tt.k, tt.m)); got != "x"+tt.want {
			t.Errorf("%s: does not append: %q", tt.name, got)
		}
	}
}

// TestKittyNumbers checks the whole table of functional keys against the runs
// of numbers that the protocol's document gives.
func TestKittyNumbers(t *testing.T) {
	runs := []struct {
		first, last KeyCode
		number      int
	}{
		{KeyCapsLock, KeyMenu, 57358},
		{KeyF13, KeyF35, 57376},
		{KeyKP0, KeyKPDelete, 57399},
		{KeyMediaPlay, KeyISOLevel5Shift, 57428},
	}
	n := 0
	for _, r := range runs {
		for c := r.first; c <= r.last; c++ {
			want := "\x1b[" + strconv.Itoa(r.number+int(c-r.first)) + "u"
			if got := string(EncodeKey(nil, Key{Code: c}, InputModes{Kitty: KittyAllKeys})); got != want {
				t.Errorf("key %d: %q, want %q", c, got, want)
			}
			n++
		}
	}
	if want := int(keyCount-KeyCapsLock) - 1; n != want { // KP_BEGIN has a form of its own
		t.Errorf("%d keys, want %d", n, want)
	}
	if KeyISOLevel5Shift != keyCount-1 {
		t.Error("the table ends elsewhere")
	}
}

// decoded is what a program can tell of a key that it reads.
type decoded struct {
	code    KeyCode
	r       rune // of KeyRune, what the modifiers and the number say
	mods    Mods
	event   KeyEvent
	shifted rune
	base    rune
	text    string
}

// decodeKey reads one key as programs do, written from xterm's and kitty's
// documents and not from the encoder's tables.
func decodeKey(s string) (decoded, bool) {
	finals := map[byte]KeyCode{'A': KeyUp, 'B': KeyDown, 'C': KeyRight, 'D': KeyLeft, 'F': KeyEnd, 'H': KeyHome, 'E': KeyKPBegin, 'P': KeyF1, 'Q': KeyF2, 'R': KeyF3, 'S': KeyF4}
	tilde := map[int]KeyCode{
		2: KeyInsert, 3: KeyDelete, 5: KeyPageUp, 6: KeyPageDown, 13: KeyF3, 15: KeyF5, 17: KeyF6, 18: KeyF7, 19: KeyF8, 20: KeyF9,
		21: KeyF10, 23: KeyF11, 24: KeyF12, 25: KeyF13, 26: KeyF14, 28: KeyF15, 29: KeyF16, 31: KeyF17, 32: KeyF18, 33: KeyF19, 34: KeyF20,
	}
	control := map[byte]decoded{
		'\r': {code: KeyEnter}, '\t': {code: KeyTab}, 0x7f: {code: KeyBackspace}, '\b': {code: KeyBackspace, mods: ModCtrl}, 0x1b: {code: KeyEscape},
		0: {r: ' ', mods: ModCtrl}, 0x1c: {r: '\\', mods: ModCtrl}, 0x1d: {r: ']', mods: ModCtrl}, 0x1e: {r: '6', mods: ModCtrl}, 0x1f: {r: '/', mods: ModCtrl},
	}
	switch {
	case strings.HasPrefix(s, "\x1b[") && len(s) > 2:
		body, final := s[2:len(s)-1], s[len(s)-1]
		if final == 'Z' && body == "" {
			return decoded{code: KeyTab, mods: ModShift}, true
		}
		var fields [3][]int
		for i, f := range strings.Split(body, ";") {
			if i > 2 {
				return decoded{}, false
			}
			for _, p := range strings.Split(f, ":") {
				n, err := strconv.Atoi(p)
				if p != "" && err != nil {
					return decoded{}, false
				}
				fields[i] = append(fields[i], n)
			}
		}
		get := func(i, j int) int {
			if j < len(fields[i]) {
				return fields[i][j]
			}
			return 0
		}
		d := decoded{mods: Mods(max(get(1, 0), 1) - 1), event: KeyEvent(max(get(1, 1), 1) - 1), shifted: rune(get(0, 1)), base: rune(get(0, 2))}
		for _, r := range fields[2] {
			if r != 0 {
				d.text += string(rune(r))
			}
		}
		switch n := get(0, 0); {
		case final == 'u':
			switch {
			case n == 27:
				d.code = KeyEscape
			case n == 13:
				d.code = KeyEnter
			case n == 9:
				d.code = KeyTab
			case n == 127:
				d.code = KeyBackspace
			case n >= 57428 && n <= 57454:
				d.code = KeyMediaPlay + KeyCode(n-57428)
			case n >= 57399 && n <= 57426:
				d.code = KeyKP0 + KeyCode(n-57399)
			case n >= 57376 && n <= 57398:
				d.code = KeyF13 + KeyCode(n-57376)
			case n >= 57358 && n <= 57363:
				d.code = KeyCapsLock + KeyCode(n-57358)
			default:
				d.r = rune(n)
			}
			return d, true
		case final == '~' && n == 27:
			d.text = ""
			switch c := rune(get(2, 0)); c {
			case '\r':
				d.code = KeyEnter
			case '\t':
				d.code = KeyTab
			case 0x7f, '\b':
				d.code = KeyBackspace
			case 0x1b:
				d.code = KeyEscape
			default:
				d.r = c
			}
			return d, true
		case final == '~':
			c, ok := tilde[n]
			d.code = c
			return d, ok
		default:
			c, ok := finals[final]
			d.code = c
			return d, ok
		}
	case strings.HasPrefix(s, "\x1bO") && len(s) == 3:
		if c, ok := finals[s[2]]; ok {
			return decoded{code: c}, true
		}
		if i := strings.IndexByte("pqrstuvwxynojmk", s[2]); i >= 0 {
			return decoded{code: KeyKP0 + KeyCode(i)}, true
		}
		return decoded{code: map[byte]KeyCode{'M': KeyKPEnter, 'X': KeyKPEqual, 'l': KeyKPSeparator}[s[2]]}, true
	case len(s) > 1 && s[0] == 0x1b:
		d, ok := decodeKey(s[1:])
		d.mods |= ModAlt
		return d, ok
	case len(s) == 1:
		if d, ok := control[s[0]]; ok {
			return d, true
		}
		if s[0] < 0x1b {
			return decoded{r: rune(s[0]) + 'a' - 1, mods: ModCtrl}, true
		}
	}
	r, n := utf8.DecodeRuneInString(s)
	return decoded{r: r, text: s}, n == len(s)
}

// TestKeyRoundTrip: what a program decodes is the key that was pressed, as far
// as the modes can say it; with all of kitty's flags that is everything.
func TestKeyRoundTrip(t *testing.T) {
	keys := rapid.Custom(func(t *rapid.T) Key {
		k := Key{Code: KeyCode(rapid.IntRange(0, int(keyCount)-1).Draw(t, "code")), Mods: Mods(rapid.Byte().Draw(t, "mods")), Event: KeyEvent(rapid.IntRange(0, 2).Draw(t, "event"))}
		if k.Code == KeyRune {
			k.Rune = rapid.SampledFrom([]rune("az019-=[];',./ éжひ")).Draw(t, "rune")
			k.Base = rapid.SampledFrom([]rune{0, 'q', '1'}).Draw(t, "base")
		}
		return k
	})
	t.Run("kitty", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			k := keys.Draw(t, "key")
			s := string(EncodeKey(nil, k, InputModes{Kitty: 31, AppCursor: true, AppKeypad: true}))
			d, ok := decodeKey(s)
			if !ok || d.code != k.Code || d.r != k.Rune || d.mods != k.Mods || d.event != k.Event {
				t.Fatalf("%+v became %q, read as %+v", k, s, d)
			}
			if k.Event != KeyRelease && d.text != k.text() {
				t.Fatalf("%+v became %q with the text %q", k, s, d.text)
			}
			if k.Code == KeyRune && k.Base != k.Rune && d.base != k.Base {
				t.Fatalf("%+v became %q without its place", k, s)
			}
		})
	})
	t.Run("disambiguate", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			k := keys.Draw(t, "key")
			k.Event = KeyPress
			s := string(EncodeKey(nil, k, InputModes{Kitty: KittyDisambiguate}))
			if k.Code.form().class == classModifier {
				if s != "" {
					t.Fatalf("modifier %+v became %q", k, s)
				}
				return
			}
			if typed := k.text(); typed != "" {
				if s != typed {
					t.Fatalf("%+v became %q", k, s)
				}
				return
			}
			d, ok := decodeKey(s)
			if !ok || d.code != k.Code || d.r != k.Rune || (d.mods^k.Mods)&^modsLocks != 0 {
				t.Fatalf("%+v became %q, read as %+v", k, s, d)
			}
		})
	})
	t.Run("legacy", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			k := keys.Draw(t, "key")
			k.Event, k.Mods = KeyPress, k.Mods&modsLegacy
			m := InputModes{AppCursor: rapid.Bool().Draw(t, "appcursor"), AppKeypad: rapid.Bool().Draw(t, "appkeypad")}
			s := string(EncodeKey(nil, k, m))
			class := k.Code.form().class
			if class != classCursor && class != classPF && class != classTilde {
				return // what the table above has: much is the same in this mode
			}
			d, ok := decodeKey(s)
			if !ok || d.code != k.Code || d.mods != k.Mods {
				t.Fatalf("%+v became %q, read as %+v", k, s, d)
			}
		})
	})
	t.Run("modifyOtherKeys", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			k := keys.Draw(t, "key")
			k.Event, k.Mods = KeyPress, k.Mods&modsLegacy
			if k.Code != KeyRune || k.Mods&^ModShift == 0 {
				return
			}
			s := string(EncodeKey(nil, k, InputModes{ModifyOtherKeys: 2}))
			d, ok := decodeKey(s)
			want := k.Rune
			if k.Mods&ModShift != 0 {
				want = k.shifted()
			}
			if !ok || d.code != KeyRune || d.r != want || d.mods != k.Mods {
				t.Fatalf("%+v became %q, read as %+v", k, s, d)
			}
		})
	})
}

func TestParseKey(t *testing.T) {
	tests := []struct {
		name string
		want Key
	}{
		{"enter", Key{Code: KeyEnter}},
		{"Return", Key{Code: KeyEnter}},
		{" CR ", Key{Code: KeyEnter}},
		{"esc", Key{Code: KeyEscape}},
		{"escape", Key{Code: KeyEscape}},
		{"tab", Key{Code: KeyTab}},
		{"shift-tab", Key{Code: KeyTab, Mods: ModShift}},
		{"backspace", Key{Code: KeyBackspace}},
		{"bspace", Key{Code: KeyBackspace}},
		{"bs", Key{Code: KeyBackspace}},
		{"delete", Key{Code: KeyDelete}},
		{"del", Key{Code: KeyDelete}},
		{"dc", Key{Code: KeyDelete}},
		{"insert", Key{Code: KeyInsert}},
		{"ic", Key{Code: KeyInsert}},
		{"up", Key{Code: KeyUp}},
		{"down", Key{Code: KeyDown}},
		{"left", Key{Code: KeyLeft}},
		{"right", Key{Code: KeyRight}},
		{"home", Key{Code: KeyHome}},
		{"end", Key{Code: KeyEnd}},
		{"pageup", Key{Code: KeyPageUp}},
		{"pgup", Key{Code: KeyPageUp}},
		{"ppage", Key{Code: KeyPageUp}},
		{"PageDown", Key{Code: KeyPageDown}},
		{"pgdn", Key{Code: KeyPageDown}},
		{"npage", Key{Code: KeyPageDown}},
		{"f1", Key{Code: KeyF1}},
		{"F12", Key{Code: KeyF12}},
		{"ctrl-f5", Key{Code: KeyF5, Mods: ModCtrl}},
		{"space", Key{Rune: ' '}},
		{"a", Key{Rune: 'a'}},
		{"A", Key{Rune: 'a'}},
		{"shift-a", Key{Rune: 'a', Mods: ModShift}},
		{"f", Key{Rune: 'f'}},
		{"1", Key{Rune: '1', Shifted: '!'}},
		{"?", Key{Rune: '/', Shifted: '?', Mods: ModShift}},
		{"~", Key{Rune: '`', Shifted: '~', Mods: ModShift}},
		{"ctrl-c", Key{Rune: 'c', Mods: ModCtrl}},
		{"Ctrl-C", Key{Rune: 'c', Mods: ModCtrl}},
		{"c-c", Key{Rune: 'c', Mods: ModCtrl}},
		{"control+c", Key{Rune: 'c', Mods: ModCtrl}},
		{"c", Key{Rune: 'c'}},
		{"s", Key{Rune: 's'}},
		{"s-up", Key{Code: KeyUp, Mods: ModShift}},
		{"m-x", Key{Rune: 'x', Mods: ModAlt}},
		{"alt-x", Key{Rune: 'x', Mods: ModAlt}},
		{"meta-x", Key{Rune: 'x', Mods: ModAlt}},
		{"opt+x", Key{Rune: 'x', Mods: ModAlt}},
		{"option-enter", Key{Code: KeyEnter, Mods: ModAlt}},
		{"ctrl-shift-alt-left", Key{Code: KeyLeft, Mods: ModCtrl | ModShift | ModAlt}},
		{"ctrl+alt-del", Key{Code: KeyDelete, Mods: ModCtrl | ModAlt}},
		{"-", Key{Rune: '-', Shifted: '_'}},
		{"+", Key{Rune: '=', Shifted: '+', Mods: ModShift}},
		{"ctrl--", Key{Rune: '-', Shifted: '_', Mods: ModCtrl}},
		{"ctrl-+", Key{Rune: '=', Shifted: '+', Mods: ModCtrl | ModShift}},
		{"ctrl++", Key{Rune: '=', Shifted: '+', Mods: ModCtrl | ModShift}},
		{"ctrl+-", Key{Rune: '-', Shifted: '_', Mods: ModCtrl}},
		{"ctrl-shift--", Key{Rune: '-', Shifted: '_', Mods: ModCtrl | ModShift}},
		{"ctrl-space", Key{Rune: ' ', Mods: ModCtrl}},
	}
	for _, tt := range tests {
		if got, err := ParseKey(tt.name); err != nil || got != tt.want {
			t.Errorf("ParseKey(%q) = %+v, %v; want %+v", tt.name, got, err, tt.want)
		}
	}
	for _, name := range []string{
		"", " ", "foo", "ctrl-", "ctrl-foo", "foo-a", "f0", "f13", "f01", "f1x", "cmd-c", "super-a", "win-left", "d-x",
		"ctrl-cmd-c", "é", "ab", "\x1b", "--a", "ctrl---", "-a", "+-", "ctrl c",
	} {
		k, err := ParseKey(name)
		if err == nil {
			t.Errorf("ParseKey(%q) = %+v", name, k)
		} else if !strings.Contains(err.Error(), strconv.Quote(name)) {
			t.Errorf("ParseKey(%q): the error does not name the key: %v", name, err)
		}
	}
	if k, err := ParseKeyFor("cmd-c", InputModes{Kitty: 1}); err != nil || k != (Key{Rune: 'c', Mods: ModSuper}) {
		t.Errorf("cmd-c for a kitty program: %+v, %v", k, err)
	}
}

// TestParseKeyEncodes: every printable ASCII character named as a key (upper
// case apart, as names have no case) types itself.
func TestParseKeyEncodes(t *testing.T) {
	for c := '!'; c <= '~'; c++ {
		if c >= 'A' && c <= 'Z' {
			continue
		}
		k, err := ParseKey(string(c))
		if err != nil {
			t.Errorf("%q: %v", c, err)
			continue
		}
		for _, m := range []InputModes{{}, {Kitty: 1}, {ModifyOtherKeys: 2}} {
			if got := string(EncodeKey(nil, k, m)); got != string(c) {
				t.Errorf("the key %q types %q in %+v", c, got, m)
			}
		}
	}
}

func FuzzParseKey(f *testing.F) {
	for _, s := range []string{"enter", "ctrl--", "c-m-s-f12", "+", "-", "cmd-x", "ctrl-\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		k, err := ParseKeyFor(s, InputModes{Kitty: 1})
		if err == nil && len(EncodeKey(nil, k, InputModes{Kitty: KittyAllKeys})) == 0 {
			t.Errorf("the key %q is written as nothing", s)
		}
	})
}
