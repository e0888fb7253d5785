//go:build unix

package term

import "testing"

func TestTypingIsRead(t *testing.T) {
	nothing, key := pressed{}, pressed{key: true}
	esc, enter := pressed{key: true, interrupt: true}, pressed{key: true, submit: true}
	for in, want := range map[string]pressed{
		"":                        nothing,
		"a":                       key,
		"\x03":                    esc,
		"abc\x03":                 esc,
		"\r":                      enter,
		"yes\r":                   enter,
		"\n":                      key,
		"\x1b":                    esc,
		"abc\x1b":                 esc,
		"\x1b\x1b":                esc,
		"\x1b\x1b[A":              esc,
		"\x1ba":                   key, // Alt
		"\x1b\r":                  key, // Alt and Enter is a line break
		"\x1b[":                   key,
		"\x1bO":                   key,
		"\x1bOA":                  key,
		"\x1bOM":                  enter,
		"\x1b[A":                  key,
		"\x1b[1;5D":               key,
		"\x1b[5~":                 key,
		"\x1b[I":                  nothing,
		"\x1b[O":                  nothing,
		"\x1b[I\x1b[O":            nothing,
		"\x1b[<0;10;20M":          nothing,
		"\x1b[<0;10;20m":          nothing,
		"\x1b[<64;1;1M\x1b[<0;1m": nothing,
		"\x1b[32;10;20M":          nothing,
		"\x1b[M\x03\r\x1b":        nothing,
		"\x1b[M   x":              key,
		"\x1b[<0;10;20Mx":         key,
		"\x1b[27u":                esc,
		"\x1b[27;1u":              esc,
		"\x1b[27;1:1u":            esc,
		"\x1b[27;1:2u":            esc,
		"\x1b[27;129u":            esc, // num lock
		"\x1b[27;1:3u":            nothing,
		"\x1b[27;3u":              key,
		"\x1b[99;5u":              esc,
		"\x1b[99;5:1u":            esc,
		"\x1b[99;69u":             esc, // caps lock
		"\x1b[99:67:99;5u":        esc,
		"\x1b[1089::99;5u":        esc, // another alphabet
		"\x1b[99;5:3u":            nothing,
		"\x1b[99;6u":              key,
		"\x1b[99u":                key,
		"\x1b[27;5;99~":           esc,
		"\x1b[13u":                enter,
		"\x1b[13;1:1u":            enter,
		"\x1b[57414u":             enter,
		"\x1b[13;2u":              key,
		"\x1b[13;1:3u":            nothing,
		"\x1b[1;1:3A":             nothing,
		"\x1b[57441;2u":           nothing, // Shift alone
		"x\x1b[27u":               esc,
		pasteStart + "a\x03\r\x1b[27u" + pasteEnd:                     key,
		pasteStart + "a\r" + pasteEnd + "\r":                          enter,
		pasteStart + "a\x1b" + pasteEnd + "\x03":                      esc,
		pasteStart + "\x1b[20" + pasteEnd + "\x1b[<0;1;1M" + "\x1b[I": key,
	} {
		var whole typing
		got := whole.read([]byte(in))
		if got.draft, got.line = "", ""; got != want { // which has a test of its own
			t.Errorf("%q is %+v, want %+v", in, got, want)
		}
	}
}

// TestTypingInPieces: pastes and old mouse reports may come in several frames.
func TestTypingInPieces(t *testing.T) {
	var s typing
	for _, step := range []struct {
		in   string
		want pressed
	}{
		{pasteStart + "one\r", pressed{key: true}},
		{"two\r\x03\x1b", pressed{key: true}},
		{"[20", pressed{key: true}},
		{"1~", pressed{key: true}},
		{"\r", pressed{key: true, submit: true}},
		{"\x1b[M", pressed{}},
		{"\x03", pressed{}},
		{"\r\r", pressed{}},
		{"\x03", pressed{key: true, interrupt: true}},
	} {
		got := s.read([]byte(step.in))
		if got.draft, got.line = "", ""; got != step.want {
			t.Errorf("%q is %+v, want %+v", step.in, got, step.want)
		}
	}
}
