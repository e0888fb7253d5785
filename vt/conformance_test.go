package vt

import (
	"fmt"
	"strings"
	"testing"
)

// A case is one use of a control function on a screen of 10×5: what is
// written, which rows are then seen ("·" is a cell with nothing in it, rows
// of nothing at the end are left out), where the cursor is (column, row, from
// 1; "+" with a wrap pending), and what the terminal answers.
type controlCase struct {
	in     string
	rows   string // joined by |
	cursor string
	reply  string
}

// seen is the screen as a case has it.
func seen(t *Terminal) string {
	var rows []string
	last := 0
	for y := range t.rows {
		var b strings.Builder
		for x := range t.cols {
			c := t.Cell(x, y)
			switch {
			case c.Width == 0:
			case c.Text == "":
				b.WriteString("·")
			default:
				b.WriteString(c.Text)
			}
		}
		row := strings.TrimRight(b.String(), "·")
		rows = append(rows, row)
		if row != "" {
			last = y + 1
		}
	}
	return strings.Join(rows[:last], "|")
}

func cursorAt(t *Terminal) string {
	s := fmt.Sprintf("%d,%d", t.cur.x+1, t.cur.y+1)
	if t.cur.pending {
		s += "+"
	}
	return s
}

// runCases runs the cases of a control function. Fields that a case leaves
// empty are not compared, but for rows.
func runCases(t *testing.T, name string, cases []controlCase) {
	t.Run(name, func(t *testing.T) {
		for _, c := range cases {
			for _, plain := range []bool{false, true} {
				var reply strings.Builder
				term := New(Options{Cols: 10, Rows: 5, Scrollback: 50, Reply: func(b []byte) { reply.Write(b) }})
				term.plain = plain
				term.Write([]byte(c.in))
				check(t, term)
				if got := seen(term); got != c.rows {
					t.Errorf("%q shows\n%q, want\n%q", c.in, got, c.rows)
				}
				if got := cursorAt(term); c.cursor != "" && got != c.cursor {
					t.Errorf("%q leaves the cursor at %s, want %s", c.in, got, c.cursor)
				}
				if got := reply.String(); got != c.reply {
					t.Errorf("%q is answered %q, want %q", c.in, got, c.reply)
				}
			}
		}
	})
}

const (
	grid5    = "aaaaa\r\nbbbbb\r\nccccc\r\nddddd\r\neeeee"
	gridFull = "abcdefghij\r\nklmnopqrst\r\nuvwxyzABCD\r\nEFGHIJKLMN\r\nOPQRSTUVWX"
)

