package commandlink

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestLink(t *testing.T) {
	home := t.TempDir()
	path := Path(home)
	programs := filepath.Join(home, "programs")
	program := func(version string) string {
		t.Helper()
		dir := filepath.Join(programs, version)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "termio")
		if err := os.WriteFile(file, []byte(version), 0o755); err != nil {
			t.Fatal(err)
		}
		return file
	}
	leads := func(want string) {
		t.Helper()
		if got, _ := os.Readlink(path); got != want {
			t.Errorf("it leads to %q, want %q", got, want)
		}
	}
	one, two := program("1"), program("2")
	if changed, err := Make(one, path); err != nil || !changed {
		t.Fatal(changed, err)
	}
	leads(one)
	if changed, err := Make(one, path); err != nil || changed {
		t.Errorf("twice: %v, %v", changed, err)
	}
	// Another program that is there keeps the link, one that is gone does not.
	if changed, err := Heal(two, path); err != nil || changed {
		t.Errorf("taken from a program that is there: %v, %v", changed, err)
	}
	os.Remove(one)
	if changed, err := Heal(two, path); err != nil || !changed {
		t.Errorf("after an upgrade: %v, %v", changed, err)
	}
	leads(two)
	os.Remove(path)
	if changed, err := Heal(two, path); err != nil || !changed {
		t.Errorf("removed by hand: %v, %v", changed, err)
	}
	leads(two)
	if removed, err := Remove(two, path); err != nil || !removed {
		t.Errorf("%v, %v", removed, err)
	}
	if removed, err := Remove(two, path); err != nil || removed {
		t.Errorf("twice: %v, %v", removed, err)
	}
	// What is not ours stays: a file, and a link to something else.
	for _, prepare := range []func() error{
		func() error { return os.WriteFile(path, []byte("mine"), 0o755) },
		func() error { return os.Symlink("/bin/sh", path) },
	} {
		if err := prepare(); err != nil {
			t.Fatal(err)
		}
		before, _ := os.Lstat(path)
		_, made := Make(two, path)
		_, healed := Heal(two, path)
		_, removed := Remove(two, path)
		for _, err := range []error{made, healed, removed} {
			if !errors.Is(err, ErrForeign) {
				t.Errorf("%v", err)
			}
		}
		if after, err := os.Lstat(path); err != nil || !os.SameFile(before, after) {
			t.Errorf("it was touched: %v", err)
		}
		os.Remove(path)
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
