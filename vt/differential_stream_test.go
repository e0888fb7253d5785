package vt

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// stream is what a generated test sends: operations, then one look at the
// screen. An operation is bytes, or "\x00resize" with a new size.
type stream struct {
	cols, rows int
	scrollback int
	ops        []string
}

// request is the stream for the reference terminal: runs of bytes joined.
func (s stream) request() refRequest {
	req := refRequest{Cols: s.cols, Rows: s.rows, Scrollback: s.scrollback}
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			req.Steps = append(req.Steps, refStep{Data: []byte(b.String())})
			b.Reset()
		}
	}
	for _, op := range s.ops {
		var c, r int
		if n, _ := fmt.Sscanf(op, resizeOp, &c, &r); n == 2 {
			flush()
			req.Steps = append(req.Steps, refStep{Cols: c, Rows: r})
			continue
		}
		b.WriteString(op)
	}
	flush()
	return req
}

const resizeOp = "\x00resize %d %d"

// streamGen makes streams of what programs send to terminals and of what they
// should not send. Not made, because xterm.js does not have it: left and right
// margins, rectangles, double-width lines, VT52 mode; reverse wrapping, which it
// does for BS only and xterm for CUB too; modes 47 and 1047, on
// which it clears the alternate screen at every switch and xterm does not;
// broken UTF-8, of which it drops every byte where Unicode asks for U+FFFD; and
// what is not a matter of the grid.
type streamGen struct {
	*rand.Rand
	cols, rows int
	// tabs: the stream sets tab stops, and does not change screens, as the two
	// of xterm.js have their own.
	tabs bool
	b    strings.Builder
}

// generateStream is the stream of a seed: always the same one.
func generateStream(seed uint64) stream {
	g := &streamGen{Rand: rand.New(rand.NewPCG(seed, 7501))}
	// (One row is for the fuzz tests: there xterm.js loses what gets wide late.)
	g.cols, g.rows, g.tabs = 2+g.IntN(30), 2+g.IntN(10), g.IntN(2) == 0
	s := stream{cols: g.cols, rows: g.rows, scrollback: 50}
	for range 1 + g.IntN(60) {
		g.op()
		s.ops = append(s.ops, g.b.String())
		g.b.Reset()
	}
	return s
}

// generateResizes is a stream of lines and new sizes. Left out is what xterm.js
// does otherwise when it wraps lines anew: it leaves the line with the cursor as
// it was, gives new rows no background, mixes clusters up, and drops other lines
// when the scrollback is full.
func generateResizes(seed uint64) stream {
	g := &streamGen{Rand: rand.New(rand.NewPCG(seed, 2048))}
	s := stream{cols: 4 + g.IntN(20), rows: 2 + g.IntN(8), scrollback: 1000}
	for range 1 + g.IntN(12) {
		if g.IntN(4) == 0 {
			s.ops = append(s.ops, fmt.Sprintf(resizeOp, 4+g.IntN(20), 2+g.IntN(10)))
			continue
		}
		g.put(g.pick("", "\x1b[m", "\x1b[1;31m", "\x1b[7m", "\x1b[4:3m"))
		for range g.IntN(40) {
			g.put(g.pick(g.pick(plainText...), g.pick(plainText...), g.pick(wideText...)))
		}
		g.put("\r\n")
		s.ops = append(s.ops, g.b.String())
		g.b.Reset()
	}
	return s
}

// shrink leaves out operations as long as the stream still fails.
func (s stream) shrink(fails func(stream) bool) stream {
	for n := len(s.ops) / 2; n > 0; {
		cut := false
		for i := 0; i+n <= len(s.ops); {
			smaller := s
			smaller.ops = append(append([]string{}, s.ops[:i]...), s.ops[i+n:]...)
			if fails(smaller) {
				s, cut = smaller, true
			} else {
				i += n
			}
		}
		if !cut || n > len(s.ops) {
			n = min(n/2, len(s.ops))
		}
	}
	return s
}

func (g *streamGen) put(s string)            { g.b.WriteString(s) }
func (g *streamGen) putf(f string, a ...any) { fmt.Fprintf(&g.b, f, a...) }
func (g *streamGen) pick(s ...string) string { return s[g.IntN(len(s))] }

// count is a parameter: mostly small, sometimes absent or far too large. (xterm.js
// counts a huge one down one by one; the fuzz tests have those.)
func (g *streamGen) count() string {
	switch g.IntN(12) {
	case 0:
		return ""
	case 1:
		return "0"
	case 2:
		return g.pick("99", "1000", "32767")
	}
	return fmt.Sprint(1 + g.IntN(6))
}

