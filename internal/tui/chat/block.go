package chat

import (
	"encoding/json/jsontext"
	"fmt"
	"strings"

	"github.com/termio-sh/termio/internal/acp"
)

// Kind is what a block is.
type Kind uint8

// The kinds.
const (
	noKind Kind = iota
	User
	Message
	Thought
	Tool
	Plan
	Note
	Content
)

// Bounds of what an open block shows, in lines.
const (
	maxOutput = 300
	maxInput  = 40
)

// fold is whether a block is open.
type fold uint8

const (
	byDefault fold = iota
	unfolded
	folded
)

// Block is a part of a conversation: a prompt, a message, a tool call.
type Block struct {
	Kind Kind
	ID   string // of a tool call
	Text string // as it came
	Cont bool   // it goes on with the block before
	// Of tools.
	Title, ToolKind, Status string

	content   []toolContent
	locations []acp.ToolCallLocation
	input     jsontext.Value
	output    jsontext.Value
	terms     []*Terminal
	plan      []acp.PlanEntry
	style     Style  // of a note
	fence     string // the code fence that is open at its begin
	gap       bool   // of a block that goes on: a blank line is between
	replayed  bool
	over      bool // its turn has ended
	shown     bool // open for as long as a question about it stands
	open      fold
	after     Kind // of the block before

	version int
	cache   cache
}

// cache is how a block was laid out.
type cache struct {
	version, width int
	head           fold // of the thought that it belongs to
	made           bool
	lines          []Line
}

// toolContent is a part of what a tool gave, with what was made of it.
type toolContent struct {
	acp.ToolCallContent
	edits []edit
}

func (b *Block) size() int {
	n := len(b.Text) + len(b.Title) + len(b.input) + len(b.output) + 200
	for _, c := range b.content {
		n += len(c.OldText) + len(c.NewText)
		if c.Content != nil {
			n += len(c.Content.Text) + len(c.Content.Data)
		}
	}
	return n
}

// folds tells whether a block has more than it shows at first.
func (b *Block) folds() bool {
	switch b.Kind {
	case Thought:
		return true
	case Tool:
		return len(b.content) > 0 || len(b.input) > 2 || len(b.output) > 2 || len(b.terms) > 0 || len(b.locations) > 0
	}
	return false
}

func (b *Block) isOpen() bool { return b.open == unfolded || b.open == byDefault && b.shown }

// lay lays a block out; head is the block that it goes on with, itself if none.
func (b *Block) lay(width int, head *Block, d *draw) []Line {
	if c := &b.cache; c.made && c.version == b.version && c.width == width && c.head == head.open {
		return c.lines
	}
	var lines []Line
	if b.spaced() {
		lines = append(lines, Line{})
	}
	n := len(lines)
	switch b.Kind {
	case User:
		mark := margins{[]Span{{d.signs.User + " ", Accent | Bold}}, []Span{{"  ", Plain}}}
		lines = append(lines, wrapText(strings.TrimRight(b.Text, " \n"), Bold, width, mark)...)
	case Message:
		lines = append(lines, markdown(b.fence+b.Text, width, d)...)
	case Thought:
		lines = b.thought(lines, width, head, d)
	case Tool:
		lines = b.tool(lines, width, d)
	case Plan:
		lines = b.planLines(lines, width, d)
	case Note:
		mark := margins{[]Span{{d.signs.Dash + " ", b.style}}, []Span{{"  ", Plain}}}
		lines = append(lines, wrapText(b.Text, b.style, width, mark)...)
	case Content:
		lines = append(lines, wrapText(b.Text, Dim, width, margins{})...)
	}
	if len(lines) == n {
		lines = nil // nothing to be seen: no blank line either
	}
	for i := range lines { // what stands before a text may be wider than a narrow pane
		lines[i] = lines[i].cut(width, "")
	}
	b.cache = cache{b.version, width, head.open, true, lines}
	return lines
}

// spaced tells whether a blank line stands before a block.
func (b *Block) spaced() bool {
	switch {
	case b.Cont:
		return b.gap
	case b.after == noKind:
		return false
	case b.Kind == Tool && (b.after == Tool || b.after == Thought), b.Kind == Thought && b.after == Tool:
		return false
	case b.Kind == Note && (b.after == Note || b.after == Tool):
		return false
	}
	return true
}

// thought is one line until it is opened.
func (b *Block) thought(lines []Line, width int, head *Block, d *draw) []Line {
	if !head.isOpen() {
		if b.Cont {
			return lines
		}
		what, sign := "thought", d.signs.Unfold
		if !b.over {
			what = "thinking"
		}
		l := Line{Spans: []Span{{sign + " ", Dim}, {what + ": ", Dim}, {oneLine(emphasis.Replace(strings.TrimLeft(b.Text, "#> "))), Dim | Italic}}, fold: true}
		return append(lines, l.cut(width, d.signs.Ellipsis))
	}
	if !b.Cont {
		lines = append(lines, Line{Spans: []Span{{d.signs.Fold + " thought", Dim}}, fold: true})
	}
	for _, l := range markdown(b.fence+b.Text, max(width-2, 1), d) {
		spans := []Span{{"  ", Plain}}
		for _, s := range l.Spans {
			if s.Style.Role() == Plain {
				s.Style |= Dim
			}
			spans = append(spans, Span{s.Text, s.Style | Italic})
		}
		l.Spans, l.pad = spans, l.pad+2
		lines = append(lines, l)
	}
	return lines
}

func (b *Block) planLines(lines []Line, width int, d *draw) []Line {
	done := 0
	for _, e := range b.plan {
		if e.Status == acp.PlanEntryStatusCompleted {
			done++
		}
	}
	lines = append(lines, Line{Spans: []Span{{"Plan ", Bold}, {fmt.Sprintf("%d/%d", done, len(b.plan)), Dim}}})
	for _, e := range b.plan {
		sign, style, text := d.signs.Open, Dim, Plain
		switch e.Status {
		case acp.PlanEntryStatusCompleted:
			sign, style, text = d.signs.Checked, Good, Dim
		case acp.PlanEntryStatusInProgress:
			sign, style, text = d.signs.Pointer, Accent, Bold
		}
		mark := margins{[]Span{{"  " + sign + " ", style}}, []Span{{"  " + strings.Repeat(" ", len([]rune(sign))+1), Plain}}}
		lines = append(lines, wrapText(oneLine(e.Content), text, width, mark)...)
	}
	return lines
}

// contentText is a block of content that is no text, in words.
func contentText(raw jsontext.Value) string {
	var c acp.ContentBlock
	if acp.Decode(raw, &c) != nil {
		return "[content]"
	}
	return blockText(&c)
}

// blockText is a block of content in words.
func blockText(c *acp.ContentBlock) string {
	switch c.Type {
	case "text":
		return c.Text
	case "image", "audio":
		return fmt.Sprintf("[%s %s, %s]", c.Type, c.MimeType, bytesText(len(c.Data)*3/4))
	case "resource_link":
		name := c.Name
		if name == "" {
			name = c.URI
		}
		return "[" + oneLine(name) + "] " + c.URI
	case "resource":
		if r := c.Resource; r != nil {
			if r.Text != "" {
				return r.Text
			}
			return "[" + r.URI + "]"
		}
	}
	return "[" + c.Type + "]"
}

func bytesText(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1000_000:
		return fmt.Sprintf("%d kB", (n+500)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
