// Package report is what an agent's hook runs: it tells the host of its own
// session what the agent is doing. It stands on the path of every tool call of
// every agent, so it starts nothing, waits at most 150 ms, says nothing and
// never fails; on Linux it imports nothing that costs time at start (no os,
// net, fmt or encoding/json).
//
// The contract is that of `termio agent report`:
//
//	report <working|attention|done|idle> [--transcript] [--conversation ID]
//	       [--conversation-from F] [--tool-from F] [--prompt-title-from F]
//	       [--subagent-from F] [--pending-from F] [--event NAME] [--reply]
//
// The flags that end in -from name a top-level field of the JSON object that
// the agent writes to its hook's standard input.
package report

import "errors"

// Usage is the command line that Parse takes.
const Usage = "<working|attention|done|idle> [--transcript] [--conversation ID] [--conversation-from F] " +
	"[--tool-from F] [--prompt-title-from F] [--subagent-from F] [--pending-from F] [--event NAME] [--reply]"

// Options are what a hook's command line says.
type Options struct {
	State string // working, attention, done or idle
	// Transcript reads the field transcript_path.
	Transcript bool
	// Conversation is the agent's own session id; ConversationFrom the field
	// that holds it.
	Conversation, ConversationFrom string
	// ToolFrom and PromptTitleFrom are the fields with the running tool's
	// name and with the prompt.
	ToolFrom, PromptTitleFrom string
	// SubagentFrom is the field that names the sub-agent which an event comes
	// from, absent for the main one; PendingFrom the one with the list of
	// background tasks that still run.
	SubagentFrom, PendingFrom string
	// Event is the agent's name of the event, for the trace.
	Event string
	// Reply prints an empty JSON object, for agents that read one back.
	Reply bool
}

// reads tells whether anything is taken from the payload.
func (o *Options) reads() bool {
	return o.Transcript || o.ConversationFrom != "" || o.ToolFrom != "" || o.PromptTitleFrom != "" ||
		o.SubagentFrom != "" || o.PendingFrom != ""
}

// Parse reads the arguments after the command's name. The options that it
// understood are valid beside the error.
func Parse(args []string) (o Options, err error) {
	for i := 0; i < len(args); i++ {
		var into *string
		switch a := args[i]; a {
		case "--transcript":
			o.Transcript = true
			continue
		case "--reply":
			o.Reply = true
			continue
		case "--conversation":
			into = &o.Conversation
		case "--conversation-from":
			into = &o.ConversationFrom
		case "--tool-from":
			into = &o.ToolFrom
		case "--prompt-title-from":
			into = &o.PromptTitleFrom
		case "--subagent-from":
			into = &o.SubagentFrom
		case "--pending-from":
			into = &o.PendingFrom
		case "--event":
			into = &o.Event
		case "working", "attention", "done", "idle":
			if o.State != "" {
				err = errors.New("one state at a time: " + a + " is one too many")
				continue
			}
			o.State = a
			continue
		default:
			err = errors.New("unknown argument " + a)
			continue
		}
		if i+1 == len(args) {
			err = errors.New(args[i] + " needs a value")
			continue
		}
		i++
		*into = args[i]
	}
	if err == nil && o.State == "" {
		err = errors.New("a state is missing: working, attention, done or idle")
	}
	return o, err
}

// Bounds of what is sent, in bytes; and of what is read.
const (
	maxInput = 1 << 20
	maxID    = 128
	maxPath  = 4096
	maxText  = 256

	maxPending = 1000 // tasks
)

// found is what a payload gave.
type found struct {
	conversation, transcript, tool, prompt, subagent string
	pending                                          int
}

// mine takes the fields that o names out of a payload. cut tells that the
// payload went on.
func mine(o *Options, payload []byte, cut bool) (f found) {
	members(payload, cut, func(key, value string, items int) {
		if key == "" {
			return
		}
		// Two flags may name one field.
		if key == o.ConversationFrom {
			f.conversation = value
		}
		if key == "transcript_path" && o.Transcript {
			f.transcript = value
		}
		if key == o.ToolFrom {
			f.tool = value
		}
		if key == o.PromptTitleFrom {
			f.prompt = value
		}
		if key == o.SubagentFrom {
			f.subagent = value
		}
		if key == o.PendingFrom {
			f.pending = items
		}
	})
	return f
}

// validID reports whether id can name a conversation: the rule of the Agent
// Terminal Protocol's manifests.
func validID(id string) bool {
	if id == "" || len(id) > maxID || id[0] == '-' || id[0] == '.' {
		return false
	}
	for i := 0; i < len(id); i++ {
		c := id[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-') {
			return false
		}
	}
	return true
}
