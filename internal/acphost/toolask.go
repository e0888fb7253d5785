package acphost

import (
	"bytes"
	"strings"

	"github.com/termio-sh/termio/internal/acp"
)

// Some agents ask their user with a tool of their own that they only show
// (rows 167, 168): the questions stand in the tool call's input, there is no
// request that could be answered, and the tool may hold up its turn for ever.
// Such a tool call becomes a question like any other; its answer is a turn of
// its own, for which the one that waits is cancelled.

// toolAsk is the input of such a tool, in the spellings of those that are known.
type toolAsk struct {
	Variant   string         `json:"variant"` // of Codex
	Questions []toolQuestion `json:"questions"`
}

type toolQuestion struct {
	Question string `json:"question"`
	Options  []struct {
		Label       string `json:"label"`
		Description string `json:"description"`
		Preview     string `json:"preview"`
	} `json:"options"`
	Multi       bool  `json:"multiSelect"`
	Multi2      bool  `json:"multiple"`
	Multi3      bool  `json:"multi_select"`
	AllowOther  bool  `json:"allowOther"`
	AllowOther2 bool  `json:"allow_other"`
	Custom      *bool `json:"custom"` // of OpenCode
}

const askVariant = "AskUserQuestion"

// otherTools are members that only tools of another kind have.
var otherTools = []string{"command", "cmd", "filePath", "filepath", "path", "pattern", "url"}

// toolPages are the pages of a tool call's input; none where it asks nothing.
func toolPages(input []byte) (pages []Page) {
	if text := acp.Text(input); text != "" {
		input = []byte(text) // the input as a string
	}
	var ask toolAsk
	if input = bytes.TrimSpace(input); len(input) == 0 || input[0] != '{' || acp.Decode(input, &ask) != nil {
		return nil
	}
	if ask.Variant != "" && ask.Variant != askVariant {
		return nil
	}
	other := false
	acp.Members(input, func(name, _ []byte) {
		for _, t := range otherTools {
			other = other || string(name) == t
		}
	})
	if other && ask.Variant == "" {
		return nil
	}
	for _, q := range ask.Questions {
		p, ok := q.page(ask.Variant == "")
		switch {
		case !ok:
		case len(p.Choices) == 0 && isOther(p.Text) && len(pages) > 0:
			pages[len(pages)-1].Free = true // the free answer to the one before
		default:
			pages = append(pages, p)
		}
	}
	return pages
}

// page is one question; free tells whether words of one's own are an answer
// where the question does not say.
func (q toolQuestion) page(free bool) (Page, bool) {
	p := Page{Text: strings.TrimSpace(q.Question), Multi: q.Multi || q.Multi2 || q.Multi3, Free: free}
	if q.Custom != nil {
		p.Free = *q.Custom
	}
	p.Free = p.Free || q.AllowOther || q.AllowOther2
	for _, o := range q.Options {
		label := strings.TrimSpace(o.Label)
		if isOther(label) {
			p.Free = true
			continue
		}
		c := Choice{ID: label, Name: label, Description: o.Description}
		if c.Description == "" {
			c.Description = o.Preview
		}
		if label != "" {
			p.Choices = append(p.Choices, c)
		}
	}
	if len(p.Choices) == 0 {
		p.Free = true
	}
	return p, p.Text != ""
}

// isOther tells a label that stands for words of one's own.
func isOther(label string) bool {
	l := strings.ToLower(strings.TrimSpace(label))
	for _, begin := range []string{"other", "其他", "自定义", "自行输入", "输入你的", "自由输入", "type your own", "enter your own", "write your own"} {
		if strings.HasPrefix(l, begin) {
			return true
		}
	}
	return strings.Contains(l, "or type")
}

// toolAnswer is the turn that answers.
func toolAnswer(q *Question, o Outcome) string {
	var b strings.Builder
	for i, a := range o.Answers {
		var said []string
		for _, c := range a.Choices {
			said = append(said, c.Name)
		}
		if other := a.other(); other != "" {
			said = append(said, other)
		}
		if len(said) == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString("Question: " + q.Pages[i].Text + "\nAnswer: " + strings.Join(said, ", "))
	}
	return b.String()
}

// maxShown is how many tool calls are remembered as asked, or as asked by a
// request.
const maxShown = 256

// shown takes a tool call that an agent shows: it may be one that asks.
func (l *live) shown(c acp.Chunk) {
	s := l.s
	if !bytes.Contains(c.Update, []byte(`questions`)) && len(l.toolAsks) == 0 {
		return
	}
	var u acp.SessionUpdate
	if acp.Decode(c.Update, &u) != nil || u.ToolCallID == "" || !l.inTurn(acp.Text(c.Session)) || !s.o.Attended {
		return
	}
	id := string(u.ToolCallID)
	asked, known := l.toolAsks[id]
	switch u.Status {
	case "completed", "failed":
		if asked != nil {
			s.withdraw(asked)
		}
		delete(l.toolAsks, id)
		return
	}
	if known {
		return
	}
	pages := toolPages(u.RawInput)
	if len(pages) == 0 {
		return
	}
	q := &Question{Kind: "ask", Request: "tool", Tool: id, Pages: pages}
	l.remember(id, q)
	s.ask(q, func(o Outcome) {
		if text := toolAnswer(q, o); !o.Dropped && text != "" {
			s.answerByTurn(text)
		}
	})
}

// remember notes that a tool call asks; q is nil where a request does so.
func (l *live) remember(id string, q *Question) {
	if l.toolAsks == nil || len(l.toolAsks) >= maxShown {
		l.toolAsks = map[string]*Question{}
	}
	l.toolAsks[id] = q
}

// asksItself takes back what tool calls asked when the agent asks with a request
// (rows 169, 170).
func (l *live) asksItself(tool string) {
	for id, q := range l.toolAsks {
		if q != nil {
			l.s.withdraw(q)
			delete(l.toolAsks, id)
		}
	}
	if tool != "" {
		l.remember(tool, nil)
	}
}

// answerByTurn makes text the next prompt, and ends the turn that waits for it.
func (s *Session) answerByTurn(text string) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.prompts++
	s.queue = append([]queued{{id: s.prompts, text: text}}, s.queue...)
	s.poke()
	if s.current != nil {
		s.current.answered = true
	}
	s.mu.Unlock()
	s.cancel(false)
}
