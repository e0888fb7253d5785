package chat

import (
	"slices"
	"strings"
	"time"

	"github.com/termio-sh/termio/internal/acphost"
)

// Options are what a Chat is made with.
type Options struct {
	Unicode bool
	// Match scores how well a query fits a text.
	Match func(query, text string) (score int, ok bool)
	// Highlight gives lines of a program their styles; nil, and a nil reply,
	// leave them as they are.
	Highlight func(language string, lines []string) [][]Span
	// Agent is its name, for people.
	Agent string
}

// Actions are what a person wants done. They are values.
type (
	// Action is one of those below.
	Action any

	// SendPrompt gives the agent a prompt, with files.
	SendPrompt struct {
		Text   string
		Attach []string
	}
	// Answer answers a page of a question.
	Answer struct {
		Question, Page int
		Text           string
	}
	// Cancel ends the turn that runs.
	Cancel struct{}
	// Withdraw takes back a prompt that waits.
	Withdraw struct{ ID int }
	// SetOption sets the model, the mode or another option.
	SetOption struct{ Option, Value string }
	// Start has the agent started, to say what it offers.
	Start struct{}
	// Copy puts a text on the clipboard.
	Copy struct{ Text string }
	// WantFiles asks for the names of the worktree's files: see Files.
	WantFiles struct{}
	// Say tells the person something, for a moment.
	Say struct{ Text string }
)

// Chat is a conversation and what a person does with it. It is not safe for
// concurrent use.
type Chat struct {
	Log  Log
	view View

	o     Options
	signs *Signs

	editor     Editor
	completion completion
	menu       *menu
	ask        asked
	gave       int     // the question that this person answered last, or a page of it
	searching  *Editor // a query is typed

	files      []string
	askedFiles bool
	wantsFiles bool
	wantsStart bool // for the agent's commands
	wantsMenu  bool // of what can be set, when the agent has said it

	set struct { // the options, and after how many changes they were made
		at      int
		options []option
	}

	lost  string // why nothing can be said any more
	shape shape  // of the last frame
}

// asked is what a person has chosen of a question so far.
type asked struct {
	id, page int
	at       int // the choice under the cursor, -1 for none
	chosen   map[int]bool
	deaf     time.Time // until when keys may be meant for something else
	given    bool      // this page was answered by this person
}

// grace is the time in which keys may still be meant for what was there before
// a question came up.
const grace = 700 * time.Millisecond

// New makes an empty one.
func New(o Options) *Chat {
	c := &Chat{o: o, signs: NewSigns(o.Unicode)}
	if c.o.Match == nil {
		c.o.Match = func(query, text string) (int, bool) {
			return 0, strings.Contains(strings.ToLower(text), strings.ToLower(query))
		}
	}
	c.view = View{log: &c.Log, draw: &draw{c.signs, &painter{highlight: o.Highlight}}}
	c.editor.goal = -1
	return c
}

// Apply takes what happened.
func (c *Chat) Apply(events []Event, now time.Time) {
	for _, ev := range events {
		c.Log.Apply(ev)
	}
	c.editor.history = c.Log.Prompts()
	if c.wantsMenu && c.menu == nil && len(c.options()) > 0 {
		c.wantsMenu = false
		c.openOptions()
	}
	if c.completion.mark == 0 && strings.HasPrefix(c.editor.text, "/") {
		c.complete() // the commands may have come
	}
	q := c.Log.Question
	switch {
	case q == nil:
		c.ask = asked{}
	case q.ID != c.ask.id || q.Page != c.ask.page:
		next := asked{id: q.ID, page: q.Page, at: -1}
		if q.ID != c.gave { // else its pages come as they are answered
			next.deaf = now.Add(grace)
		}
		c.ask = next
	}
}

// Files takes the names of the worktree's files. Those that cannot be typed are
// not offered.
func (c *Chat) Files(names []string) {
	c.files = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return clean(n) != n || strings.Contains(n, "\n") })
	c.complete()
}

// Draft is the prompt that was not sent yet, and SetDraft puts one in place.
func (c *Chat) Draft() string { return c.editor.Text() }

// SetDraft puts a prompt in place.
func (c *Chat) SetDraft(text string) { c.editor.Set(text) }

// Lose tells why nothing can be said any more.
func (c *Chat) Lose(why string) { c.lost = why }

// Reading tells whether keys move over the conversation.
func (c *Chat) Reading() bool { return c.view.reading }

// Read has keys move over the conversation, and Search asks what to look for
// there.
func (c *Chat) Read() { c.view.read() }

// Search asks for a text to look for.
func (c *Chat) Search() {
	if !c.view.reading {
		c.view.read()
	}
	c.searching = &Editor{goal: -1}
}

// Leave ends what keys are taken for beside the prompt.
func (c *Chat) Leave() {
	c.view.leave()
	c.searching, c.menu = nil, nil
}

