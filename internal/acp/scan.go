package acp

import (
	"bytes"
	"encoding/json/jsontext"
)

// Members calls f for each member of a JSON object that is known to be valid,
// with its name as it stands between the quotes and its value, both parts of
// data. It reports whether data is an object. Decoding a message twice, once
// for its envelope and once for what is in it, costs more than all the rest of
// a stream's handling; this looks at each byte once and copies nothing.
func Members(data []byte, f func(name, value []byte)) bool {
	i := blank(data, 0)
	if i == len(data) || data[i] != '{' {
		return false
	}
	for i = blank(data, i+1); i < len(data) && data[i] == '"'; {
		end := skipString(data, i)
		name := data[i+1 : end-1]
		i = blank(data, end) + 1 // the colon
		i = blank(data, i)
		end = skipValue(data, i)
		if end > len(data) || i >= end {
			return false
		}
		f(name, data[i:end])
		i = blank(data, end)
		if i < len(data) && data[i] == ',' {
			i = blank(data, i+1)
		}
	}
	return true
}

func blank(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\t' || data[i] == '\r' || data[i] == '\n') {
		i++
	}
	return i
}

// skipString gives the place after the string that begins at i.
func skipString(data []byte, i int) int {
	for i++; i < len(data); {
		q := bytes.IndexByte(data[i:], '"')
		if q < 0 {
			return len(data)
		}
		end := i + q
		back := 0
		for end-1-back >= i && data[end-1-back] == '\\' {
			back++
		}
		i = end + 1
		if back%2 == 0 {
			return i
		}
	}
	return len(data)
}

// skipValue gives the place after the value that begins at i.
func skipValue(data []byte, i int) int {
	for depth := 0; i < len(data); {
		switch data[i] {
		case '"':
			i = skipString(data, i)
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\t', '\r', '\n':
			i++
			continue
		default:
			for i < len(data) && !isEnd(data[i]) {
				i++
			}
		}
		if depth <= 0 {
			return i
		}
	}
	return len(data)
}

func isEnd(c byte) bool {
	switch c {
	case ',', '}', ']', ':', ' ', '\t', '\r', '\n', '"', '{', '[':
		return true
	}
	return false
}

// Text is what a JSON string says; empty for any other value.
func Text(value []byte) string {
	if len(value) < 2 || value[0] != '"' {
		return ""
	}
	if inner := value[1 : len(value)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	out, err := jsontext.AppendUnquote(nil, value)
	if err != nil {
		return ""
	}
	return string(out)
}

// Chunk is what most messages of a turn are: a piece of text.
type Chunk struct {
	Session []byte // JSON strings, as they came
	Kind    string // the sessionUpdate
	Content []byte // the content block, raw
	Update  []byte // the whole update, raw
}

// UpdateOf takes the parameters of session/update apart.
func UpdateOf(params []byte) (c Chunk) {
	Members(params, func(name, value []byte) {
		switch string(name) {
		case "sessionId":
			c.Session = value
		case "update":
			c.Update = value
			Members(value, func(name, value []byte) {
				switch string(name) {
				case "sessionUpdate":
					c.Kind = known(value)
				case "content":
					c.Content = value
				}
			})
		}
	})
	return c
}

// Text is the text of the chunk's content; false when it is no text block.
func (c Chunk) Text() (string, bool) {
	var kind, text []byte
	Members(c.Content, func(name, value []byte) {
		switch string(name) {
		case "type":
			kind = value
		case "text":
			text = value
		}
	})
	if string(kind) != `"text"` {
		return "", false
	}
	return Text(text), true
}

// The kinds of session/update that carry text.
const (
	UpdateUser     = "user_message_chunk"
	UpdateMessage  = "agent_message_chunk"
	UpdateThought  = "agent_thought_chunk"
	UpdateTool     = "tool_call"
	UpdateToolMore = "tool_call_update"
	UpdatePlan     = "plan"
	UpdateCommands = "available_commands_update"
	UpdateMode     = "current_mode_update"
	UpdateConfig   = "config_option_update"
	UpdateInfo     = "session_info_update"
	UpdateUsage    = "usage_update"
)

// known gives the frequent words without a copy of their own.
func known(value []byte) string {
	switch string(value) {
	case `"` + UpdateMessage + `"`:
		return UpdateMessage
	case `"` + UpdateThought + `"`:
		return UpdateThought
	case `"` + UpdateUser + `"`:
		return UpdateUser
	case `"` + UpdateToolMore + `"`:
		return UpdateToolMore
	case `"` + UpdateTool + `"`:
		return UpdateTool
	case `"` + MethodSessionUpdate + `"`:
		return MethodSessionUpdate
	}
	return Text(value)
}
