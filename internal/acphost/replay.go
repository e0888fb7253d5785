package acphost

import (
	"fmt"
	"slices"
	"strings"
)

// Line is one line of a conversation that was loaded.
type Line struct {
	ID        string `json:"id"`
	Role      string `json:"role"` // user or agent
	Text      string `json:"text"`
	Reasoning string `json:"reasoning,omitzero"`
	Tools     []Tool `json:"tools,omitzero"`
	parts     []part // in order
	message   string // the id of the last message that it is of
}

// Tool is a tool call of a line.
type Tool struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Kind   string `json:"kind"`
	Status string `json:"status"`
}

type part struct{ kind, text string }

// Replay gathers the events of a loaded session into lines (§3.9).
type Replay struct{ lines []*Line }

// placeholders are texts that agents put where a turn had no answer (row 139).
var placeholders = []string{"No response requested.", "[Request interrupted by user]", "[Request interrupted by user for tool use]"}

// Add takes the next event.
func (r *Replay) Add(ev Event) {
	switch ev.Type {
	case EventUser:
		if l := r.last("user"); l != nil && !l.another(ev) {
			l.Text += ev.Text
		} else {
			r.lines = append(r.lines, &Line{Role: "user", Text: ev.Text, message: ev.MessageID})
		}
	case EventStream:
		l := r.agent()
		if another := l.another(ev); len(l.parts) > 0 && l.parts[len(l.parts)-1].kind == ev.Kind && !another {
			n := len(l.parts)
			l.parts[n-1].text += ev.Text
		} else {
			l.parts = append(l.parts, part{ev.Kind, ev.Text})
		}
	case EventTool:
		r.tool(ev)
	}
}

// another tells whether an event is of another message than the line's last
// one, and takes its id. What has no id is of the same.
func (l *Line) another(ev Event) bool {
	was := l.message
	if ev.MessageID != "" {
		l.message = ev.MessageID
	}
	return was != "" && ev.MessageID != "" && was != ev.MessageID
}

func (r *Replay) last(role string) *Line {
	if n := len(r.lines); n > 0 && r.lines[n-1].Role == role {
		return r.lines[n-1]
	}
	return nil
}

func (r *Replay) agent() *Line {
	if l := r.last("agent"); l != nil {
		return l
	}
	l := &Line{Role: "agent"}
	r.lines = append(r.lines, l)
	return l
}

func (r *Replay) tool(ev Event) {
	var t *Tool
	for _, l := range slices.Backward(r.lines) {
		if i := slices.IndexFunc(l.Tools, func(t Tool) bool { return t.ID == ev.ToolCallID }); i >= 0 {
			t = &l.Tools[i]
			break
		}
	}
	if t == nil {
		l := r.agent()
		l.Tools = append(l.Tools, Tool{ID: ev.ToolCallID, Kind: "other", Status: "pending"})
		l.parts = append(l.parts, part{kind: "tool"})
		t = &l.Tools[len(l.Tools)-1]
	}
	for _, f := range []struct {
		to   *string
		from string
	}{{&t.Title, ev.Title}, {&t.Kind, ev.Kind}, {&t.Status, ev.Status}} {
		if f.from != "" {
			*f.to = f.from
		}
	}
}

// Lines are the conversation's lines; those that say nothing are left out.
func (r *Replay) Lines() []Line {
	out := []Line{}
	for _, l := range r.lines {
		var text, thought []string
		for _, p := range l.parts {
			switch {
			case p.kind == "message" && !slices.Contains(placeholders, strings.TrimSpace(p.text)):
				text = append(text, p.text)
			case p.kind == "thought":
				thought = append(thought, p.text)
			}
		}
		if l.Role == "agent" {
			l.Text, l.Reasoning = strings.Join(text, ""), strings.Join(thought, "\n\n")
		} else {
			l.Text = stripEnvelope(l.Text)
		}
		if strings.TrimSpace(l.Text) == "" && strings.TrimSpace(l.Reasoning) == "" && len(l.Tools) == 0 {
			continue
		}
		out = append(out, *l)
	}
	for i := range out {
		out[i].ID = fmt.Sprintf("line-%d", i+1)
	}
	return out
}

// stripEnvelope takes away what harnesses put around a person's words (§7.4).
func stripEnvelope(text string) string {
	const open, end, marker = "<environment_context", "</environment_context>", "User request:\n"
	for {
		i := strings.Index(text, open)
		if i < 0 {
			break
		}
		j := strings.Index(text[i:], end)
		if j < 0 {
			text = text[:i]
			break
		}
		text = text[:i] + text[i+j+len(end):]
	}
	for _, machine := range []string{"<permissions instructions>", "<skills_instructions>", "<multi_agent_mode>"} {
		if strings.HasPrefix(strings.TrimSpace(text), machine) {
			return ""
		}
	}
	if i := strings.LastIndex(text, marker); i >= 0 {
		text = text[i+len(marker):]
		for _, heading := range []string{"\n## Active local skills", "\n## Skill:"} {
			if i := strings.Index(text, heading); i >= 0 {
				text = text[:i]
			}
		}
		text = strings.TrimSpace(text)
	}
	return text
}
