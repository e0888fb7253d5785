package tui

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/textarea"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/vt"
)

// field is a part of the form for a new session.
type field uint8

const (
	fieldAgent field = iota
	fieldPrompt
	fieldTitle
	fieldTree
	fieldName // of a new worktree
	fieldBase // what it starts from
	fieldBypass
	fieldACP
)

// newView is the form for a new session.
type newView struct {
	dir    string // of the project, or the worktree that the row is in
	agents []api.Agent
	at     int
	prompt textarea.Model
	lines  map[field]*textinput.Model
	trees  []treeChoice
	tree   int
	bypass bool
	acp    bool
	warmed string // the agent that was started while the form is filled in
	field  field
	error  string
}

// treeChoice is a directory that a session can start in.
type treeChoice struct {
	dir  string // "" for a worktree that is to be made
	text string
}

// openNew opens the form; the agents are asked for once, the worktrees each
// time.
func (m *Model) openNew() []Effect {
	v := &newView{dir: m.where(), agents: m.agents, prompt: newBox("what it is to do; empty to just start"), lines: map[field]*textinput.Model{}}
	for f, placeholder := range map[field]string{
		fieldTitle: "made of the prompt", fieldName: "as in fix-login: a directory and a branch", fieldBase: "HEAD, or a branch or commit",
	} {
		in := newInput(placeholder, "")
		in.Blur()
		v.lines[f] = &in
	}
	v.prompt.Blur()
	v.trees = []treeChoice{{v.dir, "here: " + m.home(v.dir)}}
	v.choose(m)
	m.overlay = v
	caller := m.caller()
	if caller.Session == "" {
		caller.All, caller.Project = false, v.dir
	}
	return []Effect{
		callEffect{
			Verb: api.VerbAgents, Request: api.AgentsRequest{Caller: m.caller()}, What: "list the agents",
			Then: func(m *Model, reply any) []Effect {
				m.agents = reply.(*api.AgentsReply).Agents
				if m.overlay == overlay(v) {
					first := len(v.agents) == 0
					v.agents = m.agents
					v.at = min(v.at, max(len(v.agents)-1, 0))
					if first {
						v.choose(m)
					}
				}
				return nil
			},
		},
		callEffect{
			Verb: api.VerbWorktrees, Request: api.WorktreesRequest{Caller: caller}, What: "list the worktrees",
			Then: func(m *Model, reply any) []Effect {
				v.takeTrees(m, reply.(*api.WorktreesReply).Worktrees)
				return nil
			},
			// No repository, no worktrees.
			Failed: func(*Model, error) []Effect { return nil },
		},
	}
}

// choose puts the cursor on the agent that was used last, else on the first
// that is there.
func (v *newView) choose(m *Model) {
	found := func(ok func(a *api.Agent) bool) bool {
		for i := range v.agents {
			if a := &v.agents[i]; a.Found && ok(a) {
				v.at = i
				return true
			}
		}
		return false
	}
	if !found(func(a *api.Agent) bool { return a.ID == m.lastAgent }) {
		found(func(a *api.Agent) bool { return a.ID != plainAgent })
	}
}

func (v *newView) takeTrees(m *Model, rows []api.WorktreeRow) {
	for _, w := range rows {
		if w.Dir == v.dir {
			continue
		}
		text := w.Name
		switch {
		case w.Main:
			text = "the project: " + m.home(w.Dir)
		case w.Branch != "" && w.Branch != w.Name:
			text += " (" + w.Branch + ")"
		}
		if n := len(w.Sessions); n > 0 {
			text += ", " + plural(n, "session") + " there"
		}
		v.trees = append(v.trees, treeChoice{w.Dir, text})
	}
	if len(rows) > 0 {
		v.trees = append(v.trees, treeChoice{text: "a new worktree"})
	}
}

// newBox makes a box to type several lines into.
func newBox(placeholder string) textarea.Model {
	box := textarea.New()
	box.Prompt, box.ShowLineNumbers, box.Placeholder, box.CharLimit = "", false, placeholder, 0
	plain := lipgloss.NewStyle()
	styles := box.Styles()
	for _, s := range []*textarea.StyleState{&styles.Focused, &styles.Blurred} {
		*s = textarea.StyleState{Base: plain, Text: plain, CursorLine: plain, EndOfBuffer: plain, Placeholder: plain.Faint(true), Prompt: plain, Selection: plain.Reverse(true)}
	}
	styles.Cursor.Blink, styles.Cursor.Color = false, nil
	box.SetStyles(styles)
	return box
}