func TestPrinting(t *testing.T) {
	runCases(t, "wrap", []controlCase{
		{in: "0123456789", rows: "0123456789", cursor: "10,1+"},
		{in: "0123456789a", rows: "0123456789|a", cursor: "2,2"},
		{in: "0123456789\ra", rows: "a123456789", cursor: "2,1"},
		{in: "0123456789\b\bx", rows: "0123456x89", cursor: "9,1"},
		{in: "0123456789\x1b[?7l", rows: "0123456789", cursor: "10,1"},
		{in: "\x1b[?7l0123456789abc", rows: "012345678c", cursor: "10,1"},
		{in: "0123456789\nx", rows: "0123456789|·········x", cursor: "10,2+"},
		{in: "0123456789\tx", rows: "0123456789|x", cursor: "2,2"},
	})
	runCases(t, "wide", []controlCase{
		{in: "12345678中", rows: "12345678中", cursor: "10,1+"},
		{in: "123456789中", rows: "123456789|中", cursor: "3,2"},
		{in: "\x1b[?7l123456789中x", rows: "123456789x", cursor: "10,1"},
		{in: "中文\x1b[1;2Hx", rows: " x文", cursor: "3,1"},
		{in: "中文\x1b[1;3Hx", rows: "中x ", cursor: "4,1"},
		{in: "中文\x1b[1;2H\x1b[X", rows: " ·文", cursor: "2,1"},
		{in: "中文字\x1b[1;2H\x1b[P", rows: " 文字", cursor: "2,1"},
		{in: "12345678中\x1b[1;1H\x1b[@", rows: "·12345678 ", cursor: "1,1"},
		{in: "a\u0301", rows: "a\u0301", cursor: "2,1"},
		{in: "\u0301", rows: "", cursor: "1,1"},
		{in: "👨\u200d👩\u200d👧x", rows: "👨\u200d👩\u200d👧x", cursor: "4,1"},
		{in: "🇩🇪🇫🇷", rows: "🇩🇪🇫🇷", cursor: "5,1"},
		{in: "❤\ufe0fx", rows: "❤\ufe0fx", cursor: "4,1"},
		{in: "123456789❤\ufe0f", rows: "123456789|❤\ufe0f", cursor: "3,2"},
		{in: "\x1b[?2027l👨\u200d👩", rows: "👨\u200d👩", cursor: "5,1"},
	})
	runCases(t, "utf-8", []controlCase{
		{in: "\xc3\xa4", rows: "ä"},
		{in: "a\xffb", rows: "a\ufffdb", cursor: "4,1"},
		{in: "\xe4\xb8x", rows: "\ufffdx", cursor: "3,1"},
		{in: "\xf0\x80\x80\x41", rows: "\ufffd\ufffd\ufffdA"},
		{in: "\xed\xa0\x80", rows: "\ufffd\ufffd\ufffd"},
		{in: "\xf4\x90\x80\x80", rows: "\ufffd\ufffd\ufffd\ufffd"},
		{in: "\xc0\xaf", rows: "\ufffd\ufffd"},
		{in: "\xe4\xb8\x1b[Cx", rows: "\ufffd·x"},
		{in: "\x1b%@\xe4\x1b%G\xc3\xa4", rows: "ää"},
	})
	runCases(t, "c1", []controlCase{
		{in: "a\u0085b", rows: "a|b"},
		{in: "\u009b3Cx", rows: "···x"},
		{in: "\x1b%@\x9b3Cx", rows: "···x"},
		{in: "\u009d0;t\u009cx", rows: "x"},
		{in: "\x9b3Cx", rows: "\ufffd3Cx"}, // a byte that is not UTF-8 is no control
		{in: "\x1b[3\x18Cx", rows: "Cx"},
		{in: "\x1b[3\x1aCx", rows: "Cx"},
		{in: "\x1b[3\x1b[2Cx", rows: "··x"},
		{in: "\x1b[\r3C\nx", rows: "|···x"},
		{in: "\x1b]0;title\x1b[3Cx", rows: "···x"},
		{in: "\x1bPxyz\x1b\\x", rows: "x"},
		{in: "\x1bXabc\x07def\x1b\\x", rows: "x"},
		{in: "\x1b[1<2Cx", rows: "x"}, // malformed: ignored whole
	})
	runCases(t, "REP", []controlCase{
		{in: "ab\x1b[3b", rows: "abbbb", cursor: "6,1"},
		{in: "中\x1b[2b", rows: "中中中", cursor: "7,1"},
		{in: "\x1b[3b", rows: ""},
		{in: "a\r\x1b[3b", rows: "a"},
		{in: "a\x1b[9999999b", rows: strings.Repeat("a", 10) + "|" + strings.Repeat("a", 10) + "|" + strings.Repeat("a", 10) + "|" + strings.Repeat("a", 10) + "|" + strings.Repeat("a", 1), cursor: "2,5"},
	})
}

