package chat

import (
	"encoding/json/jsontext"
	"fmt"
	"strconv"
	"strings"

	"github.com/termio-sh/termio/internal/acp"
)

// tool is a line with how it stands, and when it is open what it did.
func (b *Block) tool(lines []Line, width int, d *draw) []Line {
	fold := "  "
	switch {
	case b.folds() && b.isOpen():
		fold = d.signs.Fold + " "
	case b.folds():
		fold = d.signs.Unfold + " "
	}
	sign, style := d.signs.Wait, Dim
	switch b.Status {
	case "in_progress":
		sign, style = d.signs.Doing, Accent
	case "completed":
		sign, style = d.signs.Done, Good
	case "failed":
		sign, style = d.signs.Failed, Bad
	case "not finished":
		sign, style = d.signs.Failed, Dim
	}
	title := strings.ReplaceAll(b.Title, "`", "")
	if title == "" {
		title = strings.ReplaceAll(b.ToolKind, "_", " ")
	}
	if title == "" {
		title = "tool"
	}
	spans := []Span{{fold, Dim}, {sign + " ", style}, {title, Plain}}
	spans = append(spans, b.summary(d)...)
	if b.isOpen() {
		rest := []Span{{"    ", Plain}}
		head := wrap(spans[2:], width, margins{spans[:2], rest})
		head[0].fold = true
		lines = append(lines, head...)
		return b.details(lines, width, margins{rest, rest}, d)
	}
	l := Line{Spans: spans, fold: b.folds()}
	if w := l.width(); w > width { // what it came to stays in sight
		tail := spansWidth(spans[3:])
		head := Line{Spans: spans[:3]}
		l.Spans = append(head.cut(max(width-tail, 12), d.signs.Ellipsis).Spans, spans[3:]...)
		l = l.cut(width, "")
		l.fold = b.folds()
	}
	return append(lines, l)
}

// summary is what a tool call came to, in a few characters.
func (b *Block) summary(d *draw) []Span {
	var out []Span
	added, gone, diffs := 0, 0, false
	for i := range b.content {
		if c := &b.content[i]; c.Type == "diff" {
			diffs = true
			a, g := changed(c.diff())
			added, gone = added+a, gone+g
		}
	}
	if diffs {
		out = append(out, Span{" +" + strconv.Itoa(added), Good}, Span{" " + d.signs.Minus + strconv.Itoa(gone), Bad})
	}
	for _, t := range b.terms {
		if t.Ended != "" && t.Ended != "exit 0" {
			out = append(out, Span{" " + t.Ended, Bad})
		}
	}
	if b.Status == "not finished" {
		out = append(out, Span{" not finished", Dim})
	}
	return out
}

func (c *toolContent) diff() []edit {
	if c.edits == nil {
		c.edits = diffLines(clean(c.OldText), clean(c.NewText))
	}
	return c.edits
}

// details is what an open tool call shows.
func (b *Block) details(lines []Line, width int, in margins, d *draw) []Line {
	for _, loc := range b.locations {
		if strings.Contains(b.Title, loc.Path) || b.hasDiff(loc.Path) {
			continue
		}
		text := loc.Path
		if loc.Line != nil {
			text += fmt.Sprintf(":%d", *loc.Line)
		}
		lines = append(lines, hardWrap([]Span{{oneLine(text), Dim}}, width, in)...)
	}
	command := oneLine(commandOf(b.input))
	if command != "" && !strings.Contains(b.Title, command) && (b.Title == "" || !strings.Contains(command, b.Title)) && len(b.terms) == 0 {
		lines = append(lines, hardWrap([]Span{{"$ ", Dim}, {command, Code}}, width, in)...)
	}
	said := false
	for i := range b.content {
		c := &b.content[i]
		switch {
		case c.Type == "diff":
			lines, said = c.diffLines(lines, width, in, d), true
		case c.Type == "terminal":
			for _, t := range b.terms {
				if t.ID == string(c.TerminalID) {
					lines, said = t.lines(lines, width, in, d), true
				}
			}
		case c.Content != nil:
			if text := strings.TrimSpace(blockText(c.Content)); text != "" {
				lines, said = appendMarkdown(lines, text, width, in, d), true
			}
		}
	}
	if !said && command == "" && len(b.input) > 2 {
		lines = appendRaw(lines, "input", b.input, width, in, d)
	}
	if !said && len(b.output) > 2 {
		lines = appendRaw(lines, "output", b.output, width, in, d)
	}
	return lines
}

func (b *Block) hasDiff(path string) bool {
	for _, c := range b.content {
		if c.Type == "diff" && c.Path == path {
			return true
		}
	}
	return false
}

// commandOf is the command line in a tool's input, where there is one.
func commandOf(input jsontext.Value) string {
	raw := member(input, "command")
	if len(raw) > 0 && raw[0] == '[' {
		var words []string
		if acp.Decode(raw, &words) == nil {
			return strings.Join(words, " ")
		}
	}
	return acp.Text(raw)
}

