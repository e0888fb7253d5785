package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/alecthomas/chroma/v2/lexers"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/tui/chat"
	"github.com/termio-sh/termio/vt"
)

// A session over the Agent Client Protocol has no terminal: its pane shows the
// conversation, and keys go to its prompt.

// chatKeys is what the keyboard is asked for while a prompt has the keys: a
// terminal that can tells Shift-Enter from Enter.
const chatKeys = vt.KittyDisambiguate

type (
	// chatEffect has something done in a conversation.
	chatEffect struct {
		Link   string
		Run    int
		Action chat.Action
	}
	// journalEffect reads the conversation of a session that has no host.
	journalEffect struct {
		Link string
		Run  int
	}
	journalMsg struct {
		Effect journalEffect
		Events []chat.Event
		Err    error
	}
	// chatFailedMsg tells that it was not.
	chatFailedMsg struct {
		Effect chatEffect
		Err    error
	}
)

// talking is the pane whose conversation has the keys, nil if none has.
func (m *Model) talking() *Pane {
	if p := m.activePane(); p != nil && p.chat != nil && m.focus == onPane && m.overlay == nil {
		return p
	}
	return nil
}

// converse begins a conversation's pane anew.
func (m *Model) converse(p *Pane) []Effect {
	name := ""
	if s := m.fleet.get(p.link); s != nil {
		name = oneLine(s.Agent)
	}
	draft := m.drafts[p.link]
	if p.chat != nil {
		draft = p.chat.Draft()
	}
	p.text, p.chat, p.error, p.ended = true, chat.New(chat.Options{Unicode: m.Unicode, Match: fuzzyWords, Agent: name, Highlight: highlight}), "", ""
	p.chat.SetDraft(draft)
	var out []Effect
	for _, e := range p.early { // typed before it was known what this is
		switch {
		case e.paste != "":
			p.chat.Paste(e.paste)
		case e.key.Text != "":
			out = append(out, m.chatWants(p, p.chat.Key(e.key.Text, e.key.Text, m.now))...)
		}
	}
	p.early = nil
	return out
}

// recall shows the conversation of a session that is closed, from its journal.
func (m *Model) recall(p *Pane) []Effect {
	p.run++
	effects := m.converse(p)
	p.ended = "is closed"
	p.chat.Lose("this session is closed; " + m.Bindings.key(ActReopen) + " in the sidebar reopens it")
	return append(effects, journalEffect{p.link, p.run})
}

func (m *Model) recalled(msg journalMsg) {
	p := m.panes[msg.Effect.Link]
	if p == nil || p.run != msg.Effect.Run || p.chat == nil {
		return
	}
	m.chrome = true
	p.chat.Apply(msg.Events, m.now)
	if msg.Err != nil {
		m.say("the conversation cannot be read: " + plainError(msg.Err))
	}
}

// keepDraft keeps what was typed into a pane that goes away.
func (m *Model) keepDraft(link string) {
	p := m.panes[link]
	if p == nil || p.chat == nil {
		return
	}
	if m.drafts == nil {
		m.drafts = map[string]string{}
	}
	m.drafts[link] = p.chat.Draft()
}

// talked takes what happened in a conversation.
func (m *Model) talked(p *Pane, events []chat.Event) {
	if p.chat != nil && len(events) > 0 {
		p.chat.Apply(events, m.now)
		m.chrome = m.chrome || m.talking() == p
	}
}

// chatKey takes a key while a conversation has them.
func (m *Model) chatKey(p *Pane, k tea.KeyPressMsg) []Effect {
	m.chrome = true
	if p.ended != "" {
		p.chat.Lose("the session " + p.ended)
	}
	return m.chatWants(p, p.chat.Key(k.String(), k.Text, m.now))
}

