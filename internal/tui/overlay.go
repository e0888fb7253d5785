package tui

import (
	"fmt"
	"strings"
	"time"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/vt"
)

// overlay is a view over everything else: a question, a list to choose from, a
// form. It has every key but the prefix, which closes it.
type overlay interface {
	key(m *Model, k tea.KeyPressMsg) []Effect
	paste(m *Model, text string)
	// view is its title, its lines, cut to w columns and at most h, and what
	// its keys are.
	view(m *Model, w, h int) (title string, lines []string, keys string)
}

// plural is a number of things.
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// newInput makes a line to type into.
func newInput(placeholder, value string) textinput.Model {
	in := textinput.New()
	in.Prompt = ""
	in.Placeholder = placeholder
	styles := in.Styles()
	styles.Cursor.Blink = false
	in.SetStyles(styles)
	in.SetValue(value)
	in.CursorEnd()
	in.Focus()
	return in
}

// typeInto gives a key to a line. Its commands are for a cursor that blinks and
// a clipboard that is not this terminal's: nobody needs them.
func typeInto(in *textinput.Model, k tea.KeyPressMsg) {
	if k.String() == "ctrl+v" {
		return
	}
	*in, _ = in.Update(k)
}

func pasteInto(in *textinput.Model, text string) {
	*in, _ = in.Update(tea.PasteMsg{Content: oneLine(text)})
}

// confirmView asks yes or no.
type confirmView struct {
	title, text string
	yes         func(m *Model) []Effect
}

func (v *confirmView) key(m *Model, k tea.KeyPressMsg) []Effect {
	switch k.String() {
	case "y", "Y", "enter":
		m.overlay = nil
		return v.yes(m)
	case "n", "N", "esc", "q":
		m.overlay = nil
	}
	return nil
}

func (v *confirmView) paste(*Model, string) {}

func (v *confirmView) view(_ *Model, w, _ int) (string, []string, string) {
	return v.title, wrap(v.text, w), "y yes  n no"
}

// inputView asks for a line of text.
type inputView struct {
	title  string
	in     textinput.Model
	accept func(m *Model, text string) []Effect
	change func(m *Model, text string)
}

func (v *inputView) key(m *Model, k tea.KeyPressMsg) []Effect {
	switch k.String() {
	case "esc", "ctrl+c":
		m.overlay = nil
		return nil
	case "enter":
		m.overlay = nil
		return v.accept(m, v.in.Value())
	}
	typeInto(&v.in, k)
	if v.change != nil {
		v.change(m, v.in.Value())
	}
	return nil
}

func (v *inputView) paste(_ *Model, text string) { pasteInto(&v.in, text) }

func (v *inputView) view(_ *Model, w, _ int) (string, []string, string) {
	v.in.SetWidth(max(w-2, 4))
	return v.title, []string{v.in.View()}, "Enter accept  Esc cancel"
}

func (m *Model) openRename() []Effect {
	s := m.target()
	if s == nil || s.Status == closed {
		return nil
	}
	link := s.Link
	m.overlay = &inputView{title: "Rename", in: newInput("the program's own title", oneLine(s.Title)), accept: func(m *Model, title string) []Effect {
		return []Effect{callEffect{
			Verb: api.VerbRename, Request: api.RenameRequest{Caller: m.caller(), Target: link, Title: strings.TrimSpace(title)}, What: "rename the session",
			Then: func(m *Model, reply any) []Effect {
				if s := m.fleet.get(link); s != nil {
					s.Title = reply.(*api.RenameReply).Title
				}
				return m.list()
			},
		}}
	}}
	return nil
}

func (m *Model) openSearch() []Effect {
	p := m.activePane()
	if p != nil && p.chat != nil {
		p.chat.Search()
		return nil
	}
	if p == nil || p.term == nil {
		return nil
	}
	m.overlay = &inputView{
		title: "Search the session's text", in: newInput("text, in any case", p.find.query),
		change: func(m *Model, text string) { p.search(text) },
		accept: func(m *Model, text string) []Effect {
			if text != p.find.query {
				p.search(text)
			}
			switch n := len(p.find.found); {
			case text == "":
			case n == 0:
				m.say("not found: " + text)
			default:
				m.headToMatch(p)
				m.say(fmt.Sprintf("%d found; n goes up, N down, y copies", n))
			}
			return nil
		},
	}
	return nil
}

// questionView is what a session asks, with its answers.
type questionView struct {
	link     string
	question Question
	in       *textinput.Model // typing an answer of one's own
	unknown  bool             // the roster told that it asks, and not yet what
	deaf     time.Time        // until when keys are ignored: another question came up
}

// grace is the time in which keys may still be meant for the question before.
const grace = 700 * time.Millisecond

// follow shows the question that stands now.
func (v *questionView) follow(m *Model) {
	now, there := m.fleet.Questions[v.link]
	switch {
	case v.unknown && there:
		v.question, v.unknown = now, false
	case !there:
		m.overlay = nil
		m.say("that question does not stand any more")
	case now.ID != v.question.ID:
		v.question, v.in, v.deaf = now, nil, m.now.Add(grace)
	default:
		v.question = now
	}
}

// openQuestion opens the question of the row's session.
func (m *Model) openQuestion() []Effect {
	link := m.cursorLink()
	if m.focus == onPane && m.active != nil {
		link = m.active.Session
	}
	if s := m.fleet.get(link); s == nil || s.Status != needsYou {
		m.say("this session asks nothing")
		return nil
	}
	q, known := m.fleet.Questions[link]
	v := &questionView{link: link, question: q, unknown: !known}
	if s := m.fleet.get(link); known && s.Kind == hostproto.KindACP && len(q.Options) == 0 {
		in := newInput("the answer", "") // a field of a form that wants text
		v.in = &in
	}
	m.overlay = v
	return nil
}

