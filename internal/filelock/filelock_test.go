package filelock

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestOneHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l")
	a, err := Try(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Try(path); !errors.Is(err, ErrHeld) {
		t.Fatalf("a second holder: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Acquire(ctx, path); !errors.Is(err, ErrHeld) || !errors.Is(err, context.Canceled) {
		t.Fatalf("wait that was cut short: %v", err)
	}
	got := make(chan error, 1)
	go func() {
		b, err := Acquire(t.Context(), path)
		if err == nil {
			err = b.Release()
		}
		got <- err
	}()
	if err := a.Release(); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != nil {
		t.Errorf("after the release: %v", err)
	}
}

func TestCurrent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l")
	l, err := Try(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Release()
	if !l.Current() {
		t.Error("not current while nothing happened")
	}
	if err := os.Remove(path); err != nil {
		t.Skip(err)
	}
	if l.Current() {
		t.Error("current after the file was removed")
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if l.Current() {
		t.Error("current although the file is another one")
	}
}
