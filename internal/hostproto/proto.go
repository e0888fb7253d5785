// Package hostproto is the language between a session's host process and the
// programs that look at it: the coordinator, viewers and hook reporters
// (DESIGN §5). It holds the frames, the messages and a client; it knows
// nothing of PTYs or rosters.
//
// A connection starts with a hello in either direction. A control connection
// then exchanges requests and replies; a viewer connection (interact or
// observe) receives one snapshot, a ready event, and from there every byte of
// output once and in order.
package hostproto

import (
	"encoding/json"
	"fmt"
	"time"
)

// The protocol versions this program speaks. A peer whose range does not
// overlap is refused with CodeIncompatible and both ranges in the message.
const (
	MinVersion = 1
	MaxVersion = 1
)

// Limits of one frame, in bytes.
const (
	MaxFrame = 16 << 20 // any frame's payload
	MaxData  = 64 << 10 // the payload of an output, input or snapshot frame
)

// FrameType is the first byte of a frame. An unknown one closes the connection.
type FrameType byte

// Frame types. Control, reply and event frames carry JSON; the others raw bytes.
const (
	FrameControl  FrameType = 'C' // a Request
	FrameReply    FrameType = 'R' // a Reply
	FrameEvent    FrameType = 'E' // an Event
	FrameOutput   FrameType = 'O' // host to viewer: bytes from the PTY
	FrameInput    FrameType = 'I' // viewer to host: bytes for the PTY
	FrameSnapshot FrameType = 'S' // host to viewer: part of a snapshot
)

// Role says what a peer is.
type Role string

// Roles. Only the newest interact peer owns input and size.
const (
	RoleControl  Role = "control"
	RoleInteract Role = "interact"
	RoleObserve  Role = "observe"
)

// Request is a control message. Unknown ops are answered with CodeBadOp.
type Request struct {
	Op   string          `json:"op"`
	ID   uint64          `json:"id,omitempty"` // echoed in the reply; 0 asks for none
	Body json.RawMessage `json:"body,omitempty"`
}

// Reply answers the request whose ID it repeats.
type Reply struct {
	ID    uint64          `json:"id"`
	Error *Error          `json:"error,omitempty"`
	Body  json.RawMessage `json:"body,omitempty"`
}

// Error is a refusal or failure that the peer can act on. Code is one of the
// contract's error codes (internal/api) or one of those below.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	// Delivered is set with CodeNotDelivered: how many bytes of the payload
	// the program took.
	Delivered int `json:"delivered,omitempty"`
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Code, e.Message) }

// Codes of the host protocol itself, and those of the contract that a host can find.
const (
	CodeIncompatible = "incompatible"
	CodeBadOp        = "bad_op"
	CodeBadRequest   = "bad_request"
	CodeBadKey       = "bad_key"
	CodeNotLive      = "not_live"      // the program has exited
	CodeNotOwner     = "not_owner"     // input from a viewer that does not own it
	CodeNotDelivered = "not_delivered" // the program did not take the whole payload
	CodeStartFailed  = "start_failed"
	CodeBootFailed   = "boot_failed" // it started and died at once
	CodeInternal     = "internal"
)

// Operations.
const (
	OpHello     = "hello"     // Hello -> Welcome; first on every connection
	OpInfo      = "info"      // -> Info
	OpSubscribe = "subscribe" // -> Info; events follow, none lost between the two
	OpScreen    = "screen"    // ScreenRequest -> Screen
	OpSend      = "send"      // SendRequest -> SendReply, when delivered
	OpClose     = "close"     // CloseRequest -> CloseReply, when everything is gone
	OpRename    = "rename"    // RenameRequest -> RenameReply
	OpSeen      = "seen"      // -> Info: a person has looked at the session
	OpResize    = "resize"    // Size; from the owning viewer
	OpTrace     = "trace"     // -> TraceReply: why the status is what it is
	OpConverse  = "converse"  // ConverseRequest -> Info: which conversation the session is in
	OpReport    = "report"    // Report: what a hook says; the reply comes when it counts
)

// Hello opens a connection.
type Hello struct {
	Min    int    `json:"min"`
	Max    int    `json:"max"`
	Role   Role   `json:"role"`
	Client string `json:"client,omitempty"` // for people: "termio 0.1.0 attach"
	Size   *Size  `json:"size,omitempty"`   // a viewer's terminal
	// Scrollback is how many lines of it a viewer's snapshot brings: 0 none, <0 all.
	Scrollback int `json:"scrollback,omitempty"`
}

