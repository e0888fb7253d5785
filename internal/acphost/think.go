package acphost

import "strings"

// piece is text of one channel.
type piece struct{ kind, text string }

// thinkSplit takes <think>…</think> out of a message and makes thoughts of it,
// wherever the tags are cut by the chunks (§7.7).
type thinkSplit struct {
	tag  string // that the thought began with
	held string // what may be the begin of a tag
}

var thinkTags = []string{"think", "thinking", "reasoning"}

// split takes the next chunk.
func (s *thinkSplit) split(text string) (out []piece) {
	text = s.held + text
	s.held = ""
	for text != "" {
		i := strings.IndexByte(text, '<')
		if i < 0 {
			return append(out, piece{s.kind(), text})
		}
		out = append(out, piece{s.kind(), text[:i]})
		text = text[i:]
		switch tag, whole := s.tagAt(text); {
		case whole:
			text = text[len(tag):]
			if s.tag == "" {
				s.tag = strings.ToLower(tag[1 : len(tag)-1])
			} else {
				s.tag = ""
			}
		case tag != "": // perhaps one, when more comes
			s.held = text
			return out
		default:
			out = append(out, piece{s.kind(), "<"})
			text = text[1:]
		}
	}
	return out
}

// tagAt is the tag at the begin of text, or what there is of one.
func (s *thinkSplit) tagAt(text string) (tag string, whole bool) {
	tags := thinkTags
	open := "<"
	if s.tag != "" {
		tags, open = []string{s.tag}, "</"
	}
	for _, t := range tags {
		full := open + t + ">"
		if len(text) >= len(full) && strings.EqualFold(text[:len(full)], full) {
			return text[:len(full)], true
		}
	}
	for _, t := range tags {
		full := open + t + ">"
		if len(text) < len(full) && strings.EqualFold(text, full[:len(text)]) {
			return text, false
		}
	}
	return "", false
}

func (s *thinkSplit) kind() string {
	if s.tag != "" {
		return "thought"
	}
	return "message"
}

// end gives what was held back.
func (s *thinkSplit) end() []piece {
	held := s.held
	s.held = ""
	return []piece{{s.kind(), held}}
}
