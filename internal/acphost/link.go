package acphost

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// Link is a running agent: its standard files and its process.
type Link struct {
	In      io.WriteCloser
	Out     io.Reader
	Err     io.Reader
	Process Process
	// End ends the agent and everything it started, and returns when that is
	// done; it may be called more than once.
	End func()
}

// Bounds of what is kept of an agent's standard error.
const (
	maxStderr  = 8 << 10 // bytes
	stderrTail = 2 << 10 // of them, in an error
)

// stderr drains an agent's standard error and keeps its end.
type stderr struct {
	mu   sync.Mutex
	tail []byte
	done chan struct{}
}

func drain(r io.Reader) *stderr {
	s := &stderr{done: make(chan struct{})}
	go func() {
		defer close(s.done)
		io.Copy(s, r)
	}()
	return s
}

// Write keeps the end.
func (s *stderr) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tail = append(s.tail, p...)
	if over := len(s.tail) - maxStderr; over > 0 {
		s.tail = append(s.tail[:0], s.tail[over:]...)
	}
	return len(p), nil
}

// text is the end of it, in whole lines where it can be.
func (s *stderr) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	tail := bytes.TrimSpace(s.tail)
	if len(tail) > stderrTail {
		tail = tail[len(tail)-stderrTail:]
		if i := bytes.IndexByte(tail, '\n'); i >= 0 {
			tail = tail[i+1:]
		}
	}
	return visible(strings.ToValidUTF8(string(tail), "\uFFFD"))
}

// withStderr adds what the agent last said on its standard error.
func (l *live) withStderr(err error) error {
	f := failure(err)
	text := f.Err.Error()
	if f.Word == FailGone {
		if how := l.how(); how != "" {
			text += " (" + how + ")"
		}
	}
	if said := l.stderr.text(); said != "" {
		text += "; its last words were:\n" + said
	}
	return &Failure{f.Word, fmt.Errorf("%s%w", text, hidden{f.Err})}
}

// hidden keeps an error in a chain without its text.
type hidden struct{ err error }

func (hidden) Error() string   { return "" }
func (h hidden) Unwrap() error { return h.err }

// how the program ended, once it has; it waits a moment for it.
func (l *live) how() string {
	timer := time.NewTimer(deadTime)
	defer timer.Stop()
	select {
	case <-l.link.Process.Exited():
	case <-timer.C:
		return ""
	}
	select {
	case <-l.stderr.done:
	case <-timer.C:
	}
	code, signal := l.link.Process.Exit()
	if signal != "" {
		return "its program was ended by " + signal
	}
	return fmt.Sprintf("its program ended with exit code %d", code)
}
