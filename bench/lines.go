package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/termio-sh/termio/internal/testkit/corpus"
	"github.com/termio-sh/termio/vt"
)

// cutLines is the first n lines of a corpus of lines.
func cutLines(name string, n int) []byte {
	for _, c := range corpus.All {
		if c.Name == name {
			data := string(c.Bytes(n * 200))
			at := 0
			for range n {
				at += strings.IndexByte(data[at:], '\n') + 1
			}
			return []byte(data[:at])
		}
	}
	return nil
}

// held is the heap that a terminal of ours keeps after data, in KiB.
func held(data []byte) float64 {
	measure := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := measure()
	t := vt.New(vt.Options{Cols: corpus.Cols, Rows: corpus.Rows})
	t.Write(data)
	after := measure()
	runtime.KeepAlive(t)
	return float64(after-before) / 1024
}

// rss is a process's resident memory in KiB.
func rss(pid int) float64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		var n float64
		if _, err := fmt.Sscanf(line, "VmRSS: %f kB", &n); err == nil {
			return n
		}
	}
	return 0
}

// tmuxHeld is by how much tmux grows when the same lines are written.
func (l *lab) tmuxHeld(data []byte) (float64, error) {
	t, err := l.tmux()
	if err != nil {
		return 0, err
	}
	defer t.kill()
	pid, err := t.pid()
	if err != nil {
		return 0, err
	}
	in := l.path("lines.bin")
	if err := os.WriteFile(in, data, 0o600); err != nil {
		return 0, err
	}
	before := rss(pid)
	note := l.path("note")
	if _, err := t.do("new-session", "-d", "-s", "lines", "-x", "200", "-y", "50", "sh", "-c", quote2(l.self, in, note)); err != nil {
		return 0, err
	}
	if _, err := await(note, len(data)); err != nil {
		return 0, err
	}
	settle()
	return rss(pid) - before, nil
}

func quote2(self, in, note string) string {
	return quote(self) + " payload " + quote(in) + " " + quote(note) + "; exec cat"
}

func lines(l *lab) error {
	t := table{title: "Memory of one terminal's lines, 200×50, KiB"}
	t.row("lines", "termio/vt", "tmux", "÷ tmux")
	for _, c := range []struct {
		corpus string
		n      int
	}{{"plain", 10000}, {"colour", 2000}, {"colour", 10000}, {"unicode", 10000}} {
		data := cutLines(c.corpus, c.n)
		var ours, theirs series
		for range l.rounds {
			ours = append(ours, held(data))
			v, err := l.tmuxHeld(data)
			if err != nil {
				return err
			}
			theirs = append(theirs, v)
		}
		t.row(fmt.Sprintf("%d %s", c.n, c.corpus), ours.String(), theirs.String(),
			ratio{ours.median() / theirs.median(), 0.7, true}.String())
	}
	t.print()
	return nil
}
