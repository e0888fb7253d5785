package daemon

import (
	"slices"
	"strings"
	"sync"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/orchestrate"
	"github.com/termio-sh/termio/internal/project"
)

// session is what the coordinator knows of one session at one moment.
type session struct {
	record   hostproto.Record
	status   hostproto.Status
	title    string // as displayed
	worktree string // root of the linked git worktree it runs in, if any
	live     bool
	viewers  int // attached to it
	// client is the connection to its host; nil while there is none.
	client *hostproto.Client
	// over is closed when the session is no longer live.
	over chan struct{}
	// following tells that somebody keeps the connection to its host.
	following bool
	// first is how the payload given at spawn was delivered; nil while it was not.
	first *hostproto.Delivery
	// steps makes of what is known what watchers are told; guarded by roster.mu.
	steps *orchestrate.Steps
	// encoded is its row of a list, as JSON; nil after a change. Guarded by
	// roster.mu.
	encoded []byte
}

func (s *session) link() string { return orchestrate.Link(s.record.ID) }

// roster is every session that the coordinator knows, by id. It is kept by the
// hosts' events.
type roster struct {
	mu    sync.Mutex
	byID  map[string]*session
	order []*session // the same, the oldest first
	feeds feeds      // who hears of changes
}

func newRoster() *roster { return &roster{byID: map[string]*session{}, feeds: newFeeds()} }

// add takes a session in, from its record. What is known already stays.
func (r *roster) add(rec hostproto.Record) {
	s := &session{
		record: rec, title: shownTitle(&rec), live: rec.Closed == nil, over: make(chan struct{}),
		status: hostproto.Status{State: rec.State, Since: rec.Since}, steps: new(orchestrate.Steps),
	}
	if at := project.Locate(rec.Dir); at.Top != at.Main {
		s.worktree = at.Top
	}
	if !s.live {
		close(s.over)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byID[rec.ID] == nil {
		r.byID[rec.ID] = s
		at, _ := slices.BinarySearchFunc(r.order, s, byAge)
		r.order = slices.Insert(r.order, at, s)
		r.told(s, nil)
	}
}

// enter takes in a session that was just started; one that was there before,
// again, has a new life.
func (r *roster) enter(rec hostproto.Record, again bool) {
	r.add(rec)
	if !again {
		return
	}
	r.change(rec.ID, func(s *session) {
		if s.live {
			return
		}
		s.record, s.title, s.live, s.over, s.first = rec, shownTitle(&rec), true, make(chan struct{}), nil
		s.status = hostproto.Status{State: rec.State, Since: rec.Since}
	})
}

// followed notes that somebody begins to follow a session, and reports whether
// nobody did.
func (r *roster) followed(id string) (first bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.byID[id]
	if s == nil {
		return true
	}
	first, s.following = !s.following, true
	return first
}

// unfollowed notes that who follows a session wants to stop since it is over,
// and reports whether that is so: meanwhile it may have been reopened.
func (r *roster) unfollowed(id string, ending bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.byID[id]
	if s != nil && s.live && !ending {
		return false
	}
	if s != nil {
		s.following = false
	}
	return true
}

// get is a copy of what is known of a session.
func (r *roster) get(id string) (session, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.byID[id]
	if s == nil {
		return session{}, false
	}
	return *s, true
}

// isTerminal tells a terminal of an agent over ACP, which is a session to look at
// only: nobody waits for it, counts it, or opens it again.
func (s *session) isTerminal() bool { return s.record.Kind == hostproto.KindAgentTerminal }

// all are copies of the sessions in scope, the oldest first; live or not as
// asked.
func (r *roster) all(in project.Scope, live bool) []session {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.among(in, live)
}

// among is all with r.mu held.
func (r *roster) among(in project.Scope, live bool) []session {
	which := isDead
	if live {
		which = isOwn
	}
	var out []session
	for _, s := range r.order {
		if which(s) && in.Holds(s.record.Project) {
			if out == nil {
				out = make([]session, 0, len(r.order))
			}
			out = append(out, *s)
		}
	}
	return out
}

// byAge orders sessions, the oldest first. A session's record keeps its id and
// the time at which it was made.
func byAge(a, b *session) int {
	if c := a.record.Created.Compare(b.record.Created); c != 0 {
		return c
	}
	return strings.Compare(a.record.ID, b.record.ID)
}

// Which sessions are meant.
func isShown(s *session) bool { return s.live } // with the terminals of agents over ACP
func isOwn(s *session) bool   { return s.live && !s.isTerminal() }
func isDead(s *session) bool  { return !s.live && !s.isTerminal() }

// rows are those sessions in scope as callers see them. They are made under the
// lock: a copy of every session would cost more.
func (r *roster) rows(in project.Scope, which func(*session) bool) []api.Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]api.Session, 0, len(r.order))
	for _, s := range r.order {
		if which(s) && in.Holds(s.record.Project) {
			out = append(out, row(s))
		}
	}
	return out
}