// The alphabets on whose widths the two terminals agree. TestXtermWidths is
// about the rest.
var (
	plainText = []string{"a", "b", "Z", "0", "~", " ", "é", "─", "│", "█", "λ", "…", "\ue0b0", "→"}
	wideText  = []string{"中", "文", "あ", "한", "Ａ", "😀", "🚀", "⌚", "✅"}
	clusters  = []string{
		"e\u0301", "a\u0316\u0301", "👍🏽", "👨\u200d👩\u200d👧", "🏳\ufe0f\u200d🌈", "🇫🇷", "❤\ufe0f", "1\ufe0f\u20e3", "\u1112\u1161\u11ab", "नि", "กำ", "中\u0301", "\u0600a", "👩🏽\u200d🚒",
	}
)

func (g *streamGen) text(max int) {
	for range 1 + g.IntN(max) {
		switch g.IntN(10) {
		case 0:
			g.put(g.pick(wideText...))
		case 1:
			g.put(g.pick(clusters...))
		default:
			g.put(g.pick(plainText...))
		}
	}
}

// restored follows DECRC. It ends what DECRC of xterm.js does not restore, the
// style in part, the link and the character sets, and goes home, as
// xterm.js restores the line in the scrollback and not the row of the screen. It
// resets the margins, of which xterm.js has two, one for each screen.
const restored = "\x1b[m\x1b]8;;\a\x0f\x1b(B\x1b)B\x1b*B\x1b[r\x1b[H"

// place moves the cursor within its row. Before an erasure, because with a wrap
// due xterm.js has the cursor behind the last cell and does not erase that one.
func (g *streamGen) place() { g.putf("\x1b[%dG", 1+g.IntN(g.cols)) }

// op writes one operation.
func (g *streamGen) op() {
	switch n := g.IntN(100); {
	case n < 30:
		g.text(8)
	case n < 33:
		g.text(3 * g.cols)
	case n < 41:
		g.put(g.pick("\r", "\n", "\r\n", "\r\n", "\v", "\f", "\b", "\b\b", "\t", "\t", "\a"))
	case n < 46:
		g.put(g.pick("\x1bD", "\x1bM", "\x1bM", "\x1bE", "\x1b7", "\x1b8"+restored, "\x1b[s", "\x1b[u"+restored))
	case n < 60:
		g.putf("\x1b[%s%s", g.count(), g.pick("A", "B", "C", "D", "E", "F", "G", "d", "a", "e", "`", "I"))
	case n < 65:
		g.putf("\x1b[%s;%s%s", g.count(), g.count(), g.pick("H", "H", "f"))
	case n < 70:
		g.place()
		g.putf("\x1b[%s%s", g.pick("", "0", "1", "2", "3"), g.pick("J", "K", "K"))
	case n < 76:
		g.place()
		g.putf("\x1b[%s%s", g.count(), g.pick("@", "P", "X", "L", "M"))
	case n < 77:
		g.put(g.pick("\x1b["+g.count()+"S", "\x1b[49m\x1b["+g.count()+"T")) // SD of xterm.js has no background
	case n < 78: // REP right after text: xterm.js forgets the text at any other sequence
		g.text(3)
		g.putf("\x1b[%db", g.IntN(g.cols*g.rows)) // more than a screen is cut short with us
	case n < 80:
		top := 1 + g.IntN(g.rows)
		g.put(g.pick("\x1b[r", fmt.Sprintf("\x1b[%d;%dr", top, top+g.IntN(g.rows)), fmt.Sprintf("\x1b[%d;%dr", 1+g.IntN(g.rows+1), g.IntN(g.rows+2))))
	case n < 90:
		g.sgr()
	case n < 94:
		g.mode()
	default:
		g.rare()
	}
}

func (g *streamGen) sgr() {
	var p []string
	for range g.IntN(4) {
		p = append(p, g.pick(
			"", "0", "1", "2", "3", "4", "5", "7", "8", "9", "21", "22", "23", "24", "25", "27", "28", "29", "53", "55",
			"4:0", "4:1", "4:2", "4:3", "4:4", "4:5", "39", "49", "59",
			fmt.Sprint(30+g.IntN(8)), fmt.Sprint(40+g.IntN(8)), fmt.Sprint(90+g.IntN(8)), fmt.Sprint(100+g.IntN(8)),
			fmt.Sprintf("38;5;%d", g.IntN(256)), fmt.Sprintf("48;5;%d", g.IntN(256)), fmt.Sprintf("38:5:%d", g.IntN(256)), fmt.Sprintf("58:5:%d", g.IntN(256)),
			fmt.Sprintf("38;2;%d;%d;%d", g.IntN(256), g.IntN(256), g.IntN(256)), fmt.Sprintf("48;2;%d;%d;%d", g.IntN(256), g.IntN(256), g.IntN(256)),
			fmt.Sprintf("48:2::%d:%d:%d", g.IntN(256), g.IntN(256), g.IntN(256)), fmt.Sprintf("58:2::%d:%d:%d", g.IntN(256), g.IntN(256), g.IntN(256)),
			fmt.Sprintf("58;2;%d;%d;%d", g.IntN(256), g.IntN(256), g.IntN(256)),
		))
	}
	g.putf("\x1b[%sm", strings.Join(p, ";"))
}

