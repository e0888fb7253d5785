package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/termio-sh/termio/internal/api"
)

// A session over the Agent Client Protocol has no terminal: its pane shows the
// conversation as text, and these keys are about that.

// talkHints are the keys, for the bottom line.
const talkHints = "Enter prompt  a answer  j k scroll  Ctrl-C stops the turn"

// talkKey takes a key while such a session has them.
func (m *Model) talkKey(p *Pane, k tea.KeyPressMsg) []Effect {
	page := max(p.rect.H-2, 1)
	m.chrome = true
	switch k.String() {
	case "enter", "i":
		m.openPrompt(p.link)
	case "a":
		return m.openQuestion()
	case "k", "up":
		p.by(1)
	case "j", "down":
		p.by(-1)
	case "pgup", "ctrl+b", "u":
		p.by(page)
	case "pgdown", "ctrl+f", "d", "space":
		p.by(-page)
	case "G", "end":
		p.by(-p.scroll.back)
	case "ctrl+c":
		return []Effect{callEffect{
			Verb: api.VerbSend, Request: api.SendRequest{Caller: m.caller(), Target: p.link, Keys: []string{"escape"}}, What: "stop the turn",
			Then: func(m *Model, _ any) []Effect { m.say("the turn is stopped"); return m.list() },
		}}
	case "esc", "q":
		return m.leave()
	}
	return nil
}

// openPrompt asks for a prompt; what is sent while the agent works waits for
// the end of its turn.
func (m *Model) openPrompt(link string) {
	m.overlay = &inputView{title: "Prompt", in: newInput("what it is to do", ""), accept: func(m *Model, text string) []Effect {
		if text = strings.TrimSpace(text); text == "" {
			return nil
		}
		return []Effect{callEffect{
			Verb: api.VerbSend, Request: api.SendRequest{Caller: m.caller(), Target: link, Text: text, Enter: true}, What: "send the prompt",
			Then: func(m *Model, reply any) []Effect {
				if reply.(*api.SendReply).Queued {
					m.say("it works; the prompt waits for the end of its turn")
				}
				return append(m.list(), m.readAgain(link)...)
			},
		}}
	}}
}

// readAgain reads the conversation that a pane shows.
func (m *Model) readAgain(link string) []Effect {
	if p := m.panes[link]; p != nil && p.text {
		return m.readText(p)
	}
	return nil
}

// readWorking reads the conversations that are shown and go on, each second.
func (m *Model) readWorking() []Effect {
	if m.now.Sub(m.readAt) < talkEvery {
		return nil
	}
	m.readAt = m.now
	var effects []Effect
	for link, p := range m.panes {
		if s := m.fleet.get(link); p.text && s != nil && s.Status == working {
			effects = append(effects, m.readText(p)...)
		}
	}
	return effects
}
