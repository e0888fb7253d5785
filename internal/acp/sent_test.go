package acp

import (
	"errors"
	"io"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"
)

// halfWriter takes some bytes, then fails as a pipe does whose reader has gone.
type halfWriter struct {
	takes int
	wrote chan struct{}
}

func (w *halfWriter) Write(p []byte) (int, error) {
	defer close(w.wrote)
	n := min(w.takes, len(p))
	if n < len(p) {
		return n, io.ErrClosedPipe
	}
	return n, nil
}

// Row 133: what cannot have reached the other side is told from what may have.
func TestRow133NotSent(t *testing.T) {
	for _, c := range []struct {
		name    string
		takes   int
		before  bool // the connection had ended before
		notSent bool
	}{
		{"the connection had ended", 1 << 20, true, true},
		{"nothing was taken", 0, false, true},
		{"a part was taken", 10, false, true},
		{"all was taken, and it ended", 1 << 20, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &halfWriter{takes: c.takes, wrote: make(chan struct{})}
				r, theirs := io.Pipe()
				conn := New(r, w, Options{Handler: &recorder{}})
				if c.before {
					theirs.Close()
					<-conn.Done()
				}
				var got error
				conn.Go(MethodPrompt, struct{}{}, func(_ []byte, err error) { got = err })
				if !c.before {
					<-w.wrote
					theirs.Close()
					<-conn.Done()
				}
				synctest.Wait()
				if got == nil || !errors.Is(got, ErrClosed) || errors.Is(got, ErrNotSent) != c.notSent {
					t.Errorf("%v, not sent: %v", got, errors.Is(got, ErrNotSent))
				}
			})
		})
	}
}

// blockedWriter is a full pipe to a side that has stopped reading.
type blockedWriter struct{ release chan struct{} }

func (w *blockedWriter) Write(p []byte) (int, error) {
	<-w.release
	return 0, io.ErrClosedPipe
}

// The end of the input waits for a write only for a moment, and what waits
// behind it was not sent.
func TestEndDoesNotWaitForABlockedWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &blockedWriter{make(chan struct{})}
		r, theirs := io.Pipe()
		conn := New(r, w, Options{Handler: &recorder{}})
		var first, second error
		conn.Go("a", nil, func(_ []byte, err error) { first = err })
		synctest.Wait()
		conn.Go("b", nil, func(_ []byte, err error) { second = err })
		theirs.Close()
		<-conn.Done()
		synctest.Wait()
		if first == nil || errors.Is(first, ErrNotSent) { // nobody knows
			t.Errorf("under way: %v", first)
		}
		if !errors.Is(second, ErrNotSent) {
			t.Errorf("behind it: %v", second)
		}
		close(w.release)
		synctest.Wait()
	})
	// A pipe whose reader has gone says so at once; the end of its output may be
	// seen first.
	synctest.Test(t, func(t *testing.T) {
		w := &blockedWriter{make(chan struct{})}
		r, theirs := io.Pipe()
		conn := New(r, w, Options{Handler: &recorder{}})
		var got error
		conn.Go("a", nil, func(_ []byte, err error) { got = err })
		synctest.Wait()
		theirs.Close()
		synctest.Wait()
		close(w.release)
		<-conn.Done()
		synctest.Wait()
		if !errors.Is(got, ErrNotSent) {
			t.Errorf("%v", got)
		}
	})
}

// Nothing that a connection starts outlives it.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
