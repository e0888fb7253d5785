package daemon

import (
	"sync"

	"github.com/termio-sh/termio/internal/orchestrate"
)

// starts keeps sessions that start sessions within the user's limits. Those that
// are being started count too, so that many at once cannot pass together.
type starts struct {
	mu       sync.Mutex
	starting map[string]int // by root session
}

// mayStart decides whether the caller may start one more session, and says where
// that comes from. done is called when the session exists, or does not.
func (d *Daemon) mayStart(who caller) (from orchestrate.Origin, done func(), err error) {
	if who.session == nil {
		return from, func() {}, nil
	}
	r := who.session.record
	from = orchestrate.Below(r.ID, orchestrate.Origin{Parent: r.Parent, Root: r.Root, Depth: r.Depth})
	s := d.settings.get()
	limits := orchestrate.Limits{Depth: s.SpawnDepth(), Descendants: s.SpawnDescendants()}
	g := &d.starts
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := limits.Check(from, d.roster.below(from.Root)+g.starting[from.Root]); err != nil {
		return from, nil, err
	}
	if g.starting == nil {
		g.starting = map[string]int{}
	}
	g.starting[from.Root]++
	return from, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.starting[from.Root]--; g.starting[from.Root] == 0 {
			delete(g.starting, from.Root)
		}
	}, nil
}

// below counts the live sessions that come from the one with this id. The lock
// of starts is taken before that of the roster, never after it.
func (r *roster) below(root string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, s := range r.byID {
		if s.live && !s.isTerminal() && s.record.Root == root {
			n++
		}
	}
	return n
}
