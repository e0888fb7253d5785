package chat

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Colours of programs go no further than comments, strings and a few words:
// enough to read by, right for most languages, and no grammar to keep.

// hashComments are languages whose comments begin with #.
var hashComments = map[string]bool{
	"sh": true, "bash": true, "zsh": true, "shell": true, "fish": true, "console": true, "py": true, "python": true, "rb": true, "ruby": true,
	"yaml": true, "yml": true, "toml": true, "ini": true, "make": true, "makefile": true, "dockerfile": true, "perl": true, "r": true, "elixir": true, "nix": true,
}

// plainCode are languages that are none.
var plainCode = map[string]bool{"": true, "text": true, "txt": true, "markdown": true, "md": true, "plain": true, "output": true}

var codeWords = wordSet(`abstract and as assert async await begin break case catch chan class const continue def default defer delete do done
elif else elseif end enum esac except export extends extern false fi final finally fn for foreach from func function global go goto if impl implements
import in instanceof interface is lambda let local loop map match mod module mut namespace new nil none not null or package pass private protected pub
public raise range return select self static struct super switch template then this throw throws trait true try type typedef typeof union unless until
unsafe use using val var virtual void where while with yield`)

func wordSet(s string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(s) {
		out[w] = true
	}
	return out
}

// codeSpans is a line of a program in its colours.
func codeSpans(line, language string) []Span {
	language, _, _ = strings.Cut(strings.ToLower(language), " ")
	switch {
	case language == "diff" || language == "patch":
		return []Span{{line, diffStyle(line)}}
	case plainCode[language]:
		return []Span{{line, Code}}
	}
	var out []Span
	for line != "" {
		n, style := codeToken(line, language)
		out = appendSpan(out, line[:n], style)
		line = line[n:]
	}
	return out
}

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

// codeToken is how much of a line is of one colour, from its begin.
func codeToken(line, language string) (int, Style) {
	hash := hashComments[language]
	switch c := line[0]; {
	case hash && c == '#', !hash && strings.HasPrefix(line, "//"), language == "sql" && strings.HasPrefix(line, "--"), language == "lua" && strings.HasPrefix(line, "--"):
		return len(line), Dim
	case strings.HasPrefix(line, "/*"):
		if i := strings.Index(line, "*/"); i > 0 {
			return i + 2, Dim
		}
		return len(line), Dim
	case c == '"', c == '`', c == '\'' && quoted(line):
		for i := 1; i < len(line); i++ {
			if line[i] == '\\' && c != '`' {
				i++
			} else if line[i] == c {
				return i + 1, Good
			}
		}
		return len(line), Good
	}
	r, n := utf8.DecodeRuneInString(line)
	if !letter(r) {
		return n, Code
	}
	for n < len(line) {
		r, size := utf8.DecodeRuneInString(line[n:])
		if !letter(r) {
			break
		}
		n += size
	}
	if codeWords[line[:n]] {
		return n, Accent
	}
	return n, Code
}

// quoted tells a string from an apostrophe or a lifetime.
func quoted(line string) bool { return strings.IndexByte(line[1:], '\'') >= 0 }

func letter(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
