package status

import (
	"slices"
	"strings"
	"time"
)

// settled is how long a question may still be drawn before another text in its
// place, with nothing typed, is another question.
const settled = time.Second

// question is what is asked, told apart from the question before it.
type question struct {
	// said is what each channel declared of it. Two channels tell of one
	// question in different words; one channel with new words of a new one.
	said []saying
	// lines are those of the screen that stood for it last.
	lines []string
	at    time.Time // when it was raised
}

type saying struct{ channel, text string }

// raise begins a new question.
func (m *Machine) raise() {
	m.st.Asked++
	m.question = question{at: m.now}
}

// declare takes a channel's word about the question that stands, and raises
// another one where it cannot be about that.
func (m *Machine) declare(channel, text string) {
	said := saying{channel, text}
	i := slices.IndexFunc(m.question.said, func(s saying) bool { return s.channel == channel })
	switch {
	case i < 0:
	case m.question.said[i].text != text,
		channel == ChannelHook && m.input.After(m.question.at):
		m.raise()
	default:
		return
	}
	m.question.said = append(m.question.said, said)
}

// showQuestion takes the screen for the text of a question that was not
// declared. A question with most of its lines gone is another one, once the
// first had its time to be drawn or something was typed.
func (m *Machine) showQuestion(text string) {
	if m.phase == blocked {
		lines := questionLines(text)
		young := m.now.Sub(m.question.at) < settled && !m.input.After(m.question.at)
		if !young && len(m.question.lines) > 0 && alike(m.question.lines, lines)*2 < len(m.question.lines) {
			said := m.question.said
			m.raise()
			m.question.said = said
		}
		m.question.lines = lines
	}
	m.st.Question = text
}

// questionLines are the lines of a question without what moves in it: the mark
// of the chosen option, boxes that are ticked, and the frame.
func questionLines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		line = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
			if strings.ContainsRune("❯›▸▶►→>*●○◉◯☐☑☒✓✔✗│┃║▌█▏╭╮╰╯┌┐└┘─━═", r) {
				return ' '
			}
			return r
		}, line)), " ")
		if line != "" {
			out = append(out, line)
		}
	}
	return out
}

// alike counts the lines of a that are in b.
func alike(a, b []string) (n int) {
	for _, line := range a {
		if slices.Contains(b, line) {
			n++
		}
	}
	return n
}

// optionsOf gives the options of a question. Claude Code writes them at the
// end of its message: "answer: Which colour? (Red · Blue)".
func optionsOf(p Program) []string {
	if len(p.Options) > 0 || p.Kind != "question" {
		return p.Options
	}
	text, ok := strings.CutSuffix(p.Msg, ")")
	if !ok {
		return nil
	}
	depth := 1
	for i := len(text) - 1; i > 0; i-- {
		switch text[i] {
		case ')':
			depth++
		case '(':
			depth--
		}
		if depth > 0 {
			continue
		}
		options := strings.Split(text[i+1:], " · ")
		if text[i-1] != ' ' || len(options) < 2 {
			return nil
		}
		return options
	}
	return nil
}

// boundOptions keeps options within what a status may hold.
func boundOptions(options []string) []string {
	const most, size = 32, 200
	var out []string
	for _, o := range options[:min(len(options), most)] {
		if o = clip(strings.TrimSpace(o), size); o != "" {
			out = append(out, o)
		}
	}
	return out
}
