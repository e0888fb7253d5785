package tui

import (
	"slices"

	"github.com/termio-sh/termio/internal/api"
)

// Sessions that are shown together are a group: a tree of panes. To choose one
// of them brings up the group; to choose another session leaves the group as
// it is. A session is in one group at most.

// layout is that of a project, made if need be.
func (m *Model) layout(project string) *Layout {
	l := m.layouts[project]
	if l == nil {
		l = &Layout{}
		m.layouts[project] = l
	}
	return l
}

// tree is what is shown.
func (m *Model) tree() *node {
	if l := m.layouts[m.project]; l != nil {
		return l.tree
	}
	return nil
}

// group is the group that a session is in, nil if it is in none.
func (l *Layout) group(link string) *node {
	if l == nil {
		return nil
	}
	for _, g := range l.Groups {
		if g.find(link) != nil {
			return g
		}
	}
	return nil
}

// settle puts the groups right after a tree was changed: was is its root, now
// what has become of it, nil for nothing.
func (l *Layout) settle(was, now *node) {
	i := slices.Index(l.Groups, was)
	together := now != nil && !now.leaf()
	switch {
	case i < 0 && together:
		l.Groups = append(l.Groups, now)
	case i >= 0 && together:
		l.Groups[i] = now
	case i >= 0:
		l.Groups = slices.Delete(l.Groups, i, i+1)
	}
	if l.tree == was {
		l.tree = now
	}
}

// sound is a layout that was read from a file, made usable; nil if it is none.
func (l *Layout) sound() *Layout {
	if l == nil {
		return nil
	}
	out := &Layout{Shown: l.Shown, Used: l.Used}
	seen := map[string]bool{}
	for _, g := range l.Groups {
		g = g.sound(0)
		for _, leaf := range g.leaves() {
			if leaf.Session == "" || seen[leaf.Session] {
				g = g.without(leaf)
			}
			seen[leaf.Session] = true
		}
		if g != nil && !g.leaf() {
			out.Groups = append(out.Groups, g)
		}
	}
	return out
}

// keepLive takes sessions out of a layout that are not there any more.
func (l *Layout) keepLive(live func(link string) bool) {
	for _, g := range slices.Clone(l.Groups) {
		now := g
		for _, leaf := range g.leaves() {
			if !live(leaf.Session) {
				now = now.without(leaf)
			}
		}
		l.settle(g, now)
	}
}

// clone is a copy that shares nothing.
func (n *node) clone() *node {
	if n == nil {
		return nil
	}
	out := *n
	out.A, out.B = n.A.clone(), n.B.clone()
	return &out
}

// show brings a session up: in its group, if it is in one, else alone.
func (m *Model) show(link string) []Effect {
	m.pending = ""
	s := m.fleet.get(link)
	if s == nil {
		return nil
	}
	m.project = s.Project
	l := m.layout(m.project)
	if at := l.tree.find(link); at != nil {
		m.active = at
	} else if g := l.group(link); g != nil {
		l.tree, m.active = g, g.find(link)
	} else {
		l.tree = &node{Session: link}
		m.active = l.tree
	}
	m.scrolls = false
	effects := m.arrangePanes()
	if l.Shown != link {
		l.Shown = link
		effects = append(effects, m.save())
	}
	return effects
}

// room reports whether the active pane can be split.
func (m *Model) room(down bool) bool {
	if m.active == nil || m.narrow() {
		return false
	}
	places, _ := m.places()
	for _, p := range places {
		if p.node == m.active && (down && p.rect.H < 2*leastRows+3 || !down && p.rect.W < 2*leastCols+1) {
			return false
		}
	}
	return true
}

// split shows the row's session in a new pane, or one of the project that is in
// no pane where the row's is; where there is no other, a new terminal.
func (m *Model) split(down bool) []Effect {
	if !m.room(down) {
		m.say("there is no room for two panes")
		return nil
	}
	l := m.layout(m.project)
	free := func(s *api.Session) bool {
		return s != nil && s.Project == m.project && s.Status != closed && l.tree.find(s.Link) == nil && l.group(s.Link) == nil
	}
	link := m.cursorLink()
	if !free(m.fleet.get(link)) {
		link = ""
		for i := range m.fleet.Sessions {
			if s := &m.fleet.Sessions[i]; free(s) {
				link = s.Link
				break
			}
		}
	}
	if link == "" {
		m.beside = &splitting{at: m.active.Session, down: down}
		return m.spawnTerminal()
	}
	return m.splitWith(down, link)
}

