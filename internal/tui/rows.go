package tui

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/termio-sh/termio/internal/api"
)

// rowKind is what a row of the sidebar is.
type rowKind uint8

const (
	rowHead  rowKind = iota // words only
	rowNeeds                // of the strip
	rowLost                 // tells of sessions that were lost
	rowProject
	rowTree
	rowSession
	rowBlank
)

// Row is a line of the sidebar.
type Row struct {
	kind    rowKind
	key     string // what it stays the same by
	bucket  string // rows of one can be moved among one another
	session *api.Session
	dir     string // of a project or a worktree
	text    string
	counts  counts
	depth   int
	folded  bool
	named   bool // with its project's name
}

// chosen reports whether the cursor can be on it.
func (r *Row) chosen() bool {
	return r.kind == rowNeeds || r.kind == rowLost || r.kind == rowProject || r.kind == rowSession
}

// id is what a moved row is kept by.
func (r *Row) id() string {
	if r.session != nil {
		return r.session.Link
	}
	return r.dir
}

// The buckets that are no directory's.
const (
	bucketPins     = "pins"
	bucketProjects = "projects"
)

// arrangement is how the person wants the rows.
type arrangement struct {
	home       string   // the project that was opened last
	opened     []string // other projects that were opened, shown also without sessions
	folded     map[string]bool
	showClosed bool
	pins       []string // links
	order      map[string][]string
	lost       int // sessions that can be reopened
	lostKey    string
}

// rows lays the roster out: what was lost; those that need somebody, the
// longest waiting first, of all projects; those that are pinned; then home's
// project, then the others by their names, or as they were moved; in each its
// sessions, then those of each worktree, plain terminals last.
func (f *Fleet) rows(a *arrangement) []Row {
	var rows []Row
	if a.lost > 0 {
		text := plural(a.lost, "session") + " lost"
		if a.lostKey != "" {
			text += "; " + a.lostKey + " reopens"
		}
		rows = append(rows, Row{kind: rowLost, key: "lost", text: text}, Row{kind: rowBlank, key: "after lost"})
	}
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
	var pinned map[string]bool
	rows, pinned = f.pinned(rows, a)
	for i, p := range f.projects(a) {
		if i > 0 {
			rows = append(rows, Row{kind: rowBlank, key: "before " + p})
		}
		rows = f.project(rows, p, a, pinned)
	}
	return rows
}

// pinned are the sessions that the person wants first.
func (f *Fleet) pinned(rows []Row, a *arrangement) ([]Row, map[string]bool) {
	var there []*api.Session
	pinned := map[string]bool{}
	for _, link := range a.pins {
		if s := f.get(link); s != nil && s.Status != closed && !pinned[link] {
			there = append(there, s)
			pinned[link] = true
		}
	}
	if len(there) == 0 {
		return rows, nil
	}
	rows = append(rows, Row{kind: rowHead, key: "pinned", text: "pinned"})
	for _, s := range inOrder(there, a.order[bucketPins], func(s *api.Session) string { return s.Link }) {
		rows = append(rows, Row{kind: rowSession, key: "session " + s.Link, bucket: bucketPins, session: s, depth: 1, named: s.Project != a.home})
	}
	return append(rows, Row{kind: rowBlank, key: "after pinned"}), pinned
}

// inOrder is the items as they were moved: those that were not come last, as
// they are.
func inOrder[T any](items []T, order []string, id func(T) string) []T {
	if len(order) == 0 {
		return items
	}
	at := make(map[string]int, len(order))
	for i, o := range order {
		at[o] = i - len(order)
	}
	slices.SortStableFunc(items, func(a, b T) int { return cmp.Compare(at[id(a)], at[id(b)]) })
	return items
}

// projects are the root directories of the projects that have sessions or were
// opened here, home's first.
func (f *Fleet) projects(a *arrangement) []string {
	seen := map[string]bool{}
	var all []string
	if a.home != "" {
		all, seen[a.home] = append(all, a.home), true
	}
	first := len(all)
	for _, p := range a.opened {
		if !seen[p] {
			all, seen[p] = append(all, p), true
		}
	}
	for i := range f.Sessions {
		if p := f.Sessions[i].Project; !seen[p] {
			all, seen[p] = append(all, p), true
		}
	}
	slices.SortFunc(all[first:], func(a, b string) int {
		return cmp.Or(cmp.Compare(projectName(a), projectName(b)), cmp.Compare(a, b))
	})
	order := a.order[bucketProjects]
	if first == 1 && !slices.Contains(order, a.home) { // the one in sight stays so
		return append(all[:1], inOrder(all[1:], order, func(p string) string { return p })...)
	}
	return inOrder(all, order, func(p string) string { return p })
}

