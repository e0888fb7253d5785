//go:build unix

package config

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestPipeKeepsNobodyWaiting: opening a pipe waits for a writer.
func TestPipeKeepsNobodyWaiting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	loaded := make(chan []Problem, 1)
	go func() {
		_, problems := Load(path, time.Now())
		loaded <- problems
	}()
	select {
	case problems := <-loaded:
		if len(problems) != 1 || !strings.Contains(problems[0].Rule, "no regular file") {
			t.Errorf("got %v", problems)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it waits for a writer of the pipe")
	}
}
