// Package corpus makes the byte streams that terminals are measured and
// compared with. Each is deterministic: the same name and size give the same
// bytes on every machine.
package corpus

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Geometry of the terminal the full-screen corpora are drawn for.
const (
	Cols = 200
	Rows = 50
)

// Corpus is one kind of output.
type Corpus struct {
	Name string
	What string
	make func(r *rand.Rand, b *strings.Builder)
}

// All are the kinds, in the order tables show them.
var All = []Corpus{
	{"plain", "lines of plain text", plain},
	{"colour", "lines of coloured log output", colour},
	{"dense", "a style change on every cell", dense},
	{"unicode", "wide, combining and emoji text", unicodeMix},
	{"fullscreen", "full-screen repaints on the alternate screen", fullscreen},
	{"agent", "an agent's interface: spinner, streamed answer, status line", agent},
}

// Bytes returns at least size bytes of the corpus, ending between two units.
func (c Corpus) Bytes(size int) []byte {
	r := rand.New(rand.NewPCG(7501, uint64(len(c.Name))))
	var b strings.Builder
	b.Grow(size + 64<<10)
	for b.Len() < size {
		c.make(r, &b)
	}
	return []byte(b.String())
}

var words = strings.Fields(`the session host keeps every byte of output while a slow viewer is
dropped to a fresh snapshot and the engine reads what the program wrote in order func return
package import error nil if else for range string int byte rows cols cursor scroll region`)

func sentence(r *rand.Rand, b *strings.Builder, n int) {
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(words[r.IntN(len(words))])
	}
}

func plain(r *rand.Rand, b *strings.Builder) {
	sentence(r, b, 4+r.IntN(20))
	b.WriteString("\r\n")
}

func colour(r *rand.Rand, b *strings.Builder) {
	levels := []string{"\x1b[32mINFO\x1b[0m", "\x1b[33mWARN\x1b[0m", "\x1b[1;31mERROR\x1b[0m", "\x1b[38;5;244mDEBUG\x1b[0m"}
	fmt.Fprintf(b, "\x1b[2m12:%02d:%02d\x1b[22m %s \x1b[36m%s\x1b[39m: ", r.IntN(60), r.IntN(60), levels[r.IntN(4)], words[r.IntN(len(words))])
	sentence(r, b, 3+r.IntN(8))
	fmt.Fprintf(b, " \x1b[38;2;%d;%d;90mid=%d\x1b[0m\r\n", 16*r.IntN(16), 16*r.IntN(16), r.IntN(100000))
}

func dense(r *rand.Rand, b *strings.Builder) {
	b.WriteString("\x1b[H")
	for y := range Rows {
		for range Cols {
			fmt.Fprintf(b, "\x1b[38;5;%d;48;5;%dm%c", 16+r.IntN(216), 232+r.IntN(24), 'a'+rune(r.IntN(26)))
		}
		if y < Rows-1 {
			b.WriteString("\r\n")
		}
	}
	b.WriteString("\x1b[0m")
}

func unicodeMix(r *rand.Rand, b *strings.Builder) {
	parts := []string{
		"端末の中で動くエージェント", "会话在自己的进程里", "터미널 세션", "naïve café", "e\u0301galite\u0301",
		"👩‍👩‍👧‍👦", "🇩🇪🇯🇵", "👍🏽", "1️⃣", "❤️", "→ ✓ ✗ …", "ΑΒΓ αβγ", "Привет", "नमस्ते", "สวัสดี",
	}
	for range 8 + r.IntN(6) {
		b.WriteString(parts[r.IntN(len(parts))])
		b.WriteByte(' ')
	}
	b.WriteString("\r\n")
}

func fullscreen(r *rand.Rand, b *strings.Builder) {
	b.WriteString("\x1b[?1049h\x1b[?25l\x1b[H")
	for y := range Rows {
		fmt.Fprintf(b, "\x1b[%d;1H", y+1)
		switch {
		case y == 0 || y == Rows-1:
			b.WriteString("\x1b[7m")
			b.WriteString(strings.Repeat(" ", 60))
			sentence(r, b, 6)
			b.WriteString("\x1b[K\x1b[27m")
		default:
			fmt.Fprintf(b, "%6d  \x1b[1m%-12s\x1b[22m \x1b[3%dm", r.IntN(99999), words[r.IntN(len(words))], r.IntN(8))
			sentence(r, b, 8+r.IntN(10))
			b.WriteString("\x1b[39m\x1b[K")
		}
	}
	fmt.Fprintf(b, "\x1b[%d;%dH\x1b[?25h", 1+r.IntN(Rows), 1+r.IntN(Cols))
}

func agent(r *rand.Rand, b *strings.Builder) {
	spinner := []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
	fmt.Fprintf(b, "\x1b]0;%c Refactor the parser\a", spinner[r.IntN(len(spinner))])
	b.WriteString("\x1b[?2026h\x1b[6A\r\x1b[J")
	b.WriteString("\x1b[38;2;215;119;87m●\x1b[39m ")
	sentence(r, b, 6+r.IntN(14))
	b.WriteString("\r\n")
	fmt.Fprintf(b, "\x1b[38;2;153;153;153m  ⎿ Read %d lines (ctrl+r to expand)\x1b[39m\r\n\r\n", r.IntN(900))
	fmt.Fprintf(b, "\x1b[38;2;215;119;87m%c Thinking… \x1b[38;2;153;153;153m(%ds · ↑ %d tokens · esc to interrupt)\x1b[39m\r\n", spinner[r.IntN(len(spinner))], r.IntN(90), r.IntN(9000))
	b.WriteString("\x1b[38;2;80;80;80m╭" + strings.Repeat("─", 100) + "╮\x1b[39m\r\n")
	b.WriteString("\x1b[38;2;80;80;80m│\x1b[39m > \x1b[7m \x1b[27m" + strings.Repeat(" ", 96) + "\x1b[38;2;80;80;80m│\x1b[39m\r\n")
	b.WriteString("\x1b[38;2;80;80;80m╰" + strings.Repeat("─", 100) + "╯\x1b[39m\r\n\x1b[?2026l")
}
