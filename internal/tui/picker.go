package tui

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/vt"
)

// item is something that can be picked.
type item struct {
	text string
	note string // on the right: its key, its project
	pick func(m *Model) []Effect
}

// pickerView is a list that is narrowed by typing.
type pickerView struct {
	title string
	in    textinput.Model
	all   []item
	at    int
	more  func(m *Model, query string) []Effect // asked for more when the query changed
}

func (v *pickerView) fits() []item {
	return rank(v.in.Value(), v.all, func(it item) string { return it.text + " " + it.note })
}

func (v *pickerView) key(m *Model, k tea.KeyPressMsg) []Effect {
	items := v.fits()
	switch k.String() {
	case "esc", "ctrl+c":
		m.overlay = nil
		return nil
	case "down", "ctrl+n", "ctrl+j", "tab":
		v.at = min(v.at+1, max(len(items)-1, 0))
		return nil
	case "up", "ctrl+p", "ctrl+k", "shift+tab":
		v.at = max(v.at-1, 0)
		return nil
	case "enter":
		if v.at < len(items) {
			m.overlay = nil
			return items[v.at].pick(m)
		}
		return nil
	}
	was := v.in.Value()
	typeInto(&v.in, k)
	if v.in.Value() != was {
		v.at = 0
		if v.more != nil {
			return v.more(m, v.in.Value())
		}
	}
	return nil
}

func (v *pickerView) paste(_ *Model, text string) { pasteInto(&v.in, text); v.at = 0 }

func (v *pickerView) view(m *Model, w, h int) (string, []string, string) {
	v.in.SetWidth(max(w-3, 4))
	lines := []string{m.theme.Key.Render("> ") + v.in.View(), ""}
	items := v.fits()
	v.at = min(v.at, max(len(items)-1, 0))
	room := max(h-2, 1)
	first := max(min(v.at-room/2, len(items)-room), 0)
	for i := first; i < min(first+room, len(items)); i++ {
		lines = append(lines, m.line(items[i].text, items[i].note, w, i == v.at))
	}
	if len(items) == 0 {
		lines = append(lines, m.theme.Dim.Render("nothing fits"))
	}
	return v.title, lines, "Enter choose  Esc cancel"
}

// line is a row of a list: text on the left, a note on the right.
func (m *Model) line(text, note string, w int, chosen bool) string {
	note = vt.Truncate(oneLine(note), w/2, m.glyphs.Ellipsis)
	n := vt.StringWidth(note)
	left := vt.Truncate(oneLine(text), max(w-n-3, 4), m.glyphs.Ellipsis)
	gap := strings.Repeat(" ", max(w-2-vt.StringWidth(left)-n, 1))
	if chosen {
		return m.theme.Cursor.Render(m.glyphs.Pointer + " " + left + gap + note)
	}
	return "  " + left + gap + m.theme.Dim.Render(note)
}

// newPalette lists every command with its key.
func newPalette(m *Model) *pickerView {
	v := &pickerView{title: "Commands", in: newInput("what to do", "")}
	for _, b := range m.Bindings.list {
		switch b.action {
		case ActDown, ActUp, ActTop, ActBottom, ActPalette:
			continue
		}
		a := b.action
		v.all = append(v.all, item{b.help, m.Bindings.key(a), func(m *Model) []Effect { return m.act(a) }})
	}
	for _, name := range ThemeNames() {
		v.all = append(v.all, item{"theme: " + name, "", func(m *Model) []Effect { return m.setTheme(name) }})
	}
	return v
}

func (m *Model) setTheme(name string) []Effect {
	m.Looks.Theme, m.theme, m.chrome = name, newTheme(name), true
	return []Effect{looksEffect{m.Looks}}
}

