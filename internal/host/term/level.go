//go:build unix

package term

import (
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
)

// What a program may make the host say. A program can ring the bell or change
// its title a million times a second; those who listen must not drown.
const (
	levelBurst = 50                     // events at once
	levelEvery = 100 * time.Millisecond // and then one in this time
	titleEvery = 500 * time.Millisecond // of titles, which some programs turn like a wheel
)

// budget allows levelBurst events and one more every levelEvery.
type budget struct {
	every time.Duration // instead of levelEvery; 0 is that
	left  int
	at    time.Time
}

func (b *budget) interval() time.Duration {
	if b.every > 0 {
		return b.every
	}
	return levelEvery
}

func (b *budget) allow(now time.Time) bool {
	if b.at.IsZero() {
		b.left, b.at = levelBurst, now
	}
	if n := int(now.Sub(b.at) / b.interval()); n > 0 {
		b.left = min(b.left+n, levelBurst)
		b.at = b.at.Add(time.Duration(n) * b.interval())
	}
	if b.left == 0 {
		return false
	}
	b.left--
	return true
}

// level is something that has a newest value, which is all that counts: what
// is too much is skipped, but never the last.
type level struct {
	budget
	waiting bool
}

// tell publishes what event makes of the newest value, now or, when there was
// too much of it, a little later. It reports whether it was now. session.mu
// must be held; event is called with it.
func (s *session) tell(l *level, event func() hostproto.Event) bool {
	if l.waiting {
		return false
	}
	if l.allow(time.Now()) {
		s.hub.Publish(event(), true)
		return true
	}
	l.waiting = true
	time.AfterFunc(l.interval(), func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		l.waiting = false
		if s.record.Closed == nil {
			l.allow(time.Now())
			s.hub.Publish(event(), true)
		}
	})
	return false
}
