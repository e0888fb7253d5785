package acphost

import (
	"context"
	"errors"
	"time"
)

// undeliveredError is an end of the agent before it had the prompt.
type undeliveredError struct{ err error }

func (e *undeliveredError) Error() string { return e.err.Error() }
func (e *undeliveredError) Unwrap() error { return e.err }

func undelivered(err error) bool { return errors.As(err, new(*undeliveredError)) }

// hasGone tells that the agent's program or its connection has ended; what it
// started may still hold its input open, and would take a prompt that nobody
// reads.
func (l *live) hasGone() bool {
	select {
	case <-l.conn.Done():
		return true
	case <-l.link.Process.Exited():
		return true
	default:
		return l.conn.Err() != nil
	}
}

// retrying lets go of an agent that did not get the prompt, and says so.
func (s *Session) retrying(l *live, why error) {
	s.mu.Lock()
	if t := s.current; t != nil {
		t.sent = false
	}
	l.session = ""
	s.o.Note(Event{Type: EventExited, ProviderSessionID: s.id, Message: "the agent had ended (" + why.Error() + ") and is started again"})
	s.mu.Unlock()
	s.drop(l)
}

// warmUp is a set-up before there is a prompt.
type warmUp struct {
	abort context.CancelCauseFunc
	done  chan struct{}
	until time.Time // when what is left of it must be gone; guarded by Session.mu
}

// WarmUp starts the agent and makes its session before there is a prompt (rows
// 6, 116), within WarmTime in all. What it is to be set to is known later, see
// Adopt. An error leaves nothing: also the session of an agent that was just
// making one is deleted, where the agent says so within DeleteTime.
func (s *Session) WarmUp(ctx context.Context) (Found, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, WarmTime, timeout{WarmTime.String()})
	defer cancel()
	ctx, abort := context.WithCancelCause(ctx)
	defer abort(nil)
	w := &warmUp{abort: abort, done: make(chan struct{})}
	defer close(w.done)
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return Found{}, ErrClosed
	}
	s.warming = w
	s.mu.Unlock()
	late, giveUp := context.WithCancelCause(context.WithoutCancel(ctx))
	defer giveUp(nil)
	stop := context.AfterFunc(ctx, func() {
		s.mu.Lock()
		w.until = time.Now().Add(DeleteTime)
		s.mu.Unlock()
		time.AfterFunc(DeleteTime, func() { giveUp(context.Cause(ctx)) })
	})
	defer stop()
	if err := s.beginOpening(ctx); err != nil {
		return Found{}, err
	}
	defer s.endOpening()
	l, err := s.setUp(ctx, func(l *live) error {
		err := l.establish(late, WarmNewTime)
		if err == nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return err
	})
	if err != nil {
		return Found{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f := l.probe()
	f.Options = s.config.Options
	f.Current, f.Models = s.config.AllModels()
	return f, nil
}

// Adoption is what is known of a session only when somebody takes its warm
// connection.
type Adoption struct {
	Mode     Mode // of those that may do the same as the one that it was started with
	Attended bool
	Prefer   Preferences
}

// ErrGone tells that the warm agent has ended.
var ErrGone = errors.New("the warm agent has ended")

// Adopt makes a warm session somebody's. From then on it is like any other; an
// agent that nobody speaks to is let go after restTime.
func (s *Session) Adopt(a Adoption) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return ErrClosed
	case s.live == nil || s.live.hasGone():
		return ErrGone
	}
	s.o.Mode, s.o.Attended, s.o.Prefer = a.Mode, a.Attended, a.Prefer
	s.rests()
	return nil
}

// discard deletes an empty session before its agent is let go of, if the agent
// does so in DeleteTime (row 122).
func (s *Session) discard(l *live) {
	if l == nil {
		return
	}
	s.mu.Lock()
	id, within := "", DeleteTime
	if !s.spoken && s.current == nil && !l.hasGone() {
		id = s.id
	}
	if w := s.warming; w != nil && !w.until.IsZero() {
		within = max(min(within, time.Until(w.until)), 0)
	}
	s.mu.Unlock()
	l.deleteEmpty(id, within)
}
