package tui

import "time"

// A session may end and live again while it is looked at: somebody reopens it,
// or its agent replaced itself and was launched again. Its pane follows, and
// whoever typed into it types on.

// ending is how a pane's session ended.
type ending struct {
	at    time.Time
	typed bool   // the keys were the session's
	why   string // while it is tried whether it lives again
}

// noteEnd notes that a pane's session has just ended.
func (m *Model) noteEnd(p *Pane) {
	p.end = ending{at: m.now, typed: m.focus == onPane && p == m.activePane()}
}

// livesAgain reports whether the roster, which has the session as live, was
// asked for after it ended.
func (m *Model) livesAgain(p *Pane) bool {
	switch {
	case p.away:
		return p.error != "" || p.ended != ""
	case p.ended == "":
		return false
	}
	return m.asked.After(p.end.at)
}

// follow connects a pane to the new life of its session, if there is one.
func (m *Model) follow(p *Pane) []Effect {
	p.end.why, p.end.at = p.ended, m.now
	p.away, p.ended = false, ""
	return m.dial(p, p.types || p.end.typed)
}

// followed takes how connecting went.
func (m *Model) followed(p *Pane, failed bool) []Effect {
	e := p.end
	if failed {
		if e.why != "" { // it has not come back: its last picture stands
			p.ended, p.error, p.end.why = e.why, "", ""
		}
		return nil
	}
	p.end = ending{}
	if e.typed && m.focus == onSidebar && m.overlay == nil && p == m.activePane() {
		m.say("it was started again")
		return m.enter()
	}
	return nil
}
