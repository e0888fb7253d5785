package vt

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
)

// hostile are streams made to fill whatever a terminal keeps, one kind each.
var hostile = []struct {
	name string
	feed func(w *Terminal, r *rand.Rand)
}{
	{"OSC without an end", func(w *Terminal, _ *rand.Rand) {
		fmt.Fprint(w, "\x1b]2;")
		for range 256 {
			w.Write(make64k('a'))
		}
	}},
	{"clipboard without an end", func(w *Terminal, _ *rand.Rand) {
		fmt.Fprint(w, "\x1b]52;c;")
		for range 256 {
			w.Write(make64k('Q'))
		}
	}},
	{"sixel and APC without an end", func(w *Terminal, _ *rand.Rand) {
		for _, s := range []string{"\x1bPq", "\x1b_Ga=T,f=24,s=9,v=9;", "\x1bP$q", "\x1b_x", "\x1bX", "\x1b^"} {
			fmt.Fprint(w, s)
			for range 128 {
				w.Write(make64k('Q'))
			}
			fmt.Fprint(w, "\x1b\\")
		}
	}},
	{"links", func(w *Terminal, _ *rand.Rand) {
		for i := range 20_000 {
			fmt.Fprintf(w, "\x1b]8;id=%d;http://%d/%s\x1b\\x", i, i, strings.Repeat("a", 2000))
		}
	}},
	{"styles", func(w *Terminal, _ *rand.Rand) {
		for i := range 300_000 {
			fmt.Fprintf(w, "\x1b[38;2;%d;%d;%d;58;2;%d;%d;%dmx", i>>16&255, i>>8&255, i&255, i&255, i>>8&255, 1)
		}
	}},
	{"clusters", func(w *Terminal, _ *rand.Rand) {
		for i := range 100_000 {
			fmt.Fprintf(w, "%c%s", 'a'+rune(i%20), strings.Repeat(string(rune(0x300+i%100)), 20)+string(rune(0x300+i/100%100)))
		}
	}},
	{"dense scrollback", func(w *Terminal, r *rand.Rand) {
		for range 300_000 {
			fmt.Fprintf(w, "\x1b[38;2;%d;%d;%d;48;2;%d;%d;%dm%c\u0301\u0302", r.IntN(256), r.IntN(256), r.IntN(256), r.IntN(256), r.IntN(256), r.IntN(256), rune(0x4e00+r.IntN(9999)))
		}
	}},
	{"titles", func(w *Terminal, _ *rand.Rand) {
		for i := range 10_000 {
			fmt.Fprintf(w, "\x1b]0;%d%s\a\x1b[22;0t", i, strings.Repeat("t", 8000))
		}
	}},
	{"colours", func(w *Terminal, _ *rand.Rand) {
		for i := range 20_000 {
			fmt.Fprintf(w, "\x1b]4;%d;#%06x\a\x1b]5;%d;red\a\x1b]1%d;blue\a\x1b[#P\x1b[%d#P\x1b[#{", i%256, i, i%5, i%10, i%12)
		}
	}},
	{"keyboard stack", func(w *Terminal, _ *rand.Rand) {
		for i := range 100_000 {
			fmt.Fprintf(w, "\x1b[>%du\x1b[?1049%c", i%32, "hl"[i/50_000])
		}
	}},
	{"pictures", func(w *Terminal, _ *rand.Rand) {
		body := base64.StdEncoding.EncodeToString(make([]byte, 1<<20))
		for i := range 30 {
			fmt.Fprintf(w, "\x1b_Ga=T,f=24,s=9,v=9,C=1,i=%d,m=1;%s\x1b\\\x1b_Gm=%d;%s\x1b\\\x1bPq%s\x1b\\", i, body, i%2, body, strings.Repeat("~-", 1<<19))
		}
	}},
	{"notifications", func(w *Terminal, _ *rand.Rand) {
		for i := range 5000 {
			fmt.Fprintf(w, "\x1b]99;i=%d:d=0:p=body;%s\a\x1b]99;i=1:d=0;%s\a", i, strings.Repeat("n", 5000), strings.Repeat("n", 5000))
		}
	}},
	{"parameters", func(w *Terminal, _ *rand.Rand) {
		for range 200 {
			fmt.Fprintf(w, "\x1b[%sm\x1b[%s\x1b[99999999999999999999b\x1b[999999999I\x1b[99999L\x1b[99999@", strings.Repeat("4:3;", 20_000), strings.Repeat("?", 1000))
		}
	}},
}

func make64k(b byte) []byte { return []byte(strings.Repeat(string(b), 64<<10)) }

// TestHostileMemory feeds what is made to fill a terminal, kind after kind and
// all kinds into one, and asks what is held, by the terminal's own count and by
// the heap's, to stay below MemoryLimit.
func TestHostileMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	if n := MemoryLimit(200, 50, 10_000) >> 20; n > 67 {
		t.Errorf("the limit at 200×50 with 10,000 lines is %d MiB, and the package's documentation says 67", n)
	}
	const cols, rows, lines = 80, 24, 1000
	limit := MemoryLimit(cols, rows, lines)
	heap := func() int {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	all := New(Options{Cols: cols, Rows: rows, Scrollback: lines, Event: func(Event) {}})
	most := 0
	for _, h := range hostile {
		one := New(Options{Cols: cols, Rows: rows, Scrollback: lines, Event: func(Event) {}})
		before := heap()
		h.feed(one, rand.New(rand.NewPCG(1, 1)))
		held := heap() - before
		check(t, one)
		if n := one.MemoryUsed(); n > limit || held > limit {
			t.Errorf("%s: %d bytes counted, %d on the heap, limit %d", h.name, n, held, limit)
		}
		// The count is good to 20 %, from some size on.
		if n := one.MemoryUsed(); held > 1<<20 && (held > n+n/5 || n > held+held/5) {
			t.Errorf("%s: %d bytes counted, %d on the heap", h.name, n, held)
		}
		h.feed(all, rand.New(rand.NewPCG(2, 2)))
		fmt.Fprint(all, "\x18")
		if n := all.MemoryUsed(); n > limit {
			t.Errorf("%s after others: %d bytes counted, limit %d", h.name, n, limit)
		}
		most = max(most, held, all.MemoryUsed())
		runtime.KeepAlive(one)
	}
	t.Logf("limit %.1f MiB, the most held %.1f MiB", float64(limit)/(1<<20), float64(most)/(1<<20))
}
