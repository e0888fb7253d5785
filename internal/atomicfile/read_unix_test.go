//go:build unix

package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestReadTakesRegularFilesOnly(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(at("file"), []byte("1234"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(syscall.Mkfifo(at("fifo"), 0o600), os.Mkdir(at("dir"), 0o700),
		os.Symlink("/dev/zero", at("zero")), os.Symlink("fifo", at("link")), os.Symlink("file", at("good"))); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]error{
		"file": nil, "good": nil,
		"fifo": ErrNotRegular, "dir": ErrNotRegular, "zero": ErrNotRegular, "link": ErrNotRegular,
		"none": os.ErrNotExist,
	} {
		if data, err := Read(at(name), 4); !errors.Is(err, want) || err == nil && string(data) != "1234" {
			t.Errorf("%s: %q, %v; want %v", name, data, err, want)
		}
	}
	if _, err := Read(at("file"), 3); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a byte too much: %v", err)
	}
}
