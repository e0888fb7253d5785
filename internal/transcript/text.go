package transcript

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/termio-sh/termio/internal/prompt"
)

// maxTitle is the longest title made of a prompt, in characters.
const maxTitle = 80

// titleOf makes a title of a prompt: the first line of its task with words,
// shortened.
func titleOf(text string) string {
	for line := range strings.Lines(prompt.Task(text)) {
		line = strings.Join(strings.FieldsFunc(line, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
		if line == "" {
			continue
		}
		if utf8.RuneCountInString(line) <= maxTitle {
			return line
		}
		return strings.TrimSpace(string([]rune(line)[:maxTitle-1])) + "…"
	}
	return ""
}

// parse reads a line into v; false where it is no JSON of that shape.
func parse(line []byte, v any) bool {
	return len(line) > 0 && json.Unmarshal(line, v) == nil
}

// when is a time as agents write it: RFC 3339 text, or milliseconds.
type when struct{ time.Time }

func (w *when) UnmarshalJSON(raw []byte) error {
	var text string
	var ms float64
	switch {
	case json.Unmarshal(raw, &text) == nil:
		w.Time, _ = time.Parse(time.RFC3339Nano, text) // no time is none
	case json.Unmarshal(raw, &ms) == nil:
		w.Time = millis(int64(ms))
	}
	return nil
}

// millis is a time from Unix milliseconds, zero for nonsense.
func millis(ms int64) time.Time {
	if ms <= 0 || ms > 253402300799999 { // the year 9999
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// part is one piece of a message's content, in the shapes that agents use.
type part struct {
	Type string `json:"type"`
	Text string `json:"text"`

	// Anthropic's
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	IsError   bool            `json:"is_error"`
	Content   json.RawMessage `json:"content"`

	// Pi's
	Arguments json.RawMessage `json:"arguments"`

	// Google's
	Thought          bool `json:"thought"`
	FunctionCall     *googleCall
	FunctionResponse *googleResult
}

type googleCall struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

type googleResult struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Response json.RawMessage `json:"response"`
}

// parts reads a content that is text, one part or several.
func parts(raw json.RawMessage) []part {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return nil
	}
	switch raw[0] {
	case '"':
		var text string
		if json.Unmarshal(raw, &text) == nil {
			return []part{{Type: "text", Text: text}}
		}
	case '[':
		var items []json.RawMessage
		if json.Unmarshal(raw, &items) != nil {
			return nil
		}
		var out []part
		for _, item := range items {
			if item = bytes.TrimSpace(item); len(item) > 0 && item[0] == '"' {
				out = append(out, parts(item)...)
				continue
			}
			var p part
			if json.Unmarshal(item, &p) == nil {
				out = append(out, p)
			}
		}
		return out
	case '{':
		var p part
		if json.Unmarshal(raw, &p) == nil {
			return []part{p}
		}
	}
	return nil
}

// textOf is the text of a content, pictures named as such.
func textOf(raw json.RawMessage) string {
	var b strings.Builder
	for _, p := range parts(raw) {
		text := p.Text
		switch p.Type {
		case "thinking", "redacted_thinking":
			continue
		case "image", "input_image", "inlineData":
			text = "[picture]"
		}
		join(&b, text)
	}
	return b.String()
}

// join adds text on lines of its own.
func join(b *strings.Builder, text string) {
	if text == "" {
		return
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	b.WriteString(text)
}

// compact is JSON without blanks; text that is JSON in a string is unpacked.
func compact(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return ""
	}
	return b.String()
}

// outputOf is what a tool answered: text, an object's "output", "error" or
// "content", or the whole of it.
func outputOf(raw json.RawMessage) (text string, failed bool) {
	var object struct {
		Output, Error, Content json.RawMessage
		Success                *bool
	}
	if json.Unmarshal(raw, &object) == nil {
		failed = len(object.Error) > 0 && string(object.Error) != "null" && string(object.Error) != `""` ||
			object.Success != nil && !*object.Success
		for _, v := range []json.RawMessage{object.Output, object.Error, object.Content} {
			if len(v) == 0 || string(v) == "null" {
				continue
			}
			if text = textOf(v); text != "" {
				return text, failed
			}
			return compact(v), failed
		}
	}
	if text = textOf(raw); text != "" {
		return text, failed
	}
	return compact(raw), failed
}

// injected reports whether a prompt is what an agent or its host puts before
// a person's own: it stands in a tag of its own.
func injected(text string, tags ...string) bool {
	text = strings.TrimSpace(text)
	for _, tag := range tags {
		if strings.HasPrefix(text, tag) {
			return true
		}
	}
	return false
}
