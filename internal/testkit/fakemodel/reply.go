package fakemodel

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// A Kind is a sort of tool that most agents have, each under its own name.
type Kind string

// The kinds that a ToolCall may ask for instead of naming a tool.
const (
	Shell Kind = "shell" // runs Command
	Edit  Kind = "edit"  // writes Content to Path
	Ask   Kind = "ask"   // asks Question with Options
)

// A ToolCall is one tool that the model wants used: by exact Name and Args, or
// by Kind, whose name and arguments are made to fit what the agent offers.
type ToolCall struct {
	Name string         `json:"name,omitempty"`
	Args map[string]any `json:"args,omitempty"`

	Kind     Kind     `json:"kind,omitempty"`
	Command  string   `json:"command,omitempty"`
	Path     string   `json:"path,omitempty"`
	Content  string   `json:"content,omitempty"`
	Question string   `json:"question,omitempty"`
	Options  []string `json:"options,omitempty"`
}

// A Failure is an answer that is not one.
type Failure struct {
	Status  int    `json:"status"`
	Type    string `json:"type"`
	Message string `json:"message"`
	// RetryAfter, in seconds, is sent when it is not 0.
	RetryAfter int `json:"retry_after,omitempty"`
}

// A Reply is what the model says to one request.
type Reply struct {
	Text string
	// Tools are called after the text; the agent then comes back with the
	// results in a new request.
	Tools []ToolCall
	// StartDelay is the time before the first byte of the answer, WordDelay
	// the time after each word.
	StartDelay, WordDelay time.Duration
	// Hold names a gate at which the stream stands still after its first word
	// (Hang: for good, until the client leaves).
	Hold string
	Hang bool
	// Fail is answered instead of anything else.
	Fail *Failure
	// Cut drops the connection after the text, without the stream's end.
	Cut bool
}

// DefaultCommand is what the TOOL keyword runs.
const DefaultCommand = "touch tool-ran.txt && echo tool-ran-ok"

// Greeting opens the plain answer; the prompt follows it.
const Greeting = "Hello from the fake model."

// SideTitle answers side requests that want a title.
const SideTitle = "Fake session title"

// plan answers a request for which the test's script has no rule. dir is where
// EDIT writes when the prompt names no file.
func plan(r Request, dir string) Reply {
	p := r.Prompt
	if r.Schema != nil {
		out, _ := json.Marshal(fromSchema(r.Schema, "value")) // made of plain values only
		return Reply{Text: string(out)}
	}
	if r.ToolResult != nil {
		return Reply{Text: "The tool finished. Its result was: " + oneLine(*r.ToolResult, 160)}
	}
	if r.Side() {
		return Reply{Text: SideTitle}
	}
	switch {
	case hasWord(p, "RATELIMIT"):
		return Reply{Fail: &Failure{Status: 429, Type: "rate_limit_error", Message: "fake rate limit"}}
	case hasWord(p, "FAIL"):
		return Reply{Fail: &Failure{Status: 500, Type: "api_error", Message: "fake server failure"}}
	case hasWord(p, "HANG"):
		return Reply{Text: "Thinking", Hang: true}
	case hasWord(p, "HOLD"):
		return Reply{Text: "Thinking until released. Released now.", Hold: afterWord(p, "HOLD", `([a-z0-9-]+)`)}
	case hasWord(p, "TOOL"):
		return use(r, ToolCall{Kind: Shell, Command: or(afterWord(p, "TOOL", "`([^`]+)`"), DefaultCommand)})
	case hasWord(p, "EDIT"):
		return use(r, ToolCall{Kind: Edit, Path: or(afterWord(p, "EDIT", `(/\S+)`), strings.TrimSuffix(dir, "/")+"/edit-made.txt")})
	case hasWord(p, "QUESTION"):
		return use(r, ToolCall{Kind: Ask})
	case hasWord(p, "LONG"):
		return Reply{Text: longText()}
	case hasWord(p, "SLOW"):
		return Reply{Text: slowText, WordDelay: 400 * time.Millisecond}
	}
	return Reply{Text: Greeting + " You said: " + tail(p, 120)}
}

// use is a reply that calls one tool, or says that there is none.
func use(r Request, c ToolCall) Reply {
	name, _, err := c.resolve(r.Tools)
	if err != nil {
		return Reply{Text: err.Error()}
	}
	return Reply{Text: "I will use " + name + " now.", Tools: []ToolCall{c}}
}

const slowText = "I am thinking slowly about this so that a watcher can see the working state of the agent for a good while. Done."

func longText() string {
	var b strings.Builder
	b.WriteString("# Report\n\n")
	for i := range 30 {
		fmt.Fprintf(&b, "%d. Line number %d of the **long** answer.\n", i+1, i+1)
	}
	b.WriteString("\n```go\nfmt.Println(\"done\")\n```\n")
	return b.String()
}

func or(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}

func tail(s string, n int) string {
	r := []rune(s)
	return string(r[max(0, len(r)-n):])
}

func oneLine(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	r := []rune(s)
	return string(r[:min(n, len(r))])
}

var wordPattern = regexp.MustCompile(`\S+\s*|\s+`)

// words splits a text so that the pieces joined give it back.
func words(s string) []string { return wordPattern.FindAllString(s, -1) }
