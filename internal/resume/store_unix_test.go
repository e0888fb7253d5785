//go:build unix

package resume

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A FIFO in an agent's store keeps nobody waiting.
func TestAFirstLineIsReadFromFilesOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if line, err := FirstLine(path); err == nil {
		t.Errorf("%q", line)
	}
}
