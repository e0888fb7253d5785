package transcript

import (
	"encoding/json"
	"slices"
	"strings"
)

// gemini reads Gemini CLI's lines: a header, messages, and changes ("$set",
// "$rewindTo"). A message is written again, under its id, when its tools have
// answered.
type gemini struct {
	a    About
	seen map[string]bool // messages, by id
}

type geminiMessage struct {
	ID        string          `json:"id"`
	Timestamp when            `json:"timestamp"`
	Type      string          `json:"type"`
	Content   json.RawMessage `json:"content"`
	Model     string          `json:"model"`
	Tokens    *struct {
		Input  int `json:"input"`
		Output int `json:"output"`
		Cached int `json:"cached"`
	} `json:"tokens"`
	ToolCalls []struct {
		ID     string          `json:"id"`
		Name   string          `json:"name"`
		Args   json.RawMessage `json:"args"`
		Result json.RawMessage `json:"result"`
		Status string          `json:"status"`
	} `json:"toolCalls"`
}

func (g *gemini) about() *About { return &g.a }

func (g *gemini) line(n int, data []byte, out *[]Message) {
	var l struct {
		geminiMessage
		SessionID string   `json:"sessionId"`
		StartTime when     `json:"startTime"`
		Kind      string   `json:"kind"`
		Dirs      []string `json:"directories"`
		Rewind    string   `json:"$rewindTo"`
		Set       *struct {
			Messages []geminiMessage `json:"messages"`
			Summary  string          `json:"summary"`
			Dirs     []string        `json:"directories"`
		} `json:"$set"`
	}
	if !parse(data, &l) {
		return
	}
	switch {
	case l.Rewind != "":
		if i := slices.IndexFunc(*out, func(m Message) bool { return m.id == l.Rewind }); i >= 0 {
			*out = (*out)[:i]
		}
	case l.Set != nil:
		if l.Set.Summary != "" {
			g.a.Title = titleOf(l.Set.Summary)
		}
		if l.Set.Messages != nil {
			g.set(n, l.Set.Messages, out)
		}
	case l.SessionID != "":
		if g.a.ID == "" {
			g.a.ID, g.a.Created, g.a.Sub = l.SessionID, l.StartTime.Time, l.Kind == "subagent"
			if len(l.Dirs) > 0 {
				g.a.Dir = l.Dirs[0]
			}
		}
	default:
		g.message(n, &l.geminiMessage, out)
	}
}

// set takes the whole conversation, which is written once more when it is
// resumed. What is as it was stays in the line where it was first said.
func (g *gemini) set(n int, all []geminiMessage, out *[]Message) {
	was := map[string][]Message{}
	for _, m := range *out {
		was[m.id] = append(was[m.id], m)
	}
	*out = (*out)[:0]
	for i := range all {
		had := len(*out)
		g.message(n, &all[i], out)
		if old := was[all[i].ID]; all[i].ID != "" && slices.EqualFunc(old, (*out)[had:], sameSaid) {
			*out = append((*out)[:had], old...)
		}
	}
}

func sameSaid(a, b Message) bool {
	return a.Role == b.Role && a.Text == b.Text && (a.Tool == nil) == (b.Tool == nil) && (a.Tool == nil || *a.Tool == *b.Tool)
}

func (g *gemini) message(n int, l *geminiMessage, out *[]Message) {
	*out = slices.DeleteFunc(*out, func(m Message) bool { return m.id != "" && m.id == l.ID })
	m := Message{Line: n, At: l.Timestamp.Time, id: l.ID, again: g.seen[l.ID]}
	if g.seen == nil {
		g.seen = map[string]bool{}
	}
	if l.ID != "" {
		g.seen[l.ID] = true
	}
	switch l.Type {
	case "user":
		m.Role = User
	case "gemini":
		m.Role = Assistant
		if t := l.Tokens; t != nil {
			m.Usage, m.usageID = &Usage{Input: max(t.Input-t.Cached, 0), Output: t.Output, CacheRead: t.Cached, Model: l.Model}, l.ID
		}
	case "info", "warning", "error":
		m.Role = System
	default:
		return
	}
	m.Text = googleText(l.Content)
	if m.Role == User && injected(m.Text, "<session_context>", "<hook_context>") {
		m.Role = System
	}
	if m.Text != "" {
		*out = append(*out, m)
		m.Usage = nil
	}
	for _, t := range l.ToolCalls {
		call := m
		call.Text, call.Tool = "", &Tool{Name: t.Name, ID: t.ID, Input: compact(t.Args)}
		*out = append(*out, call)
		m.Usage = nil
		// The answers come once more in a message of their own, which has no
		// text and is left out.
		text, failed := googleResultText(t.Result)
		if text == "" && t.Status != "success" && t.Status != "error" && t.Status != "cancelled" {
			continue
		}
		*out = append(*out, Message{
			Line: n, Role: ToolRole, At: m.At, id: l.ID, Text: text, again: m.again,
			Tool: &Tool{Name: t.Name, ID: t.ID, Failed: failed || t.Status == "error" || t.Status == "cancelled"},
		})
	}
}

