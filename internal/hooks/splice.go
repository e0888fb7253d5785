package hooks

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// The changes of a JSON document are splices: everything that is not ours
// stays byte for byte. put and take are each other's inverse, which is what
// makes an uninstalled file the one that it was.

// splice replaces the bytes from..to.
type splice struct {
	from, to int
	text     string
}

// apply makes the changes, which do not overlap.
func apply(src []byte, changes ...splice) []byte {
	slices.SortStableFunc(changes, func(a, b splice) int { return a.from - b.from })
	out := make([]byte, 0, len(src)+1024)
	at := 0
	for _, c := range changes {
		out = append(append(out, src[at:c.from]...), c.text...)
		at = c.to
	}
	return append(out, src[at:]...)
}

// style is how a document is laid out.
type style struct {
	newline string // empty for a document on one line
	indent  string // one level
}

// styleOf looks at the first member of a document.
func styleOf(src []byte, root *value) style {
	if len(root.items) > 0 && bytes.IndexByte(src[root.start:root.end], '\n') < 0 {
		return style{}
	}
	st := style{newline: "\n", indent: "  "}
	if n := bytes.IndexByte(src, '\n'); n > 0 && src[n-1] == '\r' {
		st.newline = "\r\n"
	}
	if len(root.items) > 0 {
		first := root.items[0].start
		line := bytes.LastIndexByte(src[:first], '\n') + 1
		if lead := src[line:first]; len(lead) > 0 && len(bytes.Trim(lead, " \t")) == 0 {
			st.indent = string(lead)
		}
	}
	return st
}

// line begins a new line at a depth.
func (s style) line(depth int) string {
	if s.newline == "" {
		return ""
	}
	return s.newline + strings.Repeat(s.indent, depth)
}

// node is a member, or an element with an empty key, to be put into a document.
type node struct {
	key   string
	text  string // of a string
	items []node // of an object or array
	kind  kind
	other string // the literal of any other value
}

// render lays a node out, beginning at a depth.
func (s style) render(b *strings.Builder, n node, depth int) {
	if n.key != "" {
		b.WriteString(quoteJSON(n.key))
		b.WriteByte(':')
		if s.newline != "" {
			b.WriteByte(' ')
		}
	}
	open, closing := "{", "}"
	switch n.kind {
	case kindString:
		b.WriteString(quoteJSON(n.text))
		return
	case kindOther:
		b.WriteString(n.other)
		return
	case kindArray:
		open, closing = "[", "]"
	}
	b.WriteString(open)
	for i, it := range n.items {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(s.line(depth + 1))
		s.render(b, it, depth+1)
	}
	if len(n.items) > 0 {
		b.WriteString(s.line(depth))
	}
	b.WriteString(closing)
}

func quoteJSON(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil {
		return `""` // a string can always be encoded
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// afterComments is the place behind the comments that stand on the same line
// after i; they belong to what is before them.
func afterComments(src []byte, i int) int {
	for at := i; at < len(src); {
		if src[at] == ' ' || src[at] == '\t' {
			at++
			continue
		}
		end := comment(src, at)
		if end <= at || bytes.IndexByte(src[at:end], '\n') >= 0 {
			return i
		}
		i, at = end, end
	}
	return i
}

// put appends a node to the container v, which stands at a depth.
func put(src []byte, st style, v *value, depth int, n node) []byte {
	var b strings.Builder
	b.WriteString(st.line(depth + 1))
	st.render(&b, n, depth+1)
	if len(v.items) == 0 {
		return apply(src, splice{v.start + 1, v.start + 1, b.String() + st.line(depth)})
	}
	last := v.items[len(v.items)-1]
	if last.comma >= 0 {
		at := afterComments(src, last.comma+1)
		return apply(src, splice{at, at, b.String() + ","})
	}
	at := afterComments(src, last.end())
	if at == last.end() {
		return apply(src, splice{at, at, "," + b.String()})
	}
	return apply(src, splice{last.end(), last.end(), ","}, splice{at, at, b.String()})
}

// take removes item i of the container v, which stands at a depth: what put
// had put there, or as much of it as others have left.
func take(src []byte, st style, v *value, depth, i int) []byte {
	it := v.items[i]
	from := it.start
	for from > v.start+1 && isSpace(src[from-1]) {
		from--
	}
	changes := []splice{{from: from, to: it.end()}}
	last := i == len(v.items)-1
	if it.comma >= 0 {
		changes = append(changes, splice{from: it.comma, to: it.comma + 1})
	} else if i > 0 {
		before := v.items[i-1].comma
		changes = append(changes, splice{from: before, to: before + 1})
	}
	if last && i == 0 {
		behind := it.end()
		if it.comma >= 0 {
			behind = it.comma + 1
		}
		if end := st.line(depth); bytes.HasPrefix(src[behind:], []byte(end)) {
			changes = append(changes, splice{from: behind, to: behind + len(end)})
		}
	}
	return apply(src, changes...)
}
