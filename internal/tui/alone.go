package tui

import "strings"

// A face that shows one session and nothing else is what `termio sessions
// attach` is for a session that has no terminal: the prefix leaves it, as it
// leaves every session that one is attached to.

// alone reports whether this is one.
func (m *Model) alone() bool { return m.Only != "" }

// beginAlone shows the session, and gives it the keys.
func (m *Model) beginAlone() []Effect {
	s := m.fleet.get(m.Only)
	if s == nil || s.Status == closed {
		return m.goAway("session " + m.nameAlone() + " is not open any more")
	}
	m.layouts, m.zoom = map[string]*Layout{}, true
	return append(m.show(m.Only), m.enter()...)
}

// leaveAlone ends the face, and says how.
func (m *Model) leaveAlone() []Effect {
	if p := m.panes[m.Only]; p != nil && p.ended != "" {
		return m.goAway("session " + m.nameAlone() + " " + p.ended)
	}
	return m.goAway("detached from " + m.nameAlone())
}

func (m *Model) goAway(why string) []Effect {
	m.quit, m.Farewell = true, why
	return []Effect{quitEffect{}}
}

// nameAlone is the session in a sentence.
func (m *Model) nameAlone() string {
	id := m.Only[strings.LastIndexByte(m.Only, '/')+1:]
	id = id[:min(len(id), 8)]
	title := ""
	if s := m.fleet.get(m.Only); s != nil {
		title = oneLine(s.Title)
	} else if p := m.panes[m.Only]; p != nil {
		title = p.name // the roster has it no more
	}
	if title != "" {
		id += " (" + title + ")"
	}
	return id
}
