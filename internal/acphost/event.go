package acphost

import (
	"encoding/json/jsontext"
	"time"

	"github.com/termio-sh/termio/internal/acp"
)

// Entry is one line of a session's journal: a message as it went over the
// wire, or an event of the host's own.
type Entry struct {
	Seq  uint64         `json:"seq"`
	At   time.Time      `json:"at"`
	From string         `json:"from"` // agent, client or host
	Msg  jsontext.Value `json:"msg,omitzero"`
	Note *Event         `json:"note,omitzero"`
}

// Where an entry comes from.
const (
	FromAgent  = "agent"
	FromClient = "client"
	FromHost   = "host"
)

// Event is one thing that happened in a session, as its readers get it: a line
// of `termio acp run --json`, or a host's note in the journal. Which fields are
// there goes by the type.
type Event struct {
	Seq  uint64 `json:"seq,omitzero"` // rises; of the journal's entry
	Type string `json:"type"`

	Kind string `json:"kind,omitzero"` // stream: message or thought
	Text string `json:"text,omitzero"`
	// MessageID tells messages of a replay apart, where the agent gives one.
	MessageID string `json:"messageId,omitzero"`
	Turn      int    `json:"turn,omitzero"`

	StopReason        string  `json:"stopReason,omitzero"`
	ProviderSessionID string  `json:"providerSessionId,omitzero"`
	Content           *string `json:"content,omitzero"` // completed: the whole text
	Next              bool    `json:"next,omitzero"`    // completed: the answer to what it asked is a turn of its own
	Error             string  `json:"error,omitzero"`   // failed: a stable word
	Message           string  `json:"message,omitzero"`

	ToolCallID string         `json:"toolCallId,omitzero"`
	Title      string         `json:"title,omitzero"`
	Status     string         `json:"status,omitzero"`
	Input      jsontext.Value `json:"input,omitzero"`
	Output     jsontext.Value `json:"output,omitzero"`
	Blocks     jsontext.Value `json:"blocks,omitzero"`    // a tool's content
	Locations  jsontext.Value `json:"locations,omitzero"` // files it touches
	Full       bool           `json:"full,omitzero"`      // a whole tool call, not a change of one

	Entries       jsontext.Value `json:"entries,omitzero"` // plan
	Used          *int64         `json:"used,omitzero"`    // usage
	Size          *int64         `json:"size,omitzero"`
	Cost          jsontext.Value `json:"cost,omitzero"`
	Commands      jsontext.Value `json:"commands,omitzero"`
	ConfigOptions jsontext.Value `json:"configOptions,omitzero"`
	Modes         jsontext.Value `json:"modes,omitzero"`  // the protocol's, with the current one
	Models        jsontext.Value `json:"models,omitzero"` // a list that is no option: see ModelList
	Mode          string         `json:"mode,omitzero"`
	Block         jsontext.Value `json:"block,omitzero"`  // content that is no text
	Update        jsontext.Value `json:"update,omitzero"` // raw: what is not known

	Count int      `json:"count,omitzero"` // noise
	Lines []string `json:"lines,omitzero"`

	ID       int       `json:"id,omitzero"`   // of a question, or of a prompt
	Page     int       `json:"page,omitzero"` // of a question's pages, from 0
	Question *Question `json:"question,omitzero"`
	Answer   string    `json:"answer,omitzero"`
	Dropped  bool      `json:"dropped,omitzero"`

	Agent        *acp.Implementation `json:"agent,omitzero"`
	Capabilities jsontext.Value      `json:"capabilities,omitzero"`
	Replay       bool                `json:"replay,omitzero"` // of an earlier life of the session
}

// The types of events.
const (
	EventStarting  = "starting"   // the agent's program is started
	EventReady     = "session"    // the session is there: ProviderSessionID
	EventReplay    = "replay"     // what follows is history, until EventReady
	EventPrompt    = "prompt"     // a prompt was taken: Text
	EventQueued    = "queued"     // a prompt waits for the turns before it: ID, Text
	EventWithdrawn = "withdrawn"  // a prompt that waited was dropped: ID, Text
	EventTurn      = "turn"       // it was sent to the agent
	EventStream    = "stream"     // Kind, Text
	EventTool      = "tool"       //
	EventPlan      = "plan"       // Entries
	EventUsage     = "usage"      // Used, Size
	EventCommands  = "commands"   //
	EventConfig    = "config"     //
	EventMode      = "mode"       //
	EventInfo      = "info"       // Title
	EventContent   = "content"    // Kind, Block
	EventRaw       = "raw"        // Update
	EventNoise     = "noise"      // Count, Lines
	EventDecided   = "permission" // answered by the mode: Title, Kind, Answer
	EventQuestion  = "question"   //
	EventAnswered  = "answered"   // ID, Answer or Dropped
	EventUser      = "user"       // a user's message, in a replay
	EventCompleted = "completed"  // the turn's end: StopReason, Content
	EventFailed    = "failed"     // the turn's end: Error, Message
	EventExited    = "exited"     // the agent's program has ended: Message
	EventNotice    = "notice"     // something is otherwise than was asked for: Message
	EventReleased  = "released"   // its program had nothing to do for long, and was let go
)

// Words of Event.Error.
const (
	FailStart    = "start_failed"
	FailProtocol = "unsupported_protocol"
	FailAuth     = "auth_required"
	FailTimeout  = "timeout"
	FailAgent    = "agent_error"
	FailGone     = "agent_gone"
	FailTooLong  = "message_too_long"
	FailResume   = "not_resumable"
)
