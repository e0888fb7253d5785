package vt

import (
	"strings"
	"testing"
)

// TestReports are queries of state that few programs ask for.
func TestReports(t *testing.T) {
	runCases(t, "controls in 8 bits", []controlCase{
		{in: "\x1b G\x1b[5n\x1b F\x1b[5n", reply: "\x9b0n\x1b[0n"},
		{in: "\x1b[62\"p\x1b[5n", reply: "\x9b0n"},
		{in: "\x1b[62;0\"p\x1b[5n", reply: "\x9b0n"},
		{in: "\x1b[62;1\"p\x1b[5n", reply: "\x1b[0n"},
		{in: "\x1b[61\"p\x1b[5n", reply: "\x1b[0n"},
	})
	runCases(t, "user-preferred set, extent, locator", []controlCase{
		{in: "\x1b[&u", reply: "\x1bP0!u%5\x1b\\"},
		{in: "\x1b[\"v", reply: "\x1b[5;10;1;1;1\"w"},
		{in: "\x1b['|", reply: "\x1b[0&w"},
		{in: "\x1bP$q$}\x1b\\\x1bP$q$~\x1b\\", reply: "\x1bP1$r0$}\x1b\\\x1bP1$r0$~\x1b\\"},
	})
	runCases(t, "modes", []controlCase{
		{in: "\x1b[?18$p\x1b[?18h\x1b[?18$p", reply: "\x1b[?18;2$y\x1b[?18;1$y"},
		{in: "\x1b[?42h\x1b[?42$p\x1b[?1001h\x1b[?1000$p\x1b[?1001$p", reply: "\x1b[?42;1$y\x1b[?1000;2$y\x1b[?1001;1$y"},
	})
}

// TestPresentationStatus restores what DECCIR and DECTABSR reported.
func TestPresentationStatus(t *testing.T) {
	for _, set := range []string{
		"\x1b[3;4H\x1b[1;4;5;7m\x1b[1\"q\x1b)0\x1b*>\x0e",
		"\x1b[2;4r\x1b[?6h\x1b[2;3H\x1b-A\x1b~\x1bN",
		"\x1b[1;10Hx",
		"\x1b(%5\x1b+`\x1bn",
	} {
		var reply strings.Builder
		term := New(Options{Cols: 10, Rows: 5, Reply: func(b []byte) { reply.Write(b) }})
		ask := func() string {
			reply.Reset()
			term.Write([]byte("\x1b[1$w"))
			return reply.String()
		}
		term.Write([]byte(set))
		want := ask()
		term.Write([]byte("\x1b[?6l\x1b[m\x1b[0\"q\x1b(B\x1b)B\x1b*B\x1b+B\x0f\x1b}z\x1b[5;1H"))
		if ask() == want {
			t.Fatalf("%q: nothing changed", set)
		}
		term.Write([]byte(strings.Replace(want, "$u", "$t", 1)))
		if got := ask(); got != want {
			t.Errorf("%q: restored %q, want %q", set, got, want)
		}
		check(t, term)
	}
}

// TestConformanceLevels are ESC SP L, M and N.
func TestConformanceLevels(t *testing.T) {
	runCases(t, "announce", []controlCase{
		{in: "\x1b(0\x1b Lq", rows: "q"},
		{in: "\x1b)0\x0e\x1b Nq", rows: "q"},
		{in: "\x1b%@\x1b}\x1b*0\x1b M\xe4", rows: "ä"},
	})
}

// TestAlignment: DECALN resets the margins and leaves origin mode alone.
func TestAlignment(t *testing.T) {
	full := strings.TrimSuffix(strings.Repeat("EEEEEEEEEE|", 5), "|")
	runCases(t, "DECALN", []controlCase{
		{in: "\x1b[2;3r\x1b[?6h\x1b#8\x1b[?6$p\x1bP$qr\x1b\\", rows: full, cursor: "1,1", reply: "\x1b[?6;1$y\x1bP1$r1;5r\x1b\\"},
	})
}

// TestTitleStack: XTWINOPS 22 and 23 for both or one, and where the stack is.
func TestTitleStack(t *testing.T) {
	runCases(t, "stack", []controlCase{
		{
			in:    "\x1b]1;i\a\x1b]2;t\a\x1b[22;0t\x1b]0;x\a\x1b[22;1t\x1b]0;y\a\x1b[#S\x1b[23;0t\x1b[20t\x1b[21t\x1b[23;0t\x1b[20t\x1b[21t",
			reply: "\x1b[2;10#S\x1b]Lx\x1b\\\x1b]lt\x1b\\\x1b]Li\x1b\\\x1b]lt\x1b\\",
		},
		{in: "\x1b]0;a\a\x1b[22;2t\x1b]0;b\a\x1b[23;2t\x1b[20t\x1b[21t", reply: "\x1b]Lb\x1b\\\x1b]la\x1b\\"},
	})
	runCases(t, "hexadecimal", []controlCase{
		{in: "\x1b[>0t\x1b]2;616263\a\x1b[21t", reply: "\x1b]labc\x1b\\"},
		{in: "\x1b[>0;1t\x1b]2;c3a4\a\x1b[21t\x1b[>1T\x1b[21t\x1b[>T\x1b]2;6162\a\x1b[21t", reply: "\x1b]lC3A4\x1b\\\x1b]lä\x1b\\\x1b]l6162\x1b\\"},
		{in: "\x1b]2;t\a\x1b[>0t\x1b]2;no hex\a\x1b[21t", reply: "\x1b]lt\x1b\\"},
	})
}

