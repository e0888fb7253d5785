package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/resume"
	"github.com/termio-sh/termio/internal/resume/discover"
)

// search is one store with the sessions that look for their conversation in it.
type search struct {
	store   *discover.Store
	agent   *atp.Manifest
	seekers []session
}

// searches are the sessions that look for their conversation, by store. A
// session whose hooks have told it looks no more.
func (f *finder) searches(ctx context.Context) (out []search) {
	at := map[*discover.Store]int{}
	for _, live := range []bool{true, false} {
		for _, s := range f.d.roster.all(everything, live) {
			m := f.seeks(s)
			if m == nil {
				continue
			}
			store := f.store(m, f.d.placeOf(ctx, m, s.record))
			if store == nil {
				continue
			}
			i, ok := at[store]
			if !ok {
				i = len(out)
				at[store], out = i, append(out, search{store: store, agent: m})
			}
			out[i].seekers = append(out[i].seekers, s)
		}
	}
	return out
}

// seeks gives the manifest of a session that looks for its conversation.
func (f *finder) seeks(s session) *atp.Manifest {
	c := s.record.Conversation
	if c != nil && (c.How != hostproto.HowDiscovered || !s.live) || s.record.Launched.IsZero() {
		return nil
	}
	m, ok := f.d.agents.catalog.get().ByID(s.record.Agent)
	if !ok || !m.Resume.Discovered() || s.record.Plain || s.record.Kind == hostproto.KindACP {
		return nil
	}
	return m
}

// launching notes that a session of an agent is being started, until it is in
// the roster: its agent may make a record before that.
func (f *finder) launching(agent string) (done func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := time.Now()
	f.starts[agent] = append(f.starts[agent], at)
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if i := slices.Index(f.starts[agent], at); i >= 0 {
			f.starts[agent] = slices.Delete(f.starts[agent], i, i+1)
		}
		f.wake()
	}
}

// startingBefore reports whether a session of the agent that is not in the
// roster yet may have been launched before a time.
func (f *finder) startingBefore(agent string, t time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.ContainsFunc(f.starts[agent], func(at time.Time) bool { return at.Before(t) })
}

// errStarting says that nothing can be decided at this moment.
var errStarting = errors.New("another session of the agent was just being started")

// settled is verdicts when no other launch is at work any more.
func (f *finder) settled(ctx context.Context, one search, before time.Time) ([]resume.Verdict, error) {
	end := time.Now().Add(startTimeout)
	for {
		found, err := f.verdicts(ctx, one, before)
		if !errors.Is(err, errStarting) || time.Now().After(end) {
			return found, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(rejectPoll):
		}
	}
}

