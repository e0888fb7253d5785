package transcript

import (
	"encoding/json"
	"slices"
	"strings"
)

// codex reads Codex's rollouts. Each line has a type and a payload; what was
// said is in the response items, as in OpenAI's Responses API. The events
// beside them say the same once more, and the token counts.
type codex struct{ a About }

type codexPayload struct {
	Type string `json:"type"`

	// session_meta
	ID        string          `json:"id"`
	Cwd       string          `json:"cwd"`
	Source    json.RawMessage `json:"source"`
	Timestamp when            `json:"timestamp"`

	// response_item
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Input     json.RawMessage `json:"input"`
	Action    json.RawMessage `json:"action"`
	CallID    string          `json:"call_id"`
	Output    json.RawMessage `json:"output"`
	Passed    struct {
		Kinds []string `json:"content_item_kinds"`
	} `json:"internal_chat_message_metadata_passthrough"`

	// compacted
	Message string `json:"message"`

	// token_count
	Info *struct {
		Last struct {
			Input  int `json:"input_tokens"`
			Cached int `json:"cached_input_tokens"`
			Output int `json:"output_tokens"`
		} `json:"last_token_usage"`
	} `json:"info"`
}

func (c *codex) about() *About { return &c.a }

func (c *codex) line(n int, data []byte, out *[]Message) {
	var l struct {
		Timestamp when            `json:"timestamp"`
		Type      string          `json:"type"`
		Payload   json.RawMessage `json:"payload"`
	}
	if !parse(data, &l) {
		return
	}
	switch l.Type {
	case "session_meta", "response_item", "event_msg", "compacted":
	default:
		return
	}
	var p codexPayload
	if !parse(l.Payload, &p) {
		return
	}
	m := Message{Line: n, At: l.Timestamp.Time}
	switch l.Type {
	case "session_meta":
		if c.a.ID == "" { // a fork begins with its parent's meta after its own
			c.a.ID, c.a.Dir, c.a.Created = p.ID, p.Cwd, p.Timestamp.Time
			c.a.Sub = strings.Contains(string(p.Source), "subagent")
		}
		return
	case "compacted":
		m.Role, m.Text = System, p.Message
	case "event_msg":
		if p.Type == "token_count" && p.Info != nil {
			u := p.Info.Last
			setUsage(*out, &Usage{Input: max(u.Input-u.Cached, 0), Output: u.Output, CacheRead: u.Cached})
		}
		return
	default:
		if !m.codexItem(&p) {
			return
		}
	}
	if m.Text != "" || m.Tool != nil {
		*out = append(*out, m)
	}
}

// codexItem fills in an item of the conversation.
func (m *Message) codexItem(p *codexPayload) bool {
	switch p.Type {
	case "message":
		m.Text = textOf(p.Content)
		switch p.Role {
		case "user":
			m.Role = User
			if kinds := p.Passed.Kinds; len(kinds) > 0 && !slices.ContainsFunc(kinds, func(k string) bool { return strings.HasPrefix(k, "user.") }) ||
				injected(m.Text, "<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<turn_aborted>", "<permissions instructions>") {
				m.Role = System
			}
		case "assistant":
			m.Role = Assistant
		default:
			m.Role = System
		}
	case "function_call":
		m.Role, m.Tool = Assistant, &Tool{Name: p.Name, ID: p.CallID, Input: compact(p.Arguments)}
	case "custom_tool_call":
		m.Role, m.Tool = Assistant, &Tool{Name: p.Name, ID: p.CallID, Input: compact(p.Input)}
	case "local_shell_call", "web_search_call":
		m.Role, m.Tool = Assistant, &Tool{Name: strings.TrimSuffix(p.Type, "_call"), ID: p.CallID, Input: compact(p.Action)}
	case "function_call_output", "custom_tool_call_output":
		text, failed := outputOf(p.Output)
		m.Role, m.Text, m.Tool = ToolRole, text, &Tool{ID: p.CallID, Failed: failed}
	default:
		return false
	}
	return true
}

// setUsage gives the newest answer, which has none yet, what it cost.
func setUsage(out []Message, u *Usage) {
	for i := len(out) - 1; i >= 0 && out[i].Usage == nil; i-- {
		if out[i].Role == Assistant {
			out[i].Usage = u
			return
		}
	}
}