// agent is the one that is chosen, nil while there is none.
func (v *newView) agent() *api.Agent {
	if v.at < len(v.agents) {
		return &v.agents[v.at]
	}
	return nil
}

// newTree reports whether a worktree is to be made.
func (v *newView) newTree() bool { return v.trees[v.tree].dir == "" }

// fields are those that there are, for what is chosen.
func (v *newView) fields(m *Model) []field {
	out := []field{fieldAgent}
	a := v.agent()
	plain := a != nil && a.ID == plainAgent
	if !plain {
		out = append(out, fieldPrompt)
	}
	out = append(out, fieldTitle, fieldTree)
	if v.newTree() {
		out = append(out, fieldName, fieldBase)
	}
	if a != nil && a.Bypass {
		out = append(out, fieldBypass)
	}
	if a != nil && m.Speaks[a.ID] {
		out = append(out, fieldACP)
	}
	return out
}

func (v *newView) key(m *Model, k tea.KeyPressMsg) []Effect {
	name := k.String()
	switch name {
	case "esc", "ctrl+c":
		m.overlay = nil
		return v.cool(m)
	case "enter":
		return v.start(m)
	case "tab":
		v.next(m, 1)
		return nil
	case "shift+tab":
		v.next(m, -1)
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
		v.promptKey(m, k)
	case fieldTree:
		v.treeKey(m, name)
	case fieldBypass:
		v.bypass = v.turn(m, name, v.bypass)
	case fieldACP:
		if v.acp = v.turn(m, name, v.acp); v.acp {
			return v.warm(m)
		}
		return v.cool(m)
	default:
		switch name {
		case "up":
			v.next(m, -1)
		case "down":
			v.next(m, 1)
		default:
			typeInto(v.lines[v.field], k)
		}
	}
	return nil
}

// promptKey types into the box; Enter starts the session, so that a new line
// is one of the keys that people know for it.
func (v *newView) promptKey(m *Model, k tea.KeyPressMsg) {
	switch k.String() {
	case "shift+enter", "alt+enter", "ctrl+enter", "ctrl+j":
		v.prompt.InsertRune('\n')
	case "ctrl+v": // the system's clipboard, which is not this terminal's
	case "up":
		if v.prompt.Line() == 0 {
			v.next(m, -1)
			return
		}
		v.prompt, _ = v.prompt.Update(k)
	case "down":
		if v.prompt.Line() == v.prompt.LineCount()-1 {
			v.next(m, 1)
			return
		}
		v.prompt, _ = v.prompt.Update(k)
	default:
		v.prompt, _ = v.prompt.Update(k)
	}
}

func (v *newView) treeKey(m *Model, name string) {
	switch name {
	case "space", "right", "l":
		v.tree = (v.tree + 1) % len(v.trees)
	case "left", "h":
		v.tree = (v.tree + len(v.trees) - 1) % len(v.trees)
	case "up", "k":
		v.next(m, -1)
	case "down", "j":
		v.next(m, 1)
	}
	v.error = ""
}

// turn is a switch after a key.
func (v *newView) turn(m *Model, name string, on bool) bool {
	switch name {
	case "space":
		return !on
	case "y", "right":
		return true
	case "n", "left":
		return false
	case "up", "k":
		v.next(m, -1)
	case "down", "j":
		v.next(m, 1)
	}
	return on
}

// next goes to another field.
func (v *newView) next(m *Model, n int) {
	all := v.fields(m)
	i := max(slices.Index(all, v.field), 0)
	v.turnTo(all[(i+n+len(all))%len(all)])
}

func (v *newView) turnTo(to field) {
	v.field = to
	v.prompt.Blur()
	for f, in := range v.lines {
		if f == to {
			in.Focus()
		} else {
			in.Blur()
		}
	}
	if to == fieldPrompt {
		v.prompt.Focus()
	}
}

func (v *newView) text(f field) string { return strings.TrimSpace(v.lines[f].Value()) }

