package fakemodel

import (
	"bytes"
	"encoding/json"
	"strings"
)

// A content is a message's content, which every OpenAI- and Anthropic-like
// protocol sends either as a string or as a list of blocks.
type content []block

type block struct {
	Type    string  `json:"type"`
	Text    string  `json:"text"`
	Content content `json:"content"` // of a tool's result
}

func (c *content) UnmarshalJSON(raw []byte) error {
	raw = bytes.TrimSpace(raw)
	switch {
	case bytes.Equal(raw, []byte("null")):
		*c = nil
		return nil
	case len(raw) > 0 && raw[0] == '"':
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return err
		}
		*c = content{{Type: "text", Text: s}}
		return nil
	}
	var list []block
	if err := json.Unmarshal(raw, &list); err != nil {
		return err
	}
	*c = list
	return nil
}

// text joins the content's texts ("text", "input_text", "output_text").
func (c content) text() string {
	var parts []string
	for _, b := range c {
		if strings.HasSuffix(b.Type, "text") {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// typed is the newest text that the user typed: the last one that is not only
// what the agent put there. After a failed turn clients send the old prompt
// and the new one in a single message.
func (c content) typed() string {
	for i := len(c) - 1; i >= 0; i-- {
		if strings.HasSuffix(c[i].Type, "text") {
			if s := stripInjected(c[i].Text); s != "" {
				return s
			}
		}
	}
	return ""
}
