package daemon

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/resume"
	"github.com/termio-sh/termio/internal/resume/discover"
)

// Times of the search for conversations whose ids agents make themselves.
const (
	eagerEvery = 250 * time.Millisecond // while a record may appear at any moment
	eagerFor   = 35 * time.Second       // after a launch
	afterWrite = 3 * time.Second        // after something appeared in a store
	calmEvery  = 5 * time.Second        // for stores whose changes nobody tells
	markTime   = 500 * time.Millisecond // a launch waits so long for the look before it
	lookTime   = 10 * time.Second
	maxWatched = 4096 // folders
	lookShare  = 20   // one part in so many of the time goes into looking
	maxGather  = 2 * time.Second
)

// finder finds the conversations of sessions whose agents make their own ids.
// It is the coordinator's: a host has no database. What it found is in the
// hosts' records, and what it would have found while no coordinator ran, it
// finds when the next one starts.
type finder struct {
	d      *Daemon
	poke   chan struct{}
	urgent chan struct{} // somebody waits for a look

	mu        sync.Mutex
	stores    map[string]*discover.Store           // by agent and place
	starts    map[string][]time.Time               // of the launches at work, by agent
	strangers map[*discover.Store]map[int]stranger // by process
}

func newFinder(d *Daemon) *finder {
	return &finder{d: d, poke: make(chan struct{}, 1), urgent: make(chan struct{}, 1), stores: map[string]*discover.Store{}, starts: map[string][]time.Time{}, strangers: map[*discover.Store]map[int]stranger{}}
}

// wake makes it look again.
func (f *finder) wake() {
	select {
	case f.poke <- struct{}{}:
	default:
	}
}

// hurry makes it look again at once: somebody waits for what it finds.
func (f *finder) hurry() {
	select {
	case f.urgent <- struct{}{}:
	default:
	}
}

// store is the store of an agent where its environment places it; nil for an
// agent without one.
func (f *finder) store(m *atp.Manifest, getenv func(string) string) *discover.Store {
	if !m.Resume.Discovered() {
		return nil
	}
	root := m.Place(m.Resume.Discover.Root, getenv)
	if root == "" {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	key := m.ID + "\x00" + root
	if f.stores[key] == nil {
		f.stores[key] = discover.Open(root, *m.Resume.Discover)
	}
	return f.stores[key]
}

// mark notes what is in an agent's store before it is launched.
func (f *finder) mark(ctx context.Context, m *atp.Manifest, getenv func(string) string) {
	s := f.store(m, getenv)
	if s == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, markTime)
	defer cancel()
	if err := s.Mark(ctx, time.Now()); err != nil {
		f.d.log.Info("an agent's store was not looked through before a launch", "agent", m.ID, "why", err.Error())
	}
}

// look searches once, and tells the hosts. It reports whether a record may
// appear at any moment.
func (f *finder) look(ctx context.Context) (eager bool, roots []string) {
	for _, one := range f.searches(ctx) {
		live := false
		for _, s := range one.seekers {
			if s.live {
				live = true
				eager = eager || time.Since(s.record.Launched) < eagerFor
			}
		}
		if !live {
			continue // a closed one looks when it is reopened
		}
		roots = append(roots, one.store.Root())
		found, err := f.verdicts(ctx, one, time.Now())
		switch {
		case errors.Is(err, errStarting):
			eager = true
		case err != nil && ctx.Err() == nil:
			f.d.log.Warn("an agent's conversations cannot be looked up", "store", one.store.Root(), "why", err.Error())
		}
		for _, v := range found {
			if s, ok := f.d.roster.get(v.Session); ok {
				f.tell(s, v)
			}
		}
	}
	return eager, roots
}

// tell gives a verdict to the session's host, where it is news.
func (f *finder) tell(s session, v resume.Verdict) {
	if !s.live {
		return
	}
	q := hostproto.ConverseRequest{Why: v.Why}
	now := s.record.Conversation
	if now != nil {
		q.Was = now.ID
	}
	switch {
	case v.ID != "" && (now == nil || now.ID != v.ID):
		q.Conversation = &hostproto.Conversation{ID: v.ID, How: hostproto.HowDiscovered, Since: since(time.Now()), Transcript: transcriptOf(v)}
	case v.ID == "" && (now != nil || s.record.Unknown != v.Why):
	default:
		return
	}
	if err := f.d.converse(s, q); err != nil && f.d.life.Err() == nil {
		f.d.log.Warn("a session could not be told of its conversation", "session", s.record.ID, "why", err.Error())
	}
}