// answerRow answers the question of the row's session with an option, without
// opening it; only in the strip, where what is asked is in sight.
func (m *Model) answerRow(n int) []Effect {
	r := m.cursorRow()
	if r == nil || r.kind != rowNeeds {
		return nil
	}
	q, ok := m.fleet.Questions[r.session.Link]
	if !ok || n > len(q.Options) {
		return m.openQuestion()
	}
	return m.answer(r.session.Link, q, fmt.Sprint(n), q.Options[n-1])
}

// answer sends an answer to a question, and to no other.
func (m *Model) answer(link string, q Question, text, what string) []Effect {
	title := ""
	if s := m.fleet.get(link); s != nil {
		title = oneLine(s.Title)
	}
	return []Effect{callEffect{
		Verb: api.VerbSend, Request: api.SendRequest{Caller: m.caller(), Target: link, Text: text, Enter: true, Answers: q.ID}, What: "answer",
		Then: func(m *Model, _ any) []Effect {
			m.say("answered " + title + ": " + what)
			return m.list()
		},
	}}
}

func (v *questionView) key(m *Model, k tea.KeyPressMsg) []Effect {
	if m.now.Before(v.deaf) {
		return nil
	}
	if v.in != nil {
		switch k.String() {
		case "esc":
			v.in = nil
		case "enter":
			if text := strings.TrimSpace(v.in.Value()); text != "" {
				m.overlay = nil
				return m.answer(v.link, v.question, text, text)
			}
		default:
			typeInto(v.in, k)
		}
		return nil
	}
	if n := optionKey(k); n > 0 && n <= len(v.question.Options) {
		m.overlay = nil
		return m.answer(v.link, v.question, fmt.Sprint(n), v.question.Options[n-1])
	}
	switch k.String() {
	case "esc", "q":
		m.overlay = nil
	case "enter", "g":
		m.overlay = nil
		return append(m.show(v.link), m.enter()...)
	case "e", "i", "x":
		if v.unknown {
			return nil
		}
		if k.String() == "x" { // say no as its own program would take it
			return v.refuse(m)
		}
		in := newInput("an answer of your own", "")
		v.in = &in
	}
	return nil
}

// refuse sends Escape, which is no to most programs.
func (v *questionView) refuse(m *Model) []Effect {
	m.overlay = nil
	return []Effect{callEffect{
		Verb: api.VerbSend, Request: api.SendRequest{Caller: m.caller(), Target: v.link, Keys: []string{"escape"}, Answers: v.question.ID}, What: "refuse",
		Then: func(m *Model, _ any) []Effect { m.say("sent Escape"); return m.list() },
	}}
}

func (v *questionView) paste(_ *Model, text string) {
	if v.in != nil {
		pasteInto(v.in, text)
	}
}

func (v *questionView) view(m *Model, w, h int) (string, []string, string) {
	title := "needs you"
	if s := m.fleet.get(v.link); s != nil {
		title = oneLine(s.Title)
	}
	if v.unknown {
		return title, []string{"its question is on the way"}, "Enter go there  Esc later"
	}
	var lines []string
	text := strings.Split(strings.TrimRight(clean(v.question.Text), "\n "), "\n")
	room := h - len(v.question.Options) - 3
	for _, l := range text[max(len(text)-max(room, 1), 0):] {
		lines = append(lines, vt.Truncate(strings.TrimRight(l, " "), w, m.glyphs.Ellipsis))
	}
	lines = append(lines, "")
	for i, o := range v.question.Options {
		lines = append(lines, m.theme.Key.Render(fmt.Sprintf(" %d ", i+1))+vt.Truncate(" "+oneLine(o), max(w-3, 1), m.glyphs.Ellipsis))
	}
	keys := "Enter go there  e type an answer  x Escape  Esc later"
	if v.in != nil {
		v.in.SetWidth(max(w-2, 4))
		lines = append(lines, v.in.View())
		keys = "Enter send  Esc back"
	} else if len(v.question.Options) > 0 {
		keys = fmt.Sprintf("1-%d answer  ", min(len(v.question.Options), 9)) + keys
	}
	return title, lines, keys
}

// helpView lists the keys.
type helpView struct {
	lines []string
	first int
}

func newHelp(m *Model) *helpView {
	v := &helpView{}
	add := func(keys, help string) { v.lines = append(v.lines, fmt.Sprintf("%-16s %s", keys, help)) }
	add(m.PrefixName, "from a session to the sidebar, and back")
	for _, b := range m.Bindings.list {
		if len(b.keys) > 0 {
			add(strings.Join(b.keys, " "), b.help)
		}
	}
	add("1-9", "answer the question of a row in the strip")
	for _, p := range m.Problems {
		v.lines = append(v.lines, "keys: "+oneLine(p))
	}
	return v
}

func (v *helpView) key(m *Model, k tea.KeyPressMsg) []Effect {
	switch k.String() {
	case "j", "down":
		v.first++
	case "k", "up":
		v.first--
	case "pgdown", "space":
		v.first += 10
	case "pgup":
		v.first -= 10
	default:
		m.overlay = nil
	}
	v.first = min(max(v.first, 0), len(v.lines)-1)
	return nil
}

func (v *helpView) paste(*Model, string) {}

func (v *helpView) view(m *Model, w, h int) (string, []string, string) {
	v.first = max(min(v.first, len(v.lines)-h), 0)
	var lines []string
	for _, l := range v.lines[v.first:min(v.first+h, len(v.lines))] {
		lines = append(lines, vt.Truncate(l, w, m.glyphs.Ellipsis))
	}
	keys := "any key closes"
	if len(v.lines) > h {
		keys = "j k more  " + keys
	}
	return "Keys", lines, keys
}