func (v *newView) start(m *Model) []Effect {
	a := v.agent()
	if a == nil {
		return nil
	}
	if !a.Found && a.ID != plainAgent {
		v.error = a.Name + " is not installed"
		if a.Install != "" {
			v.error += "; get it: " + a.Install
		}
		return nil
	}
	there := v.fields(m)
	r := api.SpawnRequest{Agent: a.ID, Dir: v.trees[v.tree].dir, Title: v.text(fieldTitle)}
	if slices.Contains(there, fieldPrompt) {
		r.Prompt = strings.TrimSpace(v.prompt.Value())
	}
	if v.newTree() {
		r.Dir, r.Worktree, r.Base = v.dir, v.text(fieldName), v.text(fieldBase)
		if r.Worktree == "" {
			v.error = "the new worktree needs a name"
			v.turnTo(fieldName)
			return nil
		}
	}
	r.Bypass = v.bypass && slices.Contains(there, fieldBypass)
	if v.acp && slices.Contains(there, fieldACP) {
		r.ACP = &api.ACPOptions{}
	}
	m.overlay = nil
	effects := m.spawnOr(r, func(m *Model, err error) []Effect {
		v.error = plainError(err) // what was typed is not lost
		if m.overlay == nil {
			m.overlay = v
		} else {
			m.say("start the session: " + v.error)
		}
		return nil
	})
	if a.ID == plainAgent {
		return effects
	}
	return append(effects, m.keep(change{Agent: a.ID}))
}

func (v *newView) paste(_ *Model, text string) {
	switch {
	case v.field == fieldPrompt:
		v.prompt, _ = v.prompt.Update(tea.PasteMsg{Content: clean(strings.ReplaceAll(text, "\r\n", "\n"))})
	case v.lines[v.field] != nil:
		pasteInto(v.lines[v.field], text)
	}
}

func (v *newView) view(m *Model, w, h int) (string, []string, string) {
	there := v.fields(m)
	if !slices.Contains(there, v.field) { // another agent has it not
		v.turnTo(fieldAgent)
	}
	label := func(f field, text string) string {
		if f == v.field {
			return m.theme.Cursor.Render(m.glyphs.Pointer + text)
		}
		return " " + m.theme.Bold.Render(text)
	}
	const labelled = 12
	room := max(w-labelled, 4)
	onOff := func(on bool, text string) string {
		box := "[ ] "
		if on {
			box = "[x] "
		}
		return vt.Truncate(box+text, room, m.glyphs.Ellipsis)
	}
	box := v.boxLines(h)
	var below []string
	for _, f := range there {
		switch f {
		case fieldPrompt:
			v.prompt.SetWidth(room)
			v.prompt.SetHeight(box)
			for i, l := range strings.Split(v.prompt.View(), "\n") {
				if i == 0 {
					below = append(below, label(f, "Prompt   ")+" "+l)
				} else {
					below = append(below, strings.Repeat(" ", labelled-1)+l)
				}
			}
		case fieldTree:
			text := v.trees[v.tree].text
			if len(v.trees) > 1 {
				text = "< " + vt.Truncate(text, room-4, m.glyphs.Ellipsis) + " >"
			}
			below = append(below, label(f, "In       ")+" "+vt.Truncate(text, room, m.glyphs.Ellipsis))
		case fieldBypass:
			below = append(below, label(f, "Bypass   ")+" "+onOff(v.bypass, "never ask for permission"))
		case fieldACP:
			below = append(below, label(f, "Protocol ")+" "+onOff(v.acp, "speak ACP, no terminal"))
		case fieldTitle, fieldName, fieldBase:
			v.lines[f].SetWidth(room - 1)
			below = append(below, label(f, map[field]string{fieldTitle: "Title    ", fieldName: "  named  ", fieldBase: "  from   "}[f])+" "+v.lines[f].View())
		}
	}
	if v.error != "" {
		for _, l := range wrap(v.error, w) {
			below = append(below, m.theme.Error.Render(vt.Truncate(l, w, m.glyphs.Ellipsis)))
		}
	}
	lines := append(v.agentLines(m, w, max(h-len(below)-1, 2)), below...)
	keys := "Tab next  Enter start  Esc cancel"
	switch v.field {
	case fieldPrompt:
		keys = "Enter start  Alt-Enter new line  Tab next  Esc cancel"
	case fieldTree:
		keys = "Left Right choose  " + keys
	case fieldBypass, fieldACP:
		keys = "Space switch  " + keys
	}
	return "New session", lines, keys
}

// boxLines is how many lines of the prompt are shown.
func (v *newView) boxLines(h int) int {
	most := min(max(h-13, 1), 8)
	if v.field == fieldPrompt {
		most = min(max(h-11, 2), 8)
	}
	return min(max(v.prompt.LineCount(), 3), most)
}

// agentLines are the agents in the order of their manifests, those that fit.
func (v *newView) agentLines(m *Model, w, room int) []string {
	head := " " + m.theme.Bold.Render("Agent")
	if v.field == fieldAgent {
		head = m.theme.Cursor.Render(m.glyphs.Pointer + "Agent")
	}
	lines := []string{head}
	room = min(room, len(v.agents))
	first := max(min(v.at-room/2, len(v.agents)-room), 0)
	for i := first; i < first+room; i++ {
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
	return lines
}
