package atp

import "strings"

// Quote makes one word of a POSIX shell command out of s. What needs no quotes
// gets none.
func Quote(s string) string {
	if s == "" {
		return "''"
	}
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		c := s[i]
		plain = isIDByte(c) || strings.IndexByte("/:=@%+,", c) >= 0
	}
	// A leading "=" or "~" is special to some shells; "~" is never plain.
	if plain && s[0] != '=' {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Words splits a shell command into words the way a POSIX shell does, without
// any expansion. It reports false when a quote is left open. Operators such as
// "&&" are words like any other.
func Words(s string) ([]string, bool) {
	var words []string
	var w strings.Builder
	in, quote := false, byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote == '\'':
			if c == '\'' {
				quote = 0
			} else {
				w.WriteByte(c)
			}
		case quote == '"':
			switch {
			case c == '"':
				quote = 0
			case c == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0:
				i++
				if s[i] != '\n' {
					w.WriteByte(s[i])
				}
			default:
				w.WriteByte(c)
			}
		case c == '\'' || c == '"':
			quote, in = c, true
		case c == '\\' && i+1 < len(s):
			i++
			if s[i] != '\n' {
				w.WriteByte(s[i])
				in = true
			}
		case c == ' ' || c == '\t' || c == '\n':
			if in {
				words = append(words, w.String())
				w.Reset()
				in = false
			}
		default:
			w.WriteByte(c)
			in = true
		}
	}
	if in {
		words = append(words, w.String())
	}
	return words, quote == 0
}

// hasFlag reports whether a shell command already has flag, which may be more
// than one word. A command that cannot be split is searched as text.
func hasFlag(command, flag string) bool {
	words, ok := Words(command)
	if !ok {
		return strings.Contains(command, flag)
	}
	return hasWords(words, strings.Fields(flag))
}

func hasWords(words, run []string) bool {
	if len(run) == 0 {
		return false
	}
	for i := 0; i+len(run) <= len(words); i++ {
		match := true
		for j := range run {
			match = match && words[i+j] == run[j]
		}
		if match {
			return true
		}
	}
	return false
}
