package tui

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
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

// rowKind is what a row of the sidebar is.
type rowKind uint8

const (
	rowHead  rowKind = iota // words only
	rowNeeds                // of the strip
	rowProject
	rowTree
	rowSession
	rowBlank
)

// Row is a line of the sidebar.
type Row struct {
	kind    rowKind
	key     string // what it stays the same by
	session *api.Session
	dir     string // of a project or a worktree
	text    string
	counts  counts
	depth   int
	folded  bool
}

// chosen reports whether the cursor can be on it.
func (r *Row) chosen() bool {
	return r.kind == rowNeeds || r.kind == rowProject || r.kind == rowSession
}

// rows lays the roster out: those that need somebody, the longest waiting
// first, of all projects; then home's project, then the others by their names;
// in each its sessions, then those of each worktree, plain terminals last.
func (f *Fleet) rows(home string, folded map[string]bool, showClosed bool) []Row {
	var rows []Row
	needs := make([]*api.Session, 0, len(f.Sessions))
	for i := range f.Sessions {
		if f.Sessions[i].Status == needsYou {
			needs = append(needs, &f.Sessions[i])
		}
	}
	slices.SortStableFunc(needs, func(a, b *api.Session) int { return since(a).Compare(since(b)) })
	if len(needs) > 0 {
		rows = append(rows, Row{kind: rowHead, key: "needs", text: "NEEDS YOU", counts: counts{needs: len(needs)}})
		for _, s := range needs {
			rows = append(rows, Row{kind: rowNeeds, key: "needs " + s.Link, session: s})
		}
		rows = append(rows, Row{kind: rowBlank, key: "after needs"})
	}
	for i, p := range f.projects(home) {
		if i > 0 {
			rows = append(rows, Row{kind: rowBlank, key: "before " + p})
		}
		rows = f.project(rows, p, folded[p], showClosed)
	}
	return rows
}

func since(s *api.Session) time.Time {
	if s.Since == nil {
		return time.Time{}
	}
	return *s.Since
}

// projects are the root directories of the projects that have sessions, home's
// first.
func (f *Fleet) projects(home string) []string {
	seen := map[string]bool{}
	var all []string
	if home != "" {
		all, seen[home] = append(all, home), true
	}
	first := len(all)
	for i := range f.Sessions {
		if p := f.Sessions[i].Project; !seen[p] {
			all, seen[p] = append(all, p), true
		}
	}
	slices.SortFunc(all[first:], func(a, b string) int {
		return cmp.Or(cmp.Compare(projectName(a), projectName(b)), cmp.Compare(a, b))
	})
	return all
}

func projectName(dir string) string {
	if dir == "" {
		return "elsewhere"
	}
	return filepath.Base(dir)
}

func (f *Fleet) project(rows []Row, dir string, folded, showClosed bool) []Row {
	head := Row{kind: rowProject, key: "project " + dir, dir: dir, text: projectName(dir), folded: folded}
	trees := map[string][]*api.Session{}
	var names []string
	var gone []*api.Session
	for i := range f.Sessions {
		s := &f.Sessions[i]
		if s.Project != dir {
			continue
		}
		head.counts.add(s)
		if s.Status == closed {
			gone = append(gone, s)
			continue
		}
		if _, ok := trees[s.Worktree]; !ok && s.Worktree != "" {
			names = append(names, s.Worktree)
		}
		trees[s.Worktree] = append(trees[s.Worktree], s)
	}
	rows = append(rows, head)
	if folded {
		return rows
	}
	slices.Sort(names)
	add := func(depth int, sessions []*api.Session) {
		slices.SortStableFunc(sessions, func(a, b *api.Session) int {
			return cmp.Compare(plainLast(a), plainLast(b))
		})
		for _, s := range sessions {
			rows = append(rows, Row{kind: rowSession, key: "session " + s.Link, session: s, depth: depth})
		}
	}
	add(1, trees[""])
	for _, name := range names {
		rows = append(rows, Row{kind: rowTree, key: "tree " + name, dir: name, text: filepath.Base(name), depth: 1})
		add(2, trees[name])
	}
	if head.counts.all == 0 && len(gone) == 0 {
		rows = append(rows, Row{kind: rowHead, key: "empty " + dir, text: "no sessions yet: n starts one", depth: 1})
	}
	if showClosed && len(gone) > 0 {
		rows = append(rows, Row{kind: rowHead, key: "closed " + dir, text: fmt.Sprintf("closed (%d)", len(gone)), depth: 1})
		slices.SortStableFunc(gone, func(a, b *api.Session) int { return since(b).Compare(since(a)) })
		add(2, gone)
	}
	return rows
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
