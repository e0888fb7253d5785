package chat

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/termio-sh/termio/internal/acphost"
)

// page is the page of the question that stands; nil without one.
func (c *Chat) page() *acphost.Page {
	q := c.Log.Question
	if q == nil || q.Question == nil || q.Page >= len(q.Question.Pages) {
		return nil
	}
	return &q.Question.Pages[q.Page]
}

// askKey takes a key while a question stands and nothing is typed.
func (c *Chat) askKey(name string, now time.Time) (out []Action, taken bool) {
	p := c.page()
	if p == nil {
		return nil, false
	}
	n := len(p.Choices)
	choice := -1
	if len(name) == 1 && name[0] >= '1' && name[0] <= '9' && int(name[0]-'0') <= n {
		choice = int(name[0] - '1')
	}
	switch {
	case now.Before(c.ask.deaf) && (choice >= 0 || name == "enter"):
		return nil, true // it may be meant for what was there before
	case choice >= 0:
		return c.pick(choice), true
	case name == "down" && n > 0:
		c.ask.at = (c.ask.at + 1) % n
	case name == "up" && n > 0:
		c.ask.at = (max(c.ask.at, 0) + n - 1) % n
	case name == "space" && p.Multi && c.ask.at >= 0:
		return c.pick(c.ask.at), true
	case name == "enter" && p.Multi:
		return c.give(c.chosen()), true
	case name == "enter" && c.ask.at >= 0 && n > 0:
		return c.pick(c.ask.at), true
	default:
		return nil, false
	}
	return nil, true
}

// pick chooses one: that is the answer, or one of several.
func (c *Chat) pick(i int) []Action {
	p := c.page()
	if p == nil || i < 0 || i >= len(p.Choices) {
		return nil
	}
	if !p.Multi {
		return c.give(strconv.Itoa(i + 1))
	}
	if c.ask.chosen == nil {
		c.ask.chosen = map[int]bool{}
	}
	c.ask.chosen[i] = !c.ask.chosen[i]
	c.ask.at = i
	return nil
}

// chosen are the numbers of those that were chosen of several.
func (c *Chat) chosen() string {
	var out []string
	for i := range c.page().Choices {
		if c.ask.chosen[i] {
			out = append(out, strconv.Itoa(i+1))
		}
	}
	return strings.Join(out, ",")
}

// give sends an answer, once.
func (c *Chat) give(text string) []Action {
	q, p := c.Log.Question, c.page()
	if text == "" && !p.Optional && len(p.Choices) > 0 {
		return []Action{Say{"choose at least one"}}
	}
	if c.ask.given {
		return nil
	}
	c.ask.given, c.gave = true, q.ID
	return []Action{Answer{q.ID, q.Page, text}}
}

// Refused tells that an answer was not taken: it can be given again.
func (c *Chat) Refused() { c.ask.given = false }

// answerTyped sends a text as the answer, if it can be one.
func (c *Chat) answerTyped(q *Event, text string) []Action {
	p := c.page()
	if p == nil {
		return nil
	}
	if text == "" && (!p.Optional || len(p.Choices) > 0 && !p.Multi) {
		return []Action{Say{c.askHint(p)}}
	}
	if why := unfit(p, text); why != "" {
		return []Action{Say{why}}
	}
	out := c.give(text)
	c.editor.Take()
	return out
}

// unfit says why a text cannot be the answer; empty when it can.
func unfit(p *acphost.Page, text string) string {
	if text == "" {
		return ""
	}
	if !p.Free {
		words := []string{text}
		if p.Multi {
			words = strings.Split(text, ",")
		}
		for _, w := range words {
			w = strings.TrimSpace(w)
			n, err := strconv.Atoi(w)
			if err == nil && n >= 1 && n <= len(p.Choices) {
				continue
			}
			if !slices.ContainsFunc(p.Choices, func(c acphost.Choice) bool { return strings.EqualFold(c.Name, w) || strings.EqualFold(c.ID, w) }) {
				return fmt.Sprintf("%q is none of the answers: a question stands", oneLine(w))
			}
		}
	}
	switch p.Type {
	case "integer":
		if _, err := strconv.ParseInt(text, 10, 64); err != nil {
			return "a whole number is asked for"
		}
	case "number":
		if _, err := strconv.ParseFloat(text, 64); err != nil {
			return "a number is asked for"
		}
	}
	return ""
}

// askHint says how a page is answered.
func (c *Chat) askHint(p *acphost.Page) string {
	n := min(len(p.Choices), 9)
	var parts []string
	switch {
	case n == 0 && p.Type == "integer":
		parts = append(parts, "type a whole number")
	case n == 0 && p.Type == "number":
		parts = append(parts, "type a number")
	case n == 0:
		parts = append(parts, "type the answer")
	case p.Multi:
		parts = append(parts, fmt.Sprintf("1-%d choose", n), "Enter sends")
	case n == 1:
		parts = append(parts, "1 answers")
	default:
		parts = append(parts, fmt.Sprintf("1-%d answer", n))
	}
	if n > 0 && p.Free {
		parts = append(parts, "or type one of your own")
	}
	if p.Optional {
		if n == 0 || p.Multi {
			parts = append(parts, "Enter leaves it out")
		}
	}
	return strings.Join(append(parts, "Esc stops the turn"), "  ")
}

// askLines are the question with its choices, in at most h lines; at is where
// the choices begin, off the first that is shown.
func (c *Chat) askLines(w, h int) (lines []Line, at, n, off int) {
	q, p := c.Log.Question, c.page()
	if p == nil || h < 1 {
		return nil, 0, 0, 0
	}
	mark := margins{[]Span{{c.signs.Question + " ", Warn | Bold}}, []Span{{"  ", Plain}}}
	text := strings.TrimSpace(clean(p.Text))
	head := []Span{{text, Bold}}
	if pages := len(q.Question.Pages); pages > 1 {
		head = append(head, Span{fmt.Sprintf(" (%d of %d)", q.Page+1, pages), Dim})
	}
	lines = wrap(head, w, mark)
	if room := max(h-min(len(p.Choices), 3)-1, 1); len(lines) > room {
		lines = lines[:room]
	}
	at = len(lines)
	n = min(len(p.Choices), max(h-len(lines)-1, 0))
	off = 0
	if c.ask.at >= n {
		off = c.ask.at - n + 1
	}
	for i := off; i < off+n; i++ {
		lines = append(lines, c.choiceLine(p, i, w))
	}
	if len(lines) < h {
		hint := Line{Spans: []Span{{"  " + c.askHint(p), Dim}}}
		lines = append(lines, hint.cut(w, c.signs.Ellipsis))
	}
	return lines, at, n, off
}

func (c *Chat) choiceLine(p *acphost.Page, i, w int) Line {
	ch := p.Choices[i]
	style := Plain
	if strings.HasPrefix(ch.Kind, "reject") {
		style = Dim
	}
	key := "   "
	if i < 9 {
		key = " " + strconv.Itoa(i+1) + " "
	}
	l := Line{Spans: []Span{{"  ", Plain}, {key, Accent | Bold}}}
	if p.Multi {
		box := c.signs.Open
		if c.ask.chosen[i] {
			box = c.signs.Checked
		}
		l.Spans = append(l.Spans, Span{box + " ", Plain})
	}
	if i == c.ask.at {
		style |= Reverse
	}
	l.Spans = append(l.Spans, Span{oneLine(ch.Name), style})
	if ch.Description != "" {
		l.Spans = append(l.Spans, Span{"  " + oneLine(ch.Description), Dim})
	}
	return l.cut(w, c.signs.Ellipsis)
}