// newQuickOpen lists sessions and projects, and past conversations once there
// is something to look for.
func newQuickOpen(m *Model) *pickerView {
	v := &pickerView{title: "Go to", in: newInput("session, project, or words of a past conversation", "")}
	for i := range m.fleet.Sessions {
		s := &m.fleet.Sessions[i]
		link, isClosed := s.Link, s.Status == closed
		note := projectName(s.Project) + " " + m.glyphs.Dot + " " + s.Status
		v.all = append(v.all, item{m.glyphs.agent(s.AgentID, s.Agent) + " " + oneLine(s.Title), note, func(m *Model) []Effect {
			m.cursor = "session " + link
			if isClosed {
				return m.reopen()
			}
			return append(m.show(link), m.enter()...)
		}})
	}
	for _, p := range m.fleet.projects(m.Home) {
		v.all = append(v.all, item{projectName(p), "project", func(m *Model) []Effect {
			m.folded[p] = false
			m.cursor = "project " + p
			m.focus = onSidebar
			return m.arrangePanes()
		}})
	}
	known := len(v.all)
	v.more = func(m *Model, query string) []Effect {
		if len(strings.TrimSpace(query)) < 3 {
			v.all = v.all[:known]
			return nil
		}
		return []Effect{callEffect{
			Verb: api.VerbHistory, Request: api.HistoryRequest{Caller: m.caller(), Text: query, Limit: 8}, What: "look through past conversations",
			Then: func(m *Model, reply any) []Effect {
				if m.overlay != overlay(v) || v.in.Value() != query {
					return nil
				}
				v.all = append(v.all[:known:known], m.past(reply.(*api.HistoryReply), query)...)
				return nil
			},
		}}
	}
	return v
}

// past are the conversations that a search found. What was looked for is in
// them, so that it is in their lines too: else typing would hide them.
func (m *Model) past(r *api.HistoryReply, query string) []item {
	var items []item
	for _, h := range r.Conversations {
		title := oneLine(h.Title)
		if title == "" {
			title = h.Row
		}
		items = append(items, item{"past: " + title, query + " " + m.glyphs.Dot + " " + h.Agent, func(m *Model) []Effect {
			if h.Link != "" && m.fleet.get(h.Link) != nil {
				return append(m.show(h.Link), m.enter()...)
			}
			a := m.area()
			return []Effect{callEffect{
				Verb: api.VerbHistoryResume, What: "resume the conversation",
				Request: api.HistoryResumeRequest{Caller: m.caller(), Row: h.Row, Cols: max(a.W, 20), Rows: max(a.H-1, 5)},
				Then: func(m *Model, reply any) []Effect {
					link := reply.(*api.SpawnReply).Target
					m.cursor, m.wantedLink = "session "+link, link
					return m.list()
				},
			}}
		}})
	}
	return items
}

// newView is the form for a new session.
type newView struct {
	agents   []api.Agent
	at       int
	prompt   textinput.Model
	worktree textinput.Model
	bypass   bool
	acp      bool
	field    int // 0 agent, 1 prompt, 2 worktree, 3 bypass, 4 protocol
	dir      string
	error    string
}

// fields of the form.
const (
	fieldAgent = iota
	fieldPrompt
	fieldTree
	fieldBypass
	fieldACP
	fieldCount
)

// openNew opens the form; the agents are asked for once.
func (m *Model) openNew() []Effect {
	v := &newView{agents: m.agents, prompt: newInput("what it is to do; empty to just start", ""), worktree: newInput("none: work in the project itself", ""), dir: m.where()}
	v.worktree.Blur()
	v.prompt.Blur()
	m.overlay = v
	return []Effect{callEffect{
		Verb: api.VerbAgents, Request: api.AgentsRequest{Caller: m.caller()}, What: "list the agents",
		Then: func(m *Model, reply any) []Effect {
			m.agents = reply.(*api.AgentsReply).Agents
			if m.overlay == overlay(v) {
				first := len(v.agents) == 0
				v.agents = m.agents
				v.at = min(v.at, max(len(v.agents)-1, 0))
				for i, a := range v.agents {
					if first && a.Found && a.ID != plainAgent {
						v.at = i
						break
					}
				}
			}
			return nil
		},
	}}
}

