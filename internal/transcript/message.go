package transcript

import (
	"fmt"
	"slices"
	"time"
)

// Role says who speaks.
type Role string

// The roles. System is what the agent or its host put into the conversation
// by itself: instructions, summaries, notices.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
	System    Role = "system"
)

// Message is one thing said. A line of a transcript can hold several, which
// then have the same Line, and many lines hold none.
type Message struct {
	// Line is how many lines (messages, in a database) are before it: what a
	// cursor counts, from 0.
	Line int
	Role Role
	// Text is what was said, or what a tool answered.
	Text string
	// Tool is set where the assistant calls a tool, and where one answers.
	Tool *Tool
	// Usage is what the model counted for this message, where the agent
	// writes it down.
	Usage *Usage
	// At is when, zero where the agent does not say.
	At time.Time

	id      string // of a message that may be written again
	again   bool   // it was written before
	usageID string // of the model's answer that Usage belongs to
}

// Tool is a tool's call (Input) or its result, whose text is the message's.
type Tool struct {
	Name string
	// ID joins a call with its result.
	ID string
	// Input are the arguments as JSON, or as the agent wrote them.
	Input string
	// Failed is true for a result that is an error.
	Failed bool
}

// Usage are tokens.
type Usage struct {
	Input, Output, CacheRead, CacheWrite int
	Model                                string
}

// About is what a transcript says of its conversation.
type About struct {
	ID    string // the agent's own id
	Dir   string // the working directory, where it is known
	Title string // the agent's own title, else the first prompt, shortened
	// Sub is true for the conversation of a sub-agent.
	Sub     bool
	Created time.Time
	// Updated is when the last message was written.
	Updated time.Time
	// Prompts and Messages count what a person said and everything said.
	Prompts, Messages int
}

// decoder reads the lines of one layout, one after the other.
type decoder interface {
	// line takes one complete line. It appends messages to out, and may change
	// those that are there: agents write a message again when more is known.
	line(n int, data []byte, out *[]Message)
	// about is what the lines so far say of the conversation.
	about() *About
}

// ender is a decoder that holds something back until more comes.
type ender interface{ end(out *[]Message) }

// layout is one format of a manifest's transcript.format.
type layout struct {
	name string
	// tried are the agents' versions whose files the tests read.
	tried   string
	decoder func() decoder // nil for a database
	// rewrites tells that lines change what stands in lines before.
	rewrites bool
}

func layouts() []layout {
	return []layout{
		{name: Journal, decoder: func() decoder { return &journal{} }},
		{name: "claude-jsonl", tried: "Claude Code 2.1.332", decoder: func() decoder { return &claude{} }},
		{name: "codex-rollout", tried: "Codex 0.171.0", decoder: func() decoder { return &codex{} }},
		{name: "copilot-events", tried: "Copilot 1.0.102", decoder: func() decoder { return &copilot{} }},
		{name: "gemini-jsonl", tried: "Gemini CLI 0.61.0", decoder: func() decoder { return &gemini{} }, rewrites: true},
		{name: "grok-jsonl", tried: "", decoder: func() decoder { return &plain{} }},
		{name: "opencode-sqlite", tried: "OpenCode 1.18.33"},
		{name: "pi-jsonl", tried: "Pi 1.6.0", decoder: func() decoder { return &pi{} }},
		{name: "qwen-jsonl", tried: "Qwen Code 0.24.4", decoder: func() decoder { return &qwen{} }},
	}
}

// complete adds what a file of this layout says beside itself.
func (l *layout) complete(a About, path string) About {
	if a.Dir == "" && l.name == "gemini-jsonl" {
		a.Dir = rootBeside(path)
	}
	return a
}

func layoutOf(format string) (layout, error) {
	all := layouts()
	if i := slices.IndexFunc(all, func(l layout) bool { return l.name == format }); i >= 0 {
		return all[i], nil
	}
	return layout{}, fmt.Errorf("read a transcript: there is no format %q", format)
}

// IsDatabase reports whether a format keeps all conversations in one SQLite
// file. The path of such a conversation is that of the file, "#" and its id.
func IsDatabase(format string) bool {
	l, err := layoutOf(format)
	return err == nil && l.decoder == nil
}
