package chat

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/termio-sh/termio/internal/acp"
	"github.com/termio-sh/termio/internal/acphost"
	"github.com/termio-sh/termio/vt"
)

// Frame is what is seen of a conversation.
type Frame struct {
	Lines []Line // as many as there are rows
	X, Y  int    // of the cursor
	// Cursor tells whether there is one to be seen.
	Cursor bool
}

// mostQueued is how many of the prompts that wait are shown.
const mostQueued = 3

// Frame draws it for so many columns and rows. spin is the turn of the sign of
// work.
func (c *Chat) Frame(w, h, spin int, now time.Time) Frame {
	w, h = max(w, 4), max(h, 1)
	c.shape = shape{editW: w - 2}
	room := h

	typed, cx, cy := c.typedLines(w, max(min(8, h/3), 1))
	room -= len(typed)
	var status, rule, queue, list, ask []Line
	if room > 1 {
		status = []Line{c.statusLine(w, spin, now)}
		room--
	}
	if h >= 12 {
		rule = []Line{plainLine(strings.Repeat(c.signs.Horiz, w), Dim)}
		room--
	}
	if room > 3 {
		queue = c.queueLines(w)
		room -= len(queue)
	}
	var askAt int
	if c.Log.Question != nil {
		ask, askAt, c.shape.askN, c.shape.askOff = c.askLines(w, max(min(room-1, h/2), 0))
		room -= len(ask)
	}
	if most := min(9, room-1); most > 1 {
		list = c.openList(w, most)
		room -= len(list)
	}
	c.view.resize(w, max(room, 0))
	f := Frame{Lines: c.view.frame()}
	c.shape.view = len(f.Lines)
	c.shape.menu += len(f.Lines)
	f.Lines = append(f.Lines, list...)
	c.shape.ask = len(f.Lines) + askAt
	f.Lines = append(f.Lines, ask...)
	f.Lines = append(append(append(f.Lines, queue...), status...), rule...)
	f.X, f.Y, f.Cursor = cx, len(f.Lines)+cy, true
	f.Lines = append(f.Lines, typed...)
	if n := len(f.Lines) - h; n > 0 {
		f.Lines = f.Lines[n:]
		f.Y -= n
	}
	for i := c.shape.view; i < len(f.Lines); i++ {
		f.Lines[i] = f.Lines[i].cut(w, "")
	}
	switch {
	case c.menu != nil:
		f.Cursor = false
	case c.view.reading && c.searching == nil:
		f.Cursor = false
		for y, p := range c.view.rows() {
			if p.block == c.view.cur.block && p.line == c.view.cur.line {
				f.X, f.Y, f.Cursor = min(c.view.cur.col, w-1), y, true
			}
		}
	}
	return f
}

// openList are the lines of the menu, or of the completions.
func (c *Chat) openList(w, h int) []Line {
	var lines []Line
	switch m := c.menu; {
	case m != nil:
		title := m.title
		if m.query != "" {
			title += ": " + m.query
		}
		lines, c.shape.menuOff = c.listLines(title, m.items, m.at, w, h)
	case c.completion.mark != 0:
		title := "files"
		if c.completion.mark == '/' {
			title = "commands"
		}
		lines, c.shape.menuOff = c.listLines(title, c.completion.items, c.completion.at, w, h)
	}
	c.shape.menu = 1 // behind its title
	c.shape.menuN = max(len(lines)-1, 0)
	return lines
}

// typedLines are the prompt, or what is looked for, and where its cursor is.
func (c *Chat) typedLines(w, most int) (lines []Line, x, y int) {
	e, mark, style := &c.editor, c.signs.Prompt, Accent|Bold
	switch {
	case c.searching != nil:
		e, mark = c.searching, "/"
	case c.lost != "" && e.Text() == "":
		return []Line{plainLine("  "+vt.Truncate(oneLine(c.lost), w-2, c.signs.Ellipsis), Dim)}, 2, 0
	case c.view.reading:
		style = Dim
	}
	rows := e.rows(w - 2)
	y, x = e.place(rows)
	first := max(min(y-most+1, len(rows)-most), 0)
	if y-first >= most {
		first = y - most + 1
	}
	for i := first; i < min(first+most, len(rows)); i++ {
		lead := "  "
		if i == first {
			lead = mark + " "
		}
		lines = append(lines, Line{Spans: []Span{{lead, style}, {e.text[rows[i].from:rows[i].to], Plain}}})
	}
	if e.Text() == "" && c.searching == nil {
		hint := Line{Spans: append(lines[0].Spans[:1:1], Span{c.placeholder(), Dim})}
		lines[0] = hint.cut(w, c.signs.Ellipsis)
	}
	return lines, min(x+2, w-1), y - first
}

// placeholder is what an empty prompt says.
func (c *Chat) placeholder() string {
	switch p := c.page(); {
	case p != nil:
		return "the answer"
	case c.Log.Working:
		return "a prompt waits for the end of the turn"
	case len(c.Log.Commands) > 0:
		return "a prompt, / for commands, @ for files"
	}
	return "a prompt, @ for files"
}