// Wheel scrolls n lines back, or forth.
func (c *Chat) Wheel(n int) { c.view.by(n) }

// Back reports whether the end is out of sight.
func (c *Chat) Back() bool { return c.view.away }

// Paste types a text that was pasted.
func (c *Chat) Paste(text string) {
	switch {
	case c.searching != nil:
		c.searching.Insert(oneLine(text))
		return
	case c.menu != nil:
		c.menu.typeIn(oneLine(text))
		return
	case c.view.reading:
		c.view.leave()
	}
	c.editor.Insert(dropped(text))
	c.completion = completion{}
}

// Key takes a key: its name as in "ctrl+a", and the text that it types.
func (c *Chat) Key(name, text string, now time.Time) []Action {
	var out []Action
	switch {
	case c.menu != nil:
		out = c.menuKey(name, text)
	case c.searching != nil:
		out = c.searchKey(name, text)
	case c.view.reading:
		out = c.readKey(name)
	default:
		out = c.promptKey(name, text, now)
	}
	if c.wantsFiles {
		c.wantsFiles = false
		out = append(out, WantFiles{})
	}
	if c.wantsStart {
		c.wantsStart = false
		out = append(out, Start{})
	}
	return out
}

// promptKey takes a key while the prompt has them.
func (c *Chat) promptKey(name, text string, now time.Time) []Action {
	if c.completeKey(name) {
		return nil
	}
	if c.Log.Question != nil && c.editor.Text() == "" {
		if out, taken := c.askKey(name, now); taken {
			return out
		}
	}
	switch name {
	case "enter":
		return c.submit()
	case "alt+enter", "shift+enter", "ctrl+enter", "ctrl+j":
		c.editor.Insert("\n")
	case "esc":
		switch {
		case c.view.away:
			c.view.toEnd()
		default:
			return c.stop()
		}
	case "ctrl+c":
		if c.editor.Text() != "" && !c.Log.Working {
			c.editor.Take()
			c.complete()
			return nil
		}
		return c.stop()
	case "tab":
		c.view.read()
	case "shift+tab":
		return c.nextMode()
	case "ctrl+o":
		return c.openOptions()
	case "ctrl+t":
		c.view.openAll(Thought)
	case "ctrl+r":
		c.view.openAll(Tool)
	case "pgup":
		c.view.by(max(c.view.height-2, 1))
	case "pgdown":
		c.view.by(-max(c.view.height-2, 1))
	case "shift+up", "ctrl+up":
		c.view.by(1)
	case "shift+down", "ctrl+down":
		c.view.by(-1)
	case "up":
		if c.editor.Text() == "" && len(c.Log.Queue) > 0 {
			return c.takeBack()
		}
		c.editor.key(name, c.editorWidth())
		c.complete()
	default:
		if !c.editor.key(name, c.editorWidth()) && text != "" {
			c.editor.Insert(text)
		}
		c.complete()
	}
	return nil
}

// takeBack withdraws the newest prompt that waits, for its text to be changed.
func (c *Chat) takeBack() []Action {
	w := c.Log.Queue[len(c.Log.Queue)-1]
	c.editor.Set(w.Text)
	return []Action{Withdraw{w.ID}}
}

// stop ends the turn.
func (c *Chat) stop() []Action {
	if !c.Log.Working && len(c.Log.Queue) == 0 {
		return nil
	}
	return []Action{Cancel{}}
}

// submit sends what was typed: an answer where a question stands, else a prompt.
func (c *Chat) submit() []Action {
	text := strings.TrimSpace(c.editor.Text())
	switch q := c.Log.Question; {
	case q == nil:
	case !c.ask.given:
		return c.answerTyped(q, text)
	case q.Question != nil && q.Page < len(q.Question.Pages)-1:
		return []Action{Say{"the next page is on its way"}} // what is typed stays
	}
	if text == "" {
		return nil
	}
	if c.lost != "" {
		return []Action{Say{c.lost}}
	}
	c.editor.Take()
	c.completion = completion{}
	c.view.toEnd()
	return []Action{SendPrompt{text, mentions(text)}}
}

// readKey takes a key while a cursor moves over the conversation.
func (c *Chat) readKey(name string) []Action {
	v := &c.view
	page := max(v.height-2, 1)
	p := v.cur
	switch name {
	case "j", "down":
		p = v.step(p, 1)
	case "k", "up":
		p = v.step(p, -1)
	case "h", "left":
		p.col--
	case "l", "right":
		p.col++
	case "d", "ctrl+d":
		p = v.step(p, page/2)
	case "u", "ctrl+u":
		p = v.step(p, -page/2)
	case "pgdown", "ctrl+f":
		p = v.step(p, page)
	case "pgup", "ctrl+b":
		p = v.step(p, -page)
	case "g", "home":
		p = pos{block: v.first()}
	case "G", "end":
		p = v.last()
	case "0":
		p.col = 0
	case "$":
		p.col = max(v.line(p).width()-1, 0)
	default:
		return c.readMore(name)
	}
	v.to(p)
	return nil
}

