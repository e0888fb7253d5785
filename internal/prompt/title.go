// Package prompt knows the texts that are given to agents: the titles that are
// made of them, and the envelope in which a spawned agent's task comes.
package prompt

import (
	"strings"
	"unicode"
)

// MaxTitle is the longest title, in characters.
const MaxTitle = 64

// Title makes a title of a prompt: the first line of its task (Task) with text
// in it, without the marks that begin a heading, a quotation or a list, cleaned
// and shortened as by Clean. It is empty where there is no text.
func Title(prompt string) string {
	for line := range strings.Lines(Task(prompt)) {
		line = strings.TrimLeft(clean(line), "#>*-•` ")
		if line = shorten(line); line != "" {
			return line
		}
	}
	return ""
}

// Clean makes a title of what somebody wrote as one: on one line, without what
// could move a terminal or turn the direction of text, at most MaxTitle
// characters.
func Clean(title string) string { return shorten(clean(title)) }

func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == unicode.ReplacementChar, unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs) && r != zwj:
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	return strings.Join(strings.Fields(s), " ")
}

// zwj joins emoji into one; it is the format character that titles need.
const zwj = '\u200d'

// shorten cuts at the last space in the second half, if there is one.
func shorten(s string) string {
	runes := []rune(s)
	if len(runes) <= MaxTitle {
		return s
	}
	short := strings.TrimSpace(string(runes[:MaxTitle-1]))
	if i := strings.LastIndexByte(short, ' '); i > len(short)/2 {
		short = short[:i]
	}
	return short + "…"
}
