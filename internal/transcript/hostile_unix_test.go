//go:build unix

package transcript_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/transcript"
)

// What is no file is refused at once, and never waited for.
func TestNothingIsWaitedFor(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, path := range []string{fifo, dir, "/dev/zero", "/dev/tty"} {
			for _, format := range []string{"claude-jsonl", "opencode-sqlite"} {
				p := path
				if transcript.IsDatabase(format) {
					p += "#ses_1"
				}
				if _, err := transcript.NewCounter(format).Lines(p); err == nil {
					t.Errorf("%s can be counted as %s", path, format)
				}
				if _, err := transcript.Read(format, p, 0, transcript.ToEnd); err == nil {
					t.Errorf("%s can be read as %s", path, format)
				}
				if _, err := transcript.Head(format, p); err == nil {
					t.Errorf("%s has a head as %s", path, format)
				}
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("something is waited for")
	}
}

func TestSizesAreBounded(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large")
	write(t, large, "x\n", 0)
	if err := os.Truncate(large, transcript.MaxFile+1); err != nil {
		t.Skip(err) // no sparse files here
	}
	if _, err := transcript.NewCounter("pi-jsonl").Lines(large); err == nil || !strings.Contains(err.Error(), "are not read") {
		t.Errorf("a file that is too large: %v", err)
	}

	// A line of 300 MB counts, says nothing, and is not held in memory.
	long := filepath.Join(dir, "long")
	write(t, long, `{"type":"user","message":{"content":"`, 0)
	if err := os.Truncate(long, 300<<20); err != nil {
		t.Fatal(err)
	}
	write(t, long, "\n"+`{"type":"user","message":{"content":"after"}}`+"\n", os.O_APPEND)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	said, err := transcript.Read("claude-jsonl", long, 0, transcript.ToEnd)
	runtime.ReadMemStats(&after)
	if err != nil || len(said) != 1 || said[0].Text != "after" || said[0].Line != 1 {
		t.Errorf("%+v, %v", said, err)
	}
	if grown := after.Sys - before.Sys; grown > 220<<20 {
		t.Errorf("%d MB more memory for one line", grown>>20)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, _, err := transcript.Scan(ctx, "claude-jsonl", long, transcript.Mark{}, func(transcript.Message) error { return nil }); err == nil {
		t.Error("a scan that was given up goes on")
	}
}
