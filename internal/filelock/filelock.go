// Package filelock is an advisory lock on a file between processes. It is
// held until it is released or its process ends, however that happens.
package filelock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// ErrHeld is a lock that another process, or another Lock of this one, holds.
var ErrHeld = errors.New("the lock is held")

// Lock is a lock that is held.
type Lock struct{ f *os.File }

// Try takes the lock at path, making the file if need be. It fails with
// ErrHeld at once if it cannot have it.
func Try(path string) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if err := lock(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return &Lock{f}, nil
}

// every is how often Acquire tries again.
const every = 5 * time.Millisecond

// Acquire waits for the lock at path until ctx ends.
func Acquire(ctx context.Context, path string) (*Lock, error) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		l, err := Try(path)
		if !errors.Is(err, ErrHeld) {
			return l, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", err, context.Cause(ctx))
		case <-tick.C:
		}
	}
}

// Hold waits for the lock at path, without end.
func Hold(path string) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if err := await(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return &Lock{f}, nil
}

// Release gives the lock back. The file stays: removing it would let two
// processes hold locks of one name.
func (l *Lock) Release() error { return l.f.Close() }

// Current reports whether the file at the lock's path is still the one that is
// locked; not so when somebody removed it.
func (l *Lock) Current() bool {
	mine, err := l.f.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(l.f.Name())
	return err == nil && os.SameFile(mine, now)
}
