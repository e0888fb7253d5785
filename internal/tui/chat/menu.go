package chat

import (
	"strings"

	"github.com/termio-sh/termio/internal/acphost"
	"github.com/termio-sh/termio/vt"
)

// menuItem is one of several things to choose from.
type menuItem struct {
	text, note string
	value      string
	current    bool
}

// menu is a list to choose from: the session's options, or the values of one.
type menu struct {
	title  string
	option string // whose values are shown; empty for the options themselves
	all    []menuItem
	items  []menuItem // those that fit the query
	query  string
	at     int
}

func (m *menu) typeIn(text string) { m.query += text }

// option is one of the session's, as it is shown.
type option struct {
	id, name, role string
	current        string
	choices        []menuItem
}

// options are what can be set. They are made once: there may be hundreds of
// models.
func (c *Chat) options() []option {
	if c.set.at == c.Log.sets {
		return c.set.options
	}
	var out []option
	for _, o := range c.Log.facts.Config.Of() {
		one := option{id: o.ID, name: oneLine(o.Name), role: o.Role, current: o.Value}
		if o.Type == "boolean" {
			for _, v := range []menuItem{{text: "on", value: "true"}, {text: "off", value: "false"}} {
				v.current = v.value == one.current
				one.choices = append(one.choices, v)
			}
		}
		for _, ch := range o.Choices {
			note := oneLine(ch.Description)
			if ch.Group != "" {
				note = strings.TrimSpace(oneLine(ch.Group) + "  " + note)
			}
			one.choices = append(one.choices, menuItem{text: oneLine(ch.Name), note: note, value: ch.Value, current: ch.Value == one.current})
		}
		if len(one.choices) > 0 {
			out = append(out, one)
		}
	}
	c.set.at, c.set.options = c.Log.sets, out
	return out
}

// said is an option's value for people.
func (o *option) said() string {
	for _, ch := range o.choices {
		if ch.current {
			return ch.text
		}
	}
	return oneLine(o.current)
}

// openOptions lists what can be set.
func (c *Chat) openOptions() []Action {
	all := c.options()
	switch {
	case len(all) == 0 && !c.Log.Started && c.lost == "":
		c.wantsMenu = true // it is opened when the agent has said it
		return []Action{Start{}, Say{"the agent is asked what can be set"}}
	case len(all) == 0:
		return []Action{Say{"the agent offers nothing to set"}}
	}
	m := &menu{title: "Set"}
	for _, o := range all {
		m.all = append(m.all, menuItem{text: o.name, note: o.said(), value: o.id})
	}
	m.items = m.all
	c.menu = m
	return nil
}

// openChoices lists the values of an option.
func (c *Chat) openChoices(id string) {
	for _, o := range c.options() {
		if o.id != id {
			continue
		}
		m := &menu{title: o.name, option: id, all: o.choices, items: o.choices}
		for i, it := range m.items {
			if it.current {
				m.at = i
			}
		}
		c.menu = m
	}
}

// nextMode sets the mode after the one that is set.
func (c *Chat) nextMode() []Action {
	for _, o := range c.options() {
		if o.role != acphost.RoleMode {
			continue
		}
		for i, ch := range o.choices {
			if ch.current {
				next := o.choices[(i+1)%len(o.choices)]
				return []Action{SetOption{o.id, next.value}}
			}
		}
		return []Action{SetOption{o.id, o.choices[0].value}}
	}
	return []Action{Say{"the agent has no modes"}}
}

// menuKey takes a key while a menu is open.
func (c *Chat) menuKey(name, text string) []Action {
	m := c.menu
	switch name {
	case "esc", "ctrl+c":
		c.menu = nil
		if m.option != "" {
			c.openOptions()
		}
		return nil
	case "up", "ctrl+p":
		m.at = max(m.at-1, 0)
		return nil
	case "down", "ctrl+n", "tab":
		m.at = min(m.at+1, max(len(m.items)-1, 0))
		return nil
	case "enter":
		if m.at >= len(m.items) {
			return nil
		}
		it := m.items[m.at]
		c.menu = nil
		if m.option == "" {
			c.openChoices(it.value)
			return nil
		}
		return []Action{SetOption{m.option, it.value}}
	case "backspace":
		if n := len(m.query); n > 0 {
			e := Editor{text: m.query, at: n}
			m.query = m.query[:e.before(n)]
		}
	default:
		if text == "" {
			return nil
		}
		m.typeIn(text)
	}
	m.items, m.at = m.all, 0
	if m.query != "" {
		m.items = nil
		for _, it := range m.all {
			if _, ok := c.o.Match(m.query, it.text+" "+it.note); ok {
				m.items = append(m.items, it)
			}
		}
	}
	return nil
}

// listLines are items to choose from, in at most h lines; off is the first that
// is shown.
func (c *Chat) listLines(title string, items []menuItem, at, w, h int) (lines []Line, off int) {
	title = vt.Truncate(title, max(w-6, 1), c.signs.Ellipsis)
	fill := max(w-3-vt.StringWidth(title), 0)
	rule := Line{Spans: []Span{{c.signs.Horiz + " ", Dim}, {title, Bold}, {" " + strings.Repeat(c.signs.Horiz, fill), Dim}}}
	lines = append(lines, rule.cut(w, ""))
	h--
	n := min(len(items), max(h, 0))
	off = min(max(at-n/2, 0), len(items)-n)
	for i := off; i < off+n; i++ {
		it := items[i]
		lead, style := "  ", Plain
		if i == at {
			lead, style = c.signs.Pointer+" ", Bold
		}
		l := Line{Spans: []Span{{lead, Accent}, {it.text, style}}}
		if it.current {
			l.Spans = append(l.Spans, Span{" " + c.signs.Done, Good})
		}
		if it.note != "" {
			l.Spans = append(l.Spans, Span{"  " + it.note, Dim})
		}
		lines = append(lines, l.cut(w, c.signs.Ellipsis))
	}
	return lines, off
}