func (v *newView) key(m *Model, k tea.KeyPressMsg) []Effect {
	name := k.String()
	switch name {
	case "esc", "ctrl+c":
		m.overlay = nil
		return nil
	case "enter":
		return v.start(m)
	case "tab":
		v.goField(v.field + 1)
		return nil
	case "shift+tab":
		v.goField(v.field + fieldCount - 1)
		return nil
	}
	switch v.field {
	case fieldAgent:
		switch name {
		case "down", "j":
			v.at = min(v.at+1, max(len(v.agents)-1, 0))
		case "up", "k":
			v.at = max(v.at-1, 0)
		}
		v.error = ""
	case fieldPrompt:
		typeInto(&v.prompt, k)
	case fieldTree:
		typeInto(&v.worktree, k)
	case fieldBypass:
		if name == "space" || name == "y" || name == "n" {
			v.bypass = !v.bypass
		}
	case fieldACP:
		if name == "space" || name == "y" || name == "n" {
			v.acp = !v.acp
		}
	}
	return nil
}

func (v *newView) goField(field int) {
	v.field = field % fieldCount
	v.prompt.Blur()
	v.worktree.Blur()
	switch v.field {
	case fieldPrompt:
		v.prompt.Focus()
	case fieldTree:
		v.worktree.Focus()
	}
}

func (v *newView) start(m *Model) []Effect {
	if v.at >= len(v.agents) {
		return nil
	}
	a := v.agents[v.at]
	if !a.Found && a.ID != plainAgent {
		v.error = a.Name + " is not installed"
		if a.Install != "" {
			v.error += "; get it: " + a.Install
		}
		return nil
	}
	m.overlay = nil
	r := api.SpawnRequest{Agent: a.ID, Prompt: strings.TrimSpace(v.prompt.Value()), Bypass: v.bypass && a.Bypass, Worktree: strings.TrimSpace(v.worktree.Value()), Dir: v.dir}
	if v.acp {
		r.ACP = &api.ACPOptions{}
	}
	return m.spawn(r)
}

func (v *newView) paste(_ *Model, text string) {
	switch v.field {
	case fieldPrompt:
		pasteInto(&v.prompt, text)
	case fieldTree:
		pasteInto(&v.worktree, text)
	}
}

func (v *newView) view(m *Model, w, h int) (string, []string, string) {
	label := func(field int, text string) string {
		if field == v.field {
			return m.theme.Cursor.Render(m.glyphs.Pointer + text)
		}
		return " " + m.theme.Bold.Render(text)
	}
	var lines []string
	room := max(h-8, 3)
	first := max(min(v.at-room/2, len(v.agents)-room), 0)
	lines = append(lines, label(fieldAgent, "Agent"))
	for i := first; i < min(first+room, len(v.agents)); i++ {
		a := v.agents[i]
		note := ""
		if !a.Found && a.ID != plainAgent {
			note = "not installed"
			if a.Install != "" {
				note = "get it: " + a.Install
			}
		}
		lines = append(lines, m.line(m.glyphs.agent(a.ID, a.Name)+" "+a.Name, note, w, i == v.at))
	}
	if len(v.agents) == 0 {
		lines = append(lines, m.theme.Dim.Render("  looking for agents"))
	}
	v.prompt.SetWidth(max(w-12, 4))
	v.worktree.SetWidth(max(w-12, 4))
	yes := map[bool]string{true: "[x] ", false: "[ ] "}
	bypass := yes[v.bypass] + "never ask for permission"
	if v.at < len(v.agents) && !v.agents[v.at].Bypass {
		bypass = "this agent has no such switch"
	}
	lines = append(
		lines,
		label(fieldPrompt, "Prompt   ")+" "+v.prompt.View(),
		label(fieldTree, "Worktree ")+" "+v.worktree.View(),
		label(fieldBypass, "Bypass   ")+" "+vt.Truncate(bypass, max(w-12, 4), ""),
		label(fieldACP, "Protocol ")+" "+vt.Truncate(yes[v.acp]+"speak ACP, no terminal", max(w-12, 4), ""),
	)
	if v.error != "" {
		lines = append(lines, m.theme.Error.Render(vt.Truncate(v.error, w, m.glyphs.Ellipsis)))
	} else {
		lines = append(lines, m.theme.Dim.Render(vt.Truncate(fmt.Sprintf("in %s", v.dir), w, m.glyphs.Ellipsis)))
	}
	return "New session", lines, "Tab next field  Space switch  Enter start  Esc cancel"
}
