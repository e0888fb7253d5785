package vt

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// Corpora for the benchmarks, of some 4 MiB each: what programs write. They
// are generated, but for the recorded session of an agent.

const corpusSize = 4 << 20

func plainLines(testing.TB) []byte {
	r := rand.New(rand.NewPCG(1, 1))
	var b bytes.Buffer
	for i := 0; b.Len() < corpusSize; i++ {
		fmt.Fprintf(&b, "%06d the quick brown fox jumps over the lazy dog", i)
		for range r.IntN(60) {
			b.WriteByte(byte('a' + r.IntN(26)))
		}
		b.WriteString("\r\n")
	}
	return b.Bytes()
}

func colorLines(testing.TB) []byte {
	r := rand.New(rand.NewPCG(2, 2))
	var b bytes.Buffer
	for i := 0; b.Len() < corpusSize; i++ {
		fmt.Fprintf(&b, "\x1b[2m12:%02d:%02d\x1b[0m \x1b[1;3%dmINFO\x1b[0m \x1b[38;5;%dmmodule/%d\x1b[0m some text that follows \x1b[4mhttp://host/%d\x1b[24m \x1b[38;2;%d;%d;%dmvalue\x1b[39m\r\n",
			i/60%60, i%60, r.IntN(8), r.IntN(256), r.IntN(99), r.IntN(9999), r.IntN(4)*60, r.IntN(4)*60, r.IntN(4)*60)
	}
	return b.Bytes()
}

func denseCells(testing.TB) []byte {
	r := rand.New(rand.NewPCG(3, 3))
	var b bytes.Buffer
	for b.Len() < corpusSize {
		b.WriteString("\x1b[H")
		for range 50 {
			for range 200 {
				fmt.Fprintf(&b, "\x1b[38;5;%d;48;5;%dm%c", r.IntN(256), r.IntN(256), 'A'+r.IntN(26))
			}
			b.WriteString("\r\n")
		}
	}
	return b.Bytes()
}

func unicodeLines(testing.TB) []byte {
	words := []string{"hello", "w\u00f6rld", "\u4f60\u597d\u4e16\u754c", "\u041f\u0440\u0438\u0432\u0435\u0442", "\u3053\u3093\u306b\u3061\u306f", "caf\u00e9", "e\u0301tude", "\U0001F600", "\U0001F468\u200d\U0001F469\u200d\U0001F467", "\U0001F1E9\U0001F1EA", "\u2500\u2500\u2502\u2514", "\u2764\ufe0f", "\uc548\ub155", "na\u00efve"}
	r := rand.New(rand.NewPCG(4, 4))
	var b bytes.Buffer
	for b.Len() < corpusSize {
		for range 5 + r.IntN(15) {
			b.WriteString(words[r.IntN(len(words))])
			b.WriteByte(' ')
		}
		b.WriteString("\r\n")
	}
	return b.Bytes()
}

func fullScreen(testing.TB) []byte {
	r := rand.New(rand.NewPCG(5, 5))
	var b bytes.Buffer
	b.WriteString("\x1b[?1049h\x1b[?25l")
	for b.Len() < corpusSize {
		b.WriteString("\x1b[?2026h\x1b[H")
		for y := 1; y <= 50; y++ {
			fmt.Fprintf(&b, "\x1b[%d;1H\x1b[1;3%dm%-20s\x1b[0m", y, r.IntN(8), "name of a process")
			fmt.Fprintf(&b, "\x1b[%d;40H\x1b[48;5;%dm %6.2f%% \x1b[0m text of a row that is drawn again and again \x1b[K", y, r.IntN(256), r.Float64()*100)
		}
		b.WriteString("\x1b[?2026l")
	}
	return b.Bytes()
}

func agentSession(tb testing.TB) []byte {
	rec := readTar(tb, "testdata/recorded.tar.gz")["claude/main/raw.bin"]
	return bytes.Repeat(rec, corpusSize/len(rec)+1)
}

var corpora = []struct {
	name string
	make func(testing.TB) []byte
}{
	{"plain", plainLines},
	{"color", colorLines},
	{"dense", denseCells},
	{"unicode", unicodeLines},
	{"fullscreen", fullScreen},
	{"agent", agentSession},
}

func writeAll(t *Terminal, data []byte) {
	for i := 0; i < len(data); i += 4096 {
		t.Write(data[i:min(i+4096, len(data))])
	}
}

// reportCPU measures the processor time of a benchmark from here to the call
// of the function it gives, which other processes disturb less than the time
// on the clock, and reports it.
func reportCPU(b *testing.B) func() time.Duration {
	start := cpuTime()
	return func() time.Duration {
		spent := cpuTime() - start
		b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N), "cpu-ns/op")
		return spent
	}
}

// BenchmarkWrite is the throughput at 200×50 with 10,000 lines of scrollback,
// in writes of 4 KiB.
func BenchmarkWrite(b *testing.B) {
	for _, c := range corpora {
		b.Run(c.name, func(b *testing.B) {
			data := c.make(b)
			t := New(Options{Cols: 200, Rows: 50, Event: func(Event) {}, Reply: func([]byte) {}})
			writeAll(t, data)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			spent := reportCPU(b)
			for b.Loop() {
				writeAll(t, data)
			}
			if s := spent().Seconds(); s > 0 {
				b.ReportMetric(float64(b.N)*float64(len(data))/1e6/s, "cpu-MB/s")
			}
			b.ReportMetric(float64(t.MemoryUsed())/1024, "KiB-held")
		})
	}
}

// BenchmarkSnapshot is a snapshot of a full screen of 200×50 without
// scrollback.
func BenchmarkSnapshot(b *testing.B) {
	for _, c := range corpora {
		b.Run(c.name, func(b *testing.B) {
			t := New(Options{Cols: 200, Rows: 50})
			writeAll(t, c.make(b))
			var buf []byte
			b.ReportAllocs()
			spent := reportCPU(b)
			for b.Loop() {
				buf = t.Snapshot(buf[:0], SnapshotOptions{})
			}
			spent()
			b.ReportMetric(float64(len(buf)), "bytes")
		})
	}
}

// BenchmarkResize is a change of the width and back with 10,000 lines of
// scrollback, and the same with the scrollback looked at after each.
func BenchmarkResize(b *testing.B) {
	for _, look := range []bool{false, true} {
		name := "lazy"
		if look {
			name = "looked-at"
		}
		b.Run(name, func(b *testing.B) {
			t := New(Options{Cols: 200, Rows: 50})
			writeAll(t, colorLines(b))
			cols := 200
			spent := reportCPU(b)
			for b.Loop() {
				cols = 280 - cols
				t.Resize(cols, 50)
				if look {
					t.ScrollbackLen()
				}
			}
			spent()
		})
	}
}

// BenchmarkNew is the cost of a terminal nobody has written to.
func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		New(Options{Cols: 120, Rows: 40})
	}
}

// BenchmarkAppendRow paints a screen row by row.
func BenchmarkAppendRow(b *testing.B) {
	t := New(Options{Cols: 200, Rows: 50})
	writeAll(t, fullScreen(b))
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = buf[:0]
		for y := range 50 {
			buf = t.AppendRow(buf, y, 0, 200)
		}
	}
}
