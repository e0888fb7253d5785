package chat

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/termio-sh/termio/internal/acp"
	"github.com/termio-sh/termio/internal/acphost"
)

// Bounds of what is kept, in bytes of text. The journal has all.
const (
	maxLog     = 64 << 20
	maxSegment = 8 << 10 // of a block of text: a longer one is several
	// maxTerminal is of what a terminal showed that is told piece by piece.
	maxTerminal = 256 << 10
)

// Log is a conversation, made of its events.
type Log struct {
	Blocks []*Block

	Working  bool
	Since    time.Time // when the turn began
	Question *Event    // the one that stands
	Queue    []acphost.Waiting
	Commands []acp.AvailableCommand
	Started  bool  // the agent has said what it offers, once
	Used     int64 // tokens in the context, of Size
	Size     int64
	Cost     *acp.Cost
	Plan     []acp.PlanEntry // of the turn that runs, or of the last one
	Title    string

	facts acphost.Facts // what it is set to
	sets  int           // how often that changed
	size  int
	gone  int // blocks that were dropped from the front
	terms map[string]*Terminal
	tools map[string]*Block // of this turn and those before, by id
	// prompts are what was asked, the newest last.
	prompts []string
}

// Prompts are what people asked, the newest last.
func (l *Log) Prompts() []string { return l.prompts }

// Apply takes the next event.
func (l *Log) Apply(ev Event) {
	switch ev.Type {
	case acphost.EventPrompt:
		l.prompt(ev)
	case acphost.EventQueued:
		l.Queue = append(l.Queue, acphost.Waiting{ID: ev.ID, Text: ev.Text})
	case acphost.EventWithdrawn:
		l.unqueue(ev.ID)
		l.asked(ev.Text)
		l.note("withdrawn: "+ev.Text, Dim)
	case acphost.EventUser:
		l.asked(ev.Text)
		l.text(User, ev.Text)
	case acphost.EventStream:
		kind := Message
		if ev.Kind == "thought" {
			kind = Thought
		}
		l.text(kind, ev.Text)
	case acphost.EventContent:
		l.add(&Block{Kind: Content, Text: clean(contentText(ev.Block))})
	case acphost.EventTool:
		l.tool(ev)
	case EventTerminal:
		l.terminal(ev.Terminal)
	case acphost.EventPlan:
		l.plan(ev)
	case acphost.EventDecided:
		l.note(fmt.Sprintf("permission for %s: %s", oneLine(ev.Title), ev.Answer), Dim)
	case acphost.EventQuestion:
		l.ask(&ev)
	case acphost.EventAnswered:
		l.answered(ev)
	case acphost.EventCompleted, acphost.EventFailed:
		l.over(ev)
	case EventAtRest:
		l.cutOff(ev)
	case acphost.EventExited:
		l.note(ev.Message, Bad)
	case acphost.EventNotice:
		l.note(ev.Message, Warn)
	case acphost.EventNoise:
		l.note(fmt.Sprintf("%d lines of the agent's were no messages", ev.Count), Dim)
	default:
		l.about(ev)
	}
}

// about takes what the agent tells of the session.
func (l *Log) about(ev Event) {
	switch ev.Type {
	case acphost.EventUsage:
		if ev.Used != nil {
			l.Used = *ev.Used
		}
		if ev.Size != nil {
			l.Size = *ev.Size
		}
		var c acp.Cost
		if len(ev.Cost) > 0 && acp.Decode(ev.Cost, &c) == nil && c.Currency != "" {
			l.Cost = &c
		}
	case acphost.EventCommands:
		l.Commands = nil
		_ = acp.Decode(ev.Commands, &l.Commands) // what cannot be read are no commands
	case acphost.EventReady:
		l.Started = true
		l.configure(ev)
	case acphost.EventConfig, acphost.EventMode:
		l.configure(ev)
	case acphost.EventInfo:
		if t := strings.TrimSpace(ev.Title); t != "" {
			l.Title = t
		}
	}
}

func (l *Log) configure(ev Event) {
	l.facts.Apply(ev.Event)
	l.sets++
}

// prompt begins a turn. A prompt that waited leaves the queue; where it is not
// in it, the queue is that of a host that has gone.
func (l *Log) prompt(ev Event) {
	if !l.unqueue(ev.ID) {
		l.Queue = nil
	}
	l.Working, l.Since, l.Question = true, ev.At, nil
	l.asked(ev.Text)
	l.add(&Block{Kind: User, Text: clean(ev.Text)})
}

func (l *Log) unqueue(id int) bool {
	n := len(l.Queue)
	l.Queue = slices.DeleteFunc(l.Queue, func(w acphost.Waiting) bool { return w.ID == id })
	return len(l.Queue) < n
}

func (l *Log) asked(text string) {
	if n := len(l.prompts); n == 0 || l.prompts[n-1] != text {
		l.prompts = append(l.prompts, text)
	}
}

func (l *Log) last() *Block {
	if n := len(l.Blocks); n > 0 {
		return l.Blocks[n-1]
	}
	return nil
}