// chatWants makes effects of what a person wants in a conversation.
func (m *Model) chatWants(p *Pane, actions []chat.Action) []Effect {
	var out []Effect
	for _, a := range actions {
		switch a := a.(type) {
		case chat.Say:
			m.say(a.Text)
		case chat.Copy:
			m.say(copied(a.Text))
			out = append(out, copyEffect{a.Text})
		case chat.Start:
			out = append(out, m.askOptions(p, api.OptionsRequest{Start: true}, "start the agent"))
		case chat.SetOption:
			out = append(out, m.askOptions(p, api.OptionsRequest{Set: []api.OptionSetting{{Name: a.Option, Value: a.Value}}}, "set it"))
		case chat.WantFiles:
			out = append(out, filesEffect{m.filesOf(p.link)})
		default:
			out = append(out, chatEffect{p.link, p.run, a})
		}
	}
	return out
}

// askOptions sets what an agent is set to, or has it started to say what there
// is. What came of it is told in the journal.
func (m *Model) askOptions(p *Pane, r api.OptionsRequest, what string) Effect {
	r.Caller, r.Target = m.caller(), p.link
	return callEffect{Verb: api.VerbOptions, Request: r, What: what, Then: func(m *Model, reply any) []Effect {
		if len(reply.(*api.OptionsReply).Options) == 0 {
			m.say("the agent offers nothing to set")
		}
		return nil
	}}
}

// copied says what was put on the clipboard.
func copied(text string) string {
	if lines := strings.Count(text, "\n") + 1; lines > 1 {
		return "copied " + plural(lines, "line")
	}
	return "copied: " + vt.Truncate(oneLine(text), 40, "~")
}

// filesOf is the directory that an agent works in.
func (m *Model) filesOf(link string) string {
	s := m.fleet.get(link)
	switch {
	case s == nil:
		return m.Dir
	case s.Cwd != "":
		return s.Cwd
	case s.Worktree != "":
		return s.Worktree
	}
	return s.Project
}

// chatFiles gives the names of files to the conversations that are about them.
func (m *Model) chatFiles(msg filesMsg) {
	for link, p := range m.panes {
		if p.chat != nil && m.filesOf(link) == msg.Effect.Dir {
			p.chat.Files(msg.Files)
			m.chrome = true
		}
	}
}

// chatFailed tells what was not done. What was typed comes back.
func (m *Model) chatFailed(msg chatFailedMsg) {
	what := "it was not done"
	p := m.panes[msg.Effect.Link]
	switch a := msg.Effect.Action.(type) {
	case chat.SendPrompt:
		what = "the prompt was not taken"
		if p != nil && p.chat != nil && p.chat.Draft() == "" {
			p.chat.SetDraft(a.Text)
		}
	case chat.Answer:
		what = "the answer was not taken"
		if p != nil && p.chat != nil {
			p.chat.Refused()
		}
	case chat.Withdraw:
		what = "it waits no more"
	}
	m.say(what + ": " + plainError(msg.Err))
}

// readChat gives the keys to a conversation's text.
func (m *Model) readChat(p *Pane) []Effect {
	effects := m.show(p.link)
	m.focus, m.chrome = onPane, true
	p.chat.Read()
	return append(effects, m.arrangePanes()...)
}

// mouseChat takes the mouse over a conversation.
func (m *Model) mouseChat(p *Pane, e vt.MouseEvent) []Effect {
	m.chrome = true
	switch {
	case !p.rect.contains(e.X, e.Y) || e.Action != vt.MousePress:
	case e.Button == vt.ButtonWheelUp:
		p.chat.Wheel(wheelLines)
	case e.Button == vt.ButtonWheelDown:
		p.chat.Wheel(-wheelLines)
	case e.Button == vt.ButtonLeft:
		d := &m.drag
		if m.now.Sub(d.at) < again && d.x == e.X && d.y == e.Y {
			d.clicks++
		} else {
			d.clicks = 1
		}
		d.at, d.x, d.y, d.pane = m.now, e.X, e.Y, p
		return m.chatWants(p, p.chat.Press(e.X-p.rect.X, e.Y-p.rect.Y, d.clicks, m.now))
	}
	return nil
}

// dragChat selects in a conversation.
func (m *Model) dragChat(p *Pane, e vt.MouseEvent) []Effect {
	m.chrome = true
	switch e.Action {
	case vt.MouseMove:
		p.chat.Drag(e.X-p.rect.X, e.Y-p.rect.Y)
	case vt.MouseRelease:
		m.drag.pane = nil
		return m.chatWants(p, p.chat.Release(e.X-p.rect.X, e.Y-p.rect.Y))
	}
	return nil
}

