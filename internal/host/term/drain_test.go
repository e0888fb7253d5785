//go:build unix

package term

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	proc "github.com/termio-sh/termio/internal/host/process"
	"github.com/termio-sh/termio/internal/hostproto"
)

// BenchmarkDrain measures how fast a program can write: into a host, alone, with
// a viewer and with one that has stopped reading, and, in the same run, into a bare PTY that nobody understands.
func BenchmarkDrain(b *testing.B) {
	const size = 32 << 20
	plain := bytes.Repeat([]byte("the quick brown fox jumps over the lazy dog 0123456789\n"), size/55)
	for _, payload := range []struct {
		name string
		data []byte
	}{{"plain", plain}, {"mixed", coloured(size, 5)}} {
		dir := b.TempDir()
		file := filepath.Join(dir, "data")
		if err := os.WriteFile(file, payload.data, 0o600); err != nil {
			b.Fatal(err)
		}
		b.Run(payload.name+"/bare", func(b *testing.B) {
			b.SetBytes(int64(len(payload.data)))
			for b.Loop() {
				drainBare(b, file)
			}
		})
		for _, viewer := range []string{"none", "reads", "stopped"} {
			b.Run(fmt.Sprintf("%s/host,viewer=%s", payload.name, viewer), func(b *testing.B) {
				var took time.Duration
				for b.Loop() {
					took += drainHost(b, file, viewer)
				}
				b.ReportMetric(float64(b.N)*float64(len(payload.data))/took.Seconds()/1e6, "MB/s")
				b.ReportMetric(0, "ns/op") // its start and end count there
			})
		}
	}
}

func drainBare(b *testing.B, file string) {
	p, tty, err := openPTY(hostproto.Size{Cols: 80, Rows: 24})
	if err != nil {
		b.Fatal(err)
	}
	var reaper proc.Reaper
	_, err = reaper.Start(proc.Command{
		Argv: []string{"/bin/sh", "-c", "exec cat " + file}, Env: os.Environ(), Dir: "/",
		In: tty, Out: tty, Err: tty, Terminal: true,
	})
	if err != nil {
		b.Fatal(err)
	}
	tty.Close()
	buf := make([]byte, 64<<10)
	for err == nil {
		err = p.read(func() []byte { return buf }, func(int) {})
	}
	if err != io.EOF {
		b.Fatal(err)
	}
	p.close()
	reaper.Reap()
}

// drainHost is how long the program itself needed, by its own clock.
func drainHost(b *testing.B, file string, viewer string) time.Duration {
	spec := testSpec(b, "printf READY; read x; s=$(date +%s%N); cat "+file+"; e=$(date +%s%N); printf '\\033c%d' $((e-s)) >took; read x")
	h := startHost(b, spec)
	c := h.control()
	waitScreen(b, c, "READY", contains("READY"))
	var v *view
	if viewer != "none" {
		v = h.attach(hostproto.Hello{Role: hostproto.RoleObserve})
	}
	if viewer == "reads" {
		go func() {
			for {
				if _, err := v.c.Next(testContext(b)); err != nil {
					return
				}
			}
		}()
	}
	call[hostproto.SendReply](b, c, hostproto.OpSend, hostproto.SendRequest{Enter: true})
	var ns int64
	waitFor(b, func() string { return "the program's clock" }, func() bool {
		data, _ := os.ReadFile(filepath.Join(spec.Record.Dir, "took"))
		n, _ := fmt.Sscanf(string(data), "\x1bc%d", &ns)
		return n == 1
	})
	call[hostproto.Closed](b, c, hostproto.OpClose, nil)
	h.waitGone()
	return time.Duration(ns)
}
