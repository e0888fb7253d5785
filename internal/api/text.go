package api

import "strings"

// WithoutBidi is text without the characters that turn the direction of what
// stands around them (Unicode's bidirectional controls and marks): a title or
// description comes from a program, and must not reorder a list.
func WithoutBidi(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069', r == '\u200e', r == '\u200f', r == '\u061c':
			return -1
		}
		return r
	}, s)
}
