package acphost

import (
	"fmt"
	"slices"
	"strings"

	"github.com/termio-sh/termio/internal/acp"
)

// maxConversation is how much text of a conversation is kept for reading, in
// bytes; the journal has all.
const maxConversation = 2 << 20

// Conversation is a session as people read it, made of its events.
type Conversation struct {
	items []item
	size  int
	// Title is the agent's own name for the session.
	Title string
}

type item struct {
	kind   string // user, message, thought, tool, plan, note, question, content
	id     string // of a tool
	text   string
	status string
}

// Apply takes the next event.
func (c *Conversation) Apply(ev Event) {
	switch ev.Type {
	case EventPrompt:
		c.add(item{kind: "user", text: ev.Text})
	case EventUser:
		c.text("user", ev.Text)
	case EventStream:
		c.text(ev.Kind, ev.Text)
	case EventContent:
		c.add(item{kind: "note", text: "[" + acp.Text(member(ev.Block, "type")) + "]"})
	case EventTool:
		c.tool(ev)
	case EventPlan:
		c.plan(ev)
	case EventInfo:
		if t := strings.TrimSpace(ev.Title); t != "" {
			c.Title = t
		}
	case EventDecided:
		c.add(item{kind: "note", text: fmt.Sprintf("permission for %q: %s", ev.Title, ev.Answer)})
	case EventQuestion:
		if ev.Question != nil {
			c.add(item{kind: "question", text: ev.Text})
		}
	case EventAnswered:
		c.answered(ev)
	case EventCompleted:
		c.end()
		if ev.StopReason != string(acp.StopReasonEndTurn) {
			c.add(item{kind: "note", text: "the turn ended: " + ev.StopReason})
		}
	case EventFailed:
		c.end()
		c.add(item{kind: "note", text: "the turn failed: " + ev.Message})
	case EventExited, EventNotice:
		c.add(item{kind: "note", text: ev.Message})
	}
}

func (c *Conversation) answered(ev Event) {
	text := "answered: " + ev.Answer
	if ev.Dropped {
		text = "the question was dropped"
	}
	c.add(item{kind: "note", text: text})
}

// end closes the turn: a tool that is still open did not finish.
func (c *Conversation) end() {
	for i := range c.items {
		if it := &c.items[i]; it.kind == "tool" && (it.status == "pending" || it.status == "in_progress" || it.status == "") {
			it.status = "not finished"
		}
	}
}

func (c *Conversation) add(it item) {
	c.items = append(c.items, it)
	c.grow(len(it.text))
}

func (c *Conversation) grow(n int) {
	c.size += n
	for c.size > maxConversation && len(c.items) > 1 {
		c.size -= len(c.items[0].text)
		c.items = slices.Delete(c.items, 0, 1)
	}
	if it := &c.items[0]; c.size > maxConversation {
		cut := len(it.text) - maxConversation/2
		it.text = strings.ToValidUTF8(it.text[cut:], "")
		c.size = len(it.text)
	}
}

// text goes on with the last item of the kind, or begins one.
func (c *Conversation) text(kind, text string) {
	if n := len(c.items); n > 0 && c.items[n-1].kind == kind {
		c.items[n-1].text += text
		c.grow(len(text))
		return
	}
	c.add(item{kind: kind, text: text})
}

func (c *Conversation) tool(ev Event) {
	i := -1
	for j := len(c.items) - 1; j >= 0 && i < 0; j-- {
		if c.items[j].kind == "tool" && c.items[j].id == ev.ToolCallID {
			i = j
		}
	}
	if i < 0 {
		c.add(item{kind: "tool", id: ev.ToolCallID, status: "pending"})
		i = len(c.items) - 1
	}
	it := &c.items[i]
	if ev.Title != "" {
		c.size += len(ev.Title) - len(it.text)
		it.text = ev.Title
	} else if it.text == "" {
		it.text = ev.Kind
	}
	if ev.Status != "" {
		it.status = ev.Status
	}
}

func (c *Conversation) plan(ev Event) {
	var entries []acp.PlanEntry
	if acp.Decode(ev.Entries, &entries) != nil {
		return
	}
	marks := map[acp.PlanEntryStatus]string{acp.PlanEntryStatusCompleted: "x", acp.PlanEntryStatusInProgress: ">"}
	var b strings.Builder
	for _, e := range entries {
		mark := marks[e.Status]
		if mark == "" {
			mark = " "
		}
		fmt.Fprintf(&b, "[%s] %s\n", mark, e.Content)
	}
	text := strings.TrimSpace(b.String())
	for i := len(c.items) - 1; i >= 0 && c.items[i].kind != "user"; i-- {
		if c.items[i].kind == "plan" {
			c.size += len(text) - len(c.items[i].text)
			c.items[i].text = text
			return
		}
	}
	c.add(item{kind: "plan", text: text})
}

// Empty tells whether nothing was said yet.
func (c *Conversation) Empty() bool { return len(c.items) == 0 }

// Text is the conversation as text: prompts behind ">", the agent's words as
// they are, tools and notes marked.
func (c *Conversation) Text() string { return render(c.items) }

func render(items []item) string {
	var b strings.Builder
	for i, it := range items {
		text := strings.TrimRight(it.text, " \t\r\n")
		if text == "" && it.kind != "tool" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
			if i > 0 && (it.kind != "tool" || items[i-1].kind != "tool") {
				b.WriteByte('\n')
			}
		}
		switch it.kind {
		case "user":
			prefixed(&b, "> ", "  ", text)
		case "thought":
			prefixed(&b, "~ ", "  ", text)
		case "tool":
			prefixed(&b, "* ", "  ", text+" ["+it.status+"]")
		case "question":
			prefixed(&b, "? ", "  ", text)
		case "note":
			prefixed(&b, "- ", "  ", text)
		default:
			b.WriteString(text)
		}
	}
	return visible(b.String())
}

func prefixed(b *strings.Builder, first, rest, text string) {
	b.WriteString(first)
	b.WriteString(strings.ReplaceAll(text, "\n", "\n"+rest))
}

// visible drops what could move a terminal.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\r' || r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, s)
}

// Lines are the last n lines of the conversation.
func (c *Conversation) Lines(n int) string {
	first, have := len(c.items), 0
	for first > 0 && have <= n {
		first--
		have += strings.Count(c.items[first].text, "\n") + 1
	}
	text := render(c.items[first:])
	at := len(text)
	for ; n > 0; n-- {
		i := strings.LastIndexByte(text[:at], '\n')
		if i < 0 {
			return text
		}
		at = i
	}
	return text[at+1:]
}