// googleText is the text of a content, without thoughts.
func googleText(raw json.RawMessage) string {
	var b strings.Builder
	for _, p := range parts(raw) {
		if !p.Thought {
			join(&b, p.Text)
		}
	}
	return b.String()
}

func googleResultText(raw json.RawMessage) (text string, failed bool) {
	var b strings.Builder
	for _, p := range parts(raw) {
		if p.FunctionResponse == nil {
			join(&b, p.Text)
			continue
		}
		text, bad := outputOf(p.FunctionResponse.Response)
		join(&b, text)
		failed = failed || bad
	}
	return b.String(), failed
}

// qwen reads Qwen Code's lines: Google's contents in lines like Claude Code's.
type qwen struct{ a About }

func (q *qwen) about() *About { return &q.a }

func (q *qwen) line(n int, data []byte, out *[]Message) {
	var l struct {
		SessionID  string `json:"sessionId"`
		Timestamp  when   `json:"timestamp"`
		Type       string `json:"type"`
		Subtype    string `json:"subtype"`
		Provenance string `json:"provenance"`
		Cwd        string `json:"cwd"`
		Model      string `json:"model"`
		Message    struct {
			Parts json.RawMessage `json:"parts"`
		} `json:"message"`
		Usage *struct {
			Prompt     int `json:"promptTokenCount"`
			Candidates int `json:"candidatesTokenCount"`
			Cached     int `json:"cachedContentTokenCount"`
		} `json:"usageMetadata"`
		Result struct {
			Status string `json:"status"`
		} `json:"toolCallResult"`
		Payload struct {
			Title string `json:"customTitle"`
		} `json:"systemPayload"`
	}
	if !parse(data, &l) {
		return
	}
	if q.a.ID == "" {
		q.a.ID = l.SessionID
	}
	if q.a.Dir == "" {
		q.a.Dir = l.Cwd
	}
	m := Message{Line: n, At: l.Timestamp.Time}
	switch l.Type {
	case "user":
		m.Role = User
		if l.Provenance != "" && l.Provenance != "real_user" {
			m.Role = System
		}
	case "assistant":
		m.Role = Assistant
		if u := l.Usage; u != nil {
			m.Usage = &Usage{Input: max(u.Prompt-u.Cached, 0), Output: u.Candidates, CacheRead: u.Cached, Model: l.Model}
		}
	case "tool_result":
		m.Role = ToolRole
	case "system":
		if l.Subtype == "custom_title" && l.Payload.Title != "" {
			q.a.Title = titleOf(l.Payload.Title)
		}
		return
	default:
		return
	}
	for _, p := range parts(l.Message.Parts) {
		one := m
		switch {
		case p.Thought:
			continue
		case p.FunctionCall != nil:
			one.Tool = &Tool{Name: p.FunctionCall.Name, ID: p.FunctionCall.ID, Input: compact(p.FunctionCall.Args)}
		case p.FunctionResponse != nil:
			text, failed := outputOf(p.FunctionResponse.Response)
			one.Role, one.Text = ToolRole, text
			one.Tool = &Tool{Name: p.FunctionResponse.Name, ID: p.FunctionResponse.ID, Failed: failed || l.Result.Status == "error"}
		case p.Text != "":
			one.Text = p.Text
		default:
			continue
		}
		*out = append(*out, one)
		m.Usage = nil
	}
}
