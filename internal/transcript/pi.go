package transcript

import "encoding/json"

// pi reads Pi's session files (version 3): a header, then entries of a tree.
// Every branch is read, in the order in which it was written.
type pi struct{ a About }

func (d *pi) about() *About { return &d.a }

func (d *pi) line(n int, data []byte, out *[]Message) {
	var l struct {
		Type      string `json:"type"`
		ID        string `json:"id"`
		Timestamp when   `json:"timestamp"`
		Cwd       string `json:"cwd"`
		Name      string `json:"name"`
		Summary   string `json:"summary"`
		Message   struct {
			Role       string          `json:"role"`
			Content    json.RawMessage `json:"content"`
			Model      string          `json:"model"`
			ToolCallID string          `json:"toolCallId"`
			ToolName   string          `json:"toolName"`
			IsError    bool            `json:"isError"`
			Command    string          `json:"command"`
			Output     string          `json:"output"`
			Summary    string          `json:"summary"`
			Usage      *struct {
				Input      int `json:"input"`
				Output     int `json:"output"`
				CacheRead  int `json:"cacheRead"`
				CacheWrite int `json:"cacheWrite"`
			} `json:"usage"`
		} `json:"message"`
	}
	if !parse(data, &l) {
		return
	}
	say := func(m Message) {
		m.Line, m.At = n, l.Timestamp.Time
		if m.Text != "" || m.Tool != nil {
			*out = append(*out, m)
		}
	}
	switch l.Type {
	case "session":
		d.a.ID, d.a.Dir, d.a.Created = l.ID, l.Cwd, l.Timestamp.Time
		return
	case "session_info":
		d.a.Title = titleOf(l.Name)
		return
	case "compaction", "branch_summary":
		say(Message{Role: System, Text: l.Summary})
		return
	case "message":
	default:
		return
	}
	in := &l.Message
	switch in.Role {
	case "user":
		say(Message{Role: User, Text: textOf(in.Content)})
	case "assistant":
		var usage *Usage
		if u := in.Usage; u != nil {
			usage = &Usage{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Model: in.Model}
		}
		for _, p := range parts(in.Content) {
			m := Message{Role: Assistant, Usage: usage}
			switch p.Type {
			case "text":
				m.Text = p.Text
			case "toolCall":
				m.Tool = &Tool{Name: p.Name, ID: p.ID, Input: compact(p.Arguments)}
			default:
				continue // thinking
			}
			say(m)
			usage = nil
		}
	case "toolResult":
		say(Message{Role: ToolRole, Text: textOf(in.Content), Tool: &Tool{Name: in.ToolName, ID: in.ToolCallID, Failed: in.IsError}})
	case "bashExecution": // typed by the user with "!"
		say(Message{Role: User, Text: "!" + in.Command})
		say(Message{Role: ToolRole, Text: in.Output, Tool: &Tool{Name: "bash"}})
	case "compactionSummary", "branchSummary":
		say(Message{Role: System, Text: in.Summary})
	default:
		say(Message{Role: System, Text: textOf(in.Content)})
	}
}
