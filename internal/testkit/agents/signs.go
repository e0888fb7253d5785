package agents

import "fmt"

// Signs are what an agent's screen shows in states that tests wait for, in
// the pinned version, and the keys that answer. A text is on the screen when
// its words are, whatever blanks lie between them.
type Signs struct {
	// Ready stands there once the agent takes input.
	Ready string
	// Busy stands there, beside Ready or not, while it does not yet; empty
	// when nothing does.
	Busy string
	// Permission stands there when it asks whether a command may run; empty
	// when the agent has no such question.
	Permission string
	// Approve and Reject are the keys that answer that question.
	Approve, Reject string
}

// SignsOf returns the signs of an agent that Names lists.
func SignsOf(name string) (Signs, error) {
	switch name {
	case "claude":
		return Signs{Ready: "manual mode on", Permission: "Do you want to proceed?", Approve: "\r", Reject: "\x1b"}, nil
	case "codex":
		return Signs{Ready: "? for shortcuts", Permission: "Would you like to run", Approve: "\r", Reject: "\x1b"}, nil
	case "opencode":
		return Signs{Ready: "ctrl+p commands", Permission: "Permission required", Approve: "\r", Reject: "\x1b"}, nil
	case "pi":
		return Signs{Ready: "0.0%/128k"}, nil
	case "gemini":
		return Signs{Ready: "Type your message", Permission: "Allow once", Approve: "\r", Reject: "\x1b"}, nil
	case "qwen":
		return Signs{Ready: "Type your message", Busy: "Initializing", Permission: "Yes, allow once", Approve: "\r", Reject: "\x1b"}, nil
	case "copilot":
		return Signs{Ready: "/ commands", Permission: "Do you want to run this command?", Approve: "\r", Reject: "\x1b"}, nil
	}
	return Signs{}, fmt.Errorf("no agent is called %q", name)
}