func TestCursorMovement(t *testing.T) {
	runCases(t, "CUU CUD CUF CUB", []controlCase{
		{in: "\x1b[3;3H\x1b[A", cursor: "3,2"},
		{in: "\x1b[3;3H\x1b[99A", cursor: "3,1"},
		{in: "\x1b[3;3H\x1b[0B", cursor: "3,4"},
		{in: "\x1b[3;3H\x1b[99B", cursor: "3,5"},
		{in: "\x1b[3;3H\x1b[99C", cursor: "10,3"},
		{in: "\x1b[3;3H\x1b[99D", cursor: "1,3"},
		{in: "\x1b[2;4r\x1b[3;3H\x1b[99A", cursor: "3,2"},
		{in: "\x1b[2;4r\x1b[1;3H\x1b[99A", cursor: "3,1"},
		{in: "\x1b[2;4r\x1b[3;3H\x1b[99B", cursor: "3,4"},
		{in: "\x1b[2;4r\x1b[5;3H\x1b[99B", cursor: "3,5"},
		{in: "\x1b[?69h\x1b[3;6s\x1b[1;4H\x1b[99C", cursor: "6,1"},
		{in: "\x1b[?69h\x1b[3;6s\x1b[1;8H\x1b[99C", cursor: "10,1"},
		{in: "\x1b[?69h\x1b[3;6s\x1b[1;4H\x1b[99D", cursor: "3,1"},
		{in: "\x1b[?69h\x1b[3;6s\x1b[1;2H\x1b[99D", cursor: "1,1"},
	})
	runCases(t, "CUP HVP CHA VPA HPR VPR CNL CPL", []controlCase{
		{in: "\x1b[;5H", cursor: "5,1"},
		{in: "\x1b[99;99H", cursor: "10,5"},
		{in: "\x1b[2;3f", cursor: "3,2"},
		{in: "\x1b[3;3H\x1b[7G", cursor: "7,3"},
		{in: "\x1b[3;3H\x1b[7`", cursor: "7,3"},
		{in: "\x1b[3;3H\x1b[2d", cursor: "3,2"},
		{in: "\x1b[3;3H\x1b[2a", cursor: "5,3"},
		{in: "\x1b[3;3H\x1b[2e", cursor: "3,5"},
		{in: "\x1b[3;3H\x1b[E", cursor: "1,4"},
		{in: "\x1b[3;3H\x1b[2F", cursor: "1,1"},
		{in: "\x1b[2;4r\x1b[?6h\x1b[1;1H", cursor: "1,2"},
		{in: "\x1b[2;4r\x1b[?6h\x1b[9;9H", cursor: "9,4"},
		{in: "\x1b[?69h\x1b[3;6s\x1b[2;4r\x1b[?6h\x1b[9;9H", cursor: "6,4"},
		{in: "\x1b[?69h\x1b[3;6s\x1b[2;4r\x1b[?6h\x1b[2;2H\x1b[6n", cursor: "4,3", reply: "\x1b[2;2R"},
	})
	runCases(t, "tabs", []controlCase{
		{in: "\tx", rows: "········x", cursor: "10,1"},
		{in: "\t\t", cursor: "10,1"},
		{in: "\x1b[1;4H\x1bH\r\tx", rows: "···x"},
		{in: "\x1b[1;4H\x1bH\r\x1b[2I", cursor: "9,1"},
		{in: "\x1b[1;4H\x1bH\x1b[1;10H\x1b[Z", cursor: "9,1"},
		{in: "\x1b[1;4H\x1bH\x1b[1;10H\x1b[9999999999Z", cursor: "1,1"},
		{in: "\x1b[3g\t", cursor: "10,1"},
		{in: "\x1b[1;9H\x1b[g\r\t", cursor: "10,1"},
		{in: "\x1b[3g\x1b[?5W\t", cursor: "9,1"},
		{in: "\x1b[1;3H\x1b[W\r\t", cursor: "3,1"},
		{in: "\x1bP2$t3/5\x1b\\\t\tx", rows: "····x"},
	})
	runCases(t, "BS and reverse wrap", []controlCase{
		{in: "\b", cursor: "1,1"},
		{in: "0123456789a\b\bx", rows: "0123456789|x", cursor: "2,2"},
		{in: "\x1b[?45h0123456789a\b\bx", rows: "012345678x|a", cursor: "10,1+"},
		{in: "\x1b[?45h0123456789\bx", rows: "012345678x", cursor: "10,1+"},
		{in: "\x1b[?45ha\r\n\bx", rows: "a|x"},
		{in: "\x1b[?1045ha\r\n\bx", rows: "a········x"},
		{in: "\x1b[?1045h\bx", rows: "||||·········x"},
	})
	runCases(t, "IND NEL RI LF", []controlCase{
		{in: grid5 + "\x1bD", rows: "bbbbb|ccccc|ddddd|eeeee", cursor: "6,5"},
		{in: grid5 + "\x1bE", rows: "bbbbb|ccccc|ddddd|eeeee", cursor: "1,5"},
		{in: grid5 + "\x1b[H\x1bM", rows: "|aaaaa|bbbbb|ccccc|ddddd", cursor: "1,1"},
		{in: grid5 + "\x1b[2;4r\x1b[4;1H\n", rows: "aaaaa|ccccc|ddddd||eeeee", cursor: "1,4"},
		{in: grid5 + "\x1b[2;4r\x1b[2;1H\x1bM", rows: "aaaaa||bbbbb|ccccc|eeeee", cursor: "1,2"},
		{in: grid5 + "\x1b[2;4r\x1b[5;1H\n", rows: "aaaaa|bbbbb|ccccc|ddddd|eeeee", cursor: "1,5"},
		{in: "\x1b[20ha\nb", rows: "a|b"},
		{in: gridFull + "\x1b[?69h\x1b[3;5s\x1b[2;4r\x1b[4;4H\n", rows: "abcdefghij|klwxypqrst|uvGHIzABCD|EF···JKLMN|OPQRSTUVWX"},
		{in: gridFull + "\x1b[?69h\x1b[3;5s\x1b[2;4r\x1b[4;8H\n", rows: strings.ReplaceAll(gridFull, "\r\n", "|"), cursor: "8,4"},
	})
	runCases(t, "DECSC DECRC", []controlCase{
		{in: "\x1b[2;3H\x1b7\x1b[H\x1b8", cursor: "3,2"},
		{in: "\x1b8", cursor: "1,1"},
		{in: "0123456789\x1b7\x1b[H\x1b8x", rows: "0123456789|x", cursor: "2,2"},
		{in: "\x1b[2;3H\x1b[s\x1b[H\x1b[u", cursor: "3,2"},
		{in: "\x1b[2;4r\x1b[?6h\x1b7\x1b[?6l\x1b8\x1b[1;1Hx", rows: "|x"},
		{in: "\x1b(0\x1b7\x1b(B\x1b8q", rows: "─"},
	})
}