// find finds the session that an address names among those in scope.
func (r *roster) find(address string, in project.Scope, which func(*session) bool, scope string) (session, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	candidates := make([]orchestrate.Candidate, 0, len(r.order))
	sessions := make([]*session, 0, len(r.order))
	for _, s := range r.order {
		if which(s) && in.Holds(s.record.Project) {
			candidates = append(candidates, orchestrate.Candidate{ID: s.record.ID, Title: s.title, Agent: s.record.AgentName})
			sessions = append(sessions, s)
		}
	}
	i, err := orchestrate.Resolve(address, candidates, scope)
	if err != nil {
		return session{}, err
	}
	return *sessions[i], nil
}

// live counts the live sessions.
func (r *roster) live() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, s := range r.byID {
		if s.live && !s.isTerminal() {
			n++
		}
	}
	return n
}

// change changes one session under the lock, if it is there, and tells whoever
// listens.
func (r *roster) change(id string, f func(*session)) { r.changeBy(id, nil, f) }

func (r *roster) changeBy(id string, ev *hostproto.Event, f func(*session)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.byID[id]; s != nil {
		f(s)
		s.encoded = nil
		r.told(s, ev)
	}
}

// connected notes the connection to a session's host and what it said.
func (r *roster) connected(id string, c *hostproto.Client, info hostproto.Info) {
	r.change(id, func(s *session) {
		s.client = c
		s.take(info)
	})
}

// retitle notes a session's title, ahead of the event that tells it too.
func (r *roster) retitle(id, title string) {
	r.change(id, func(s *session) { s.title = title })
}

// disconnected notes that a connection has ended.
func (r *roster) disconnected(id string, c *hostproto.Client) {
	r.change(id, func(s *session) {
		if s.client == c {
			s.client = nil
		}
	})
}

// event applies what a host reported.
func (r *roster) event(id string, ev *hostproto.Event) {
	r.changeBy(id, ev, func(s *session) {
		switch ev.Type {
		case hostproto.EventStatus:
			if ev.Status != nil && s.live {
				s.status = *ev.Status
			}
		case hostproto.EventTitle:
			if ev.Title != "" {
				s.title = api.WithoutBidi(ev.Title)
			}
		case hostproto.EventCwd:
			s.record.Cwd = ev.Cwd
		case hostproto.EventConversation:
			if ev.Conversation != nil {
				s.record.Enter(*ev.Conversation)
			} else {
				s.record.Leave(ev.Why)
			}
		case hostproto.EventViewers:
			if ev.Viewers != nil {
				s.viewers = *ev.Viewers
			}
		case hostproto.EventAgent:
			if a := ev.Agent; a != nil {
				s.record.Agent, s.record.AgentName, s.record.Plain = a.ID, a.Name, a.Plain
			}
		case hostproto.EventExited:
			if ev.Closed != nil {
				s.bury(*ev.Closed)
			}
		}
	})
}

// bury makes a session a tombstone.
func (r *roster) bury(id string, c hostproto.Closed) {
	r.change(id, func(s *session) { s.bury(c) })
}

// remove forgets a session.
func (r *roster) remove(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.order = slices.DeleteFunc(r.order, func(s *session) bool { return s.record.ID == id })
	delete(r.byID, id)
}

// take and bury are called with the roster's lock held.
func (s *session) take(info hostproto.Info) {
	s.viewers = info.Viewers
	s.record, s.status, s.title = info.Record, info.Status, shownTitle(&info.Record)
	s.first = info.First
	if info.Record.Closed != nil {
		s.bury(*info.Record.Closed)
	}
}

func (s *session) bury(c hostproto.Closed) {
	s.record.Closed = &c
	if s.live {
		s.live = false
		close(s.over)
	}
}
