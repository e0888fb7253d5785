package hooks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// kind is what a JSON value is.
type kind byte

const (
	kindObject kind = iota
	kindArray
	kindString
	kindOther // number, true, false or null
)

// value is a JSON value and where it stands in its document.
type value struct {
	kind       kind
	start, end int    // bytes; end is behind the last
	text       string // of a string, decoded
	items      []item // of an object or array, in order
}

// item is a member of an object or an element of an array.
type item struct {
	start int    // of the key, or of the element
	key   string // of a member
	value *value
	comma int // where the comma behind it stands, -1 if there is none
}

// end is where an item ends, its comma not counted.
func (i *item) end() int { return i.value.end }

// member finds a key of an object. A key that is there twice is an error:
// which one counts is the reader's guess.
func (v *value) member(key string) (*item, error) {
	var found *item
	for i := range v.items {
		if v.items[i].key == key {
			if found != nil {
				return nil, fmt.Errorf("the key %q is there twice", key)
			}
			found = &v.items[i]
		}
	}
	return found, nil
}

// str is the text of a member that is a string; "" where there is none.
func (v *value) str(key string) string {
	for _, it := range v.items {
		if it.key == key && it.value.kind == kindString {
			return it.value.text
		}
	}
	return ""
}

// maxNesting bounds how deep a document may be nested.
const maxNesting = 1000

// syntaxError is text that is neither JSON nor JSON with comments.
type syntaxError struct {
	line int
	what string
}

func (e *syntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.what) }

// parser reads JSON with comments and trailing commas (JSONC). Nothing else is
// forgiven.
type parser struct {
	src []byte
	at  int
}

var bom = []byte("\xef\xbb\xbf")

// parse reads a document, which may begin with a byte order mark.
func parse(src []byte) (*value, error) {
	p := &parser{src: src}
	if bytes.HasPrefix(src, bom) {
		p.at = len(bom)
	}
	if !utf8.Valid(src) {
		return nil, &syntaxError{1, "the text is no UTF-8"}
	}
	if err := p.space(); err != nil {
		return nil, err
	}
	v, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if err := p.space(); err != nil {
		return nil, err
	}
	if p.at < len(src) {
		return nil, p.errorf("there is text behind the end")
	}
	return v, nil
}

func (p *parser) errorf(format string, args ...any) error {
	return &syntaxError{1 + bytes.Count(p.src[:p.at], []byte("\n")), fmt.Sprintf(format, args...)}
}

func (p *parser) peek() byte {
	if p.at < len(p.src) {
		return p.src[p.at]
	}
	return 0
}

// comment gives the end of the comment at i, or i where there is none, and -1
// for one that does not end. A line comment ends before its newline.
func comment(src []byte, i int) int {
	rest := src[i:]
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		if n := bytes.IndexByte(rest, '\n'); n >= 0 {
			if n > 0 && rest[n-1] == '\r' {
				n--
			}
			return i + n
		}
		return len(src)
	case bytes.HasPrefix(rest, []byte("/*")):
		n := bytes.Index(rest[2:], []byte("*/"))
		if n < 0 {
			return -1
		}
		return i + 2 + n + 2
	}
	return i
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

func (p *parser) space() error {
	for p.at < len(p.src) {
		if isSpace(p.src[p.at]) {
			p.at++
			continue
		}
		end := comment(p.src, p.at)
		if end < 0 {
			return p.errorf("a comment does not end")
		}
		if end == p.at {
			return nil
		}
		p.at = end
	}
	return nil
}

func (p *parser) value(depth int) (*value, error) {
	if depth > maxNesting {
		return nil, p.errorf("it is nested too deeply")
	}
	switch c := p.peek(); c {
	case '{':
		return p.container(depth, kindObject, '}')
	case '[':
		return p.container(depth, kindArray, ']')
	case '"':
		return p.string()
	}
	start := p.at
	for p.at < len(p.src) && !isSpace(p.src[p.at]) && !strings.ContainsRune(",]}/:\"[{", rune(p.src[p.at])) {
		p.at++
	}
	// Only a number, true, false or null is a JSON text here.
	if word := p.src[start:p.at]; len(word) > 0 && json.Valid(word) {
		return &value{kind: kindOther, start: start, end: p.at}, nil
	}
	p.at = start
	return nil, p.errorf("a value is missing")
}

func (p *parser) string() (*value, error) {
	v := &value{kind: kindString, start: p.at}
	for p.at++; p.at < len(p.src); p.at++ {
		switch p.src[p.at] {
		case '\\':
			p.at++
		case '"':
			p.at++
			v.end = p.at
			if err := json.Unmarshal(p.src[v.start:v.end], &v.text); err != nil {
				return nil, p.errorf("a string cannot be read")
			}
			return v, nil
		}
	}
	p.at = v.start
	return nil, p.errorf("a string does not end")
}

func (p *parser) container(depth int, k kind, closing byte) (*value, error) {
	v := &value{kind: k, start: p.at}
	for p.at++; ; {
		if err := p.space(); err != nil {
			return nil, err
		}
		if p.peek() == closing {
			p.at++
			v.end = p.at
			return v, nil
		}
		if n := len(v.items); n > 0 && v.items[n-1].comma < 0 {
			return nil, p.errorf("a comma or %q is missing", closing)
		}
		it, err := p.item(depth, k)
		if err != nil {
			return nil, err
		}
		if err := p.space(); err != nil {
			return nil, err
		}
		if p.peek() == ',' {
			it.comma = p.at
			p.at++
		}
		v.items = append(v.items, it)
	}
}

func (p *parser) item(depth int, k kind) (it item, err error) {
	it = item{start: p.at, comma: -1}
	if k == kindObject {
		if p.peek() != '"' {
			return it, p.errorf("a key is missing")
		}
		key, err := p.string()
		if err != nil {
			return it, err
		}
		it.key = key.text
		if err := p.space(); err != nil {
			return it, err
		}
		if p.peek() != ':' {
			return it, p.errorf("a colon is missing")
		}
		p.at++
		if err := p.space(); err != nil {
			return it, err
		}
	}
	it.value, err = p.value(depth + 1)
	return it, err
}
