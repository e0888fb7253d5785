package hostproto

// What a wait for an outcome needs of a host (session-control document,
// "waiting").

// More operations.
const (
	OpLook  = "look"  // LookRequest -> Look, when the screen is as asked for
	OpQueue = "queue" // QueueRequest -> Queue: prompts that wait for the agent
)

// EventCommand tells that a plain terminal's shell said (OSC 133) that a
// command ended: Exit, absent where it did not say how; Count counts them.
const EventCommand = "command"

// CodePromptChanged refuses an answer to a question that is not asked any more.
const CodePromptChanged = "prompt_changed"

// Before is how a session was right before a payload was submitted. A turn that
// the payload starts is a later one than Turn.
type Before struct {
	Turn  int    `json:"turn,omitempty"`
	Asked int    `json:"asked,omitempty"`
	State string `json:"state"`
	// Tells is true when some channel would tell that a turn begins.
	Tells bool `json:"tells,omitempty"`
	// Commands counts the commands whose end the shell had told.
	Commands int `json:"commands,omitempty"`
	// Screen stands for the screen's text before typing, see Look.
	Screen uint64 `json:"screen,omitempty"`
	// Transcript is what the agent was writing to, Lines how many lines (or
	// messages) it had then.
	Transcript string `json:"transcript,omitempty"`
	Lines      *int   `json:"lines,omitempty"`
}

// LookRequest asks to be told of the screen: when it is not the one that Not
// stands for (0 is none), and has stayed as it is for QuietMs milliseconds.
type LookRequest struct {
	Not     uint64 `json:"not,omitempty"`
	QuietMs int    `json:"quiet_ms,omitempty"`
}

// Look is the reply. Screen stands for the screen's text; it means nothing to
// another host.
type Look struct {
	Screen uint64 `json:"screen"`
	// Unread tells that input lies there which the program has not read.
	Unread bool `json:"unread,omitempty"`
	// Raw tells that the program reads keys, or a line that is not shown.
	Raw bool `json:"raw,omitempty"`
}

// QueueRequest asks for the prompts that wait, Drop to withdraw the one with
// that number; 0 withdraws none.
type QueueRequest struct {
	Drop int `json:"drop,omitempty"`
}

// Queue are the prompts that wait for the agent to end its turn, in order.
type Queue struct {
	Prompts []Queued `json:"prompts"`
	// Dropped is the one that was withdrawn; nil when none has that number.
	Dropped *Queued `json:"dropped,omitempty"`
}

// Queued is one of them. N is its number in this launch of the session: the
// numbers of the others stay when one goes.
type Queued struct {
	N    int    `json:"n"`
	Text string `json:"text"`
	// Reason is why it waits: working, draft, or its turn behind another.
	Reason string `json:"reason"`
}
