package vt

import (
	"fmt"
	"strings"
	"testing"
)

// TestReplies asks every query.
func TestReplies(t *testing.T) {
	runCases(t, "device attributes and status", []controlCase{
		{in: "\x1b[c", reply: "\x1b[?64;6;9;15;21;22;28;52c"},
		{in: "\x1bZ", reply: "\x1b[?64;6;9;15;21;22;28;52c"},
		{in: "\x1b[1c", reply: ""},
		{in: "\x1b[>c", reply: "\x1b[>41;400;0c"},
		{in: "\x1b[=c", reply: "\x1bP!|00000000\x1b\\"},
		{in: "\x1b[>q", reply: "\x1bP>|termio\x1b\\"},
		{in: "\x1b[5n", reply: "\x1b[0n"},
		{in: "\x1b[2;3H\x1b[6n", reply: "\x1b[2;3R"},
		{in: "\x1b[2;3H\x1b[?6n", reply: "\x1b[?2;3;1R"},
		{in: "\x1b[?15n\x1b[?25n\x1b[?26n\x1b[?53n\x1b[?56n", reply: "\x1b[?13n\x1b[?21n\x1b[?27;1;0;0n\x1b[?50n\x1b[?57;0n"},
		{in: "\x1b[?62n\x1b[?63;7n\x1b[?75n\x1b[?85n", reply: "\x1b[0*{\x1bP7!~0000\x1b\\\x1b[?70n\x1b[?83n"},
		{in: "\x1b[?996n", reply: "\x1b[?997;1n"},
		{in: "\x1b[x\x1b[1x", reply: "\x1b[2;1;1;128;128;1;0x\x1b[3;1;1;128;128;1;0x"},
		{in: "\x1b G\x1b[5n", reply: "\x9b0n"},
		{in: "\x1b G\x1b F\x1b[5n", reply: "\x1b[0n"},
	})
	runCases(t, "DECRQM", []controlCase{
		{in: "\x1b[4$p", reply: "\x1b[4;2$y"},
		{in: "\x1b[4h\x1b[4$p", reply: "\x1b[4;1$y"},
		{in: "\x1b[?7$p", reply: "\x1b[?7;1$y"},
		{in: "\x1b[?2026$p", reply: "\x1b[?2026;2$y"},
		{in: "\x1b[?2026h\x1b[?2026$p", reply: "\x1b[?2026;1$y"},
		{in: "\x1b[?2027$p", reply: "\x1b[?2027;1$y"},
		{in: "\x1b[?2031h\x1b[?2031$p", reply: "\x1b[?2031;1$y"},
		{in: "\x1b[?1049h\x1b[?1049$p", reply: "\x1b[?1049;1$y"},
		{in: "\x1b[?6h\x1b[?6$p", reply: "\x1b[?6;1$y"},
		{in: "\x1b[?4242$p\x1b[4242$p", reply: "\x1b[?4242;0$y\x1b[4242;0$y"},
	})
	runCases(t, "DECRQSS", []controlCase{
		{in: "\x1bP$qm\x1b\\", reply: "\x1bP1$r0m\x1b\\"},
		{in: "\x1b[1;4:3;31;48;2;1;2;3;58:5:9m\x1bP$qm\x1b\\", reply: "\x1bP1$r0;1;4:3;31;48;2;1;2;3;58:5:9m\x1b\\"},
		{in: "\x1b[2;4r\x1bP$qr\x1b\\", reply: "\x1bP1$r2;4r\x1b\\"},
		{in: "\x1b[?69h\x1b[2;4s\x1bP$qs\x1b\\", reply: "\x1bP1$r2;4s\x1b\\"},
		{in: "\x1bP$qs\x1b\\", reply: "\x1bP0$r\x1b\\"},
		{in: "\x1b[1\"q\x1bP$q\"q\x1b\\", reply: "\x1bP1$r1\"q\x1b\\"},
		{in: "\x1b[4 q\x1bP$q q\x1b\\", reply: "\x1bP1$r4 q\x1b\\"},
		{in: "\x1bP$q\"p\x1b\\", reply: "\x1bP1$r64;1\"p\x1b\\"},
		{in: "\x1bP$qt\x1b\\\x1bP$q$|\x1b\\\x1bP$q*|\x1b\\", reply: "\x1bP1$r5t\x1b\\\x1bP1$r10$|\x1b\\\x1bP1$r5*|\x1b\\"},
		{in: "\x1b[2*x\x1bP$q*x\x1b\\", reply: "\x1bP1$r2*x\x1b\\"},
		{in: "\x1bP$qz\x1b\\", reply: "\x1bP0$r\x1b\\"},
	})
	runCases(t, "XTGETTCAP", []controlCase{
		{in: "\x1bP+q544e\x1b\\", reply: "\x1bP1+r544e=787465726d2d323536636f6c6f72\x1b\\"},
		{in: "\x1bP+q436f;5A5A\x1b\\", reply: "\x1bP1+r436f=323536\x1b\\\x1bP0+r5A5A\x1b\\"},
		{in: "\x1bP+q5463\x1b\\", reply: "\x1bP1+r5463\x1b\\"},
		{in: "\x1bP+qzz\x1b\\", reply: "\x1bP0+r\x1b\\"},
	})
	runCases(t, "XTWINOPS", []controlCase{
		{in: "\x1b[11t\x1b[13t\x1b[14t\x1b[16t\x1b[18t\x1b[19t", reply: "\x1b[1t\x1b[3;0;0t\x1b[4;100;100t\x1b[6;20;10t\x1b[8;5;10t\x1b[9;5;10t"},
		{in: "\x1b]0;a\x01b\a\x1b[21t\x1b[20t", reply: "\x1b]lab\x1b\\\x1b]Lab\x1b\\"},
		{in: "\x1b]2;one\a\x1b[22t\x1b]2;two\a\x1b[23t\x1b[21t", reply: "\x1b]lone\x1b\\"},
		{in: "\x1b[8;50;50t\x1b[18t", reply: "\x1b[8;5;10t"},
		{in: "\x1b[?2048h", reply: "\x1b[48;5;10;100;100t"},
	})
	runCases(t, "colours", []controlCase{
		{in: "\x1b]4;1;?\a", reply: "\x1b]4;1;rgb:cdcd/0000/0000\a"},
		{in: "\x1b]4;1;rgb:1/22/fff;1;?;200;?\x1b\\", reply: "\x1b]4;1;rgb:1111/2222/ffff\x1b\\\x1b]4;200;rgb:ffff/0000/d7d7\x1b\\"},
		{in: "\x1b]4;1;#123\a\x1b]4;1;?\a\x1b]104;1\a\x1b]4;1;?\a", reply: "\x1b]4;1;rgb:1010/2020/3030\a\x1b]4;1;rgb:cdcd/0000/0000\a"},
		{in: "\x1b]4;1;red\a\x1b]104\a\x1b]4;1;?\a", reply: "\x1b]4;1;rgb:cdcd/0000/0000\a"},
		{in: "\x1b]4;261;?\a\x1b]4;x;?\a", reply: ""},
		{in: "\x1b]10;?\a\x1b]11;?\a\x1b]12;?\a", reply: "\x1b]10;rgb:d8d8/d8d8/d8d8\a\x1b]11;rgb:0000/0000/0000\a\x1b]12;rgb:d8d8/d8d8/d8d8\a"},
		{in: "\x1b]10;#010203;#040506\a\x1b]10;?;?\a\x1b]110\a\x1b]10;?\a", reply: "\x1b]10;rgb:0101/0202/0303\a\x1b]11;rgb:0404/0505/0606\a\x1b]10;rgb:d8d8/d8d8/d8d8\a"},
	})
	runCases(t, "keyboard", []controlCase{
		{in: "\x1b[?u", reply: "\x1b[?0u"},
		{in: "\x1b[>1u\x1b[?u\x1b[>5u\x1b[?u\x1b[<u\x1b[?u\x1b[<9u\x1b[?u", reply: "\x1b[?1u\x1b[?5u\x1b[?1u\x1b[?0u"},
		{in: "\x1b[=3u\x1b[=4;2u\x1b[?u\x1b[=1;3u\x1b[?u", reply: "\x1b[?7u\x1b[?6u"},
		{in: "\x1b[>1u\x1b[?1049h\x1b[?u\x1b[>3u\x1b[?1049l\x1b[?u", reply: "\x1b[?0u\x1b[?1u"},
		{in: strings.Repeat("\x1b[>1u", 99) + "\x1b[<15u\x1b[?u\x1b[<u\x1b[?u", reply: "\x1b[?1u\x1b[?0u"},
		{in: "\x1b[>4;2m\x1b[?4m\x1b[>4m\x1b[?4m", reply: "\x1b[>4;2m\x1b[>4;0m"},
	})
	runCases(t, "reports", []controlCase{
		{in: "\x1b[2$w", reply: "\x1bP2$u9\x1b\\"},
		{in: "\x1b[1;7m\x1b[2;3H\x1b[1$w", reply: "\x1bP1$u2;3;1;I;@;@;0;2;@;BBBB\x1b\\"},
		{in: "\x1b[?2S\x1b[?1;1;0S", reply: "\x1b[?2;3;0S\x1b[?1;3;0S"},
		{in: "\x1b[31mab\x1b[1;1;1;2#|", rows: "ab", reply: "\x1b[0;31m"},
		{in: "\x1b]7501;?\x1b\\\x1b]7501;?\a", reply: "\x1b]7501;?\x1b\\\x1b]7501;?\a"},
		{in: "\x1b]99;i=x:p=?;\x1b\\", reply: "\x1b]99;i=x:p=?;p=title,body\x1b\\"},
		{in: "\x1b]52;c;?\a", reply: ""},
	})
	runCases(t, "DECRQCRA", []controlCase{
		{in: "A\x1b[1;1;1;1;1;1*y", rows: "A", reply: "\x1bP1!~FFBF\x1b\\"},
		{in: "\x1b[7;1;1;1;1;1*y", reply: "\x1bP7!~FFE0\x1b\\"},
		{in: "\x1b[1mA\x1b[1;1;1;1;1;1*y", rows: "A", reply: "\x1bP1!~FF3F\x1b\\"},
		{in: "\x1b[3#yAB\x1b[1;1;1;1;1;2*y", rows: "AB", reply: "\x1bP1!~0083\x1b\\"},
		{in: "\x1b[1;1;9;9;1;1*y", reply: "\x1bP1!~0000\x1b\\"},
	})
}

