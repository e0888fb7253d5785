package vt

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// answers are what terminals send that no user did.
var answers = []string{
	"\x1b[?62;c", "\x1b[?1;2c", "\x1b[?65;1;9c", "\x1b[>0;276;0c", "\x1b[>41;354;0c", "\x1bP!|00000000\x1b\\", "\x1b[?6c", "\x1b[=1;2c",
	"\x1b[0n", "\x1b[3n", "\x1b[?997;1n", "\x1b[?13n", "\x1b[?27;1;0;0n",
	"\x1b[12;40R", "\x1b[2;5R", "\x1b[1;1R", "\x1b[1;300R", "\x1b[?1;5;1R", "\x1b[24;80R",
	"\x1b[?2026;2$y", "\x1b[?2004;1$y", "\x1b[4;2$y",
	"\x1bP>|xterm(390)\x1b\\", "\x1bP>|ghostty 1.2.0\x1b\\",
	"\x1bP1+r544e=787465726d\x1b\\", "\x1bP0+r\x1b\\", "\x1bP1$r0;1m\x1b\\", "\x1bP0$r\x1b\\", "\x1bP1$r2 q\x1b\\", "\x1bP1!~ABCD\x1b\\", "\x1bP1$u1;1;1;@;@;@;0;2;@;BBBB\x1b\\",
	"\x1b]4;1;rgb:cdcd/0000/0000\x07", "\x1b]10;rgb:ffff/ffff/ffff\x1b\\", "\x1b]11;rgb:1e1e/1e1e/2e2e\x07", "\x1b]12;rgb:ffff/0000/0000\x1b\\",
	"\x1b]52;c;aGVsbG8=\x07", "\x1b]52;c;" + strings.Repeat("QUJD", 400) + "\x1b\\", "\x1b]7501;?\x1b\\", "\x1b]7501;?\x07", "\x1b]lsome title; here\x1b\\", "\x1b]Licon\x1b\\", "\x1b]99;i=1:p=?;x\x1b\\",
	"\x1b]l\x1b\\", "\x1b]21;foreground=rgb:ff/ff/ff\x1b\\", "\x1b]133\x07",
	"\x1b[?0u", "\x1b[?31u", "\x1b[>4;2m",
	"\x1b[4;600;800t", "\x1b[6;20;10t", "\x1b[8;24;80t", "\x1b[9;50;200t", "\x1b[1t", "\x1b[48;24;80;480;800t",
	"\x1b_Gi=31;OK\x1b\\", "\x1b_Gi=1;ENOENT:no such file\x1b\\",
	"\x1b[?1;0;256S", "\x1b[2;1;1;120;120;1;0x",
}

// typed are what users send, each a key, a mouse event, a paste.
var typed = []string{
	"a", "hello world", "中文", "é", "\r", "\n", "\t", "\x7f", "\x03", "\x00", "\x1a",
	"\x1b[A", "\x1bOA", "\x1b[1;5D", "\x1b[H", "\x1b[3~", "\x1b[3;5~", "\x1b[Z", "\x1b[24~", "\x1bOP", "\x1b[P", "\x1bOR", "\x1b[1;2R", "\x1b[1;5R", "\x1b[1;256R", "\x1b[R", "\x1b[1;2:3R", "\x1b[13;2~", "\x1b[1;2S", "\x1b[1;2Q",
	"\x1ba", "\x1b\r", "\x1b\x7f", "\x1b\x01", "\x1bé", "\x1b1", "\x1b;", "\x1bX", "\x1b^", "\x1bO", "\x1b\\",
	"\x1b[97;5u", "\x1b[97:65;2;65u", "\x1b[57441;2:3u", "\x1b[13;2u", "\x1b[27u", "\x1b[27;5;97~", "\x1b[0;;26085:26412u",
	"\x1b[<0;5;10M", "\x1b[<65;5;10m", "\x1b[M !!", "\x1b[M#\xff\xff", "\x1b[M \u0100!", "\x1b[32;5;10M",
	"\x1b[I", "\x1b[O",
	"\x1b[[A", "\x1b[3^", "\x1b[3@", "\x1b[a", "\x1bOa",
	"\x1b[200~pasted text\r\x1b[201~", "\x1b[200~\x1b[201~", "\x1b[200~\x1b[?62;c\x1b[24;80R\x1b]11;rgb:0/0/0\x07\x1b[201\x1b[201~",
	"\xff\xfe", "\x9b1;2R",
}

