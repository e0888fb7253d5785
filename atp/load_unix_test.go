//go:build unix

package atp

import (
	"path/filepath"
	"syscall"
	"testing"
)

// TestLoadDirDoesNotWaitForAPipe would hang if a pipe were opened.
func TestLoadDirDoesNotWaitForAPipe(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.json", manifest("a", "A"))
	pipe := filepath.Join(dir, "b.json")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	c, ps := LoadDir(dir)
	if c.Len() != 1 || len(ps) != 1 || ps[0].Rule != "read" {
		t.Errorf("got %v, %v", c.IDs(), ps)
	}
	if ps := Lint(pipe); len(ps) != 1 || ps[0].Rule != "read" {
		t.Errorf("lint: %v", ps)
	}
}
