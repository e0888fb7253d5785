package report

import "unicode/utf8"

// maxDepth is how deep values may be nested, as for encoding/json.
const maxDepth = 10000

// members calls each with every top-level member of the JSON object in data, in
// order: with its text, when the value is a string, and with the number of its
// items, when it is a list. It reports whether data is one object and nothing
// else. Nothing is called for text that is no object. When cut is set, data is
// only the beginning of one: what was whole before the end counts.
func members(data []byte, cut bool, each func(key, value string, items int)) bool {
	type member struct {
		key, value string
		items      int
	}
	var all []member
	s := scanner{data: data}
	whole := s.object(1, func(key, value string, items int) { all = append(all, member{key, value, items}) })
	if whole {
		s.space()
		whole = s.at == len(s.data)
		if !whole {
			return false
		}
	} else if !cut || s.at < len(s.data) {
		return false
	}
	for _, m := range all {
		each(m.key, m.value, m.items)
	}
	return whole
}

// scanner reads JSON (RFC 8259). Its methods report false for text that is no
// JSON; at is then where it stopped, the end of the data when only more of it
// was missing.
type scanner struct {
	data []byte
	at   int
}

func (s *scanner) space() {
	for s.at < len(s.data) {
		switch s.data[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return
		}
	}
}

func (s *scanner) peek() byte {
	if s.at < len(s.data) {
		return s.data[s.at]
	}
	return 0
}

func (s *scanner) take(c byte) bool {
	s.space()
	if s.peek() != c || s.at == len(s.data) {
		return false
	}
	s.at++
	return true
}

// object reads an object and, where each is given, tells its members.
func (s *scanner) object(depth int, each func(key, value string, items int)) bool {
	if depth > maxDepth || !s.take('{') {
		return false
	}
	if s.take('}') {
		return true
	}
	for {
		s.space()
		key, ok := s.text(each != nil)
		if !ok || !s.take(':') {
			return false
		}
		s.space()
		if s.peek() == '"' && s.at < len(s.data) {
			value, ok := s.text(each != nil)
			if !ok {
				return false
			}
			if each != nil {
				each(key, value, 0)
			}
		} else {
			items, ok := s.value(depth + 1)
			if !ok {
				return false
			}
			if each != nil {
				each(key, "", items) // a later one of the same name counts
			}
		}
		if s.take(',') {
			continue
		}
		return s.take('}')
	}
}

func (s *scanner) array(depth int) (items int, ok bool) {
	if depth > maxDepth || !s.take('[') {
		return 0, false
	}
	if s.take(']') {
		return 0, true
	}
	for {
		if _, ok := s.value(depth + 1); !ok {
			return 0, false
		}
		items++
		if s.take(',') {
			continue
		}
		return items, s.take(']')
	}
}

// value reads any value; items is how many a list has.
func (s *scanner) value(depth int) (items int, ok bool) {
	s.space()
	switch c := s.peek(); {
	case c == '{':
		ok = s.object(depth, nil)
	case c == '[':
		return s.array(depth)
	case c == '"':
		_, ok = s.text(false)
	case c == 't':
		ok = s.word("true")
	case c == 'f':
		ok = s.word("false")
	case c == 'n':
		ok = s.word("null")
	case c == '-' || isDigit(c):
		ok = s.number()
	}
	return 0, ok
}

func (s *scanner) word(w string) bool {
	for i := range len(w) {
		if s.at == len(s.data) || s.data[s.at] != w[i] {
			return false
		}
		s.at++
	}
	return true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func (s *scanner) digits() bool {
	from := s.at
	for isDigit(s.peek()) {
		s.at++
	}
	return s.at > from
}

func (s *scanner) number() bool {
	if s.peek() == '-' {
		s.at++
	}
	if s.peek() == '0' {
		s.at++
	} else if !s.digits() {
		return false
	}
	if s.peek() == '.' {
		s.at++
		if !s.digits() {
			return false
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.at++
		if c := s.peek(); c == '+' || c == '-' {
			s.at++
		}
		return s.digits()
	}
	return true
}

// text reads a string and, where it is wanted, decodes it. What is no UTF-8
// becomes U+FFFD.
func (s *scanner) text(wanted bool) (string, bool) {
	if s.at == len(s.data) || s.data[s.at] != '"' {
		return "", false
	}
	s.at++
	var out []byte
	for s.at < len(s.data) {
		switch c := s.data[s.at]; {
		case c == '"':
			s.at++
			return string(out), true
		case c == '\\':
			r, ok := s.escape()
			if !ok {
				return "", false
			}
			if wanted {
				out = utf8.AppendRune(out, r)
			}
		case c < ' ':
			return "", false
		default:
			r, n := rune(c), 1
			if c >= utf8.RuneSelf {
				r, n = utf8.DecodeRune(s.data[s.at:])
			}
			if wanted {
				out = utf8.AppendRune(out, r)
			}
			s.at += n
		}
	}
	return "", false
}

// escape reads what follows a backslash.
func (s *scanner) escape() (rune, bool) {
	s.at++
	if s.at == len(s.data) {
		return 0, false
	}
	c := s.data[s.at]
	switch c {
	case '"', '\\', '/':
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		s.at++
		return s.surrogates()
	default:
		return 0, false
	}
	s.at++
	return rune(c), true
}

// surrogates reads four hexadecimal digits, and the second half of a pair
// when they are a first half. A half alone becomes U+FFFD.
func (s *scanner) surrogates() (rune, bool) {
	first, ok := s.hex4()
	if !ok || first < 0xd800 || first > 0xdfff {
		return first, ok
	}
	rest := s.data[s.at:]
	if first < 0xdc00 && len(rest) >= 6 && rest[0] == '\\' && rest[1] == 'u' {
		back := s.at
		s.at += 2
		second, ok := s.hex4()
		if !ok {
			return 0, false
		}
		if second >= 0xdc00 && second <= 0xdfff {
			return 0x10000 + (first-0xd800)<<10 + (second - 0xdc00), true
		}
		s.at = back
	}
	return utf8.RuneError, true
}

func (s *scanner) hex4() (rune, bool) {
	var r rune
	for range 4 {
		if s.at == len(s.data) {
			return 0, false
		}
		c := rune(s.data[s.at])
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | c
		s.at++
	}
	return r, true
}
