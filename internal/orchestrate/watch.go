package orchestrate

import (
	"slices"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
)

// The statuses of a session, as the contract names them.
const (
	Working  = "working"
	NeedsYou = "needs-you"
	Done     = "done"
	Idle     = "idle"
	Closed   = "closed"  // additive: it has ended
	Stalled  = "stalled" // a signal of watch alone; never a session's status
)

// WatchStates are the words that a watch can ask for.
func WatchStates() []string { return []string{Working, Idle, Done, NeedsYou, Stalled, Closed} }

// DefaultWatch are the two on which a supervisor acts.
func DefaultWatch() []string { return []string{Done, NeedsYou} }

// Times of a question. An agent may declare it before it has drawn it, so that
// its text is taken when it has been the same for askQuiet, at the latest after
// askMax. One whose options came as data is complete.
const (
	askQuiet = 120 * time.Millisecond
	askMax   = 600 * time.Millisecond
)

// Question follows the question that stands. The zero value is one that does
// not.
type Question struct {
	Asked   int // its number: hostproto.Status.Asked
	Text    string
	Options []string

	began, changed time.Time
}

// See takes a status.
func (q *Question) See(st hostproto.Status, now time.Time) {
	if st.State != NeedsYou {
		*q = Question{}
		return
	}
	switch {
	case q.began.IsZero() || q.Asked != st.Asked:
		*q = Question{Asked: st.Asked, began: now, changed: now}
	case q.Text != st.Question || !slices.Equal(q.Options, st.Options):
		q.changed = now
	}
	q.Text, q.Options = st.Question, st.Options
}

// Due is when its text is complete; zero when no question stands.
func (q *Question) Due() time.Time {
	switch {
	case q.began.IsZero():
		return time.Time{}
	case len(q.Options) > 0 && q.Text != "":
		return q.began
	}
	due := q.changed.Add(askQuiet)
	if limit := q.began.Add(askMax); limit.Before(due) {
		return limit
	}
	return due
}

// Step is one thing to tell those who watch a session.
type Step struct {
	Status  string
	Turn    int
	Asked   int
	Prompt  string
	Options []string
}

// Steps makes of a session's statuses what is told of it. Every status counts
// once, also one that was over before it was heard of: a turn shows in the
// counter of turns, a question in that of questions. The zero value has heard
// of nothing; its first status is told too.
type Steps struct {
	told     string
	turn     int
	asked    int
	question Question
}

// Known takes a status without telling it, as that of a session which was
// there before.
func (s *Steps) Known(st hostproto.Status, now time.Time) {
	s.told, s.turn, s.asked = st.State, st.Turn, st.Asked
	s.question.See(st, now)
}

// See takes a status and gives what is to be told now. A question is told when
// it is due, or at the latest when it is over.
func (s *Steps) See(st hostproto.Status, now time.Time) []Step {
	var out []Step
	if s.waits() && (st.State != NeedsYou || st.Asked != s.question.Asked) {
		out = append(out, s.ask())
	}
	s.question.See(st, now)
	step := Step{Status: st.State, Turn: st.Turn, Asked: st.Asked}
	switch {
	case st.State == NeedsYou:
		if s.waits() && !now.Before(s.question.Due()) {
			out = append(out, s.ask())
		}
		s.turn = st.Turn
		return out
	case st.Turn > s.turn && s.told == Working && st.State == Working:
		// The end of the turn before was not heard of.
		out = append(out, Step{Status: Done, Turn: s.turn, Asked: s.asked}, step)
	case st.Turn > s.turn && st.State == Done, st.State != s.told:
		out = append(out, step)
	}
	s.told, s.turn = st.State, st.Turn
	return out
}

// Closed gives what is told of a session's end.
func (s *Steps) Closed() []Step {
	if s.told == Closed {
		return nil
	}
	s.told, s.question = Closed, Question{}
	return []Step{{Status: Closed, Turn: s.turn, Asked: s.asked}}
}

// Tick gives what is due at now.
func (s *Steps) Tick(now time.Time) []Step {
	if s.waits() && !now.Before(s.question.Due()) {
		return []Step{s.ask()}
	}
	return nil
}

// Deadline is when Tick is to be called if nothing happens; zero when nothing
// is due.
func (s *Steps) Deadline() time.Time {
	if s.waits() {
		return s.question.Due()
	}
	return time.Time{}
}

// waits tells that a question stands which was not told yet.
func (s *Steps) waits() bool {
	q := &s.question
	return !q.began.IsZero() && (s.told != NeedsYou || s.asked != q.Asked)
}

func (s *Steps) ask() Step {
	q := &s.question
	s.told, s.asked = NeedsYou, q.Asked
	return Step{Status: NeedsYou, Turn: s.turn, Asked: q.Asked, Prompt: q.Text, Options: q.Options}
}
