package transcript

import "encoding/json"

// copilot reads the events of GitHub Copilot CLI's sessions.
type copilot struct {
	a     About
	usage *Usage // of the answer that comes next
}

func (c *copilot) about() *About { return &c.a }

func (c *copilot) line(n int, data []byte, out *[]Message) {
	var l struct {
		Type      string `json:"type"`
		Timestamp when   `json:"timestamp"`
		Data      struct {
			SessionID string `json:"sessionId"`
			StartTime when   `json:"startTime"`
			Title     string `json:"title"`
			Context   struct {
				Cwd string `json:"cwd"`
			} `json:"context"`
			Content          json.RawMessage `json:"content"`
			ParentToolCallID string          `json:"parentToolCallId"` // a sub-agent's
			ToolRequests     []struct {
				ID        string          `json:"toolCallId"`
				Name      string          `json:"name"`
				Arguments json.RawMessage `json:"arguments"`
			} `json:"toolRequests"`
			ToolCallID string `json:"toolCallId"`
			Success    *bool  `json:"success"`
			Result     struct {
				Content json.RawMessage `json:"content"`
			} `json:"result"`
			Error struct {
				Message string `json:"message"`
			} `json:"error"`
			Message string `json:"message"`
			Usage   struct {
				Model      string `json:"model"`
				Input      int    `json:"inputTokens"`
				Output     int    `json:"outputTokens"`
				CacheRead  int    `json:"cacheReadTokens"`
				CacheWrite int    `json:"cacheWriteTokens"`
			} `json:"usage"`
		} `json:"data"`
	}
	if !parse(data, &l) || l.Data.ParentToolCallID != "" {
		return
	}
	d := &l.Data
	m := Message{Line: n, At: l.Timestamp.Time, Text: textOf(d.Content)}
	switch l.Type {
	case "session.start":
		if c.a.ID == "" {
			c.a.ID, c.a.Dir, c.a.Created = d.SessionID, d.Context.Cwd, d.StartTime.Time
		}
		return
	case "session.title_changed":
		c.a.Title = titleOf(d.Title)
		return
	case "session.usage_record":
		c.usage = &Usage{Input: max(d.Usage.Input-d.Usage.CacheRead, 0), Output: d.Usage.Output, CacheRead: d.Usage.CacheRead, CacheWrite: d.Usage.CacheWrite, Model: d.Usage.Model}
		return
	case "session.error":
		m.Role, m.Text = System, d.Message
	case "user.message":
		m.Role = User
	case "system.message":
		m.Role = System
	case "assistant.message":
		m.Role, m.Usage, c.usage = Assistant, c.usage, nil
		if m.Text != "" {
			*out = append(*out, m)
			m.Usage = nil
		}
		for _, t := range d.ToolRequests {
			m.Text, m.Tool = "", &Tool{Name: t.Name, ID: t.ID, Input: compact(t.Arguments)}
			*out = append(*out, m)
			m.Usage = nil
		}
		return
	case "tool.execution_complete":
		m.Role, m.Tool = ToolRole, &Tool{ID: d.ToolCallID, Failed: d.Success != nil && !*d.Success}
		if m.Text = textOf(d.Result.Content); m.Text == "" {
			m.Text = d.Error.Message
		}
	default:
		return
	}
	if m.Text != "" || m.Tool != nil {
		*out = append(*out, m)
	}
}

// plain reads lines that each are a message with a role and a content, with
// tool calls as in OpenAI's chat API.
type plain struct{ a About }

func (d *plain) about() *About { return &d.a }

func (d *plain) line(n int, data []byte, out *[]Message) {
	var l struct {
		Type       string          `json:"type"`
		Role       string          `json:"role"`
		Content    json.RawMessage `json:"content"`
		Timestamp  when            `json:"timestamp"`
		SessionID  string          `json:"sessionId"`
		Cwd        string          `json:"cwd"`
		ToolCallID string          `json:"tool_call_id"`
		ToolCalls  []struct {
			ID       string `json:"id"`
			Function struct {
				Name      string          `json:"name"`
				Arguments json.RawMessage `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	}
	if !parse(data, &l) {
		return
	}
	if d.a.ID == "" {
		d.a.ID = l.SessionID
	}
	if d.a.Dir == "" {
		d.a.Dir = l.Cwd
	}
	role := l.Role
	if role == "" {
		role = l.Type
	}
	m := Message{Line: n, At: l.Timestamp.Time, Text: textOf(l.Content)}
	switch role {
	case "user":
		m.Role = User
	case "assistant":
		m.Role = Assistant
	case "system", "developer":
		m.Role = System
	case "tool", "tool_result":
		m.Role, m.Tool = ToolRole, &Tool{ID: l.ToolCallID}
	default:
		return
	}
	if m.Text != "" || m.Tool != nil {
		*out = append(*out, m)
	}
	for _, t := range l.ToolCalls {
		m.Text, m.Tool = "", &Tool{Name: t.Function.Name, ID: t.ID, Input: compact(t.Function.Arguments)}
		*out = append(*out, m)
	}
}
