package daemon

import (
	"os"
	"sync"
	"time"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/config"
)

// settings are the user's, read again whenever the file has changed.
type settings struct {
	path     string
	problems *problems

	mu    sync.Mutex
	stamp fileStamp
	read  bool // the file with that stamp
	known bool // some file, or that there is none
	now   config.Settings
}

// fileStamp changes when a file does.
type fileStamp struct {
	size int64
	at   time.Time
}

func stampOf(path string) fileStamp {
	st, err := os.Stat(path)
	if err != nil {
		return fileStamp{size: -1}
	}
	return fileStamp{st.Size(), st.ModTime()}
}

func newSettings(path string, p *problems) *settings { return &settings{path: path, problems: p} }

// get are the settings of this moment. While the file cannot be read, what was
// known before stands; where nothing was, nothing is allowed that a setting can
// forbid.
func (s *settings) get() config.Settings {
	s.mu.Lock()
	defer s.mu.Unlock()
	stamp := stampOf(s.path)
	if s.read && stamp == s.stamp {
		return s.now
	}
	now, found := config.Load(s.path, time.Now())
	unread := now.Unread()
	if unread != nil && s.known {
		now = s.now
	}
	if unread != nil && unread.Unsettled {
		return now // somebody is writing it; it is read again at the next use
	}
	if lost := unread == nil && len(found) == 1 && found[0].Key == ""; lost {
		if s.known {
			now = s.now // it is set aside, and nothing in it was a choice
		}
		stamp = stampOf(s.path) // what was found stands until somebody changes the file
	}
	// One that could not be read is tried again at the next use: what changes
	// its permissions does not change its stamp.
	s.now, s.stamp, s.read, s.known = now, stamp, unread == nil, s.known || unread == nil
	list := make([]problem, len(found))
	for i, f := range found {
		list[i] = problem{file: f.File, key: f.Key, rule: ruleSetting, message: f.Rule}
	}
	s.problems.set("settings", list)
	return s.now
}

// catalog is the set of agents, read again whenever a user's manifest has
// changed.
type catalog struct {
	dir      string
	problems *problems

	mu    sync.Mutex
	stamp atp.Fingerprint
	read  bool
	now   atp.Catalog
}

// get is the catalog of this moment.
func (c *catalog) get() atp.Catalog {
	c.mu.Lock()
	defer c.mu.Unlock()
	stamp, changed := atp.Changed(c.dir, c.stamp)
	if c.read && !changed {
		return c.now
	}
	now, found := atp.Load(c.dir)
	c.now, c.stamp, c.read = now, stamp, true
	list := make([]problem, len(found))
	for i, f := range found {
		list[i] = problem{
			file: f.File, key: f.Path, rule: f.Rule, message: f.Advice(),
			line: f.Line, column: f.Column, warning: f.Severity == atp.SeverityWarning,
		}
	}
	c.problems.set("agents", list)
	return c.now
}
