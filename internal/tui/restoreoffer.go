package tui

import (
	"github.com/termio-sh/termio/internal/api"
)

// Sessions that ended without anybody having wanted it, with the machine or by
// a kill, are told of where the restore setting is ask: a row that reopens them
// all with one key.

// reopenLost starts all of them again, each in its conversation.
func (m *Model) reopenLost() []Effect {
	if m.lostCount == 0 {
		m.say("no session was lost")
		return nil
	}
	a := m.area()
	m.say("reopening " + plural(m.lostCount, "session"))
	return []Effect{callEffect{
		Verb: api.VerbReopen, What: "reopen what was lost",
		Request: api.ReopenRequest{Caller: m.caller(), Lost: true, Cols: max(a.W, 20), Rows: max(a.H-1, 5)},
		Then: func(m *Model, reply any) []Effect {
			r := reply.(*api.ReopenReply)
			m.lostCount = 0
			failed, why := 0, ""
			for _, one := range r.Sessions {
				if one.Error != nil {
					failed++
					why = one.Error.Message
				}
			}
			text := "reopened " + plural(len(r.Sessions)-failed, "session")
			if failed > 0 {
				text += ", " + plural(failed, "session") + " not: " + oneLine(why)
			}
			m.say(text)
			return m.list()
		},
	}}
}

// leaveLost lets go of what was lost: nothing is told of it any more.
func (m *Model) leaveLost() []Effect {
	all := m.letGo + m.lostCount
	m.lostCount = 0
	m.say("they stay closed; c shows them, o reopens one")
	m.keepCursor("")
	return []Effect{m.keep(change{LetGo: &all})}
}

// heardLost takes the number of lost sessions of a new roster.
func (m *Model) heardLost(n int) (effects []Effect) {
	if n < m.letGo { // some of those that were let go came back
		effects = append(effects, m.keep(change{LetGo: &n}))
	}
	m.lostCount = n - m.letGo
	return effects
}
