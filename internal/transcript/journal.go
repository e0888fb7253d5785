package transcript

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/termio-sh/termio/internal/acphost"
)

// Journal is the layout of the journal of a session over the Agent Client
// Protocol, which its host keeps: a message of the protocol or a note of the
// host's a line. No manifest names it.
const Journal = "acp-journal"

// journal reads it.
type journal struct {
	a     About
	t     acphost.Translator
	begun bool
	known bool // what was said before a replay stands in the journal already
	since int  // the line of the first piece of text that is gathered
	last  string
	tools map[string]*journalTool
}

// journalTool is a tool call on its way.
type journalTool struct {
	call   Tool
	output string
	ended  bool
}

func (j *journal) about() *About { return &j.a }

func (j *journal) line(n int, data []byte, out *[]Message) {
	if !j.begun {
		j.begun, j.tools = true, map[string]*journalTool{}
		if n > 0 { // the lines before are not asked for
			j.t.Midway()
			j.known = true
		}
	}
	var e acphost.Entry
	if !parse(data, &e) {
		return
	}
	waited := j.t.Waiting()
	for _, ev := range j.t.Add(e) {
		j.event(n, e, ev, out)
		waited = waited && ev.Type != acphost.EventStream
	}
	if j.t.Waiting() && !waited {
		j.since = n
	}
}

// end gives the text that still waits for more.
func (j *journal) end(out *[]Message) {
	for _, ev := range j.t.Flush(time.Time{}) {
		j.event(j.since, acphost.Entry{}, ev, out)
	}
}

func (j *journal) event(n int, e acphost.Entry, ev acphost.Event, out *[]Message) {
	if ev.Replay && j.known {
		return
	}
	m := Message{Line: n, At: e.At}
	kind := ev.Type
	switch ev.Type {
	case acphost.EventReady:
		j.known = true
		j.a.ID = ev.ProviderSessionID
		return
	case acphost.EventPrompt, acphost.EventUser:
		m.Role, m.Text = User, ev.Text
	case acphost.EventStream:
		if ev.Kind != "message" {
			return // thinking
		}
		m.Role, m.Text, m.Line = Assistant, ev.Text, j.since
		if last := len(*out) - 1; last >= 0 && j.last == kind {
			(*out)[last].Text += m.Text
			return
		}
	case acphost.EventContent:
		var block struct{ Type string }
		if !parse(ev.Block, &block) {
			return
		}
		m.Role, m.Text = Assistant, "["+block.Type+"]"
	case acphost.EventTool:
		j.tool(m, ev, out)
		return
	case acphost.EventQuestion:
		m.Role, m.Text = System, "asked: "+ev.Text
	case acphost.EventAnswered:
		m.Role, m.Text = System, "answered: "+ev.Answer
		if ev.Dropped {
			m.Text = "the question was dropped"
		}
	case acphost.EventDecided:
		m.Role, m.Text = System, fmt.Sprintf("permission for %q: %s", ev.Title, ev.Answer)
	case acphost.EventFailed:
		m.Role, m.Text = System, "the turn failed: "+ev.Message
	case acphost.EventInfo:
		j.a.Title = cmp.Or(ev.Title, j.a.Title)
		return
	default:
		return
	}
	j.last = kind
	if m.Text != "" {
		*out = append(*out, m)
	}
}

// tool gathers what is told of a call: it is said once, and so is its result.
func (j *journal) tool(m Message, ev acphost.Event, out *[]Message) {
	t := j.tools[ev.ToolCallID]
	if t == nil {
		t = &journalTool{call: Tool{ID: ev.ToolCallID}}
		j.tools[ev.ToolCallID] = t
	}
	t.call.Name = cmp.Or(ev.Title, t.call.Name, ev.Kind)
	if input := strings.TrimSpace(string(ev.Input)); input != "" && input != "{}" && input != "null" {
		t.call.Input = input
	}
	t.output = cmp.Or(blocksText(ev.Blocks), t.output)
	if t.output == "" && len(ev.Output) > 0 {
		text, _ := outputOf(json.RawMessage(ev.Output))
		t.output = text
	}
	call := t.call
	said := false
	for i := len(*out) - 1; i >= 0 && !said; i-- {
		if o := &(*out)[i]; o.Tool != nil && o.Role == Assistant && o.Tool.ID == call.ID {
			o.Tool, said = &call, true
		}
	}
	if !said {
		m.Role, m.Tool = Assistant, &call
		*out = append(*out, m)
		j.last = ev.Type
	}
	if t.ended || ev.Status != "completed" && ev.Status != "failed" {
		return
	}
	t.ended = true
	m.Role, m.Text, m.Tool = ToolRole, t.output, &Tool{ID: call.ID, Failed: ev.Status == "failed"}
	*out = append(*out, m)
	j.last = ev.Type
}

// blocksText is the text of a tool call's content.
func blocksText(raw []byte) string {
	var blocks []struct {
		Type    string
		Content struct{ Text string }
		Path    string
	}
	if !parse(raw, &blocks) {
		return ""
	}
	var b strings.Builder
	for _, k := range blocks {
		switch k.Type {
		case "content":
			join(&b, k.Content.Text)
		case "diff":
			join(&b, "changed "+k.Path)
		}
	}
	return b.String()
}