func (f *Fleet) project(rows []Row, dir string, a *arrangement, pinned map[string]bool) []Row {
	head := Row{kind: rowProject, key: "project " + dir, bucket: bucketProjects, dir: dir, text: projectName(dir), folded: a.folded[dir]}
	trees := map[string][]*api.Session{}
	var names []string
	var gone []*api.Session
	for i := range f.Sessions {
		s := &f.Sessions[i]
		if s.Project != dir {
			continue
		}
		head.counts.add(s)
		switch {
		case pinned[s.Link]:
			continue
		case s.Status == closed:
			gone = append(gone, s)
			continue
		}
		if _, ok := trees[s.Worktree]; !ok && s.Worktree != "" {
			names = append(names, s.Worktree)
		}
		trees[s.Worktree] = append(trees[s.Worktree], s)
	}
	rows = append(rows, head)
	if head.folded {
		return rows
	}
	slices.Sort(names)
	add := func(depth int, bucket string, sessions []*api.Session) {
		slices.SortStableFunc(sessions, func(a, b *api.Session) int {
			return cmp.Compare(plainLast(a), plainLast(b))
		})
		for _, s := range inOrder(sessions, a.order[bucket], func(s *api.Session) string { return s.Link }) {
			rows = append(rows, Row{kind: rowSession, key: "session " + s.Link, bucket: bucket, session: s, depth: depth})
		}
	}
	add(1, dir, trees[""])
	for _, name := range names {
		rows = append(rows, Row{kind: rowTree, key: "tree " + name, dir: name, text: filepath.Base(name), depth: 1})
		add(2, name, trees[name])
	}
	if head.counts.all == 0 && len(gone) == 0 {
		rows = append(rows, Row{kind: rowHead, key: "empty " + dir, text: "no sessions yet: n starts one", depth: 1})
	}
	if a.showClosed && len(gone) > 0 {
		rows = append(rows, Row{kind: rowHead, key: "closed " + dir, text: fmt.Sprintf("closed (%d)", len(gone)), depth: 1})
		slices.SortStableFunc(gone, func(a, b *api.Session) int { return since(b).Compare(since(a)) })
		for _, s := range gone {
			rows = append(rows, Row{kind: rowSession, key: "session " + s.Link, session: s, depth: 2})
		}
	}
	return rows
}

// arrangement is how the rows are to stand.
func (m *Model) arrangement() *arrangement {
	return &arrangement{
		home: m.Home, opened: m.opened, folded: m.folded, showClosed: m.showClosed, pins: m.pins, order: m.order,
		lost: m.lostCount, lostKey: m.Bindings.key(ActReopenLost),
	}
}

// rows is the sidebar's content. While a frame is drawn it is made once.
func (m *Model) rows() []Row {
	if m.drawnRows != nil {
		return m.drawnRows
	}
	return m.fleet.rows(m.arrangement())
}

// pin puts the row's session before all projects, or back into its own.
func (m *Model) pin() []Effect {
	s := m.target()
	if s == nil || s.Status == closed {
		return nil
	}
	pinned := slices.Contains(m.pins, s.Link)
	if pinned {
		m.say("not pinned any more: " + oneLine(s.Title))
	} else {
		m.say("pinned: " + oneLine(s.Title))
	}
	link := s.Link
	effects := []Effect{m.keep(change{Pin: link, Unpin: pinned})}
	m.cursor = "session " + link
	return effects
}

// moveRow moves the row up (negative) or down among those of its kind, and
// stays on it.
func (m *Model) moveRow(n int) []Effect {
	rows := m.rows()
	i := m.at(rows)
	if i < 0 || rows[i].bucket == "" {
		m.say("this row has its own place")
		return nil
	}
	return m.moveTo(rows, i, n)
}

// moveTo moves row i by n places among the rows of its bucket.
func (m *Model) moveTo(rows []Row, i, n int) []Effect {
	bucket, id := rows[i].bucket, rows[i].id()
	var ids []string
	for _, r := range rows {
		if r.bucket == bucket {
			ids = append(ids, r.id())
		}
	}
	from := slices.Index(ids, id)
	to := min(max(from+n, 0), len(ids)-1)
	if to == from {
		return nil
	}
	ids = slices.Insert(slices.Delete(ids, from, from+1), to, id)
	// Those that are not in sight keep their places behind.
	for _, o := range m.order[bucket] {
		if !slices.Contains(ids, o) {
			ids = append(ids, o)
		}
	}
	return []Effect{m.keep(change{Bucket: bucket, Order: ids})}
}
