package history

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxWord is the longest word in bytes; of longer ones the beginning counts.
const maxWord = 48

// unspaced are the scripts that are written without spaces between words.
func unspaced(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// inWord reports whether a character is part of a word.
func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r)
}

// A cutter cuts text into the words of the index.
type cutter struct {
	word []rune // as written
	buf  []byte // the word that is handed out
}

// each calls emit for every word of text; the bytes are good until it returns.
// A word may come several times.
func (c *cutter) each(text string, emit func(word []byte)) {
	var last rune // the one before, in a run of an unspaced script
	for i, n := 0, 0; i < len(text); i += n {
		if n = plainWord(text[i:]); n > 0 && last == 0 && len(c.word) == 0 {
			c.buf = append(c.buf[:0], text[i:i+min(n, maxWord)]...)
			emit(c.buf)
			continue
		}
		var r rune
		r, n = utf8.DecodeRuneInString(text[i:])
		switch {
		case unspaced(r) && inWord(r):
			c.flush(emit)
			if last != 0 {
				c.pair(last, r, emit)
			}
			last = r
			continue
		case last != 0:
			c.pair(last, 0, emit) // so that each one begins a word
			last = 0
		}
		if inWord(r) {
			if len(c.word) < 4*maxWord {
				c.word = append(c.word, r)
			}
			continue
		}
		c.flush(emit)
	}
	if last != 0 {
		c.pair(last, 0, emit)
	}
	c.flush(emit)
}

// plainWord is the length of the word at the beginning of text if it is one of
// small ASCII letters and digits only, as most are; else 0.
func plainWord(text string) int {
	for i := range len(text) {
		switch b := text[i]; {
		case 'a' <= b && b <= 'z' || '0' <= b && b <= '9':
		case b >= utf8.RuneSelf || inWord(rune(b)):
			return 0
		default:
			return i
		}
	}
	return len(text)
}

func (c *cutter) pair(a, b rune, emit func([]byte)) {
	c.buf = utf8.AppendRune(c.buf[:0], unicode.ToLower(a))
	if b != 0 {
		c.buf = utf8.AppendRune(c.buf, unicode.ToLower(b))
	}
	emit(c.buf)
}

// flush hands out the word so far, and the parts of an identifier.
func (c *cutter) flush(emit func([]byte)) {
	if len(c.word) == 0 {
		return
	}
	word := c.word
	c.word = c.word[:0]
	c.give(word, emit)
	start, parts := 0, 0
	for i := 1; i <= len(word); i++ {
		if i < len(word) && !boundary(word, i) {
			continue
		}
		if part := trimUnderscores(word[start:i]); i < len(word) || parts > 0 {
			if len(part) > 1 {
				c.give(part, emit)
			}
			parts++
		}
		start = i
	}
}

// boundary reports whether an identifier's next part begins at i: after or at
// an underscore, at a capital after a small letter, and at the last capital of
// several.
func boundary(w []rune, i int) bool {
	a, b := w[i-1], w[i]
	switch {
	case a == '_' != (b == '_'):
		return true
	case !unicode.IsUpper(b):
		return false
	case !unicode.IsUpper(a):
		return unicode.IsLetter(a) || unicode.IsDigit(a)
	}
	return i+1 < len(w) && unicode.IsLower(w[i+1])
}

func trimUnderscores(w []rune) []rune {
	for len(w) > 0 && w[0] == '_' {
		w = w[1:]
	}
	for len(w) > 0 && w[len(w)-1] == '_' {
		w = w[:len(w)-1]
	}
	return w
}

func (c *cutter) give(word []rune, emit func([]byte)) {
	c.buf = c.buf[:0]
	for _, r := range word {
		if r >= 0x300 && r <= 0x36f {
			continue // a combining accent
		}
		if r = unaccented(unicode.ToLower(r)); len(c.buf)+utf8.RuneLen(r) > maxWord {
			break
		}
		c.buf = utf8.AppendRune(c.buf, r)
	}
	if len(c.buf) > 0 {
		emit(c.buf)
	}
}

// unaccented takes the accent off a small Latin letter.
func unaccented(r rune) rune {
	const (
		accented = "àáâãäåāăąçćĉċčďđèéêëēĕėęěĝğġģĥħìíîïĩīĭįıĵķĺļľŀłñńņňòóôõöøōŏőŕŗřśŝşšţťŧùúûüũūŭůűųŵýÿŷźżž"
		bare     = "aaaaaaaaacccccddeeeeeeeeegggghhiiiiiiiiijklllllnnnnooooooooorrrsssstttuuuuuuuuuuwyyyzzz"
	)
	if r < 0xe0 || r > 0x17e {
		return r
	}
	i := 0
	for _, a := range accented {
		if a == r {
			return rune(bare[i])
		}
		i++
	}
	return r
}

// term is one thing that is searched for.
type term struct {
	word   string
	prefix bool // every word that begins so
}

// terms are what a conversation must have: every word of what was typed. A
// word with a "*" behind it stands for all that begin so.
func terms(typed string) []term {
	var out []term
	seen := map[term]bool{}
	add := func(t term) {
		if !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	var run []rune
	flush := func(prefix bool) {
		if len(run) > 0 {
			var c cutter
			c.give(run, func(w []byte) { add(term{string(w), prefix}) })
			run = run[:0]
		}
	}
	var chain []rune // of an unspaced script
	endChain := func() {
		switch {
		case len(chain) == 1:
			add(term{strings.ToLower(string(chain)), true})
		case len(chain) > 1:
			for i := range len(chain) - 1 {
				add(term{strings.ToLower(string(chain[i : i+2])), false})
			}
		}
		chain = chain[:0]
	}
	for _, r := range typed {
		switch {
		case unspaced(r) && inWord(r):
			flush(false)
			chain = append(chain, r)
		case inWord(r):
			endChain()
			run = append(run, r)
		default:
			endChain()
			flush(r == '*')
		}
	}
	endChain()
	flush(false)
	return out
}

// match is the term in FTS5's language.
func (t term) match() string {
	s := `"` + strings.ReplaceAll(t.word, `"`, `""`) + `"`
	if t.prefix {
		s += " *"
	}
	return s
}

// has reports whether a text contains the term, as the index would say.
func (t term) has(text string) bool {
	found := false
	var c cutter
	c.each(text, func(w []byte) {
		if string(w) == t.word || t.prefix && strings.HasPrefix(string(w), t.word) {
			found = true
		}
	})
	return found
}