// TestReplyOrder: answers come in the order of the questions, one call each.
func TestReplyOrder(t *testing.T) {
	var got []string
	term := New(Options{Reply: func(b []byte) { got = append(got, string(b)) }})
	term.Write([]byte("\x1b[5n\x1b[c\x1b]11;?\a\x1bP$qm\x1b\\\x1b[6n"))
	if fmt.Sprintf("%q", got) != `["\x1b[0n" "\x1b[?64;6;9;15;21;22;28;52c" "\x1b]11;rgb:0000/0000/0000\a" "\x1bP1$r0m\x1b\\" "\x1b[1;1R"]` {
		t.Errorf("answers %q", got)
	}
}

// TestColorScheme: a program that asked is told when dark turns to light.
func TestColorScheme(t *testing.T) {
	var got strings.Builder
	term := New(Options{Cols: 10, Rows: 5, Reply: func(b []byte) { got.Write(b) }})
	term.SetColors(RGB(0, 0, 0), RGB(255, 255, 255), 0)
	term.Write([]byte("\x1b[?2031h"))
	term.SetColors(RGB(255, 255, 255), RGB(10, 10, 10), 0)
	term.SetColors(RGB(255, 255, 255), RGB(11, 11, 11), 0)
	term.Write([]byte("\x1b]11;?\a"))
	if want := "\x1b[?997;1n\x1b]11;rgb:0b0b/0b0b/0b0b\a"; got.String() != want {
		t.Errorf("reported %q, want %q", got.String(), want)
	}
}

// TestResizeReport: mode 2048 reports every change of size.
func TestResizeReport(t *testing.T) {
	var got strings.Builder
	term := New(Options{Cols: 10, Rows: 5, Reply: func(b []byte) { got.Write(b) }})
	term.Resize(20, 6)
	term.Write([]byte("\x1b[?2048h"))
	term.SetCellSize(8, 16)
	term.Resize(30, 7)
	term.Resize(30, 7)
	if want := "\x1b[48;6;20;120;200t\x1b[48;7;30;112;240t"; got.String() != want {
		t.Errorf("reported %q, want %q", got.String(), want)
	}
}