func TestEditing(t *testing.T) {
	runCases(t, "ED EL ECH", []controlCase{
		{in: grid5 + "\x1b[3;3H\x1b[J", rows: "aaaaa|bbbbb|cc", cursor: "3,3"},
		{in: grid5 + "\x1b[3;3H\x1b[1J", rows: "||···cc|ddddd|eeeee"},
		{in: grid5 + "\x1b[3;3H\x1b[2J", rows: "", cursor: "3,3"},
		{in: grid5 + "\x1b[3;3H\x1b[K", rows: "aaaaa|bbbbb|cc|ddddd|eeeee"},
		{in: grid5 + "\x1b[3;3H\x1b[1K", rows: "aaaaa|bbbbb|···cc|ddddd|eeeee"},
		{in: grid5 + "\x1b[3;3H\x1b[2K", rows: "aaaaa|bbbbb||ddddd|eeeee"},
		{in: "abcdef\x1b[1;2H\x1b[3X", rows: "a···ef", cursor: "2,1"},
		{in: "abcdef\x1b[1;2H\x1b[0X", rows: "a·cdef"},
		{in: "abcdef\x1b[1;2H\x1b[4294967297X", rows: "a"},
	})
	runCases(t, "ICH DCH IL DL", []controlCase{
		{in: "abcdef\x1b[1;2H\x1b[2@", rows: "a··bcdef"},
		{in: "abcdefghij\x1b[1;2H\x1b[9999@", rows: "a"},
		{in: "abcdef\x1b[1;2H\x1b[2P", rows: "adef"},
		{in: "abcdef\x1b[1;2H\x1b[9999P", rows: "a"},
		{in: "abcdef\x1b[4h\x1b[1;2HXY", rows: "aXYbcdef", cursor: "4,1"},
		{in: "abcdef\x1b[4h\x1b[1;2H中", rows: "a中bcdef"},
		{in: grid5 + "\x1b[2;3H\x1b[L", rows: "aaaaa||bbbbb|ccccc|ddddd", cursor: "1,2"},
		{in: grid5 + "\x1b[2;3H\x1b[2M", rows: "aaaaa|ddddd|eeeee", cursor: "1,2"},
		{in: grid5 + "\x1b[2;4r\x1b[3;1H\x1b[L", rows: "aaaaa|bbbbb||ccccc|eeeee"},
		{in: grid5 + "\x1b[2;4r\x1b[1;1H\x1b[L", rows: "aaaaa|bbbbb|ccccc|ddddd|eeeee"},
		{in: "\x1b[1;100r\x1b[M\x1b[9999999L\x1b[9999999S\x1b[9999999T", rows: ""},
		{in: gridFull + "\x1b[?69h\x1b[3;5s\x1b[2;4H\x1b[@", rows: "abcdefghij|klm·npqrst|uvwxyzABCD|EFGHIJKLMN|OPQRSTUVWX"},
		{in: gridFull + "\x1b[?69h\x1b[3;5s\x1b[2;4H\x1b[P", rows: "abcdefghij|klmo·pqrst|uvwxyzABCD|EFGHIJKLMN|OPQRSTUVWX"},
		{in: gridFull + "\x1b[?69h\x1b[3;5s\x1b[2;4H\x1b[L", rows: "abcdefghij|kl···pqrst|uvmnozABCD|EFwxyJKLMN|OPGHITUVWX"},
		{in: gridFull + "\x1b[?69h\x1b[3;5s\x1b[2;7H\x1b[P", rows: strings.ReplaceAll(gridFull, "\r\n", "|")},
	})
	runCases(t, "SU SD SL SR DECIC DECDC DECBI DECFI", []controlCase{
		{in: grid5 + "\x1b[2S", rows: "ccccc|ddddd|eeeee", cursor: "6,5"},
		{in: grid5 + "\x1b[2T", rows: "||aaaaa|bbbbb|ccccc"},
		{in: grid5 + "\x1b[2;4r\x1b[S", rows: "aaaaa|ccccc|ddddd||eeeee"},
		{in: grid5 + "\x1b[1;2;3;4;5T", rows: "aaaaa|bbbbb|ccccc|ddddd|eeeee"},
		{in: "abcdef\r\nghi\x1b[2 @", rows: "cdef|i"},
		{in: "abcdef\r\nghi\x1b[2 A", rows: "··abcdef|··ghi"},
		{in: "abcdef\r\nghijkl\x1b[1;3H\x1b['}", rows: "ab·cdef|gh·ijkl"},
		{in: "abcdef\r\nghijkl\x1b[1;3H\x1b[2'~", rows: "abef|ghkl"},
		{in: "abcdef\r\nghijkl\x1b[1;1H\x1b6", rows: "·abcdef|·ghijkl", cursor: "1,1"},
		{in: "abcdef\x1b[1;3H\x1b6", rows: "abcdef", cursor: "2,1"},
		{in: "abcdef\x1b[1;10H\x1b9", rows: "bcdef", cursor: "10,1"},
		{in: "abcdef\x1b[1;3H\x1b9", rows: "abcdef", cursor: "4,1"},
	})
	runCases(t, "protection", []controlCase{
		{in: "a\x1b[1\"qb\x1b[\"qc\x1b[?2J", rows: "·b"},
		{in: "a\x1b[1\"qb\x1b[\"qc\x1b[H\x1b[?K", rows: "·b"},
		{in: "a\x1b[1\"qb\x1b[\"qc\x1b[2J", rows: ""},
		{in: "a\x1b[1\"qb\x1b[2\"qc\x1b[1;1;1;3${", rows: "·b"},
		{in: "a\x1bVb\x1bWc\x1b[2J", rows: "·b"},
		{in: "a\x1bVb\x1bWc\x1b[H\x1b[K", rows: "·b"},
		{in: "a\x1bVb\x1bWc\x1b[H\x1b[3X", rows: "·b"},
	})
	runCases(t, "rectangles", []controlCase{
		{in: "\x1b[35;2;2;3;4$x", rows: "|·###|·###"},
		{in: "\x1b[7;2;2;3;4$x", rows: ""},
		{in: "\x1b[35$x", rows: strings.TrimSuffix(strings.Repeat("##########|", 5), "|")},
		{in: gridFull + "\x1b[2;2;3;4$z", rows: "abcdefghij|k···opqrst|u···yzABCD|EFGHIJKLMN|OPQRSTUVWX"},
		{in: gridFull + "\x1b[1;1;2;3;1;4;5;1$v", rows: "abcdefghij|klmnopqrst|uvwxyzABCD|EFGHabcLMN|OPQRklmVWX"},
		{in: gridFull + "\x1b[1;1;2;3;1;1;2;1$v", rows: "aabcefghij|kklmopqrst|uvwxyzABCD|EFGHIJKLMN|OPQRSTUVWX"},
		{in: gridFull + "\x1b[1;1;2;3;1;2;1;1$v", rows: "abcdefghij|abcnopqrst|klmxyzABCD|EFGHIJKLMN|OPQRSTUVWX"},
		{in: gridFull + "\x1b[3;3;2;2$z", rows: strings.ReplaceAll(gridFull, "\r\n", "|")},
		{in: gridFull + "\x1b[2;4r\x1b[?69h\x1b[3;5s\x1b[?6h\x1b[35;1;1;9;9$x", rows: "abcdefghij|kl###pqrst|uv###zABCD|EF###JKLMN|OPQRSTUVWX"},
		{in: "中中中\x1b[35;1;2;1;3$x", rows: " ## 中"},
	})
	runCases(t, "line attributes", []controlCase{
		{in: "\x1b#6abcdefg", rows: "abcde|fg", cursor: "3,2"},
		{in: "abcdefgh\x1b#6", rows: "abcdefgh", cursor: "5,1"},
		{in: "\x1b#6abcdef\x1b[H\x1b#5\x1b[1;6Hx", rows: "abcdex|f"},
		{in: "\x1b#8", rows: strings.TrimSuffix(strings.Repeat("EEEEEEEEEE|", 5), "|"), cursor: "1,1"},
	})
	runCases(t, "character sets", []controlCase{
		{in: "\x1b(0lqk\x1b(Blqk", rows: "┌─┐lqk"},
		{in: "\x1b)0l\x0el\x0fl", rows: "l┌l"},
		{in: "\x1b*0\x1bNqq", rows: "─q"},
		{in: "\x1b+0\x1bOqq\x1boq", rows: "─q─"},
		{in: "\x1b(A#", rows: "£"},
		{in: "\x1b(K[\\]", rows: "ÄÖÜ"},
		{in: "\x1b(>\x61", rows: "α"},
		{in: "\x1b-A\x1b~\x1b%@\xe4", rows: "ä"},
		{in: "\x1b*0\x1b}\x1b%@\xf1", rows: "─"},
	})
}