// TestOtherColors are the colours beside the palette and 10 to 12, and the
// stack of all of them.
func TestOtherColors(t *testing.T) {
	const red, fg, bg = "rgb:ffff/0000/0000", "rgb:d8d8/d8d8/d8d8", "rgb:0000/0000/0000"
	runCases(t, "dynamic", []controlCase{
		{in: "\x1b]17;?\a\x1b]19;?\a", reply: "\x1b]17;" + fg + "\a\x1b]19;" + bg + "\a"},
		{in: "\x1b]13;#ff0000\a\x1b]13;?\a\x1b]113\a\x1b]13;?\a", reply: "\x1b]13;" + red + "\a\x1b]13;" + fg + "\a"},
		{in: "\x1b]18;red;?\a", reply: "\x1b]19;" + bg + "\a"},
		{in: "\x1b]10;red;red;red;red;red;red;red;red;red;red;red\a\x1b]19;?\a", reply: "\x1b]19;" + red + "\a"},
	})
	runCases(t, "special", []controlCase{
		{in: "\x1b]5;1;red\a\x1b]5;1;?\a\x1b]4;257;?\a\x1b]105;1\a\x1b]5;1;?\a", reply: "\x1b]5;1;" + red + "\a\x1b]4;257;" + red + "\a\x1b]5;1;" + fg + "\a"},
		{in: "\x1b]5;4;red\a\x1b]105\a\x1b]5;4;?\a\x1b]5;5;?\a", reply: "\x1b]5;4;" + fg + "\a"},
	})
	runCases(t, "stack", []controlCase{
		{in: "\x1b]4;3;red\a\x1b[#P\x1b]4;3;blue\a\x1b[#R\x1b[#Q\x1b]4;3;?\a\x1b[#R", reply: "\x1b[1;1#Q\x1b]4;3;" + red + "\a\x1b[0;0#Q"},
		{in: "\x1b]11;red\a\x1b[2#P\x1b]11;blue\a\x1b[1#Q\x1b]11;?\a\x1b[2#Q\x1b]11;?\a\x1b[#R", reply: "\x1b]11;" + bg + "\a\x1b]11;" + red + "\a\x1b[2;2#Q"},
		{in: "\x1b[11#P\x1b[#R\x1b[#Q", reply: "\x1b[0;0#Q"},
	})
	term := New(Options{Cols: 10, Rows: 5})
	term.Write([]byte("\x1b]4;3;red;200;blue\a\x1b]5;2;green\a\x1b]11;white\a\x1b]15;red\a\x1b[#P\x1b[#P\x1b]104;3\a\x1b]111\a\x1b]5;2;blue\a\x1b[4#P\x1b]105\a\x1b[>1t\x1b]2;x\a"))
	checkSnapshot(t, term)
	checkMemory(t, term)
}

// TestRectanglesAndProtection: DECERA erases whatever is there, DECSERA all
// but what DECSCA protects; both leave SPA … EPA out, which ED and EL heed.
func TestRectanglesAndProtection(t *testing.T) {
	runCases(t, "rectangles", []controlCase{
		{in: "a\x1b[1\"qb\x1b[0\"q\x1bVc\x1bW\x1b[1;1;1;3$z", rows: ""},
		{in: "a\x1b[1\"qb\x1b[0\"q\x1bVc\x1bW\x1b[1;1;1;3${", rows: "·b"},
		{in: "a\x1b[1\"qb\x1b[0\"q\x1bVc\x1bW\x1b[2K", rows: "··c"},
		{in: "a\x1b[1\"qb\x1b[0\"q\x1bVc\x1bW\x1b[?2K", rows: "·bc"},
		{in: "a\x1b[1\"qb\x1b[0\"q\x1bVc\x1bW\r\x1b[9X", rows: "··c"},
	})
}