// keysHeld are keys that are also the beginning of a sequence: only time tells.
var keysHeld = []string{"\x1b", "\x1b[", "\x1b]", "\x1bP", "\x1b_", "\x1b[3$"}

func TestInputFilterTables(t *testing.T) {
	for _, s := range answers {
		var f InputFilter
		if got := f.Filter(nil, []byte(s)); len(got) != 0 || f.state != filterGround {
			t.Errorf("the answer %q let %q through, state %d", s, got, f.state)
		}
	}
	for _, s := range typed {
		var f InputFilter
		if got := f.Filter(nil, []byte(s)); string(got) != s || f.state != filterGround {
			t.Errorf("the input %q became %q, state %d", s, got, f.state)
		}
	}
	for _, s := range keysHeld {
		var f InputFilter
		if got := f.Filter(nil, []byte(s)); len(got) != 0 || !f.Pending() {
			t.Errorf("%q was not held: %q", s, got)
		}
		if got := f.Flush([]byte("x")); string(got) != "x"+s || f.Pending() {
			t.Errorf("%q became %q after its time", s, got)
		}
		if got := f.Flush(nil); len(got) != 0 {
			t.Errorf("%q came twice", s)
		}
	}
}

// TestInputFilterSplit: every sequence split at every byte, with text before
// and after it.
func TestInputFilterSplit(t *testing.T) {
	for i, s := range append(append([]string{}, answers...), typed...) {
		want := "<" + s + ">"
		if i < len(answers) {
			want = "<>"
		}
		for cut := 0; cut <= len(s); cut++ {
			var f InputFilter
			got := f.Filter(nil, []byte("<"+s[:cut]))
			got = f.Filter(got, []byte(s[cut:]+">"))
			if string(got) != want {
				t.Errorf("%q cut at %d: %q, want %q", s, cut, got, want)
			}
		}
		var f InputFilter
		var got []byte
		for _, c := range []byte("<" + s + ">") {
			got = f.Filter(got, []byte{c})
		}
		if string(got) != want {
			t.Errorf("%q byte by byte: %q, want %q", s, got, want)
		}
	}
}

// TestInputFilterSlowAnswer: an answer that comes in two parts with a pause
// between them is still an answer, if its first part says so.
func TestInputFilterSlowAnswer(t *testing.T) {
	for _, s := range answers {
		for cut := 3; cut < len(s); cut++ {
			var f InputFilter
			got := f.Filter(nil, []byte(s[:cut]))
			if f.Pending() {
				continue
			}
			got = f.Flush(got)
			got = f.Filter(got, []byte(s[cut:]))
			if len(got) != 0 {
				t.Errorf("%q with a pause at %d: %q", s, cut, got)
			}
		}
	}
}

func TestInputFilterCPR(t *testing.T) {
	var f InputFilter
	f.ExpectCPR(2)
	if got := f.Filter(nil, []byte("\x1b[1;5R\x1b[7;5R\x1b[1;5R")); string(got) != "\x1b[1;5R" {
		t.Errorf("two reports, then Ctrl-F3: %q", got)
	}
	f.ExpectCPR(-1)
	if got := f.Filter(nil, []byte("\x1b[1;5R")); string(got) != "\x1b[1;5R" {
		t.Errorf("Ctrl-F3: %q", got)
	}
	for _, s := range []string{"\x1b[1;99999999999999999999R", "\x1b[1;0R"} {
		if got := f.Filter(nil, []byte(s)); len(got) != 0 {
			t.Errorf("%q is no key: %q", s, got)
		}
	}
}

