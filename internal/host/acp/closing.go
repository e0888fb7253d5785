//go:build unix

package acp

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/termio-sh/termio/internal/host"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/status"
)

// Bounds of what a tombstone keeps.
const (
	lastLines = 20
	lastBytes = 2 << 10
)

// close ends the session and everything it started; then is called when all is
// gone, or with a failure when something does not end.
func (s *session) close(reason string, then func(*hostproto.Error)) {
	s.mu.Lock()
	select {
	case <-s.finished:
		s.mu.Unlock()
		then(nil)
		return
	default:
	}
	s.onClosed = append(s.onClosed, then)
	s.mu.Unlock()
	go s.end(reason)
}

// end closes the agent, buries the session and tells everybody.
func (s *session) end(reason string) {
	if reason == "" {
		reason = hostproto.ReasonUser
	}
	s.mu.Lock()
	if s.closing != "" {
		s.mu.Unlock()
		return // it is at it
	}
	s.closing = reason
	s.mu.Unlock()
	s.leave.Do(func() { close(s.leaving) })
	s.agent.Close()
	left := s.procs.endAll()
	if left > 0 {
		s.stuck(left)
		return
	}
	s.bury(reason)
	s.journal.close()
	s.mu.Lock()
	close(s.finished)
	waiting := s.onClosed
	s.onClosed = nil
	s.mu.Unlock()
	for _, then := range waiting {
		then(nil)
	}
	close(s.answered)
}

// stuck leaves the session to be closed again.
func (s *session) stuck(left int) {
	s.mu.Lock()
	s.closing = ""
	waiting := s.onClosed
	s.onClosed = nil
	s.mu.Unlock()
	for _, then := range waiting {
		then(&hostproto.Error{Code: hostproto.CodeInternal, Message: fmt.Sprintf(
			"%d processes of the session do not end, not even when killed: see %s in the session's folder, and close it again later", left, host.LogName)})
	}
}

// bury writes the tombstone and tells everybody.
func (s *session) bury(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	c := hostproto.Closed{At: now, Reason: reason, LastLines: s.lastLines()}
	if reason == hostproto.ReasonExited {
		code := 0
		if s.failed != "" {
			code = 1
		}
		c.ExitCode = &code
	}
	s.status(s.machine.Apply(status.Event{At: now, Kind: status.KindExit}))
	s.record.Closed = &c
	if s.timer != nil {
		s.timer.Stop()
	}
	if err := s.records.SaveNow(s.record); err != nil {
		s.log("write the record of the closed session: %v", err)
	}
	s.view.tee.Close()
	s.hub.PublishLast(hostproto.Event{Type: hostproto.EventExited, Closed: &c, At: now})
}

func (s *session) lastLines() string {
	text := strings.TrimSpace(s.talk.Lines(lastLines))
	if len(text) > lastBytes {
		text = strings.ToValidUTF8(text[len(text)-lastBytes:], "")
	}
	return text
}

func (s *session) closed() hostproto.Closed {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.record.Closed == nil {
		return hostproto.Closed{}
	}
	return *s.record.Closed
}

// whileOpen is a context that ends when the session begins to.
func (s *session) whileOpen() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		select {
		case <-s.leaving:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}