// readMore are the keys that do not move.
func (c *Chat) readMore(name string) []Action {
	v := &c.view
	switch name {
	case "esc", "q", "i", "ctrl+c":
		if v.marking {
			v.marking = false
			return nil
		}
		v.leave()
	case "tab", "]", "}":
		v.next(1)
	case "shift+tab", "[", "{":
		v.next(-1)
	case "enter", "space":
		if !v.toggle(v.cur) {
			return []Action{Say{"there is nothing to open here; Tab goes to what can be"}}
		}
	case "t":
		v.openAll(Thought)
	case "r":
		v.openAll(Tool)
	case "w":
		v.word(v.cur)
	case "v", "V":
		v.marking, v.whole, v.mark = !v.marking, name == "V", v.cur
	case "y":
		return c.copySelected()
	case "Y":
		return copyText(v.source(v.cur.block))
	case "/", "f":
		c.Search()
	case "n":
		v.find(-1)
	case "N":
		v.find(1)
	}
	return nil
}

// copySelected copies what is selected, else the line.
func (c *Chat) copySelected() []Action {
	v := &c.view
	if !v.marking {
		v.marking, v.whole, v.mark = true, true, v.cur
	}
	text := v.selected()
	v.marking = false
	return copyText(text)
}

func copyText(text string) []Action {
	if strings.TrimSpace(text) == "" {
		return []Action{Say{"there is nothing to copy"}}
	}
	return []Action{Copy{text}}
}

// searchKey takes a key while a query is typed.
func (c *Chat) searchKey(name, text string) []Action {
	s := c.searching
	switch name {
	case "esc", "ctrl+c":
		c.searching, c.view.query = nil, ""
	case "enter":
		c.searching = nil
		c.view.query = strings.ToLower(strings.TrimSpace(s.Text()))
		if c.view.query != "" && !c.view.find(-1) {
			c.view.query = ""
			return []Action{Say{"not found: " + s.Text()}}
		}
	default:
		if !s.key(name, 1<<16) && text != "" {
			s.Insert(text)
		}
	}
	return nil
}

// shape is where things are on a frame.
type shape struct {
	view    int // rows of it, from the top
	menu    int // where its items begin, and how many rows
	menuN   int
	menuOff int
	ask     int // where the choices begin
	askN    int
	askOff  int
	editW   int
}

func (c *Chat) editorWidth() int { return max(c.shape.editW, 2) }

// Press takes a press of the mouse on the frame: the first, second or third in
// short order.
func (c *Chat) Press(x, y, clicks int, now time.Time) []Action {
	s := &c.shape
	switch {
	case c.menu != nil && y >= s.menu && y < s.menu+s.menuN:
		c.menu.at = s.menuOff + y - s.menu
		return c.menuKey("enter", "")
	case c.completion.mark != 0 && y >= s.menu && y < s.menu+s.menuN:
		c.completion.at = s.menuOff + y - s.menu
		c.accept()
		return nil
	case c.Log.Question != nil && y >= s.ask && y < s.ask+s.askN && !now.Before(c.ask.deaf):
		c.ask.at = s.askOff + y - s.ask
		return c.pick(c.ask.at)
	}
	p, ok := c.place(x, y)
	if !ok {
		return nil
	}
	v := &c.view
	v.marking = false
	switch clicks {
	case 2:
		v.word(p)
	case 3:
		v.marking, v.whole, v.mark, v.cur = true, true, p, p
	default:
		v.mark, v.whole = p, false
		if v.reading {
			v.cur = p
		}
	}
	return nil
}

// Drag selects up to a place.
func (c *Chat) Drag(x, y int) {
	if y < 0 {
		c.view.by(1)
	} else if y >= c.shape.view {
		c.view.by(-1)
	}
	if p, ok := c.place(x, min(max(y, 0), c.shape.view-1)); ok && (p != c.view.mark || c.view.marking) {
		c.view.marking, c.view.cur = true, p
	}
}

// Release copies what was selected; a click opens or closes what it was on.
func (c *Chat) Release(x, y int) []Action {
	if c.view.marking {
		return copyText(c.view.selected())
	}
	if p, ok := c.place(x, y); ok && c.view.line(p).fold {
		c.view.toggle(p)
	}
	return nil
}

// place is what stands at a cell of the frame.
func (c *Chat) place(x, y int) (pos, bool) {
	rows := c.view.rows()
	if y < 0 || y >= c.shape.view || len(rows) == 0 {
		return pos{}, false
	}
	p := rows[min(y, len(rows)-1)]
	p.col = min(max(x, 0), max(c.view.width-1, 0))
	return p, y < len(rows)
}

// Waiting are the prompts that wait.
func (c *Chat) Waiting() []acphost.Waiting { return slices.Clone(c.Log.Queue) }
