package orchestrate

import (
	"fmt"
	"time"
)

// The bounds of the stalled detector (session-control document).
const (
	StallWindow = 20 * time.Minute // of work without progress
	stallLines  = 5                // that a transcript grows by: progress
	stallBytes  = 4096             // of output a second: a long build, which is no stall
)

// Measure is what the detector goes by at one moment.
type Measure struct {
	Repo   string // stands for the state of the repository; "" where there is none
	Lines  int    // of the transcript; negative where there is none
	Output uint64 // bytes that the program has written since its start
}

// Stall finds out whether a session that works gets anywhere. It is told the
// time and what was measured, and does nothing itself. The zero value watches
// a session that does not work.
//
// The window opens when work begins. At its end, if there was neither progress
// nor sustained output, the session is stalled, which is told once; from then
// on it is measured more often, and progress opens a new window.
type Stall struct {
	Window time.Duration // 0 means StallWindow

	since   time.Time // when the work began; zero when it does not work
	opened  time.Time // when the window did
	base    *Measure
	told    bool
	measure time.Time // the next time to measure
}

func (s *Stall) window() time.Duration {
	if s.Window > 0 {
		return s.Window
	}
	return StallWindow
}

// again is how often a session is measured that is stalled.
func (s *Stall) again() time.Duration { return max(2*time.Second, s.window()/40) }

// See takes whether the session works, and since when.
func (s *Stall) See(working bool, since, now time.Time) {
	switch {
	case !working:
		*s = Stall{Window: s.Window}
	case !s.since.Equal(since):
		*s = Stall{Window: s.Window, since: since, opened: now, measure: now}
	}
}

// Due tells whether it is to be measured at now.
func (s *Stall) Due(now time.Time) bool { return !s.since.IsZero() && !now.Before(s.measure) }

// Measured takes what was measured at now and tells whether the session is
// stalled, which it does once, and by what.
func (s *Stall) Measured(m Measure, now time.Time) (evidence string, stalled bool) {
	if s.since.IsZero() {
		return "", false
	}
	if s.base == nil {
		s.slide(m, s.opened)
		return "", false
	}
	elapsed := now.Sub(s.opened)
	grown := m.Lines - s.base.Lines
	switch {
	case m.Repo != s.base.Repo, grown >= stallLines, grown < 0 && m.Lines >= 0: // the last: a new transcript
		s.slide(m, now)
		return "", false
	case float64(m.Output-s.base.Output) >= elapsed.Seconds()*stallBytes:
		s.slide(m, now)
		return "", false
	case elapsed < s.window():
		s.measure = s.opened.Add(s.window())
		return "", false
	}
	s.measure = now.Add(s.again())
	if s.told {
		return "", false
	}
	s.told = true
	repo := "no repo change"
	if m.Repo == "" {
		repo = "no repository"
	}
	lines := fmt.Sprintf("transcript +%d lines", grown)
	if m.Lines < 0 {
		lines = "no transcript"
	}
	return fmt.Sprintf("working %s, %s, %s", span(now.Sub(s.since)), repo, lines), true
}

// slide opens a window.
func (s *Stall) slide(m Measure, at time.Time) {
	s.base, s.opened, s.told = &m, at, false
	s.measure = at.Add(s.window())
}

// span is a length of time as people say it: 42m, 90s for less than two minutes.
func span(d time.Duration) string {
	if d < 2*time.Minute {
		return fmt.Sprintf("%ds", int(d/time.Second))
	}
	return fmt.Sprintf("%dm", int(d/time.Minute))
}
