//go:build unix

package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// What stands where a record should be costs that session only; a FIFO kept the
// coordinator from starting.
func TestARecordThatIsNoFileIsCorrupt(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"a FIFO":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a folder": func(path string) error { return os.Mkdir(path, 0o700) },
		"a device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"too much": func(path string) error { return os.WriteFile(path, nil, 0o600) },
	} {
		path := filepath.Join(t.TempDir(), "record.json")
		if err := make(path); err != nil {
			t.Fatal(err)
		}
		if name == "too much" {
			if err := os.Truncate(path, maxRecord+1); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := readRecord(path); !errors.Is(err, errCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
