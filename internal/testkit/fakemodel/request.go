package fakemodel

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"
)

// A Protocol names one of the wire protocols.
type Protocol string

// The protocols that the server speaks.
const (
	Anthropic Protocol = "anthropic-messages"
	Responses Protocol = "openai-responses"
	Chat      Protocol = "openai-chat"
	Gemini    Protocol = "gemini"
)

// A Tool is one that the agent offers to the model.
type Tool struct {
	Name string `json:"name"`
	// Schema describes the arguments; nil where the agent gave none.
	Schema map[string]any `json:"schema,omitempty"`
}

// An Outcome says how a request ended.
type Outcome string

// The outcomes; a request that is still being answered has none.
const (
	Answered Outcome = "answered"
	Refused  Outcome = "refused" // answered with a failure, on purpose
	Cut      Outcome = "cut"     // dropped in the middle, on purpose
	Aborted  Outcome = "aborted" // the client left before the end
)

// A Request is one call of the model, as the server understood it.
type Request struct {
	// ID counts from 1 in the order of arrival.
	ID       int       `json:"id"`
	Time     time.Time `json:"time"`
	Protocol Protocol  `json:"protocol"`
	Path     string    `json:"path"`
	Model    string    `json:"model"`
	// Prompt is the newest thing that the user typed, without what the agent
	// puts around it.
	Prompt string `json:"prompt"`
	Tools  []Tool `json:"tools,omitempty"`
	// ToolResult is what the newest tool call gave, when the request brings
	// one; nil when the prompt is the news.
	ToolResult *string `json:"tool_result,omitempty"`
	// Schema is the form that the answer must have, nil when it is free.
	Schema map[string]any `json:"schema,omitempty"`
	Stream bool           `json:"stream"`
	// Body is the request as it came.
	Body    json.RawMessage `json:"body,omitempty"`
	Outcome Outcome         `json:"outcome,omitempty"`
	// Ended is when the answer was over; zero while it is not.
	Ended time.Time `json:"ended,omitzero"`
}

// Side tells a request beside the conversation (a title, a flag) from a turn.
func (r Request) Side() bool { return r.Schema != nil || len(r.Tools) == 0 }

// injectedNames are the tags of blocks that agents add to what the user typed.
func injectedNames() []string {
	return []string{
		"system-reminder", "system_reminder", "environment_context", "user_instructions", "session_context",
		"permissions instructions", "skills_instructions", "INSTRUCTIONS", "current_datetime", "reminder",
	}
}

// stripInjected removes what agents put around the user's words.
func stripInjected(s string) string {
	for _, name := range injectedNames() {
		for {
			open, end := "<"+name+">", "</"+name+">"
			i := strings.Index(s, open)
			if i < 0 {
				break
			}
			j := strings.Index(s[i:], end)
			if j < 0 {
				break
			}
			s = s[:i] + s[i+j+len(end):]
		}
	}
	return strings.TrimSpace(s)
}

// hasWord finds word in text where no other capital touches it.
func hasWord(text, word string) bool {
	for rest := text; ; {
		i := strings.Index(rest, word)
		if i < 0 {
			return false
		}
		before := i == 0 || !isUpper(rest[i-1])
		after := i+len(word) == len(rest) || !isUpper(rest[i+len(word)])
		if before && after {
			return true
		}
		rest = rest[i+len(word):]
	}
}

func isUpper(b byte) bool { return b >= 'A' && b <= 'Z' }

// afterWord returns the match of pattern right behind word, "" without one.
func afterWord(text, word, pattern string) string {
	m := regexp.MustCompile(word + `:?\s*` + pattern).FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return m[1]
}