func TestScreens(t *testing.T) {
	runCases(t, "alternate screen", []controlCase{
		{in: "main\x1b[?1049halt", rows: "····alt", cursor: "8,1"},
		{in: "main\x1b[?1049halt\x1b[?1049l", rows: "main", cursor: "5,1"},
		{in: "main\x1b[?47halt\x1b[?47l", rows: "main", cursor: "8,1"},
		{in: "main\x1b[?47halt\x1b[?47l\x1b[?47h", rows: "····alt"},
		{in: "main\x1b[?1047halt\x1b[?1047l\x1b[?1047h", rows: ""},
		{in: "main\x1b[?1049halt\x1b[?1049l\x1b[?47h", rows: "····alt"},
		{in: "\x1b[2;2H\x1b[?1048h\x1b[H\x1b[?1048l", cursor: "2,2"},
	})
	runCases(t, "resets", []controlCase{
		{in: "abc\x1b[2;3r\x1b[4h\x1bc", rows: "", cursor: "1,1"},
		{in: "abc\x1b[2;3r\x1b[?6h\x1b[4h\x1b[!p\x1b[5;5Hx", rows: "abc||||····x"},
		{in: "\x1b(0\x1b[!pq", rows: "q"},
		{in: "\x1b[61\"pabc\x1b[?6h", rows: "abc", cursor: "1,1"},
	})
	t.Run("scrollback", func(t *testing.T) {
		term := New(Options{Cols: 10, Rows: 2, Scrollback: 3})
		term.Write([]byte("1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7"))
		if got := term.TailText(99); got != "3\n4\n5\n6\n7" {
			t.Errorf("scrollback and screen are %q", got)
		}
		term.Write([]byte("\x1b[?1049hx\r\ny\r\nz\x1b[?1049l"))
		if n := term.ScrollbackLen(); n != 3 {
			t.Errorf("the alternate screen left %d lines", n)
		}
		term.Write([]byte("\x1b[3J"))
		if n := term.ScrollbackLen(); n != 0 {
			t.Errorf("ED 3 left %d lines", n)
		}
	})
}
