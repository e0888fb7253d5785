package chat

import (
	"strconv"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/termio-sh/termio/vt"
)

// parse reads CommonMark with tables, struck out text, task lists and bare
// addresses.
var parse = sync.OnceValue(func() parser.Parser {
	p := parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(append(parser.DefaultInlineParsers(),
			util.Prioritized(extension.NewStrikethroughParser(), 500),
			util.Prioritized(extension.NewTaskCheckBoxParser(), 0),
			util.Prioritized(extension.NewLinkifyParser(), 999))...),
		parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(),
			util.Prioritized(extension.NewTableParagraphTransformer(), 200))...),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
	)
	return p
})

// markdown lays out a text for so many columns. A newline of the text ends a
// line: agents mean it so.
func markdown(source string, width int, d *draw) []Line {
	src := []byte(clean(source))
	m := &marker{src: src, width: width, signs: d.signs, paint: d.paint}
	m.blocks(parse().Parse(text.NewReader(src)), margins{}, true)
	return m.lines
}

// marker lays out a tree.
type marker struct {
	src   []byte
	width int
	signs *Signs
	paint *painter
	lines []Line
}

// draw is what blocks are laid out with.
type draw struct {
	signs *Signs
	paint *painter
}

// blocks lays out a node's children. loose has a blank line between them.
func (m *marker) blocks(n ast.Node, in margins, loose bool) {
	first := true
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if !first && loose {
			m.lines = append(m.lines, Line{Spans: in.rest, pad: in.width()})
		}
		if !first {
			in = in.later()
		}
		first = false
		m.block(c, in, loose)
	}
}

func (m *marker) block(n ast.Node, in margins, loose bool) {
	switch n := n.(type) {
	case *ast.Heading:
		style := Accent | Bold
		if n.Level > 2 {
			style = Bold
		}
		m.paragraph(n, style, in)
	case *ast.ThematicBreak:
		l := Line{Spans: append(append([]Span(nil), in.first...), Span{strings.Repeat(m.signs.Horiz, max(m.width-in.width(), 1)), Dim})}
		m.lines = append(m.lines, l)
	case *ast.Blockquote:
		bar := Span{m.signs.Quote + " ", Dim}
		m.blocks(n, in.indent(bar, bar), true)
	case *ast.List:
		m.list(n, in)
	case *ast.FencedCodeBlock:
		m.code(n, string(n.Language(m.src)), in)
	case *ast.CodeBlock:
		m.code(n, "", in)
	case *ast.HTMLBlock:
		m.code(n, "", in)
	case *extast.Table:
		m.table(n, in)
	case *ast.LinkReferenceDefinition:
	case *ast.Paragraph, *ast.TextBlock:
		m.paragraph(n, Plain, in)
	default:
		m.blocks(n, in, loose)
	}
}

func (m *marker) paragraph(n ast.Node, s Style, in margins) {
	m.lines = append(m.lines, wrap(m.inline(nil, n, s), m.width, in)...)
}

func (m *marker) list(n *ast.List, in margins) {
	number := n.Start
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		mark := m.signs.Bullet + " "
		if isTask(c) {
			mark = ""
		}
		if n.IsOrdered() {
			mark = strconv.Itoa(number) + string(n.Marker) + " "
			number++
		}
		inner := in.indent(Span{mark, Accent}, Span{strings.Repeat(" ", vt.StringWidth(mark)), Plain})
		if c.FirstChild() == nil {
			m.lines = append(m.lines, Line{Spans: inner.first})
		}
		m.blocks(c, inner, !n.IsTight)
		if c.NextSibling() != nil && !n.IsTight {
			m.lines = append(m.lines, Line{Spans: in.rest, pad: in.width()})
		}
		in = in.later()
	}
}

// isTask tells whether an item begins with a box to be ticked, which is sign
// enough.
func isTask(item ast.Node) bool {
	if item.FirstChild() == nil {
		return false
	}
	_, ok := item.FirstChild().FirstChild().(*extast.TaskCheckBox)
	return ok
}

// code lays out lines as they are; those that are too long go on in the next
// one.
func (m *marker) code(n ast.Node, language string, in margins) {
	in = in.indent(Span{"  ", Plain}, Span{"  ", Plain})
	lines := n.Lines()
	var b strings.Builder
	for i := range lines.Len() {
		at := lines.At(i)
		b.Write(at.Value(m.src))
	}
	if h, ok := n.(*ast.HTMLBlock); ok && h.HasClosure() {
		b.Write(h.ClosureLine.Value(m.src))
	}
	all := splitLines(strings.TrimRight(b.String(), "\n"))
	styled := m.styles(n, language, all)
	for i, l := range all {
		spans := []Span{{l, Code}}
		if i < len(styled) {
			spans = styled[i]
		}
		m.lines = append(m.lines, hardWrap(spans, m.width, in)...)
		in = in.later()
	}
}

