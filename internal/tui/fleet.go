package tui

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/termio-sh/termio/internal/api"
)

// The statuses of a session, as the contract names them.
const (
	working  = "working"
	needsYou = "needs-you"
	done     = "done"
	idle     = "idle"
	closed   = "closed"

	plainAgent = "terminal" // the id of a plain terminal
)

// Question is what a session that needs somebody asks.
type Question struct {
	Text    string
	ID      string   // names it, so that an answer never goes to another one
	Options []string // its answers
}

// optionLine is a line of a menu: "❯ 1. Yes", "  2) No".
var optionLine = regexp.MustCompile(`^[^\pL\pN]*([1-9])[.)] +(\S.*?)\s*[│|]?$`)

// question makes a Question of an event. Options that nobody gave as data are
// read off the menu on the screen: the last numbered list that begins with 1.
func question(e *api.WatchEvent) Question {
	q := Question{Text: e.Prompt, ID: e.PromptID, Options: e.Options}
	if len(q.Options) > 0 {
		return q
	}
	for line := range strings.SplitSeq(e.Prompt, "\n") {
		m := optionLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		switch n := int(m[1][0] - '0'); {
		case n == 1:
			q.Options = []string{m[2]}
		case n == len(q.Options)+1:
			q.Options = append(q.Options, m[2])
		}
	}
	return q
}

// Fleet is what is known of all sessions.
type Fleet struct {
	Sessions  []api.Session
	Questions map[string]Question // by link
}

func (f *Fleet) get(link string) *api.Session {
	for i := range f.Sessions {
		if f.Sessions[i].Link == link {
			return &f.Sessions[i]
		}
	}
	return nil
}

// hear takes an event of the watch over into the roster, so that a change shows
// before the roster comes anew. It reports whether the session is known.
func (f *Fleet) hear(e *api.WatchEvent, now time.Time) bool {
	if f.Questions == nil {
		f.Questions = map[string]Question{}
	}
	if e.Status == needsYou {
		f.Questions[e.Link] = question(e)
	} else if e.Status != "stalled" {
		delete(f.Questions, e.Link)
	}
	s := f.get(e.Link)
	if s == nil {
		return false
	}
	if e.Status == "stalled" {
		s.Description = "no sign of life"
		return true
	}
	if s.Status != e.Status {
		s.Status, s.Since, s.Description = e.Status, &now, ""
	}
	if e.Title != "" {
		s.Title = e.Title
	}
	s.Error, s.Closed = e.Error, e.Closed
	return true
}

// counts are how many sessions are in which state.
type counts struct{ needs, working, done, all int }

func (c *counts) add(s *api.Session) {
	if s.Status == closed {
		return
	}
	c.all++
	switch s.Status {
	case needsYou:
		c.needs++
	case working:
		c.working++
	case done:
		c.done++
	}
}

// text is a rollup for people: the most pressing first.
func (c counts) text() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{c.needs, "need you"}, {c.working, "working"}, {c.done, "done"}} {
		if p.n == 1 && p.what == "need you" {
			p.what = "needs you"
		}
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	return strings.Join(parts, ", ")
}

// short is a rollup in signs, for where there is little room.
func (c counts) short(g *Glyphs) string {
	var parts []string
	for _, p := range []struct {
		n    int
		sign string
	}{{c.needs, g.Needs}, {c.working, g.Work}, {c.done, g.Done}} {
		if p.n > 0 {
			parts = append(parts, p.sign+strconv.Itoa(p.n))
		}
	}
	return strings.Join(parts, " ")
}

func (f *Fleet) counts() (c counts) {
	for i := range f.Sessions {
		c.add(&f.Sessions[i])
	}
	return c
}

func since(s *api.Session) time.Time {
	if s.Since == nil {
		return time.Time{}
	}
	return *s.Since
}

func projectName(dir string) string {
	if dir == "" {
		return "elsewhere"
	}
	return filepath.Base(dir)
}

func plainLast(s *api.Session) int {
	if s.AgentID == plainAgent {
		return 1
	}
	return 0
}

// age is how long ago something was, short enough for a list.
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return fmt.Sprintf("%dd", d/(24*time.Hour))
}