func (g *streamGen) mode() {
	switch g.IntN(4) {
	case 0:
		if g.tabs {
			g.put(g.pick("\x1bH", "\x1bH", "\x1b[g", "\x1b[3g"))
			return
		}
		g.putf("\x1b[%s%s", g.pick("?1049", "?1049", "?1048"), g.pick("h", "l", "l"))
		g.put(restored)
	case 1: // origin mode: in xterm.js it spoils every relative movement
		g.put("\x1b[?6h")
		for range g.IntN(4) {
			g.putf("\x1b[%s;%sH", g.count(), g.count())
			g.text(4)
		}
		g.put("\x1b[?6l")
	default:
		g.putf("\x1b[%s%s", g.pick("20", "?25", "?5", "?2004", "?1", "?66", "?12", "?1000;1006"), g.pick("h", "l", "l"))
	}
}

func (g *streamGen) rare() {
	switch g.IntN(12) {
	case 0: // DECALN: xterm.js keeps margins, origin mode and colours
		g.put("\x1b[r\x1b[?6l\x1b[m\x1b#8")
		return
	case 1: // DECSCA: in xterm.js SGR 0 ends it, and a cluster that widens protects too much
		g.put("\x1b[1\"q")
		g.put(g.pick(plainText...) + g.pick(wideText...) + g.pick(plainText...))
		g.put("\x1b[0\"q")
		return
	case 2: // no autowrap: what becomes of a wide character at the edge differs
		g.put("\r\x1b[K\x1b[?7l")
		for range g.cols {
			g.put(g.pick(plainText...))
		}
		g.put("\r\x1b[?7h") // xterm.js remembers that a wrap would have been due
		return
	case 3: // insert mode: in xterm.js what becomes wide later moves nothing
		g.put("\x1b[4h")
		for range 1 + g.IntN(8) {
			g.put(g.pick(g.pick(plainText...), g.pick(wideText...), "e\u0301", "한\u11ab"))
		}
		g.put("\x1b[4l")
		return
	case 4: // CBT: in xterm.js not while a wrap is due
		g.putf("\r\x1b[%sC\x1b[%sZ", g.count(), g.count())
		return
	case 5: // in xterm.js a wrap that is due stays so over these
		g.putf("\x1b[%d;%dH\x1b[%s%s", 1+g.IntN(g.rows), 1+g.IntN(g.cols), g.count(), g.pick(" @", " A", "'}", "'~"))
		return
	}
	g.put(g.pick(
		"\x1b(0lqqk\x1b(B", "\x1b(0", "\x1b(B", "\x1b)0", "\x0e", "\x0f", "\x1b*0", "\x1bn",
		"\x1b[D\x1b[!p\x1b]8;;\a", "\x1b[20l\x1bc\x1b[?25h", "\x1b[D\x1b[?J", "\x1b[D\x1b[?1K", "\x1b[D\x1b[?2J",
		"\x1b]0;title\a", "\x1b]8;;http://x\x1b\\", "\x1b]8;;\a", "\x1b]999;junk\x1b\\", "\x1bP1;2|junk\x1b\\", "\x1b_Gi=1;AAAA\x1b\\", "\x1b^pm\x1b\\", "\x1bXsos\x1b\\",
		"\x18", "\x1a", "\x1b[3\x18", "\x1b[1;2\x1b[3C", "\x1b[2\nC", "\x1b[;5H", "\x1b[>c", "\x1b[=1m", "\x1b[?1$p", "\x1b[2 q", "\x1b[1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17;18;19;20;21;22;23;24;25;26;27;28;29;30;31;32;33;34;31m",
		"\x7f", "\x00", "\u0085", "\u009b2C",
		"\x1b[6n", "\x1b[c", "\x1b[?u", "\x1b[>1u", "\x1b[<u",
	))
}