// splitting is where the next session that is started goes: beside another.
type splitting struct {
	at   string // link
	down bool
}

// splitWith puts a session into a new pane beside the active one.
func (m *Model) splitWith(down bool, link string) []Effect {
	l := m.layout(m.project)
	if g := l.group(link); g != nil {
		l.settle(g, g.without(g.find(link)))
	}
	was := l.tree
	m.zoom = false
	m.active = m.active.split(down, link)
	l.settle(was, was) // a pane of its own may have become a group
	l.Shown = link
	m.cursor, m.pending = "session "+link, ""
	return append(m.arrangePanes(), m.save())
}

// showStarted shows a session that was just started: beside another where a
// split wanted it, else as any.
func (m *Model) showStarted(link string) []Effect {
	b := m.beside
	m.beside = nil
	if b != nil && m.active != nil && m.active.Session == b.at && m.room(b.down) {
		if s := m.fleet.get(link); s != nil && s.Project == m.project {
			return m.splitWith(b.down, link)
		}
	}
	return m.show(link)
}

// unsplit takes the active pane out of its group; its session goes on.
func (m *Model) unsplit() []Effect {
	l := m.layout(m.project)
	t := l.tree
	if t == nil || t.leaf() {
		m.say("this is the only pane")
		return nil
	}
	i := slices.Index(t.leaves(), m.active)
	l.settle(t, t.without(m.active))
	leaves := l.tree.leaves()
	m.active = leaves[min(max(i-1, 0), len(leaves)-1)]
	l.Shown = m.active.Session
	m.zoom, m.cursor = false, "session "+m.active.Session
	return append(m.arrangePanes(), m.save())
}

// ungroup lets all sessions of the group that is shown stand alone again.
func (m *Model) ungroup() []Effect {
	l := m.layout(m.project)
	t := l.tree
	if t == nil || t.leaf() {
		m.say("this session is in no group")
		return nil
	}
	link := t.leaves()[0].Session
	if m.active != nil {
		link = m.active.Session
	}
	l.settle(t, nil)
	m.zoom = false
	m.say("each of them is alone again")
	return append(m.show(link), m.save())
}

// openGroup asks what session is to be shown beside the one that is.
func (m *Model) openGroup() []Effect {
	if m.active == nil || m.narrow() {
		m.say("there is no room for two panes")
		return nil
	}
	v := &pickerView{title: "Show beside " + m.titleOf(m.active.Session), in: newInput("a session of this project", "")}
	for i := range m.fleet.Sessions {
		s := &m.fleet.Sessions[i]
		if s.Project != m.project || s.Status == closed || m.tree().find(s.Link) != nil {
			continue
		}
		link := s.Link
		v.all = append(v.all, item{m.glyphs.agent(s.AgentID, s.Agent) + " " + oneLine(s.Title), s.Status, func(m *Model) []Effect {
			down := false
			if !m.room(down) {
				down = true
			}
			if m.active == nil || !m.room(down) {
				m.say("there is no room for two panes")
				return nil
			}
			return m.splitWith(down, link)
		}})
	}
	if len(v.all) == 0 {
		m.say("there is no other session of this project; n starts one")
		return nil
	}
	m.overlay = v
	return nil
}

func (m *Model) titleOf(link string) string {
	if s := m.fleet.get(link); s != nil {
		return oneLine(s.Title)
	}
	return "it"
}

func (m *Model) goTo(d direction) []Effect {
	places, _ := m.places()
	n := neighbour(places, m.active, d)
	if n == nil {
		return nil
	}
	m.active, m.chrome = n, true
	m.cursor, m.pending = "session "+n.Session, ""
	return m.enter()
}

// dropPane takes a session's pane out of its layout.
func (m *Model) dropPane(link string) []Effect {
	var effects []Effect
	for project, l := range m.layouts {
		changed := false
		if g := l.group(link); g != nil {
			l.settle(g, g.without(g.find(link)))
			changed = true
		}
		if at := l.tree.find(link); at != nil {
			l.tree = l.tree.without(at)
			changed = true
		}
		if changed {
			effects = append(effects, m.saveOf(project))
		}
	}
	if m.active != nil && m.active.Session == link || !contains(m.tree().leaves(), m.active) {
		m.active = nil
		if t := m.tree(); t != nil {
			m.active = t.leaves()[0]
		}
		m.focus, m.scrolls, m.zoom = onSidebar, false, false
	}
	return append(m.arrangePanes(), effects...)
}

func contains(all []*node, n *node) bool { return slices.Contains(all, n) }
