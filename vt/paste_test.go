package vt

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestEncodePaste(t *testing.T) {
	tests := []struct {
		name, text, bracketed, plain string
	}{
		{"empty", "", "", ""},
		{"text", "hello, 中文", "hello, 中文", "hello, 中文"},
		{"line breaks", "a\nb\r\nc\rd", "a\nb\r\nc\rd", "a\rb\rc\rd"},
		{"tab", "a\tb", "a\tb", "a\tb"},
		{"controls", "a\x00\x03\x07\x08\x0b\x0c\x1b\x1f\x7fb", "ab", "ab"},
		{"end marker", "a\x1b[201~rm -rf /\n", "a[201~rm -rf /\n", "a[201~rm -rf /\r"},
		{"nested end marker", "\x1b[20\x1b[201~1~x", "[20[201~1~x", "[20[201~1~x"},
		{"doubled ESC", "\x1b\x1b[201~", "[201~", "[201~"},
		{"8-bit end marker", "a\x9b201~b", "a\ufffd201~b", "a\ufffd201~b"},
		{"C1 as UTF-8", "a\u009b201~\u0085b\u0080", "a201~b", "a201~b"},
		{"C1 put together", "\xc2\x1b\x9b201~", "\ufffd\ufffd201~", "\ufffd\ufffd201~"},
		{"8-bit string terminator", "\x9c\x90", "\ufffd\ufffd", "\ufffd\ufffd"},
		{"overlong ESC", "\xc0\x9b[201~", "\ufffd\ufffd[201~", "\ufffd\ufffd[201~"},
		{"broken UTF-8 at the end", "é\xc3", "é\ufffd", "é\ufffd"},
		{"no-break space is no control", "\u00a0", "\u00a0", "\u00a0"},
	}
	for _, tt := range tests {
		if got, want := string(EncodePaste(nil, []byte(tt.text), InputModes{BracketedPaste: true})), "\x1b[200~"+tt.bracketed+"\x1b[201~"; got != want {
			t.Errorf("%s, bracketed: %q, want %q", tt.name, got, want)
		}
		if got := string(EncodePaste(nil, []byte(tt.text), InputModes{})); got != tt.plain {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.plain)
		}
	}
}

func TestEncodePasteWhole(t *testing.T) {
	text := []byte(strings.Repeat("a line of text, 中文 and 👍🏽\n", 256<<10/34))
	if got := EncodePaste(nil, text, InputModes{BracketedPaste: true}); !bytes.Equal(got[6:len(got)-6], text) {
		t.Error("a long text did not come through whole")
	}
}

// FuzzEncodePaste: nothing that a terminal's input parser would take for more
// than text comes out, and text that has none of it is not changed.
func FuzzEncodePaste(f *testing.F) {
	for _, s := range []string{"", "a\nb", "\x1b[201~", "\xc2\x1b\x9b", "\u009b", "日本\r\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got := EncodePaste(nil, text, InputModes{BracketedPaste: true})
		body, ok := bytes.CutPrefix(got, []byte(pasteStart))
		body, ok2 := bytes.CutSuffix(body, []byte(pasteEnd))
		if !ok || !ok2 || !utf8.Valid(body) {
			t.Fatalf("%q", got)
		}
		clean := true
		for _, r := range string(body) {
			if r < 0x20 && r != '\t' && r != '\r' && r != '\n' || r >= 0x7f && r < 0xa0 {
				t.Fatalf("%q lets U+%04X through", text, r)
			}
		}
		for _, r := range string(text) {
			clean = clean && (r >= 0x20 || r == '\t' || r == '\r' || r == '\n') && (r < 0x7f || r >= 0xa0)
		}
		if clean && utf8.Valid(text) && !bytes.Equal(body, text) {
			t.Fatalf("%q was changed to %q", text, body)
		}
		if plain := EncodePaste(nil, text, InputModes{}); bytes.ContainsAny(plain, "\n\x1b") {
			t.Fatalf("not bracketed: %q", plain)
		}
	})
}