// verdicts looks into the store and decides. Only what began before that time
// is of interest.
//
// The order counts: first the records, then who may have made them. A session
// that is asked before could be prompted between, and make a record that would
// look like another's.
func (f *finder) verdicts(ctx context.Context, one search, before time.Time) ([]resume.Verdict, error) {
	from, dirs := time.Now(), map[string]bool{}
	for _, s := range one.seekers {
		if s.record.Launched.Before(from) {
			from = s.record.Launched
		}
		dirs[discover.Canonical(s.record.Dir)] = true
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	records, err := one.store.Since(ctx, from, time.Now())
	if err != nil {
		return nil, err
	}
	records = slices.DeleteFunc(records, func(r resume.Record) bool { return !dirs[r.Dir] })
	if len(records) == 0 {
		return nil, nil
	}
	if f.startingBefore(one.agent.ID, before) {
		return nil, errStarting
	}
	f.holders(one.store, records)
	seekers := f.party(ctx, one, records)
	decide := func() []resume.Verdict { return resume.Match(records, seekers, f.taken(seekers)) }
	found := decide()
	if !one.store.Database() || !binds(seekers, found) {
		return found, nil
	}
	// Rows tell no process: who else writes them is asked of the system.
	if others := f.outsiders(one.store, seekers); len(others) > 0 {
		seekers = append(seekers, others...)
		found = decide()
	}
	return found, nil
}

// binds reports whether a verdict gives a session another conversation than it
// has.
func binds(seekers []resume.Seeker, found []resume.Verdict) bool {
	return slices.ContainsFunc(found, func(v resume.Verdict) bool {
		i := slices.IndexFunc(seekers, func(s resume.Seeker) bool { return s.Session == v.Session })
		return v.ID != "" && (i < 0 || seekers[i].Bound != v.ID)
	})
}

// taken reports the conversations that are nobody's any more who seeks: those
// of other sessions, and those that were left. One that was only found is
// given up when more is known.
func (f *finder) taken(seekers []resume.Seeker) func(id string) bool {
	claims, left := f.d.claims(), f.left()
	found := map[string]bool{}
	for _, s := range seekers {
		found[s.Session] = s.Bound != "" && !s.Exact
	}
	return func(id string) bool {
		if owner, claimed := claims.Owner(id); claimed {
			return !found[owner.Session]
		}
		return left[id]
	}
}

// party are all sessions that may have made one of the records: those that seek
// theirs, those whose conversation is known otherwise, and those in which the
// agent was started by hand or speaks another protocol.
func (f *finder) party(ctx context.Context, one search, records []resume.Record) (out []resume.Seeker) {
	first := slices.MinFunc(records, func(a, b resume.Record) int { return a.Birth.Compare(b.Birth) }).Birth
	for _, live := range []bool{true, false} {
		for _, s := range f.d.roster.all(everything, live) {
			r := s.record
			if r.Agent != one.agent.ID || f.store(one.agent, f.d.placeOf(ctx, one.agent, r)) != one.store {
				continue
			}
			switch {
			case r.Plain || r.Kind == hostproto.KindACP:
				if live && r.Conversation == nil {
					out = append(out, rival(r))
				}
			case live:
				out = append(out, f.seeker(s))
			case f.seeks(s) != nil && !f.ended(s).Before(first.Add(-time.Second)):
				out = append(out, f.seeker(s))
			}
		}
	}
	return out
}

// rival is a session whose agent nobody hosts as one that seeks.
func rival(r hostproto.Record) resume.Seeker {
	dir, from := r.Dir, r.Launched
	if r.Cwd != "" && r.Plain {
		dir = r.Cwd
	}
	if from.IsZero() {
		from = r.Created
	}
	return resume.Seeker{Session: r.ID, Dir: discover.Canonical(dir), Launched: from, Rival: true}
}

// seeker is a session as the search sees it.
func (f *finder) seeker(s session) resume.Seeker {
	r, unsure := s.record, s.live
	if !s.live {
		r = f.d.lastRecord(s) // its host may have noted what nobody heard: that it left a conversation
	}
	if s.live && s.client != nil {
		ctx, cancel := context.WithTimeout(f.d.life, askTime)
		defer cancel()
		var info hostproto.Info
		if s.client.Call(ctx, hostproto.OpInfo, nil, &info) == nil {
			r, unsure = info.Record, false
		}
	}
	out := resume.Seeker{
		Session: r.ID, Dir: discover.Canonical(r.Dir), Launched: r.Launched, Prompts: r.Submits, Named: r.Named,
		Ended: f.ended(s), Unsure: unsure,
	}
	if r.Turned.After(out.Launched) {
		out.Launched, out.Turned = r.Turned, true // what began before is another's, or was left
	}
	if c := r.Conversation; c != nil {
		out.Bound, out.Exact = c.ID, c.How != hostproto.HowDiscovered
	}
	return out
}

// ended is when a closed session certainly still ran; zero for a live one.
func (f *finder) ended(s session) time.Time {
	c := s.record.Closed
	switch {
	case c == nil:
		return time.Time{}
	case c.Reason != hostproto.ReasonHostLost:
		return c.At
	}
	// When its host died nobody knows: it wrote its record until then.
	if st, err := os.Stat(f.d.o.Layout.Record(s.record.ID)); err == nil {
		return st.ModTime().Add(time.Second)
	}
	return s.record.Since.Add(time.Second)
}

// left are the conversations that sessions were in before.
func (f *finder) left() map[string]bool {
	out := map[string]bool{}
	for _, live := range []bool{true, false} {
		for _, s := range f.d.roster.all(everything, live) {
			for _, c := range s.record.Left {
				if c.How != hostproto.HowDiscovered {
					out[c.ID] = true
				}
			}
		}
	}
	return out
}

// hosts are the live sessions by their host's process.
func (f *finder) hosts() map[int]string {
	out := map[int]string{}
	for _, s := range f.d.roster.all(everything, true) {
		out[s.record.HostPID] = s.record.ID
	}
	return out
}

// holders notes who has the records' files open. A file that somebody outside
// of every session has open, or that two sessions have, is a stranger's. Who has
// a database open says nothing of its rows.
func (f *finder) holders(store *discover.Store, records []resume.Record) {
	if store.Database() {
		return
	}
	var paths []string
	for _, r := range records {
		paths = append(paths, r.Path)
	}
	hosts, held := f.hosts(), discover.Holders(paths)
	for i := range records {
		records[i].Holder = holder(held[records[i].Path], hosts)
	}
}

// holder is who has a file open, by the processes that have it and those that
// they came from.
func holder(lines [][]int, hosts map[int]string) string {
	found := ""
	for _, line := range lines {
		for _, pid := range line {
			id, ok := hosts[pid]
			if !ok {
				continue
			}
			if found != "" && found != id {
				return resume.Stranger
			}
			found = id
			break
		}
	}
	if found == "" && len(lines) > 0 {
		return resume.Stranger
	}
	return found
}

// stranger is a process that writes into an agent's database and belongs to no
// session that was asked.
type stranger struct {
	dir  string    // that it works in; "/" when that cannot be known
	last time.Time // when it was seen
}

// strangerFor is how long a process that has ended is remembered.
const strangerFor = 10 * time.Minute

// outsiders are those who write into a database beside the seekers, now or
// lately: each may have made a record in its own directory and below.
func (f *finder) outsiders(store *discover.Store, seekers []resume.Seeker) (out []resume.Seeker) {
	hosts, now := f.hosts(), time.Now()
	known := map[string]bool{}
	for _, s := range seekers {
		known[s.Session] = true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	all := f.strangers[store]
	if all == nil {
		all = map[int]stranger{}
		f.strangers[store] = all
	}
	for _, lines := range discover.Holders(store.Files()) {
		for _, line := range lines {
			if !slices.ContainsFunc(line, func(pid int) bool { return known[hosts[pid]] }) {
				all[line[0]] = stranger{dir: discover.WorkingDir(line[0]), last: now}
			}
		}
	}
	for pid, one := range all {
		if now.Sub(one.last) > strangerFor {
			delete(all, pid)
			continue
		}
		s := resume.Seeker{Session: fmt.Sprint("process ", pid), Dir: one.dir, Rival: true}
		if one.last != now {
			s.Ended = one.last.Add(eagerEvery)
		}
		out = append(out, s)
	}
	return out
}