// TestInputFilterBroken: answers that were cut short do not take more of the
// user's input with them than can be helped.
func TestInputFilterBroken(t *testing.T) {
	tests := []struct{ in, want string }{
		{"\x1b]11;rgb:12\rls\r", "\rls\r"},
		{"\x1b]11;rgb:12\x1b[A", "\x1b[A"},
		{"\x1b]11;rgb:12\x1b\x1b[A", "\x1b\x1b[A"},
		{"\x1bP1+r54\x03x", "\x03x"},
		{"\x1bP1+r54\x07x", "\x07x"},
		{"\x1b_Gi=1\x7fx", "\x7fx"},
		{"\x1b[?62\rx", "\rx"},
		{"\x1b[?62\x1b[A", "\x1b[A"},
		{"\x1b[12\rx", "\x1b[12\rx"},
		{"\x1b[12\x1b[A", "\x1b[12\x1b[A"},
		{"\x1b[1$2x", "\x1b[1$2x"},
		{"\x1b]hello", "\x1b]hello"},
		{"\x1b]\r", "\x1b]\r"},
		{"\x1b]1\r", "\x1b]1\r"},
		{"\x1bPhello", "\x1bPhello"},
		{"\x1bP1hello", "\x1bP1hello"},
		{"\x1bP!!", "\x1bP!!"},
		{"\x1b_hello", "\x1b_hello"},
		{"\x1bP" + strings.Repeat("1", 100), "\x1bP" + strings.Repeat("1", 100)},
		{"\x1b[" + strings.Repeat("1", 300) + "u", "\x1b[" + strings.Repeat("1", 300) + "u"},
	}
	for _, tt := range tests {
		var f InputFilter
		if got := f.Filter(nil, []byte(tt.in)); string(got) != tt.want {
			t.Errorf("%q became %q, want %q", tt.in, got, tt.want)
		}
	}
}

// TestInputFilterProperty: whatever users and terminals send, mixed and cut
// anywhere, exactly what the users sent comes out.
func TestInputFilterProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var f InputFilter
		var got []byte
		want := ""
		for range rapid.IntRange(0, 20).Draw(t, "n") {
			switch rapid.IntRange(0, 9).Draw(t, "kind") {
			case 0, 1, 2, 3:
				got = feed(t, &f, got, rapid.SampledFrom(answers).Draw(t, "answer"))
			case 4:
				s := rapid.SampledFrom(keysHeld).Draw(t, "held")
				got = f.Flush(feed(t, &f, got, s))
				want += s
			default:
				s := rapid.SampledFrom(typed).Draw(t, "typed")
				got = feed(t, &f, got, s)
				want += s
			}
		}
		if string(got) != want {
			t.Fatalf("got  %q\nwant %q", got, want)
		}
	})
}

// feed sends s in pieces.
func feed(t *rapid.T, f *InputFilter, dst []byte, s string) []byte {
	for s != "" {
		n := rapid.IntRange(1, len(s)).Draw(t, "piece")
		dst = f.Filter(dst, []byte(s[:n]))
		s = s[n:]
	}
	return dst
}

// FuzzInputFilter: any bytes, cut anywhere, come out the same and no more than
// went in; what holds no ESC comes out untouched; the filter never holds much.
func FuzzInputFilter(f *testing.F) {
	for _, s := range append(append([]string{}, answers...), typed...) {
		f.Add([]byte(s), 1)
	}
	f.Fuzz(func(t *testing.T, p []byte, cut int) {
		var whole, parts InputFilter
		a := whole.Filter(nil, p)
		cut = max(0, min(cut, len(p)))
		b := parts.Filter(nil, p[:cut])
		b = parts.Filter(b, p[cut:])
		if !bytes.Equal(a, b) {
			t.Fatalf("%q whole: %q, cut at %d: %q", p, a, cut, b)
		}
		if len(whole.held) > maxHeldCSI {
			t.Fatalf("%d bytes held", len(whole.held))
		}
		if len(a)+len(whole.held) > len(p) {
			t.Fatalf("%q became %q", p, a)
		}
		if !bytes.Contains(p, []byte{0x1b}) && !bytes.Equal(a, p) {
			t.Fatalf("%q became %q", p, a)
		}
	})
}