// chatPoint is where the cursor of a conversation is on the canvas.
type chatPoint struct {
	x, y  int
	shown bool
}

func (p chatPoint) draw(out []byte) []byte {
	if !p.shown {
		return append(out, "\x1b[?25l"...)
	}
	return append(appendAt(append(out, "\x1b[6 q"...), p.x, p.y), "\x1b[?25h"...)
}

// drawChat puts a conversation on the canvas, where it is not there already.
func (m *Model) drawChat(out []byte, c *Canvas, p *Pane) []byte {
	r := p.rect
	if r.W <= 0 || r.H <= 0 {
		return out
	}
	f := p.chat.Frame(r.W, r.H, m.spinNow(), m.now)
	for y := range min(len(f.Lines), r.H) {
		out = c.put(out, r.X, r.Y+y, r.W, m.theme.chatLine(&f.Lines[y]))
	}
	p.point = chatPoint{r.X + f.X, r.Y + f.Y, f.Cursor && f.X < r.W && f.Y < r.H}
	return out
}

// talkEvery is the pace of a conversation's sign of work, and of its seconds.
func (m *Model) talkEvery() time.Duration {
	if m.Looks.ReducedMotion {
		return time.Second
	}
	return spinEvery
}

// spinNow is the turn of the sign of work; it stands still where motion is not
// wanted.
func (m *Model) spinNow() int {
	if m.Looks.ReducedMotion {
		return 0
	}
	return m.spin
}

// chatLine is a line of a conversation in the theme's colours.
func (t *Theme) chatLine(l *chat.Line) string {
	var b strings.Builder
	for _, s := range l.Spans {
		role := t.roles()[s.Style.Role()]
		b.WriteString(role)
		for _, a := range chatAttributes {
			if s.Style&a.style != 0 {
				b.WriteString(a.sgr)
			}
		}
		b.WriteString(s.Text)
		if role != "" || s.Style != chat.Plain {
			b.WriteString("\x1b[m")
		}
	}
	return b.String()
}

var chatAttributes = [...]struct {
	style chat.Style
	sgr   string
}{
	{chat.Bold, "\x1b[1m"},
	{chat.Italic, "\x1b[3m"},
	{chat.Under, "\x1b[4m"},
	{chat.Strike, "\x1b[9m"},
	{chat.Reverse, "\x1b[7m"},
}

// roles are the sequences that begin each role of a conversation's text.
func (t *Theme) roles() *[chat.Roles]string {
	if t.chat != nil {
		return t.chat
	}
	t.chat = new([chat.Roles]string)
	for role, style := range map[chat.Style]lipgloss.Style{
		chat.Plain: t.Plain, chat.Dim: t.Dim, chat.Accent: t.Working, chat.Good: t.Done, chat.Warn: t.Warn, chat.Bad: t.Error, chat.Code: t.Code,
	} {
		t.chat[role], _, _ = strings.Cut(style.Render("x"), "x")
	}
	for c, style := range newCodeColors(t.Name).classes {
		if c != int(classPlain) {
			t.chat[codeRoles[c]] = string(style.AppendSGR(nil))
		}
	}
	return t.chat
}

// codeRoles are the roles of the classes of code.
var codeRoles = [classCount]chat.Style{chat.Code, chat.Keyword, chat.TypeName, chat.String, chat.Number, chat.Comment, chat.Name}

// highlight tells what the pieces of a program's lines are.
func highlight(language string, lines []string) [][]chat.Span {
	lexer := lexers.Get(language)
	if lexer == nil {
		return nil
	}
	out := make([][]chat.Span, len(lines))
	for i, spans := range lexWith(lexer, lines) {
		if i >= len(lines) {
			break
		}
		text := lines[i]
		for _, s := range spans {
			n := min(s.n, len(text))
			out[i] = append(out[i], chat.Span{Text: text[:n], Style: codeRoles[s.class]})
			text = text[n:]
		}
		if text != "" {
			out[i] = append(out[i], chat.Span{Text: text, Style: chat.Code})
		}
	}
	return out
}
