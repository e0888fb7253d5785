package atp

import (
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// The reader below keeps what the standard library's decoder drops and a good
// message needs: positions, duplicate keys and the exact spelling of keys. It
// builds a tree, which the decoder then checks against the key table.

type kind uint8

const (
	kindNull kind = iota
	kindBool
	kindNumber
	kindString
	kindArray
	kindObject
)

func (k kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "an array", "an object"}[k]
}

// node is one JSON value.
type node struct {
	kind    kind
	at      int // offset of the value's first byte
	bool    bool
	num     float64
	str     string
	items   []*node
	members []member
}

type member struct {
	key string
	at  int // offset of the key
	val *node
}

// get returns the member's value, or nil.
func (n *node) get(key string) *node {
	if n == nil {
		return nil
	}
	for i := range n.members {
		if n.members[i].key == key {
			return n.members[i].val
		}
	}
	return nil
}

// maxDepth is more than any manifest needs and little enough for any stack.
const maxDepth = 32

// syntaxError is where and why reading stopped.
type syntaxError struct {
	at   int
	rule string
	text string
}

type jsonReader struct {
	data []byte
	pos  int
	path string // of the value that is being read
	// duplicate is called for every key that its object already has.
	duplicate func(path string, at int)
}

// readJSON reads exactly one JSON value (RFC 8259) from data.
func readJSON(data []byte, duplicate func(path string, at int)) (*node, *syntaxError) {
	r := &jsonReader{data: data, duplicate: duplicate}
	r.space()
	if r.pos == len(data) {
		return nil, r.fail(r.pos, "syntax", "the file is empty")
	}
	n, err := r.value(0)
	if err != nil {
		return nil, err
	}
	r.space()
	if r.pos < len(data) {
		return nil, r.fail(r.pos, "trailing", "there is more after the end of the manifest")
	}
	return n, nil
}

func (r *jsonReader) fail(at int, rule, format string, args ...any) *syntaxError {
	return &syntaxError{at: at, rule: rule, text: fmt.Sprintf(format, args...)}
}

func (r *jsonReader) space() {
	for r.pos < len(r.data) {
		switch r.data[r.pos] {
		case ' ', '\t', '\r', '\n':
			r.pos++
		default:
			return
		}
	}
}

// peek returns the next byte, 0 at the end.
func (r *jsonReader) peek() byte {
	if r.pos < len(r.data) {
		return r.data[r.pos]
	}
	return 0
}

func (r *jsonReader) unexpected(want string) *syntaxError {
	if r.pos >= len(r.data) {
		return r.fail(r.pos, "syntax", "the file ends where %s should be", want)
	}
	c, _ := utf8.DecodeRune(r.data[r.pos:])
	return r.fail(r.pos, "syntax", "%q where %s should be", c, want)
}

func (r *jsonReader) value(depth int) (*node, *syntaxError) {
	if depth > maxDepth {
		return nil, r.fail(r.pos, "depth", "nested more than %d deep", maxDepth)
	}
	at := r.pos
	switch c := r.peek(); {
	case c == '{':
		return r.object(depth)
	case c == '[':
		return r.array(depth)
	case c == '"':
		s, err := r.string()
		return &node{kind: kindString, at: at, str: s}, err
	case c == '-' || c >= '0' && c <= '9':
		return r.number()
	case r.word("true"):
		return &node{kind: kindBool, at: at, bool: true}, nil
	case r.word("false"):
		return &node{kind: kindBool, at: at}, nil
	case r.word("null"):
		return &node{kind: kindNull, at: at}, nil
	}
	return nil, r.unexpected("a value")
}

func (r *jsonReader) word(w string) bool {
	if end := r.pos + len(w); end <= len(r.data) && string(r.data[r.pos:end]) == w {
		r.pos = end
		return true
	}
	return false
}

func (r *jsonReader) object(depth int) (*node, *syntaxError) {
	n := &node{kind: kindObject, at: r.pos}
	seen := map[string]bool{}
	r.pos++
	r.space()
	if r.peek() == '}' {
		r.pos++
		return n, nil
	}
	for {
		at := r.pos
		if r.peek() != '"' {
			return nil, r.unexpected("a key in double quotes")
		}
		key, err := r.string()
		if err != nil {
			return nil, err
		}
		r.space()
		if r.peek() != ':' {
			return nil, r.unexpected("a colon")
		}
		r.pos++
		r.space()
		above := r.path
		r.path = join(above, key)
		val, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		if seen[key] {
			r.duplicate(r.path, at)
		} else {
			seen[key] = true
			n.members = append(n.members, member{key: key, at: at, val: val})
		}
		r.path = above
		if done, err := r.next('}'); done || err != nil {
			return n, err
		}
	}
}