// add appends a block, and drops the oldest ones where there is too much.
func (l *Log) add(b *Block) {
	b.after = noKind
	if prev := l.last(); prev != nil {
		b.after = prev.Kind
		if prev.Kind == Thought && b.Kind != Thought {
			l.thought()
		}
	}
	l.Blocks = append(l.Blocks, b)
	l.size += b.size()
	if l.size <= maxLog || len(l.Blocks) < 8 {
		return
	}
	n := len(l.Blocks) / 4
	for _, old := range l.Blocks[:n] {
		l.size -= old.size()
		if l.tools[old.ID] == old {
			delete(l.tools, old.ID)
		}
	}
	l.Blocks = slices.Delete(l.Blocks, 0, n)
	l.gone += n
}

// thought ends the thought that is the last block.
func (l *Log) thought() {
	for _, b := range slices.Backward(l.Blocks) {
		if b.Kind != Thought {
			return
		}
		b.over = true
		if b.version++; !b.Cont {
			return
		}
	}
}

// text goes on with the last block of the kind, or begins one. A long one is cut
// into several, so that what is new is laid out and not all of it.
func (l *Log) text(kind Kind, text string) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	b := l.last()
	if b == nil || b.Kind != kind || kind == User && !b.replayed {
		if kind != User {
			text = strings.TrimLeft(text, "\n")
		}
		if strings.TrimSpace(text) == "" && kind != User {
			return
		}
		b = &Block{Kind: kind, replayed: true}
		l.add(b)
	}
	b.Text += text
	b.version++
	l.size += len(text)
	for len(b.Text) > maxSegment && kind != User {
		at, fence := splitAt(b.fence + b.Text)
		at -= len(b.fence)
		if at <= 0 {
			return
		}
		rest := &Block{Kind: kind, Cont: true, Text: b.Text[at:], fence: fence, replayed: true, open: b.open}
		rest.gap = strings.HasSuffix(b.Text[:at], "\n\n")
		if l.size -= len(rest.Text); fence != "" {
			rest.gap = false
		}
		b.Text = b.Text[:at]
		b.version++
		l.add(rest)
		b = rest
	}
}

// splitAt is where a text that is too long may be cut, after at least half of
// a segment: behind a blank line, else a line, else a blank. fence is the code
// fence that is open there.
func splitAt(text string) (at int, fence string) {
	open := ""
	blank, line, lineFence := 0, 0, ""
	pos := 0
	for pos < len(text) {
		end := strings.IndexByte(text[pos:], '\n')
		if end < 0 {
			break
		}
		l := text[pos : pos+end]
		pos += end + 1
		if f := fenceOf(l); f != "" {
			switch {
			case open == "":
				open = l + "\n"
			case strings.HasPrefix(strings.TrimLeft(open, " "), f):
				open = ""
			}
		}
		if pos < maxSegment/2 || pos > maxSegment {
			continue
		}
		line, lineFence = pos, open
		if open == "" && strings.TrimSpace(l) == "" && pos < len(text) && topLevel(text[pos:]) {
			blank = pos
		}
	}
	switch {
	case blank > 0:
		return blank, ""
	case line > 0:
		return line, lineFence
	}
	if i := strings.LastIndexByte(text[:maxSegment], ' '); i > maxSegment/2 {
		return i + 1, open
	}
	at = maxSegment
	for at > 0 && text[at]&0xc0 == 0x80 {
		at--
	}
	return at, open
}

// fenceOf is the fence that a line opens or closes.
func fenceOf(line string) string {
	line = strings.TrimLeft(line, " ")
	for _, c := range []string{"```", "~~~"} {
		if strings.HasPrefix(line, c) {
			return c
		}
	}
	return ""
}

// topLevel tells whether a text begins with what cannot belong to a list above.
func topLevel(text string) bool {
	c := text[0]
	return c != ' ' && c != '\t' && c != '-' && c != '*' && c != '+' && (c < '0' || c > '9')
}

func (l *Log) note(text string, s Style) {
	l.add(&Block{Kind: Note, Text: oneLine(text), style: s})
}

// tool takes a tool call, or a change of one.
func (l *Log) tool(ev Event) {
	b := l.tools[ev.ToolCallID]
	if b == nil || ev.Full && b.over {
		b = &Block{Kind: Tool, ID: ev.ToolCallID, Status: "pending"}
		if l.tools == nil {
			l.tools = map[string]*Block{}
		}
		l.tools[ev.ToolCallID] = b
		l.add(b)
	}
	before := b.size()
	if ev.Title != "" {
		b.Title = oneLine(ev.Title)
	}
	if ev.Kind != "" {
		b.ToolKind = oneLine(ev.Kind)
	}
	if ev.Status != "" {
		b.Status = ev.Status
	}
	if len(ev.Blocks) > 0 {
		b.content = nil
		_ = acp.Decode(ev.Blocks, &b.content) // what cannot be read is not shown
		for i := range b.content {
			b.content[i].edits = nil
		}
	}
	if len(ev.Locations) > 0 {
		b.locations = nil
		_ = acp.Decode(ev.Locations, &b.locations)
	}
	if len(ev.Input) > 0 && string(ev.Input) != "null" {
		b.input = ev.Input
	}
	if len(ev.Output) > 0 && string(ev.Output) != "null" {
		b.output = ev.Output
	}
	b.terms = nil
	for _, c := range b.content {
		if t := l.terms[string(c.TerminalID)]; t != nil {
			b.terms = append(b.terms, t)
		}
	}
	b.version++
	l.size += b.size() - before
}

