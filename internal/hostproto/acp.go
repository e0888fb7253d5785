package hostproto

import (
	"encoding/json"
	"slices"
)

// What a host that speaks the Agent Client Protocol with its agent needs
// beside what every host does.

// Kinds of sessions (Record.Kind).
const (
	KindTerm = "term"
	KindACP  = "acp"
	// KindAgentTerminal is a terminal that an agent over ACP runs by its client:
	// a child of the agent's session, which can only be looked at, and is gone
	// when the agent is done with it.
	KindAgentTerminal = "acp-terminal"
)

// CodeWrongAgent refuses what is not for sessions of a kind, as such a terminal.
const CodeWrongAgent = "wrong_agent"

// EventTerminal tells of such a terminal: Event.Terminal is its record.
const EventTerminal = "terminal"

// JournalName is the file in the folder of a session over ACP that holds every
// message of the protocol, a line each.
const JournalName = "journal.jsonl"

// ACPSpec is how such an agent is started and what it may do.
type ACPSpec struct {
	// Argv is the agent's command line; its first word is a path.
	Argv []string `json:"argv"`
	// Permissions is who answers when it asks: restricted, ask, auto or strict.
	Permissions string `json:"permissions"`
	// Continue is the agent's own id of the session to go on with.
	Continue string `json:"continue,omitempty"`
	// Once makes the host end after one turn.
	Once bool `json:"once,omitempty"`
	// MCP are servers for the agent, as the protocol has them. OwnMCP is the
	// program that is this program's own, "" where the agent does not get it.
	MCP    json.RawMessage `json:"mcp,omitempty"`
	OwnMCP string          `json:"own_mcp,omitempty"`
	// Fresh says why the agent is to go on in a new session of its own, which
	// is told what was said: Told, else what the journal has.
	Fresh string `json:"fresh,omitempty"`
	Told  string `json:"told,omitempty"`
	// Prefer is what the session is set to (model, effort, …).
	Prefer json.RawMessage `json:"prefer,omitempty"`
	// Draft offers the agent version 2 of the protocol, which is a draft.
	Draft bool `json:"draft,omitempty"`
	// Errand makes the host do one thing without a turn, and end.
	Errand json.RawMessage `json:"errand,omitempty"`
	// Warm makes the host start the agent at once, with an empty session, and
	// wait for somebody to adopt it.
	Warm bool `json:"warm,omitempty"`
}

// Operations of such a host.
const (
	OpJournal = "journal" // JournalRequest -> JournalReply
	OpCancel  = "cancel"  // -> Info: ends the turn that runs
	OpErrand  = "errand"  // -> ErrandReply, when the errand of Spec is done
	OpPrompt  = "prompt"  // PromptRequest -> PromptReply
	OpAnswer  = "answer"  // AnswerRequest: for one question only
	OpOptions = "options" // OptionsRequest -> OptionsReply: what the session can be set to
)

// OptionsRequest asks what a session can be set to, and sets it.
type OptionsRequest struct {
	// Set are values for options by their ids or roles (acphost.Setting). It
	// starts the agent.
	Set json.RawMessage `json:"set,omitempty"`
	// Start starts the agent where nothing is known yet.
	Start bool `json:"start,omitempty"`
}

// OptionsReply is what a session can be set to, and what stands beside its
// conversation.
type OptionsReply struct {
	Live    bool            `json:"live"`              // the agent's program runs
	Options json.RawMessage `json:"options"`           // acphost.Option
	Applied json.RawMessage `json:"applied,omitempty"` // acphost.Applied: what was set
	// Config and Modes are as the protocol has them; so are the next three.
	Config   json.RawMessage `json:"config,omitempty"`
	Modes    json.RawMessage `json:"modes,omitempty"`
	Commands json.RawMessage `json:"commands,omitempty"`
	Plan     json.RawMessage `json:"plan,omitempty"`
	Used     *int64          `json:"used,omitempty"`
	Size     *int64          `json:"size,omitempty"`
}

// PromptRequest gives the agent a prompt, whatever it asks. Attach are files
// that go with it, absolute or from the session's directory: pictures whole
// where the agent takes some, all else as links.
type PromptRequest struct {
	Text   string   `json:"text"`
	Attach []string `json:"attach,omitempty"`
}

// PromptReply is the prompt's number, by which the journal's notes name it.
type PromptReply struct {
	ID int `json:"id"`
}

// AnswerRequest answers a page of a question by their numbers in the journal's
// note. When that is not asked any more it fails with CodePromptChanged.
type AnswerRequest struct {
	Question int    `json:"question"`
	Page     int    `json:"page,omitempty"`
	Text     string `json:"text"` // as for send
}

// JournalRequest asks for what stands in the journal after an entry.
type JournalRequest struct {
	After uint64 `json:"after"`
	// WaitMs is how long to wait for more when there is none yet.
	WaitMs int `json:"wait_ms,omitempty"`
}

// JournalReply is a part of the journal, whole entries in order. An entry too
// large for a reply is left out: Large says where it stands in the file.
type JournalReply struct {
	Entries []json.RawMessage `json:"entries,omitempty"`
	Large   *LargeEntry       `json:"large,omitempty"`
	// Last is the newest entry's number.
	Last uint64 `json:"last"`
}

// LargeEntry is an entry in the journal's file.
type LargeEntry struct {
	Seq    uint64 `json:"seq"`
	Path   string `json:"path"`
	Offset int64  `json:"offset"`
	Size   int64  `json:"size"`
}

// ErrandReply is what an errand brought back, or why it did not.
type ErrandReply struct {
	Found json.RawMessage `json:"found,omitempty"`
	// Word is a stable word for a failure, and Message says it for people.
	Word    string `json:"word,omitempty"`
	Message string `json:"message,omitempty"`
}

// Choice is an option that a session was set to (Record.Choices).
type Choice struct {
	ID    string `json:"id"`
	Role  string `json:"role,omitempty"` // model, collaboration, mode, effort or fast
	Value string `json:"value"`
}

// Choose notes that an option was set.
func (r *Record) Choose(c Choice) {
	i := slices.IndexFunc(r.Choices, func(o Choice) bool { return o.ID == c.ID })
	choices := slices.Clone(r.Choices)
	if i >= 0 {
		choices[i] = c
	} else {
		choices = append(choices, c)
	}
	r.Choices = choices
}
