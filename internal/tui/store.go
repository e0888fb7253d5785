package tui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/termio-sh/termio/internal/atomicfile"
	"github.com/termio-sh/termio/internal/filelock"
	"github.com/termio-sh/termio/internal/paths"
)

// store is the files of the face: what it keeps, and how it looks.
type store struct {
	state, looks, projects string // files

	mu      sync.Mutex // guards what follows
	changes []change
	newest  *Looks // to be written
	busy    bool
	seen    time.Time // when the file was last changed, of what we know
	idle    sync.WaitGroup
}

// mostKept is the largest file that is read, in bytes.
const mostKept = 4 << 20

// openStore reads what was kept. What cannot be read is no reason not to start.
func openStore(l paths.Layout) (*store, Kept, Looks, []string) {
	s := &store{state: filepath.Join(l.StateDir(), "tui.json"), looks: filepath.Join(l.ConfigDir(), "tui.json"), projects: filepath.Join(l.StateDir(), "projects.json")}
	var looks Looks
	var kept Kept
	var problems []string
	for _, f := range []struct {
		path string
		into any
	}{{s.looks, &looks}, {s.state, &kept}} {
		if err := readJSON(f.path, f.into); err != nil {
			problems = append(problems, fmt.Sprintf("%s cannot be used: %v", f.path, err))
		}
	}
	s.seen = changedAt(s.state)
	return s, kept, looks, problems
}

func readJSON(path string, into any) error {
	data, err := atomicfile.Read(path, mostKept)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	return err
}

func changedAt(path string) time.Time {
	if st, err := os.Stat(path); err == nil {
		return st.ModTime()
	}
	return time.Time{}
}

// keep writes a change beside the loop.
func (s *store) keep(c change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes = append(s.changes, c)
	s.begin()
}

func (s *store) saveLooks(l Looks) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.newest = &l
	s.begin()
}

// begin is called with mu held.
func (s *store) begin() {
	if !s.busy {
		s.busy = true
		s.idle.Go(s.write)
	}
}

func (s *store) write() {
	for {
		s.mu.Lock()
		changes, looks := s.changes, s.newest
		s.changes, s.newest = nil, nil
		if len(changes) == 0 && looks == nil {
			s.busy = false
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		// What cannot be kept is no reason to bother anybody.
		if len(changes) > 0 {
			_ = s.merge(changes)
		}
		if looks != nil {
			_ = writeJSON(s.looks, looks)
		}
	}
}

// lockFor bounds the wait for another face that writes.
const lockFor = 2 * time.Second

// merge makes changes to what the file holds now, so that faces that run at
// the same time keep one another's.
func (s *store) merge(changes []change) error {
	if err := os.MkdirAll(filepath.Dir(s.state), 0o700); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockFor)
	defer cancel()
	lock, err := filelock.Acquire(ctx, s.state+".lock")
	if err != nil {
		return err
	}
	defer lock.Release()
	var kept Kept
	// One that cannot be read is written anew: it holds nothing that is lost
	// for good.
	if err := readJSON(s.state, &kept); err != nil {
		kept = Kept{Welcomed: true}
	}
	before := changedAt(s.state)
	for _, c := range changes {
		kept.apply(c)
	}
	if err := writeJSON(s.state, kept); err != nil {
		return err
	}
	s.mu.Lock()
	if s.seen.Equal(before) { // else somebody else's changes are to be told yet
		s.seen = changedAt(s.state)
	}
	s.mu.Unlock()
	return nil
}

// news is what is kept, if another face has changed it since it was last asked
// for.
func (s *store) news() (Kept, bool) {
	now := changedAt(s.state)
	s.mu.Lock()
	known := s.seen.Equal(now) || s.busy
	if !known {
		s.seen = now
	}
	s.mu.Unlock()
	var kept Kept
	if known || readJSON(s.state, &kept) != nil {
		return Kept{}, false
	}
	return kept, true
}

func writeJSON(path string, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err == nil {
		err = atomicfile.Write(path, append(data, '\n'), 0o600)
	}
	return err
}

// close waits for what is being written.
func (s *store) close() { s.idle.Wait() }
