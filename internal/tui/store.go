package tui

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/termio-sh/termio/internal/atomicfile"
	"github.com/termio-sh/termio/internal/paths"
)

// store is what the face keeps: the layouts and how it looks.
type store struct {
	state, looks string // files
	kept         kept

	mu      sync.Mutex // guards pending and busy
	pending map[string][]byte
	busy    bool
	idle    sync.WaitGroup
}

// kept is the file of the layouts.
type kept struct {
	Welcomed bool             `json:"welcomed,omitempty"`
	Layouts  map[string]*node `json:"layouts,omitempty"`
}

// openStore reads what was kept. What cannot be read is no reason not to start.
func openStore(l paths.Layout) (*store, Looks, []string) {
	s := &store{
		state: filepath.Join(l.StateDir(), "tui.json"), looks: filepath.Join(l.ConfigDir(), "tui.json"),
		pending: map[string][]byte{},
	}
	var looks Looks
	var problems []string
	for _, f := range []struct {
		path string
		into any
	}{{s.looks, &looks}, {s.state, &s.kept}} {
		data, err := os.ReadFile(f.path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = json.Unmarshal(data, f.into)
		}
		if err != nil {
			problems = append(problems, fmt.Sprintf("%s cannot be used: %v", f.path, err))
		}
	}
	return s, looks, problems
}

func (s *store) saveLayouts(layouts map[string]*node) {
	s.kept.Layouts = layouts
	s.save(s.state, s.kept)
}

// welcomed notes that the first page was shown.
func (s *store) welcomed() {
	s.kept.Welcomed = true
	s.save(s.state, s.kept)
}

func (s *store) saveLooks(l Looks) { s.save(s.looks, l) }

// save writes a file beside the loop; of several the newest counts.
func (s *store) save(path string, value any) {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return // values of these types always can be
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending[path] = append(data, '\n')
	if s.busy {
		return
	}
	s.busy = true
	s.idle.Go(s.write)
}

func (s *store) write() {
	for {
		s.mu.Lock()
		all := s.pending
		s.pending = map[string][]byte{}
		if len(all) == 0 {
			s.busy = false
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		for path, data := range all {
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
				// A layout that cannot be kept is no reason to bother anybody.
				_ = atomicfile.Write(path, data, 0o600)
			}
		}
	}
}

// close waits for what is being written.
func (s *store) close() { s.idle.Wait() }