// appendMarkdown appends a text behind a margin; of a long one the begin.
func appendMarkdown(lines []Line, text string, width int, in margins, d *draw) []Line {
	if len(text) > maxSegment*4 {
		text = strings.ToValidUTF8(text[:maxSegment*4], "")
	}
	made := markdown(text, max(width-in.width(), 1), d)
	for i, l := range made {
		if i == maxOutput {
			return append(lines, left(len(made)-i, "line", in))
		}
		l.Spans = append(append([]Span(nil), in.rest...), l.Spans...)
		l.pad += in.width()
		lines = append(lines, l)
	}
	return lines
}

// left says that there is more.
func left(n int, what string, in margins) Line {
	if n != 1 {
		what += "s"
	}
	return Line{Spans: append(append([]Span(nil), in.rest...), Span{fmt.Sprintf("(%d %s more)", n, what), Dim})}
}

// appendRaw appends a value as it is: text, or JSON.
func appendRaw(lines []Line, what string, v jsontext.Value, width int, in margins, d *draw) []Line {
	text := acp.Text(v)
	if text == "" {
		pretty := append(jsontext.Value(nil), v...)
		if pretty.Indent(jsontext.WithIndent("  ")) != nil {
			pretty = v
		}
		text = string(pretty)
	}
	lines = append(lines, Line{Spans: append(append([]Span(nil), in.rest...), Span{what, Dim})})
	all := splitLines(plainOutput(text))
	for i, l := range all {
		if i == maxInput {
			return append(lines, left(len(all)-i, "line", in))
		}
		lines = append(lines, hardWrap([]Span{{l, Code}}, width, in)...)
	}
	return lines
}

// diffLines is a diff in its colours, with the lines' numbers where there is
// room.
func (c *toolContent) diffLines(lines []Line, width int, in margins, d *draw) []Line {
	head := append(append([]Span(nil), in.rest...), Span{oneLine(c.Path), Bold})
	if c.OldText == "" {
		head = append(head, Span{" new", Good})
	}
	l := Line{Spans: head}
	lines = append(lines, l.cut(width, d.signs.Ellipsis))
	all := hunks(c.diff())
	for i, e := range all {
		if i == maxOutput {
			return append(lines, left(len(all)-i, "line", in))
		}
		if e.op == 0 {
			lines = append(lines, Line{Spans: append(append([]Span(nil), in.rest...), Span{d.signs.Ellipsis, Dim})})
			continue
		}
		style := Dim
		switch e.op {
		case '+':
			style = Good
		case '-':
			style = Bad
		}
		number := ""
		if width >= 50 {
			n := e.b
			if n == 0 {
				n = e.a
			}
			number = fmt.Sprintf("%4d ", n)
		}
		sign := string(rune(e.op))
		margin := in.indent(Span{number, Dim}, Span{strings.Repeat(" ", len(number)), Dim})
		margin = margin.indent(Span{sign + " ", style}, Span{"  ", style})
		lines = append(lines, hardWrap([]Span{{e.text, style}}, width, margin)...)
	}
	return lines
}

// lines is a terminal's command and the end of what it showed.
func (t *Terminal) lines(lines []Line, width int, in margins, d *draw) []Line {
	if t.Command != "" {
		lines = append(lines, hardWrap([]Span{{"$ ", Dim}, {oneLine(t.Command), Code}}, width, in)...)
	}
	all := splitLines(plainOutput(t.Output))
	if n := len(all) - maxOutput; n > 0 || t.Cut {
		all = all[max(n, 0):]
		lines = append(lines, Line{Spans: append(append([]Span(nil), in.rest...), Span{"(its begin is left out)", Dim})})
	}
	for _, l := range all {
		lines = append(lines, hardWrap([]Span{{l, Plain}}, width, in)...)
	}
	if t.Ended != "" {
		style := Dim
		if t.Ended != "exit 0" {
			style = Bad
		}
		lines = append(lines, Line{Spans: append(append([]Span(nil), in.rest...), Span{t.Ended, style})})
	}
	return lines
}

// plainOutput is what a program wrote, as text: without control sequences, and
// of a line that was written over and over its last form.
func plainOutput(s string) string {
	if strings.IndexByte(s, 0x1b) >= 0 {
		s = withoutSequences(s)
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if strings.IndexByte(s, '\r') >= 0 {
		lines := strings.Split(s, "\n")
		for i, l := range lines {
			l = strings.TrimRight(l, "\r")
			lines[i] = l[strings.LastIndexByte(l, '\r')+1:]
		}
		s = strings.Join(lines, "\n")
	}
	return clean(s)
}

// withoutSequences takes out control sequences and strings (ECMA-48).
func withoutSequences(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != 0x1b {
			b.WriteByte(s[i])
			continue
		}
		if i++; i >= len(s) {
			break
		}
		switch s[i] {
		case '[':
			for i++; i < len(s) && (s[i] < 0x40 || s[i] > 0x7e); i++ {
			}
		case ']', 'P', '_', '^', 'X':
			for i++; i < len(s) && s[i] != 0x07; i++ {
				if s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\' {
					i++
					break
				}
			}
		default:
			for i < len(s) && s[i] >= 0x20 && s[i] < 0x30 {
				i++
			}
		}
	}
	return b.String()
}