// transcriptOf is the conversation's own file: a log that begins with its
// record is the transcript too.
func transcriptOf(v resume.Verdict) string {
	if strings.HasSuffix(v.Path, "."+atp.FormatJSONL) {
		return v.Path
	}
	return ""
}

// late is the conversation of a closed session, by what is on disk now.
func (f *finder) late(ctx context.Context, s session) (id, why string) {
	for _, one := range f.searches(ctx) {
		if !slices.ContainsFunc(one.seekers, func(o session) bool { return o.record.ID == s.record.ID }) {
			continue
		}
		found, err := f.settled(ctx, one, f.ended(s))
		if err != nil {
			return "", err.Error()
		}
		for _, v := range found {
			if v.Session == s.record.ID {
				return v.ID, v.Why
			}
		}
	}
	return "", ""
}

// run looks when something happens, until the coordinator's life ends.
func (f *finder) run() {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		watcher = &fsnotify.Watcher{} // everything is looked at now and then, too
	} else {
		defer watcher.Close()
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	var roots []string
	var eagerUntil time.Time
	for {
		select {
		case <-f.d.life.Done():
			return
		case ev := <-watcher.Events:
			if ev.Op&(fsnotify.Create|fsnotify.Rename) == 0 && !strings.HasSuffix(ev.Name, "-wal") {
				continue
			}
			eagerUntil = time.Now().Add(afterWrite)
		case <-watcher.Errors:
		case <-f.poke:
		case <-f.urgent:
		case <-timer.C:
		}
		begun := time.Now()
		eager, now := f.look(f.d.life)
		if watcher.Events != nil && (len(now) > 0 || len(roots) > 0) {
			watchTrees(watcher, now)
		}
		roots = now
		switch {
		case eager || time.Now().Before(eagerUntil) && len(roots) > 0:
			timer.Reset(eagerEvery)
		case len(roots) > 0:
			timer.Reset(calmEvery)
		default:
			timer.Stop()
		}
		select {
		case <-f.d.life.Done():
			return
		case <-time.After(gather(time.Since(begun))):
		case <-f.urgent:
			f.wake()
		}
	}
}

// gather is how long events are let gather after a look that took so long: the
// stores of agents at work change all the time, and looking at them is to take a
// small share of a processor, whatever their size and number.
func gather(took time.Duration) time.Duration {
	return min(max(eagerEvery/5, lookShare*took), maxGather)
}

// watchTrees makes w watch the folders below the roots, and nothing else. Where
// a root is not there yet, the nearest folder above it is watched.
func watchTrees(w *fsnotify.Watcher, roots []string) {
	wanted := map[string]bool{}
	for _, root := range roots {
		if st, err := os.Stat(root); err == nil && !st.IsDir() {
			wanted[filepath.Dir(root)] = true // a database and its log
			continue
		}
		for dir := root; ; dir = filepath.Dir(dir) {
			if st, err := os.Stat(dir); err == nil && st.IsDir() {
				if dir != root {
					wanted[dir] = true
				}
				break
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
		filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err == nil && e.IsDir() && len(wanted) < maxWatched {
				wanted[path] = true
			}
			return nil
		})
	}
	for _, dir := range w.WatchList() {
		if !wanted[dir] {
			w.Remove(dir)
		}
		delete(wanted, dir)
	}
	for dir := range wanted {
		w.Add(dir) // what cannot be watched is looked at now and then
	}
}

// placeOf reads what places an agent's files, for a session that was launched
// before: the variable that moves them is as it was then.
func (d *Daemon) placeOf(ctx context.Context, m *atp.Manifest, r hostproto.Record) func(string) string {
	getenv := d.agentEnv(ctx, m, d.o.Env)
	return func(name string) string {
		if m.ConfigHome != nil && name == m.ConfigHome.Env && !r.Launched.IsZero() {
			if v := expand(r.ConfigHome, getenv("HOME")); v == "" || isDir(v) {
				return v
			}
		}
		if name == "HOME" && isDir(r.UserHome) {
			return r.UserHome
		}
		return getenv(name)
	}
}