// Welcome answers Hello.
type Welcome struct {
	Version int    `json:"version"`
	Host    string `json:"host"` // program version of the host
	Info    Info   `json:"info"`
}

// Size is a terminal's size in cells.
type Size struct {
	Cols int `json:"cols"`
	Rows int `json:"rows"`
}

// CloseReply answers a close.
type CloseReply struct {
	Closed
	// Unsaved says why that is not on disk yet; it goes on being tried.
	Unsaved string `json:"unsaved,omitempty"`
}

// RenameReply answers a rename.
type RenameReply struct {
	Info
	// Unsaved says why that is not on disk yet; it goes on being tried.
	Unsaved string `json:"unsaved,omitempty"`
}

// Info is what a host knows of its session right now.
type Info struct {
	Record Record `json:"record"`
	Status Status `json:"status"`
	Size   Size   `json:"size"`
	// Viewers counts the attached ones.
	Viewers int `json:"viewers,omitempty"`
	// Seq is the sequence number of the newest event.
	Seq uint64 `json:"seq"`
	// LastOutput is when the program last wrote.
	LastOutput time.Time `json:"last_output,omitzero"`
	// Output is how many bytes it has written.
	Output uint64 `json:"output,omitempty"`
	// Pending is the payload given at spawn or by send that is still on its way.
	Pending int `json:"pending,omitempty"`
	// First tells how the payload given at spawn was delivered; nil while it
	// was not.
	First *Delivery `json:"first,omitempty"`
	// Terminals are those that an agent over ACP runs now.
	Terminals []Record `json:"terminals,omitempty"`
}

// Status is a session's state as its host sees it: a fact about the agent,
// whoever is looking (DESIGN §1.3).
type Status struct {
	State string    `json:"state"` // working, needs-you, done, idle
	Since time.Time `json:"since"`
	// Question is what stands on the screen or was declared, for needs-you.
	Question string `json:"question,omitempty"`
	// Options are its answers, when a channel gave them as data.
	Options []string `json:"options,omitempty"`
	// Asked counts the questions raised since launch: it rises when needs-you
	// begins and when the question that stands is replaced by another.
	Asked int `json:"asked,omitempty"`
	// Description is one short phrase for a list: the running tool, the wait.
	Description string `json:"description,omitempty"`
	// Unconfirmed marks a done that was concluded from silence.
	Unconfirmed bool `json:"unconfirmed,omitempty"`
	// Error is set when the turn ended by a failure the agent declared.
	Error string `json:"error,omitempty"`
	// Turn counts the turns begun since launch; the wait rule uses it.
	Turn  int   `json:"turn,omitempty"`
	Cause Cause `json:"cause,omitzero"`
}

// Cause is the signal behind a status change.
type Cause struct {
	Channel string `json:"channel"`        // launch, osc7501, hook, title, progress, screen, bell, mark, input, exit, seen, stale; delivery, which changes no state
	Rule    string `json:"rule,omitempty"` // the manifest's rule, or the protocol's word
	Text    string `json:"text,omitempty"` // what matched, shortened
}

// Change is one line of a trace.
type Change struct {
	At    time.Time `json:"at"`
	From  string    `json:"from"`
	To    string    `json:"to"`
	Cause Cause     `json:"cause"`
}

// TraceReply is the recent changes, oldest first (the newest 200 are kept).
type TraceReply struct {
	Changes []Change `json:"changes"`
}

// ScreenRequest asks for text. Lines 0 means the viewport; N the last N lines
// of scrollback and screen together.
type ScreenRequest struct {
	Lines int `json:"lines,omitempty"`
}

// Screen is the reply: right-trimmed rows, trailing blank rows dropped.
type Screen struct {
	Text string `json:"text"`
	Size Size   `json:"size"`
}

// SendRequest types into the program: text first, then keys, then Enter. The
// payload is delivered in order with others and is never interleaved.
type SendRequest struct {
	Text  string   `json:"text,omitempty"`
	Keys  []string `json:"keys,omitempty"`
	Enter bool     `json:"enter,omitempty"`
	// Answers is the number of the question (Status.Asked) that this answers.
	// If another one stands, or none, nothing is typed (CodePromptChanged).
	Answers int `json:"answers,omitempty"`
	// Now types at once, also while the agent works or a person's draft stands
	// in its prompt.
	Now bool `json:"now,omitempty"`
	// Wait asks for the reply when the payload was delivered, also when it had
	// to be queued.
	Wait bool `json:"wait,omitempty"`
}

