package scriptagent

import (
	"reflect"
	"testing"
)

func TestDecode(t *testing.T) {
	t.Parallel()
	text := func(s string) key { return key{kind: keyText, text: s} }
	enter, newline := key{kind: keyEnter}, key{kind: keyNewline}
	for name, c := range map[string]struct {
		burst bool
		in    []string
		want  []key
	}{
		"typed":            {in: []string{"aé\r"}, want: []key{text("a"), text("é"), enter}},
		"cut in a rune":    {in: []string{"\xc3", "\xa9"}, want: []key{text("é")}},
		"a burst":          {burst: true, in: []string{"a\r", "\r"}, want: []key{text("a"), newline, enter}},
		"paste":            {in: []string{"\x1b[200~a\r", "b\x1b[201~\r"}, want: []key{text("a\rb"), enter}},
		"kitty enter":      {in: []string{"\x1b[13u\x1b[13;1:3u\x1b[13;2u"}, want: []key{enter, newline}},
		"kitty ctrl":       {in: []string{"\x1b[99;5u\x1b[27u"}, want: []key{{kind: keyControl, text: "c"}, {kind: keyEscape}}},
		"control":          {in: []string{"\x03\x7f"}, want: []key{{kind: keyControl, text: "c"}, {kind: keyBackspace}}},
		"alt enter":        {in: []string{"\x1b\r"}, want: []key{newline}},
		"arrows and focus": {in: []string{"\x1b[A\x1b[I\x1b[B"}, want: []key{{kind: keyUp}, {kind: keyDown}}},
		"status answer":    {in: []string{"\x1b]7501;?\x1b", "\\x"}, want: []key{{kind: keyStatus}, text("x")}},
		"other answers":    {in: []string{"\x1b[?62;22c\x1b]11;rgb:1/1/1\ax"}, want: []key{text("x")}},
	} {
		d := decoder{burst: c.burst}
		var got []key
		for _, p := range c.in {
			got = append(got, d.decode([]byte(p))...)
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q gives %v, want %v", name, c.in, got, c.want)
		}
	}
	d := decoder{}
	if d.decode([]byte("\x1b")); !d.pending() || d.flush()[0].kind != keyEscape {
		t.Error("a lone Esc is not kept, or not given back")
	}
}