// terminal takes what a terminal showed.
func (l *Log) terminal(t *Terminal) {
	if t == nil || t.ID == "" {
		return
	}
	if l.terms == nil {
		l.terms = map[string]*Terminal{}
	}
	have := l.terms[t.ID]
	if have == nil {
		have = &Terminal{ID: t.ID}
		l.terms[t.ID] = have
	}
	if t.Command != "" {
		have.Command = t.Command
	}
	switch {
	case t.more:
		l.size += len(t.Output)
		have.Output += t.Output
		if n := len(have.Output) - maxTerminal; n > 0 {
			l.size -= n
			have.Output, have.Cut = strings.ToValidUTF8(have.Output[n:], ""), true
		}
	case t.Output != "":
		l.size += len(t.Output) - len(have.Output)
		have.Output, have.Cut = t.Output, t.Cut
	}
	if t.Ended != "" {
		have.Ended = oneLine(t.Ended)
	}
	for _, b := range slices.Backward(l.Blocks) {
		if b.Kind != Tool {
			continue
		}
		for _, c := range b.content {
			if string(c.TerminalID) == t.ID {
				if !slices.Contains(b.terms, have) {
					b.terms = append(b.terms, have)
				}
				b.version++
				return
			}
		}
	}
}

// plan shows the plan where it began in this turn.
func (l *Log) plan(ev Event) {
	var entries []acp.PlanEntry
	if acp.Decode(ev.Entries, &entries) != nil {
		return
	}
	l.Plan = entries
	for _, b := range slices.Backward(l.Blocks) {
		if b.Kind == User {
			break
		}
		if b.Kind == Plan {
			b.plan = entries
			b.version++
			return
		}
	}
	if len(entries) > 0 {
		l.add(&Block{Kind: Plan, plan: entries})
	}
}

// ask takes a question that stands now; the tool call that it is about is open
// meanwhile.
func (l *Log) ask(ev *Event) {
	if ev.Question == nil {
		return
	}
	l.Question = ev
	l.show(ev.Question.Tool, true)
}

func (l *Log) show(tool string, open bool) {
	if b := l.tools[tool]; b != nil && tool != "" {
		b.shown = open
		b.version++
	}
}

// asking is what was asked, in a line.
func asking(ev *Event) string {
	q := ev.Question
	if q == nil || ev.Page >= len(q.Pages) {
		return ""
	}
	text := q.Pages[ev.Page].Text
	if q.Kind == "permission" { // paths stand below
		text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	}
	return oneLine(text)
}

func (l *Log) answered(ev Event) {
	q := l.Question
	if q == nil || q.ID != ev.ID {
		return // its first pages were answered before, or it never stood
	}
	l.Question = nil
	l.show(q.Question.Tool, false)
	if ev.Dropped {
		l.note(asking(q)+": not answered", Dim)
		return
	}
	what := asking(q)
	if ev.Answer != "" {
		what += ": " + ev.Answer
	}
	l.note(what, Dim)
}

// over ends the turn: a tool that is still open did not finish.
func (l *Log) over(ev Event) {
	l.rest()
	took := ""
	if d := ev.At.Sub(l.Since); !l.Since.IsZero() && !ev.At.IsZero() && d >= time.Second {
		took = " after " + span(d)
	}
	switch {
	case ev.Type == acphost.EventFailed:
		l.note("the turn failed"+took+": "+ev.Message, Bad)
	case ev.StopReason == string(acp.StopReasonCancelled):
		l.note("the turn was cancelled"+took, Dim)
	case ev.StopReason != string(acp.StopReasonEndTurn):
		l.note("the turn ended"+took+": "+strings.ReplaceAll(ev.StopReason, "_", " "), Dim)
	}
}

// cutOff ends a turn that has no end in the journal.
func (l *Log) cutOff(ev Event) {
	if l.Working && l.Since.Before(ev.At) {
		l.rest()
		l.Queue = nil
		l.note("the turn was cut off", Dim)
	}
}

// rest is the state after a turn.
func (l *Log) rest() {
	l.Working = false
	if q := l.Question; q != nil {
		l.Question = nil
		l.show(q.Question.Tool, false)
	}
	for _, b := range slices.Backward(l.Blocks) {
		if b.Kind == User {
			break
		}
		if b.Kind == Tool && (b.Status == "pending" || b.Status == "in_progress") {
			b.Status = "not finished"
		}
		b.over = true
		b.version++
	}
}

// span is a time for people.
func span(d time.Duration) string {
	s := int(d / time.Second)
	switch {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm %02ds", s/60, s%60)
	}
	return fmt.Sprintf("%dh %02dm", s/3600, s/60%60)
}