// SendReply says how a delivery went.
type SendReply struct {
	// Bytes of the text that the program took.
	Bytes int `json:"bytes"`
	// Verified is true when the text was seen to arrive on the screen; false
	// when the program does not echo, which is no error.
	Verified bool `json:"verified"`
	// Retried is true when the text had to be typed a second time.
	Retried bool `json:"retried,omitempty"`
	// Turn is the turn counter before the Enter key.
	Turn int `json:"turn,omitempty"`
	// Submitted tells whether Enter had an effect: a turn began, or the text
	// left the prompt. False comes with an error; absent is not known.
	Submitted *bool `json:"submitted,omitempty"`
	// Queued is the payload's number in the queue: it is typed when the agent
	// has ended its turn. Nothing else is set then.
	Queued int `json:"queued,omitempty"`
	// Before is how the session was before Enter; nil when nothing was typed.
	Before *Before `json:"before,omitempty"`
}

// CloseRequest ends the session and everything it started.
type CloseRequest struct {
	Reason string `json:"reason,omitempty"` // default user-closed
}

// RenameRequest sets the user's title; empty gives the program's back.
type RenameRequest struct {
	Title string `json:"title"`
}

// Report is what `termio agent report` sends: the agent's own word on its
// state. It counts only with the token of the session's present launch.
type Report struct {
	State        string `json:"state"`           // working, attention, done or idle
	Token        string `json:"token,omitempty"` // TERMIO_TOKEN of the session
	Event        string `json:"event,omitempty"` // the agent's name of what happened
	Conversation string `json:"conversation,omitempty"`
	Transcript   string `json:"transcript,omitempty"`
	Tool         string `json:"tool,omitempty"`
	PromptTitle  string `json:"prompt_title,omitempty"`
	Cwd          string `json:"cwd,omitempty"`
	// Subagent names the sub-agent of the agent that the report is about.
	Subagent string `json:"subagent,omitempty"`
	// Pending counts the background tasks that still run, with done.
	Pending int `json:"pending,omitempty"`
}

// Event types.
const (
	EventStatus   = "status"   // Status
	EventTitle    = "title"    // Title
	EventCwd      = "cwd"      // Cwd
	EventDelivery = "delivery" // Delivery: a payload arrived or could not
	EventExited   = "exited"   // Closed
	EventAgent    = "agent"    // Agent: an agent was started in a plain terminal, or has ended there
	EventReady    = "ready"    // viewer: the snapshot is complete, output follows; Size, Owner
	EventResync   = "resync"   // viewer: too far behind; a new snapshot follows
	EventResized  = "resized"  // viewer: at this point of the stream the size became Size; the first one comes before the first snapshot
	EventOwner    = "owner"    // viewer: Owner tells whether it now owns input and size
	EventSignal   = "signal"   // bell, notification, clipboard: Signal
	// EventConversation: the session writes another conversation, or more is
	// known of it: Conversation, absent when it is not known any more.
	EventConversation = "conversation"
)

// Event is something that happened. Unknown types are ignored by receivers.
type Event struct {
	Type     string    `json:"type"`
	Seq      uint64    `json:"seq,omitempty"`
	At       time.Time `json:"at,omitzero"`
	Status   *Status   `json:"status,omitempty"`
	Title    string    `json:"title,omitempty"`
	Cwd      string    `json:"cwd,omitempty"`
	Delivery *Delivery `json:"delivery,omitempty"`
	Closed   *Closed   `json:"closed,omitempty"`
	Size     *Size     `json:"size,omitempty"`
	Owner    bool      `json:"owner,omitempty"`
	Signal   *Signal   `json:"signal,omitempty"`
	Exit     *int      `json:"exit,omitempty"` // with EventCommand
	Count    int       `json:"count,omitempty"`

	Conversation *Conversation `json:"conversation,omitempty"`
	Why          string        `json:"why,omitempty"` // no conversation is known
	Agent        *Agent        `json:"agent,omitempty"`
	Notice       *Notice       `json:"notice,omitempty"`
	Viewers      *int          `json:"viewers,omitempty"`
	Terminal     *Record       `json:"terminal,omitempty"`
}

// Agent is who a session is now; see Record.
type Agent struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Plain bool   `json:"plain,omitempty"`
}

// Delivery is the end of a payload given at spawn.
type Delivery struct {
	SendReply
	// First marks the payload that the session was started with.
	First bool   `json:"first,omitempty"`
	Error *Error `json:"error,omitempty"`
}

// Signal is an edge: something the program said once.
type Signal struct {
	Kind  string `json:"kind"` // bell, notification
	Title string `json:"title,omitempty"`
	Text  string `json:"text,omitempty"`
}
