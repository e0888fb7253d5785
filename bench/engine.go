package main

import (
	"fmt"
	"runtime"
	"time"

	xvt "github.com/charmbracelet/x/vt"
	"github.com/hinshun/vt10x"

	"github.com/termio-sh/termio/internal/testkit/corpus"
	"github.com/termio-sh/termio/vt"
)

const corpusSize = 4 << 20

// engine makes a terminal of 200×50 with 10,000 lines and returns its writer.
type engine struct {
	name string
	make func() func([]byte)
	// limit cuts the stream for engines that would take minutes.
	limit int
}

var engineList = []engine{
	{"termio/vt", func() func([]byte) {
		t := vt.New(vt.Options{Cols: corpus.Cols, Rows: corpus.Rows})
		return func(p []byte) { t.Write(p) }
	}, 0},
	{"charm x/vt", func() func([]byte) {
		t := xvt.NewEmulator(corpus.Cols, corpus.Rows)
		go func() { // it deadlocks unless its answers are read
			buf := make([]byte, 4096)
			for {
				if _, err := t.Read(buf); err != nil {
					return
				}
			}
		}()
		return func(p []byte) { t.Write(p) }
	}, 1 << 20},
	{"vt10x", func() func([]byte) {
		t := vt10x.New(vt10x.WithSize(corpus.Cols, corpus.Rows))
		return func(p []byte) { t.Write(p) }
	}, 0},
}

// feed writes data in pieces of the size a PTY gives and returns MB/s.
func feed(write func([]byte), data []byte) (mbps float64, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	start := time.Now()
	for p := data; len(p) > 0; {
		n := min(len(p), 4096)
		write(p[:n])
		p = p[n:]
	}
	return float64(len(data)) / 1e6 / time.Since(start).Seconds(), nil
}

func engines(l *lab) error {
	t := table{title: "Engine, MB/s, 200×50, 10,000 lines, 4 KiB writes"}
	head := []string{"corpus"}
	for _, e := range engineList {
		head = append(head, e.name)
	}
	t.row(append(head, "tmux, end to end", "termio/vt alone", "÷ tmux", "÷ x/vt")...)
	for _, c := range corpus.All {
		data := c.Bytes(corpusSize)
		got := make([]series, len(engineList))
		var viaTmux series
		for range l.rounds {
			for i, e := range engineList {
				d := data
				if e.limit > 0 {
					d = c.Bytes(e.limit)
				}
				runtime.GC()
				v, err := feed(e.make(), d)
				if err != nil {
					continue
				}
				got[i] = append(got[i], v)
			}
			if have("tmux") {
				v, err := l.tmuxDrain(c.Name, data)
				if err != nil {
					return err
				}
				viaTmux = append(viaTmux, v)
			}
		}
		row := []string{c.Name}
		for _, s := range got {
			row = append(row, s.String())
		}
		row = append(row, viaTmux.String())
		ours := got[0].median()
		goal := goals[c.Name]
		row = append(row, overs(ours, 1, goal.mbps), overs(ours, viaTmux.median(), 4), overs(ours, got[1].median(), goal.overCharm))
		t.row(row...)
	}
	t.print()
	return nil
}

// goals are what the engine is to reach on each corpus: MB/s, and times the
// speed of charmbracelet/x/vt, which counts on lines.
var goals = map[string]struct{ mbps, overCharm float64 }{
	"plain": {100, 20}, "colour": {60, 20}, "dense": {60, 0},
	"unicode": {60, 0}, "fullscreen": {100, 0}, "agent": {60, 0},
}

func overs(ours, theirs, want float64) string {
	if theirs == 0 {
		return "–"
	}
	if want == 0 {
		return num(ours / theirs)
	}
	return ratio{value: ours / theirs, want: want}.String()
}
