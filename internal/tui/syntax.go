package tui

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"

	"github.com/termio-sh/termio/vt"
)

// class is what a piece of code is.
type class uint8

const (
	classPlain class = iota
	classKeyword
	classType
	classString
	classNumber
	classComment
	className // of a function, a tag, an attribute
	classCount
)

// span is some bytes of a line that are of one class.
type span struct {
	n     int
	class class
}

// mostLexed bounds the code that is coloured, in bytes of one hunk's side.
const mostLexed = 128 << 10

// classOf is what a token is.
func classOf(t chroma.TokenType) class {
	switch {
	case t == chroma.KeywordType, t == chroma.NameClass, t == chroma.NameBuiltin:
		return classType
	case t.InCategory(chroma.Keyword):
		return classKeyword
	case t.InSubCategory(chroma.LiteralString):
		return classString
	case t.InSubCategory(chroma.LiteralNumber):
		return classNumber
	case t.InCategory(chroma.Comment):
		return classComment
	case t == chroma.NameFunction, t == chroma.NameTag, t == chroma.NameAttribute, t == chroma.NameDecorator, t == chroma.GenericHeading:
		return className
	}
	return classPlain
}

// lex tells what the pieces of some lines of a file are; nil where the language
// is not known.
func lex(name string, lines []string) [][]span {
	size := 0
	for _, l := range lines {
		size += len(l) + 1
	}
	if size > mostLexed || len(lines) == 0 {
		return nil
	}
	if lexer := lexers.Match(name); lexer != nil {
		return lexWith(lexer, lines)
	}
	return nil
}

// lexWith is lex for a language that is known.
func lexWith(lexer chroma.Lexer, lines []string) [][]span {
	tokens, err := chroma.Coalesce(lexer).Tokenise(nil, strings.Join(lines, "\n")+"\n")
	if err != nil {
		return nil
	}
	out := make([][]span, 1, len(lines)+1)
	for t := tokens(); t != chroma.EOF; t = tokens() {
		c := classOf(t.Type)
		for i, part := range strings.Split(t.Value, "\n") {
			if i > 0 {
				out = append(out, nil)
			}
			if part != "" {
				out[len(out)-1] = append(out[len(out)-1], span{len(part), c})
			}
		}
	}
	return out
}

// colour tells what the pieces of a hunk's lines are, once. The old and the
// new text are looked at each as a whole.
func (h *diffHunk) colour(name string) {
	if h.lexed {
		return
	}
	h.lexed = true
	h.spans = make([][]span, len(h.lines))
	for _, not := range []byte{'-', '+'} {
		var lines []string
		var at []int
		for k, l := range h.lines {
			if l.kind != not {
				lines, at = append(lines, l.text), append(at, k)
			}
		}
		for i, s := range lex(name, lines) {
			if i < len(at) {
				h.spans[at[i]] = s
			}
		}
	}
}

// codeColors are those of code in a theme.
type codeColors struct {
	classes        [classCount]vt.Style
	added, removed vt.Color // grounds; the default where a theme has none
	plus, minus    vt.Style // of the signs
	number         vt.Style // of lines
}

func newCodeColors(theme string) *codeColors {
	fg := func(c vt.Color) vt.Style { return vt.Style{FG: c} }
	hex := func(n uint32) vt.Color { return vt.RGB(uint8(n>>16), uint8(n>>8), uint8(n)) }
	c := &codeColors{number: vt.Style{Attrs: vt.AttrFaint}}
	switch theme {
	case "dark":
		c.classes = [classCount]vt.Style{fg(hex(0xd8dee9)), fg(hex(0xbb9af7)), fg(hex(0x2ac3de)), fg(hex(0x9ece6a)), fg(hex(0xff9e64)), fg(hex(0x7b8394)), fg(hex(0x7aa2f7))}
		c.added, c.removed = hex(0x1f3326), hex(0x3d2029)
		c.plus, c.minus = fg(hex(0x9ece6a)), fg(hex(0xf7768e))
	case "light":
		c.classes = [classCount]vt.Style{fg(hex(0x2e3440)), fg(hex(0x8a2be2)), fg(hex(0x00688b)), fg(hex(0x2f6b12)), fg(hex(0xa04a00)), fg(hex(0x7a7f8c)), fg(hex(0x2e5cb8))}
		c.added, c.removed = hex(0xdcf2dc), hex(0xf8dcdf)
		c.plus, c.minus = fg(hex(0x2f6b12)), fg(hex(0xc0202f))
	default:
		// On any background: the terminal's own colours, and the signs in
		// reverse in place of grounds.
		c.classes = [classCount]vt.Style{{}, fg(vt.Indexed(5)), fg(vt.Indexed(6)), fg(vt.Indexed(2)), fg(vt.Indexed(3)), {Attrs: vt.AttrFaint}, fg(vt.Indexed(4))}
		c.plus, c.minus = fg(vt.Indexed(2)), fg(vt.Indexed(1))
		c.plus.Attrs |= vt.AttrReverse
		c.minus.Attrs |= vt.AttrReverse
	}
	return c
}
