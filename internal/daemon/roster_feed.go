package daemon

import (
	"sync"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/orchestrate"
	"github.com/termio-sh/termio/internal/project"
)

// maxFeed is how many changes wait for a reader of a feed. One that falls
// further behind loses all that wait, and is told.
const maxFeed = 1024

// change is one thing that happened to a session. It is shared by all who hear
// of it and must not be changed.
type change struct {
	// session is what is known after it.
	session session
	// event is the host's own word; nil when the coordinator found it itself.
	event *hostproto.Event
	// step is set on what is told to those who watch: a new status, a question,
	// the end. Its status may be over already.
	step *orchestrate.Step
	// evidence comes with a step to stalled.
	evidence string

	once sync.Once
	line []byte // of a watch, made once for all of them
}

// interest is what a feed brings.
type interest struct {
	// id limits it to one session; else scope does.
	id    string
	scope project.Scope
	// steps limits it to changes that have a step; else every change comes.
	steps bool
	// stalled asks for the steps to stalled too.
	stalled bool
}

func (i *interest) wants(c *change) bool {
	if c.step != nil && c.step.Status == orchestrate.Stalled && !i.stalled {
		return false
	}
	return i.id == c.session.record.ID || i.id == "" && i.scope.Holds(c.session.record.Project)
}

// feed brings changes to one reader, in order. Who writes into it never waits.
type feed struct {
	interest
	wake chan struct{} // has an element when there is something to take

	mu      sync.Mutex // taken with the roster's held, never the other way round
	waiting []*change
	lost    bool
}

func (f *feed) put(c *change) {
	f.mu.Lock()
	if len(f.waiting) == maxFeed {
		clear(f.waiting)
		f.waiting, f.lost = f.waiting[:0], true
	}
	f.waiting = append(f.waiting, c)
	f.mu.Unlock()
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// take gives what has come, and whether something before it was lost. into is
// used again.
func (f *feed) take(into []*change) (out []*change, lost bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	out, lost = f.waiting, f.lost
	clear(into)
	f.waiting, f.lost = into[:0], false
	return out, lost
}

// feeds are the readers of a roster, parted by how much they want to hear:
// most of what hosts say is no step, and most readers want only steps.
type feeds struct {
	every map[*feed]bool
	steps map[*feed]bool
	byID  map[string]map[*feed]bool
}

func newFeeds() feeds {
	return feeds{every: map[*feed]bool{}, steps: map[*feed]bool{}, byID: map[string]map[*feed]bool{}}
}

// subscribe opens a feed. What is known of the sessions that it is about comes
// with it, and no change is lost between the two. end closes it.
func (r *roster) subscribe(i interest) (f *feed, known []session, end func()) {
	f = &feed{interest: i, wake: make(chan struct{}, 1)}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case i.id != "":
		if r.feeds.byID[i.id] == nil {
			r.feeds.byID[i.id] = map[*feed]bool{}
		}
		r.feeds.byID[i.id][f] = true
		if s := r.byID[i.id]; s != nil {
			known = []session{*s}
		}
	case i.steps:
		r.feeds.steps[f] = true
		known = r.among(i.scope, true)
	default:
		r.feeds.every[f] = true
		known = r.among(i.scope, true)
	}
	return f, known, func() { r.unsubscribe(f) }
}

func (r *roster) unsubscribe(f *feed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.feeds.every, f)
	delete(r.feeds.steps, f)
	if of := r.feeds.byID[f.id]; of != nil {
		if delete(of, f); len(of) == 0 {
			delete(r.feeds.byID, f.id)
		}
	}
}

// publish tells of a change. r.mu must be held.
func (r *roster) publish(c *change) {
	give := func(to map[*feed]bool) {
		for f := range to {
			if f.wants(c) {
				f.put(c)
			}
		}
	}
	give(r.feeds.byID[c.session.record.ID])
	if c.session.isTerminal() {
		return // its agent's session is what is watched
	}
	give(r.feeds.every)
	if c.step != nil {
		give(r.feeds.steps)
	}
}

// told publishes what a change of s makes, which may be several steps. r.mu
// must be held.
func (r *roster) told(s *session, ev *hostproto.Event) {
	now := time.Now()
	var steps []orchestrate.Step
	if s.live {
		steps = s.steps.See(s.status, now)
	} else {
		steps = s.steps.Closed()
	}
	r.tellSteps(s, steps)
	if ev != nil || len(steps) == 0 {
		r.publish(&change{session: *s, event: ev})
	}
	r.arm(s, now)
}

func (r *roster) tellSteps(s *session, steps []orchestrate.Step) {
	for i := range steps {
		r.publish(&change{session: *s, step: &steps[i]})
	}
}

// arm sets the timer for a question that is told when its text is complete.
// r.mu must be held.
func (r *roster) arm(s *session, now time.Time) {
	at := s.steps.Deadline()
	if at.IsZero() {
		return
	}
	id := s.record.ID
	time.AfterFunc(max(at.Sub(now), time.Millisecond), func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if s := r.byID[id]; s != nil && s.live {
			r.tellSteps(s, s.steps.Tick(time.Now()))
			r.arm(s, time.Now())
		}
	})
}

// stalled tells those who asked for it that a session's turn seems stuck.
func (r *roster) stalled(id, evidence string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.byID[id]; s != nil && s.live {
		r.publish(&change{session: *s, step: &orchestrate.Step{Status: orchestrate.Stalled, Turn: s.status.Turn}, evidence: evidence})
	}
}