func (r *jsonReader) array(depth int) (*node, *syntaxError) {
	n := &node{kind: kindArray, at: r.pos}
	r.pos++
	r.space()
	if r.peek() == ']' {
		r.pos++
		return n, nil
	}
	for above := r.path; ; r.path = above {
		r.path = above + "[" + strconv.Itoa(len(n.items)) + "]"
		val, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		n.items = append(n.items, val)
		if done, err := r.next(']'); done || err != nil {
			return n, err
		}
	}
}

// next reads a comma, or the end of an array or object.
func (r *jsonReader) next(end byte) (bool, *syntaxError) {
	r.space()
	switch r.peek() {
	case end:
		r.pos++
		return true, nil
	case ',':
		r.pos++
		r.space()
		return false, nil
	}
	return false, r.unexpected(fmt.Sprintf("a comma or %q", end))
}

func (r *jsonReader) digits() bool {
	start := r.pos
	for c := r.peek(); c >= '0' && c <= '9'; c = r.peek() {
		r.pos++
	}
	return r.pos > start
}

func (r *jsonReader) number() (*node, *syntaxError) {
	at := r.pos
	if r.peek() == '-' {
		r.pos++
	}
	if r.peek() == '0' {
		r.pos++
	} else if !r.digits() {
		return nil, r.unexpected("a digit")
	}
	if r.peek() == '.' {
		r.pos++
		if !r.digits() {
			return nil, r.unexpected("a digit")
		}
	}
	if c := r.peek(); c == 'e' || c == 'E' {
		r.pos++
		if c := r.peek(); c == '+' || c == '-' {
			r.pos++
		}
		if !r.digits() {
			return nil, r.unexpected("a digit")
		}
	}
	// Out of range gives an infinity, which no key allows.
	num, _ := strconv.ParseFloat(string(r.data[at:r.pos]), 64)
	return &node{kind: kindNumber, at: at, num: num}, nil
}

func (r *jsonReader) string() (string, *syntaxError) {
	start := r.pos
	r.pos++
	var out []byte
	for r.pos < len(r.data) {
		c := r.data[r.pos]
		switch {
		case c == '"':
			r.pos++
			return string(out), nil
		case c == '\\':
			var err *syntaxError
			if out, err = r.escape(out); err != nil {
				return "", err
			}
		case c < 0x20:
			return "", r.fail(r.pos, "syntax", "a control character (0x%02x) inside a string", c)
		default:
			out = append(out, c)
			r.pos++
		}
	}
	return "", r.fail(start, "syntax", "a string that does not end")
}

func (r *jsonReader) escape(out []byte) ([]byte, *syntaxError) {
	at := r.pos
	r.pos++
	c := r.peek()
	r.pos++
	switch c {
	case '"', '\\', '/':
		return append(out, c), nil
	case 'b':
		return append(out, '\b'), nil
	case 'f':
		return append(out, '\f'), nil
	case 'n':
		return append(out, '\n'), nil
	case 'r':
		return append(out, '\r'), nil
	case 't':
		return append(out, '\t'), nil
	case 'u':
		u, ok := r.hex4()
		if ok && utf16.IsSurrogate(u) {
			ok = r.word(`\u`)
			if ok {
				var low rune
				low, ok = r.hex4()
				u = utf16.DecodeRune(u, low)
				ok = ok && u != utf8.RuneError
			}
		}
		if ok {
			return utf8.AppendRune(out, u), nil
		}
	}
	return nil, r.fail(at, "syntax", "a backslash that starts no valid escape; write \\\\ for a backslash")
}

func (r *jsonReader) hex4() (rune, bool) {
	if r.pos+4 > len(r.data) {
		return 0, false
	}
	u, err := strconv.ParseUint(string(r.data[r.pos:r.pos+4]), 16, 32)
	if err != nil {
		return 0, false
	}
	r.pos += 4
	return rune(u), true
}

// position gives the line and column, both from 1, of an offset.
func position(data []byte, at int) (line, column int) {
	line, start := 1, 0
	for i := 0; i < at && i < len(data); i++ {
		if data[i] == '\n' {
			line, start = line+1, i+1
		}
	}
	return line, at - start + 1
}
