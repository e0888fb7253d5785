package transcript

import "encoding/json"

// claude reads Claude Code's lines: one JSON object each with a type, of which
// user and assistant hold a message of Anthropic's API. The blocks of one
// answer come on lines of their own, each with the whole answer's usage.
type claude struct{ a About }

type claudeLine struct {
	Type      string `json:"type"`
	Subtype   string `json:"subtype"`
	SessionID string `json:"sessionId"`
	Cwd       string `json:"cwd"`
	Timestamp when   `json:"timestamp"`
	Sidechain bool   `json:"isSidechain"`
	Meta      bool   `json:"isMeta"`
	Compacted bool   `json:"isCompactSummary"`
	Summary   string `json:"summary"`
	Custom    string `json:"customTitle"`
	Message   struct {
		ID      string          `json:"id"`
		Model   string          `json:"model"`
		Content json.RawMessage `json:"content"`
		Usage   *struct {
			Input      int `json:"input_tokens"`
			Output     int `json:"output_tokens"`
			CacheRead  int `json:"cache_read_input_tokens"`
			CacheWrite int `json:"cache_creation_input_tokens"`
		} `json:"usage"`
	} `json:"message"`
	Content json.RawMessage `json:"content"` // of system lines
}

func (c *claude) about() *About { return &c.a }

func (c *claude) line(n int, data []byte, out *[]Message) {
	var l claudeLine
	if !parse(data, &l) {
		return
	}
	if c.a.ID == "" {
		c.a.ID = l.SessionID
	}
	if c.a.Dir == "" {
		c.a.Dir = l.Cwd
	}
	if l.Sidechain {
		return // a sub-agent's, in older versions in the same file
	}
	switch l.Type {
	case "custom-title":
		c.a.Title = titleOf(l.Custom)
	case "summary":
		if c.a.Title == "" {
			c.a.Title = titleOf(l.Summary)
		}
	case "user":
		role := User
		if l.Meta || l.Compacted {
			role = System
		}
		c.blocks(n, role, &l, out)
	case "assistant":
		c.blocks(n, Assistant, &l, out)
	case "system":
		if text := textOf(l.Content); text != "" {
			*out = append(*out, Message{Line: n, Role: System, Text: text, At: l.Timestamp.Time})
		}
	}
}

func (c *claude) blocks(n int, role Role, l *claudeLine, out *[]Message) {
	at := l.Timestamp.Time
	var usage *Usage
	if u := l.Message.Usage; u != nil {
		usage = &Usage{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Model: l.Message.Model}
	}
	for _, p := range parts(l.Message.Content) {
		m := Message{Line: n, Role: role, At: at, Usage: usage, usageID: l.Message.ID}
		switch p.Type {
		case "text":
			m.Text = p.Text
			if role == User && injected(p.Text, "<system-reminder>", "<local-command-caveat>", "<task-notification>") {
				m.Role = System
			}
		case "image", "document":
			m.Text = "[picture]"
			if p.Type == "document" {
				m.Text = "[document]"
			}
		case "tool_use", "server_tool_use":
			m.Tool = &Tool{Name: p.Name, ID: p.ID, Input: compact(p.Input)}
		case "tool_result":
			m.Role = ToolRole
			m.Text = textOf(p.Content)
			m.Tool = &Tool{ID: p.ToolUseID, Failed: p.IsError}
		default:
			continue // thinking
		}
		if m.Text == "" && m.Tool == nil {
			continue
		}
		*out = append(*out, m)
		usage = nil
	}
}