// queueLines are the prompts that wait.
func (c *Chat) queueLines(w int) []Line {
	var out []Line
	q := c.Log.Queue
	for i, one := range q {
		if i == mostQueued && len(q) > mostQueued {
			out = append(out, plainLine(fmt.Sprintf("  and %d more", len(q)-i), Dim))
			break
		}
		l := Line{Spans: []Span{{c.signs.Wait + " waits: ", Dim}, {oneLine(one.Text), Plain}}}
		if i == len(q)-1 && c.editor.Text() == "" {
			tail := "  Up takes it back"
			l = l.cut(max(w-len(tail), 8), c.signs.Ellipsis)
			l.Spans = append(l.Spans, Span{tail, Dim})
		}
		out = append(out, l.cut(w, c.signs.Ellipsis))
	}
	return out
}

// statusLine is what the agent does, and what it is set to.
func (c *Chat) statusLine(w, spin int, now time.Time) Line {
	l := &c.Log
	var left []Span
	switch {
	case c.view.reading:
		left = []Span{{"reading", Accent}, {"  Enter opens  y copies  / searches  q back", Dim}}
	case c.lost != "":
		left = []Span{{"ended", Dim}}
	case l.Question != nil:
		left = []Span{{c.signs.Question + " asks", Warn | Bold}}
	case l.Working:
		left = []Span{{c.signs.Spinner[spin%len(c.signs.Spinner)] + " working", Accent}}
		if d := now.Sub(l.Since); d >= time.Second && !l.Since.IsZero() {
			left = append(left, Span{" " + span(d), Dim})
		}
	default:
		left = []Span{{c.o.Agent, Dim}}
	}
	if step := c.planStep(); step != "" && !c.view.reading {
		left = append(left, Span{" " + c.signs.Dot + " " + step, Dim})
	}
	if c.view.away && !c.view.reading {
		left = []Span{{"further up", Accent}, {"  Esc goes to the end", Dim}}
	}
	tail := c.settings(w - spansWidth(left) - 1)
	head := Line{Spans: left}
	out := head.cut(w-vt.StringWidth(tail), c.signs.Ellipsis)
	gap := max(w-out.width()-vt.StringWidth(tail), 0)
	out.Spans = append(out.Spans, Span{strings.Repeat(" ", gap) + tail, Dim})
	return out
}

// planStep is where the plan stands, while it is not done.
func (c *Chat) planStep() string {
	done, step := 0, ""
	for _, e := range c.Log.Plan {
		switch e.Status {
		case acp.PlanEntryStatusCompleted:
			done++
		case acp.PlanEntryStatusInProgress:
			if step == "" {
				step = " " + oneLine(e.Content)
			}
		}
	}
	if n := len(c.Log.Plan); n > 0 && done < n && c.Log.Working {
		return fmt.Sprintf("%d/%d%s", done, n, step)
	}
	return ""
}

// settings are what the session is set to and what it used: as much of it as
// there is room for, the model before all else.
func (c *Chat) settings(room int) string {
	l := &c.Log
	type part struct {
		text string
		rank int // the last to go has the highest
	}
	var all []part
	for _, o := range c.options() {
		switch o.role {
		case acphost.RoleModel:
			all = append(all, part{o.said(), 6})
		case acphost.RoleMode:
			all = append(all, part{o.said(), 4})
		case acphost.RoleEffort, acphost.RoleCollaboration:
			all = append(all, part{o.said(), 3})
		case acphost.RoleFast:
			if o.current == "true" {
				all = append(all, part{o.name, 2})
			}
		}
	}
	switch {
	case l.Size > 0 && l.Used > 0:
		all = append(all, part{fmt.Sprintf("%s of %s (%d%%)", thousands(l.Used), thousands(l.Size), l.Used*100/l.Size), 5})
	case l.Used > 0:
		all = append(all, part{thousands(l.Used) + " tokens", 5})
	}
	if l.Cost != nil && l.Cost.Amount >= 0.005 {
		all = append(all, part{fmt.Sprintf("%.2f %s", l.Cost.Amount, oneLine(l.Cost.Currency)), 1})
	}
	for {
		texts, least := make([]string, len(all)), 0
		for i, p := range all {
			texts[i] = p.text
			if p.rank < all[least].rank {
				least = i
			}
		}
		text := strings.Join(texts, " "+c.signs.Dot+" ")
		if len(all) == 0 || vt.StringWidth(text) <= room {
			return text
		}
		all = slices.Delete(all, least, least+1)
	}
}

// thousands is a number of tokens for people.
func thousands(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return fmt.Sprintf("%dk", (n+500)/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

// Hints are the keys that are of use now, for a line of help.
func (c *Chat) Hints() string {
	switch {
	case c.menu != nil:
		return "Enter choose  type to find  Esc back"
	case c.searching != nil:
		return "Enter search  Esc back"
	case c.view.reading:
		return "hjkl move  Tab next tool  Enter open  v select  y Y copy  / search  q back"
	case c.completion.mark != 0:
		return "Tab take it  Esc not that"
	case c.page() != nil:
		return c.askHint(c.page())
	case c.Log.Working:
		return "Enter queues  Esc stops  Tab reads  Ctrl-T thoughts  Ctrl-R tools"
	}
	return "Enter sends  Ctrl-J new line  Tab reads  Ctrl-O model, mode  Ctrl-T thoughts"
}