// styles are those of a program's lines; nil for as they are. A program that
// still comes in is not looked at again and again.
func (m *marker) styles(n ast.Node, language string, lines []string) [][]Span {
	language, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(language)), " ")
	switch {
	case language == "diff" || language == "patch":
		out := make([][]Span, len(lines))
		for i, l := range lines {
			out[i] = []Span{{l, diffStyle(l)}}
		}
		return out
	case language == "" || m.paint == nil || !m.closed(n):
		return nil
	}
	return m.paint.lines(language, lines)
}

// closed tells whether a program's fence has its end.
func (m *marker) closed(n ast.Node) bool {
	lines := n.Lines()
	if lines.Len() == 0 {
		return false
	}
	rest := string(m.src[lines.At(lines.Len()-1).Stop:])
	return fenceOf(strings.TrimLeft(rest, " >")) != ""
}

// diffStyle is how a line of a unified diff looks.
func diffStyle(line string) Style {
	switch {
	case strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "):
		return Dim
	case strings.HasPrefix(line, "@@"):
		return Accent
	case strings.HasPrefix(line, "+"):
		return Good
	case strings.HasPrefix(line, "-"):
		return Bad
	}
	return Code
}

// painter gives programs their styles, and keeps some of what it found.
type painter struct {
	highlight func(language string, lines []string) [][]Span
	kept      map[string][][]Span
}

// mostPainted is how many programs are kept, and mostCode how much of one is
// looked at, in bytes.
const (
	mostPainted = 64
	mostCode    = 64 << 10
)

func (p *painter) lines(language string, lines []string) [][]Span {
	key := language + "\n" + strings.Join(lines, "\n")
	if have, ok := p.kept[key]; ok {
		return have
	}
	if p.highlight == nil || len(key) > mostCode {
		return nil
	}
	if p.kept == nil || len(p.kept) >= mostPainted {
		p.kept = map[string][][]Span{}
	}
	out := p.highlight(language, lines)
	p.kept[key] = out
	return out
}

// hardWrap breaks a line where it is full, and keeps its blanks.
func hardWrap(spans []Span, width int, in margins) []Line {
	w := &wrapper{width: max(width-in.width(), 1), margins: in}
	for _, s := range spans {
		w.put(s)
	}
	w.endLine(newLine)
	return w.lines
}

// inline appends what stands in a node as runs of text.
func (m *marker) inline(runs []Span, n ast.Node, s Style) []Span {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			v := c.Segment.Value(m.src)
			if !c.IsRaw() {
				v = plainText(v)
			}
			runs = appendSpan(runs, string(v), s)
			if c.SoftLineBreak() || c.HardLineBreak() {
				runs = appendSpan(runs, "\n", s)
			}
		case *ast.String:
			runs = appendSpan(runs, string(c.Value), s)
		case *ast.CodeSpan:
			runs = m.codeSpan(runs, c, s)
		case *ast.Emphasis:
			more := Italic
			if c.Level > 1 {
				more = Bold
			}
			runs = m.inline(runs, c, s|more)
		case *extast.Strikethrough:
			runs = m.inline(runs, c, s|Strike)
		case *extast.TaskCheckBox:
			mark := m.signs.Open
			if c.IsChecked {
				mark = m.signs.Checked
			}
			runs = appendSpan(runs, mark+" ", s)
		case *ast.AutoLink:
			runs = appendSpan(runs, string(c.URL(m.src)), link(s))
		case *ast.Link:
			runs = m.link(runs, c, string(c.Destination), s)
		case *ast.Image:
			runs = appendSpan(runs, "["+m.signs.Dot+" ", Dim)
			runs = m.link(runs, c, string(c.Destination), s)
			runs = appendSpan(runs, "]", Dim)
		case *ast.RawHTML:
			for i := range c.Segments.Len() {
				at := c.Segments.At(i)
				runs = appendSpan(runs, string(at.Value(m.src)), s)
			}
		default:
			runs = m.inline(runs, c, s)
		}
	}
	return runs
}

func link(s Style) Style { return s&^roleOf | Accent | Under }

// link shows what it says, and where it leads unless that is the same.
func (m *marker) link(runs []Span, n ast.Node, to string, s Style) []Span {
	said := m.inline(nil, n, link(s))
	var b strings.Builder
	for _, r := range said {
		b.WriteString(r.Text)
	}
	for _, r := range said {
		runs = appendSpan(runs, r.Text, r.Style)
	}
	if t := b.String(); t == "" {
		return appendSpan(runs, to, link(s))
	} else if t != to && "mailto:"+t != to {
		runs = appendSpan(runs, " ("+to+")", Dim)
	}
	return runs
}

func (m *marker) codeSpan(runs []Span, n *ast.CodeSpan, s Style) []Span {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			v := string(t.Segment.Value(m.src))
			runs = appendSpan(runs, strings.ReplaceAll(v, "\n", " "), s&^roleOf|Code)
		}
	}
	return runs
}

// plainText takes backslashes and entities for what they mean.
func plainText(v []byte) []byte {
	escaped := false
	for _, c := range v {
		if c == '\\' || c == '&' {
			escaped = true
		}
	}
	if !escaped {
		return v
	}
	return []byte(clean(string(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(v))))))
}
