// Package status is the reducer behind the dot beside each session: timed
// events in, the agent's state out. It does no I/O and reads no clock; time
// comes only from Event.At and Tick.
//
// State is a fact about the agent, whoever is looking (DESIGN §1.3): every
// turn that ends says done, and only Seen, or the agent's own word, turns done
// into idle. What each channel may decide is written in table.go.
package status

import "time"

// State is what a session is doing, in the words of the session contract.
type State string

// The states.
const (
	Working  State = "working"   // a turn runs
	NeedsYou State = "needs-you" // it cannot go on, or asks to be looked at
	Done     State = "done"      // a turn ended and nobody has seen it yet
	Idle     State = "idle"      // at rest, nothing new to see
)

// Class is what a manifest's rules say of a title or of a screen.
type Class uint8

// The classes. For an agent that has rules of a kind, text that none of them
// matches is ClassIdle; ClassNone means the same for the reducer.
const (
	ClassNone Class = iota
	ClassIdle
	ClassWorking
	ClassAttention
)

// Kind says what an Event is about, and which of its fields count.
type Kind uint8

// The kinds of events.
const (
	KindLaunch        Kind = iota + 1 // the program was started: everything begins anew
	KindProgramStatus                 // OSC 7501 report: Program
	KindHook                          // report of a hook: Hook
	KindTitle                         // OSC 0/2, every one, repeats too: Class, Rule, Text
	KindProgress                      // OSC 9;4, every one: Progress
	KindBell                          // BEL outside a sequence
	KindNotification                  // OSC 9, 99, 777: Text
	KindScreen                        // the live bottom of the screen: Changed, Class, Rule, Text, Question
	KindInput                         // something was typed, by any route: Interrupt
	KindSubmit                        // a prompt or an answer was submitted
	KindPromptMark                    // OSC 133: Mark, ExitCode
	KindReset                         // RIS, which clears every program status record
	KindExit                          // the program ended: ExitCode
	KindFile                          // the agent's own status file: Class, Rule, Text
	KindSeen                          // someone looked at the session
)

// Event is one thing that happened. Only At, Kind and the fields that belong
// to the kind are read. An At before that of the event before counts as equal
// to it.
type Event struct {
	At   time.Time
	Kind Kind

	Class Class  // KindTitle, KindScreen, KindFile; ClassNone of a file: it says nothing
	Rule  string // the manifest's rule that matched, "" for none; the word in the file
	Text  string // the title, the matched text, the notification's text

	Program  Program // KindProgramStatus
	Hook     Hook    // KindHook
	Progress int     // KindProgress: OSC 9;4 state 0..4

	// Changed tells that the rendered bottom differs from the one before.
	Changed bool // KindScreen
	// Question is the text of the last rows of the screen, which stands for
	// the question where no better text is known.
	Question string // KindScreen

	Mark     byte // KindPromptMark: A, B, C or D
	ExitCode int  // KindPromptMark D, KindExit; -1 unknown

	// Interrupt tells that the input was Esc or Ctrl-C. It is a hint and
	// decides nothing alone.
	Interrupt bool // KindInput
}

// Program is a validated OSC 7501 report.
type Program struct {
	ID       string // "" for the program itself, else a path such as "a/b"
	App      string
	State    string // idle, working, done, blocked, error, clear
	Kind     string // of a block: permission, question, auth, or ""
	Progress int    // percent, -1 absent
	Title    string
	Msg      string
	// Options are the answers of a block, where they came as data.
	Options []string
}

// Hook is a report made through the agent's own hooks.
type Hook struct {
	State HookState
	// Event is the agent's name of the event, kept as the rule of the cause.
	Event string
	// Tool is the running tool, Question the text of a block; both optional.
	Tool, Question string
	// Options are the answers of a block, where they came as data.
	Options      []string
	Conversation string
	// Subagent marks a report about a sub-agent or background task of the
	// agent, named by SubagentID. One that says working and names no tool
	// begins the task, which keeps the turn open until it is done; one that
	// names a tool is only a sign of its life.
	Subagent   bool
	SubagentID string
	// Pending counts the background tasks that a HookDone declares: the
	// session is not done while the agent says that work is still to end.
	Pending int
	// Generation names the launch that the report belongs to; a report of
	// another one than that of KindLaunch is dropped. 0 is not checked.
	Generation uint64
	// Seq orders the reports of one source; one that is not newer than the
	// last is dropped. 0 is not checked.
	Seq uint64
}

// HookState is the vocabulary of hooks and manifests.
type HookState string

// The hook states.
const (
	HookWorking   HookState = "working"
	HookAttention HookState = "attention"
	HookDone      HookState = "done"
	HookIdle      HookState = "idle"
)

// Config says what can be known of the session at all.
type Config struct {
	// Plain is a terminal without an agent: shell marks, program status and
	// the bell are its only channels.
	Plain bool
	// TitleRules, ScreenRules and ProgressRules tell that the manifest has
	// rules of this kind; without them such events say nothing.
	TitleRules, ScreenRules, ProgressRules bool
	// Hooks tells that the manifest declares hooks. They count only once one
	// has spoken.
	Hooks bool
	// WorkAfter is how long work must last that begins a turn, for an agent
	// that says "working" for a moment when it does nothing of the kind.
	// Hooks are exempt: they name what begins.
	WorkAfter time.Duration
	// Generation names the first launch, see Hook.Generation.
	Generation uint64
}

// Cause is the signal behind a state.
type Cause struct {
	Channel string // one of the Channel constants
	Rule    string // the manifest's rule, or the protocol's word
	Text    string // what matched, at most 200 bytes
}

// The channels of a Cause.
const (
	ChannelLaunch   = "launch"
	ChannelProgram  = "osc7501"
	ChannelHook     = "hook"
	ChannelTitle    = "title"
	ChannelProgress = "progress"
	ChannelScreen   = "screen"
	ChannelFile     = "file" // the agent's own status file
	ChannelBell     = "bell"
	ChannelMark     = "mark" // OSC 133
	ChannelInput    = "input"
	ChannelExit     = "exit"
	ChannelSeen     = "seen"
	ChannelStale    = "stale" // silence
)

// Change is one step of the state.
type Change struct {
	At       time.Time
	From, To State
	Turn     int // the turn counter after the step
	Cause    Cause
}

// Status is the session's state with all that is known about it.
type Status struct {
	State State
	Since time.Time
	// Turn counts the turns begun since New.
	Turn int
	// Blocking marks a needs-you that survives being looked at.
	Blocking bool
	// Question is what is asked, for needs-you.
	Question string
	// Options are its answers, when a channel gave them as data.
	Options []string
	// Asked counts the questions raised since New: it rises when needs-you
	// begins and when the question that stands is replaced by another.
	Asked int
	// Description is one short phrase: the running tool, the kind of wait,
	// the tasks still running behind a finished turn.
	Description string
	// Error is the failure that ended the turn, for done.
	Error string
	// Unconfirmed marks a done that was concluded from silence.
	Unconfirmed bool
	Cause       Cause
}
