package chat

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/acp"
	"github.com/termio-sh/termio/internal/acphost"
)

// longJournal is a conversation of so many pieces of text, in turns of 500.
func longJournal(tb testing.TB, chunks int) [][]byte {
	j := &journal{t: tb, at: noon}
	words := strings.Fields("the **quick** brown fox jumps over `the lazy` dog and then it does so again, 词 by 词, until night falls")
	for i := range chunks {
		if i%500 == 0 {
			if i > 0 {
				j.done(i/500, "end_turn")
			}
			j.turn(i/500+1, fmt.Sprintf("prompt number %d", i/500+1))
		}
		text := words[i%len(words)] + " "
		switch {
		case i%97 == 96:
			text += "\n\n"
		case i%250 == 249:
			text = "\n```go\nfunc f() {}\n```\n"
		}
		j.chunk(acp.UpdateMessage, text)
	}
	return j.lines
}

func readAll(tb testing.TB, lines [][]byte) *Chat {
	c := New(Options{Unicode: true})
	r := &Reader{}
	for _, line := range lines {
		events, err := r.Line(line)
		if err != nil {
			tb.Fatal(err)
		}
		c.Apply(events, noon)
	}
	c.Apply(r.Flush(), noon)
	return c
}

func BenchmarkRead100k(b *testing.B) {
	lines := longJournal(b, 100_000)
	for b.Loop() {
		readAll(b, lines)
	}
}

func BenchmarkFirstFrame100k(b *testing.B) {
	c := readAll(b, longJournal(b, 100_000))
	for b.Loop() {
		for _, bl := range c.Log.Blocks {
			bl.cache = cache{}
		}
		c.Frame(120, 50, 0, noon)
	}
}

// BenchmarkChunk is a piece of text that comes in at the end, and the frame
// after it.
func BenchmarkChunk(b *testing.B) {
	c := readAll(b, longJournal(b, 100_000))
	c.Frame(120, 50, 0, noon)
	n := 0
	for b.Loop() {
		n++
		c.Apply([]Event{{Event: acphost.Event{Type: acphost.EventStream, Kind: "message", Text: "word "}}}, noon)
		c.Frame(120, 50, n, noon)
	}
}

// BenchmarkSearch100k looks for what is not there.
func BenchmarkSearch100k(b *testing.B) {
	c := readAll(b, longJournal(b, 100_000))
	c.Frame(120, 50, 0, noon)
	c.Read()
	for b.Loop() {
		c.view.query = "is not there"
		c.view.find(-1)
	}
}

// TestLongConversationsStayFast has a conversation of 100,000 pieces drawn,
// scrolled, widened and added to within bounds that only something quadratic,
// or a layout of all of it, would miss.
func TestLongConversationsStayFast(t *testing.T) {
	if testing.Short() {
		t.Skip("makes a long conversation")
	}
	c := readAll(t, longJournal(t, 100_000))
	laid := func() (n int) {
		for _, b := range c.Log.Blocks {
			if b.cache.made {
				n++
			}
		}
		return n
	}
	c.Frame(120, 50, 0, noon)
	if n := laid(); n > 40 {
		t.Errorf("%d of %d blocks were laid out for a frame", n, len(c.Log.Blocks))
	}
	for _, b := range c.Log.Blocks {
		if len(b.Text) > maxSegment+maxStreamed {
			t.Errorf("a block of %d bytes", len(b.Text))
		}
	}
	start := time.Now()
	for i := range 200 {
		c.Apply([]Event{{Event: acphost.Event{Type: acphost.EventStream, Kind: "message", Text: "word "}}}, noon)
		c.Wheel(3)
		c.Frame(80+i%40, 50, i, noon)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("200 frames took %v", took)
	}
	if n := laid(); n > 200 {
		t.Errorf("%d of %d blocks were laid out", n, len(c.Log.Blocks))
	}
}

// maxStreamed is the most that one event of text adds.
const maxStreamed = 64 << 10