// TestSideMargins: what moves cells moves those between the left and the right
// margin, and only if the cursor is there; printing wraps between them.
func TestSideMargins(t *testing.T) {
	const gridRows = "abcdefghij|klmnopqrst|uvwxyzABCD|EFGHIJKLMN|OPQRSTUVWX"
	runCases(t, "margins", []controlCase{
		{in: gridFull + "\x1b[?69h\x1b[3;6s\x1b[2;4r\x1b[S", rows: "abcdefghij|klwxyzqrst|uvGHIJABCD|EF····KLMN|OPQRSTUVWX"},
		{in: gridFull + "\x1b[?69h\x1b[3;6s\x1b[2;4r\x1b[T", rows: "abcdefghij|kl····qrst|uvmnopABCD|EFwxyzKLMN|OPQRSTUVWX"},
		{in: gridFull + "\x1b[?69h\x1b[3;6s\x1b[2;4H\x1b[@", rows: "abcdefghij|klm·noqrst|uvwxyzABCD|EFGHIJKLMN|OPQRSTUVWX"},
		{in: gridFull + "\x1b[?69h\x1b[3;6s\x1b[2;4H\x1b[P", rows: "abcdefghij|klmop·qrst|uvwxyzABCD|EFGHIJKLMN|OPQRSTUVWX"},
		{in: gridFull + "\x1b[?69h\x1b[3;6s\x1b[2;8H\x1b[P", rows: "abcdefghij|klmnopqrst|uvwxyzABCD|EFGHIJKLMN|OPQRSTUVWX"},
		{in: gridFull + "\x1b[?69h\x1b[3;6s\x1b[2;4H\x1b[9X", rows: "abcdefghij|klm|uvwxyzABCD|EFGHIJKLMN|OPQRSTUVWX"},
		{in: gridFull + "\x1b[?69h\x1b[3;6s\x1b[3;4H\x1b[L", rows: "abcdefghij|klmnopqrst|uv····ABCD|EFwxyzKLMN|OPGHIJUVWX", cursor: "3,3"},
		{in: gridFull + "\x1b[?69h\x1b[3;6s\x1b[2;4r\x1b[2;3H\x1b[2'}", rows: "abcdefghij|kl··mnqrst|uv··wxABCD|EF··GHKLMN|OPQRSTUVWX"},
		{in: gridFull + "\x1b[?69h\x1b[3;6s\x1b[2;4r\x1b[2;6H\x1b9", rows: "abcdefghij|klnop·qrst|uvxyz·ABCD|EFHIJ·KLMN|OPQRSTUVWX"},
		{in: gridFull + "\x1b[?69h\x1b[3;6s\x1b[2;4r\x1b[2;3H\x1b6", rows: "abcdefghij|kl·mnoqrst|uv·wxyABCD|EF·GHIKLMN|OPQRSTUVWX"},
		{in: gridFull + "\x1b[?69h\x1b[3;6s\x1b[2;4r\x1b[2 @", rows: gridRows}, // the cursor is outside
		// wrap within margins, and outside
		{in: "\x1b[?69h\x1b[3;6s\x1b[1;3Habcdef", rows: "··abcd|··ef", cursor: "5,2"},
		{in: "\x1b[?69h\x1b[3;6s\x1b[1;8Habcd", rows: "·······abc|··d", cursor: "4,2"},
		// origin mode
		{in: "\x1b[?69h\x1b[3;6s\x1b[2;4r\x1b[?6h\x1b[9;9Hx\x1b[6n", rows: "|||·····x", reply: "\x1b[3;4R"},
	})
	runCases(t, "wide at the margins", []controlCase{
		{in: "\x1b[?69h\x1b[3;6s\x1b[1;6H中", rows: "|··中", cursor: "5,2"},
		{in: "a中b中c中d\x1b[?69h\x1b[3;6s\x1b[1;4H\x1b[@", rows: "a中·b c中d"},
		{in: "a中b中c中d\x1b[?69h\x1b[3;6s\x1b[1;4H\x1b[P", rows: "a中中·c中d"},
	})
	runCases(t, "reverse wrap", []controlCase{
		{in: "0123456789ab\x1b[?45h\b\b\b\b", rows: "0123456789|ab", cursor: "9,1"},
		{in: "x\r\nab\x1b[?45h\b\b\b\b", rows: "x|ab", cursor: "1,2"},
		{in: "x\r\nab\x1b[?1045h\b\b\b\b", rows: "x|ab", cursor: "9,1"},
		{in: "\x1b[2;4r\x1b[?1045h\x1b[2;1H\b", rows: "", cursor: "10,4"},
		{in: "\x1b[2;4r\x1b[?45h\x1b[2;1H\b", rows: "", cursor: "1,2"},
		{in: "0123456789ab\x1b[?45h\x1b[?7l\b\b\b\b", rows: "0123456789|ab", cursor: "1,2"},
	})
	runCases(t, "saved modes", []controlCase{
		{in: "\x1b[?7;25s\x1b[?7;25l\x1b[?7;25r\x1b[?7$p\x1b[?25$p", reply: "\x1b[?7;1$y\x1b[?25;1$y"},
		{in: "\x1b[?6h\x1b[?6s\x1b[?6l\x1b[?6r\x1b[?6$p\x1b[?5r\x1b[?5$p", reply: "\x1b[?6;1$y\x1b[?5;2$y"},
	})
	runCases(t, "tabs", []controlCase{
		{in: "\x1b[3g\x1b[4G\x1bH\x1b[7G\x1bH\r\x1b[Ia\x1b[2Ib", rows: "···a·····b", cursor: "10,1+"},
		{in: "\x1b[10G\x1b[Z", cursor: "9,1"},
		{in: "\x1b[9G\x1b[g\r\x1b[I", cursor: "10,1"},
		{in: "\x1b[3g\x1b[?5W\x1b[2$w", reply: "\x1bP2$u9\x1b\\"},
	})
}
