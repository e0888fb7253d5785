package api

// Waiting is what send, spawn and run take to wait for an outcome.
type Waiting struct {
	// Wait asks for the outcome of the turn that the payload starts.
	Wait bool `json:"wait,omitempty"`
	// TimeoutMs bounds the wait, 1000 to 600000; 0 means 300000.
	TimeoutMs int `json:"timeout_ms,omitempty"`
}

// Waits tells whether a request waits for an outcome.
func (w Waiting) Waits() bool { return w.Wait }

// waiter is a request that may wait for an outcome.
type waiter interface{ Waits() bool }

// WaitReply answers send, spawn and run with --wait: the outcome of the turn,
// or what there is when the time is over.
type WaitReply struct {
	Head
	Target     string `json:"target" pattern:"^termio://session/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"`
	Title      string `json:"title"`
	Status     string `json:"status" enum:"working,needs-you,done,idle" doc:"of the session when the wait ended"`
	TimedOut   bool   `json:"timed_out" doc:"the time was over first; the session goes on"`
	Created    bool   `json:"created,omitempty" doc:"of spawn and run"`
	Transcript string `json:"transcript,omitempty" doc:"path of the agent's own record of the conversation"`
	Cursor     *int   `json:"cursor,omitempty" doc:"how many lines the transcript had before the turn"`
	CursorEnd  *int   `json:"cursor_end,omitempty" doc:"how many it has now: the answer is in the lines between"`
	Prompt     string `json:"prompt,omitempty" doc:"with needs-you: the question on the screen"`

	PromptID  string   `json:"prompt_id,omitempty" doc:"with needs-you: names the question, for send --answers (additive)"`
	Options   []string `json:"options,omitempty" doc:"with needs-you: the question's answers, where the agent gave them as data (additive)"`
	ExitCode  *int     `json:"exit_code,omitempty" doc:"of a plain terminal's command, where its shell tells (additive)"`
	Error     string   `json:"error,omitempty" doc:"how the turn failed, as the agent said (additive)"`
	Queued    bool     `json:"queued,omitempty" doc:"the payload is still on its way (additive)"`
	Delivered int      `json:"delivered,omitempty" doc:"bytes of the text that the program took (additive)"`
	Verified  bool     `json:"verified,omitempty" doc:"the text was seen on the screen (additive)"`
	Submitted *bool    `json:"submitted,omitempty" doc:"Enter had an effect (additive)"`
}

// WaitHeader is the header of an interim response that says by what a wait can
// be taken up again if the coordinator goes away in the middle of it.
const WaitHeader = "Termio-Wait"

// AliveHeader is a request's header that says how long its client bears
// silence, in milliseconds.
const AliveHeader = "Termio-Alive"

// AwaitRequest takes up a wait that a coordinator began which has gone away.
type AwaitRequest struct {
	Caller Caller `json:"caller"`
	// Wait is the content of WaitHeader.
	Wait string `json:"wait"`
}

// QueueRequest asks for the prompts that wait for an agent to end its turn, and
// withdraws one of them.
type QueueRequest struct {
	Caller Caller `json:"caller"`
	Target string `json:"target"`
	Drop   int    `json:"drop,omitempty"`
}

// QueueReply is the queue (additive verb).
type QueueReply struct {
	Head
	Target  string         `json:"target" pattern:"^termio://session/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"`
	Title   string         `json:"title"`
	Prompts []QueuedPrompt `json:"prompts" doc:"in the order in which they will be typed"`
	Dropped *QueuedPrompt  `json:"dropped,omitempty" doc:"the one that was withdrawn"`
}

// QueuedPrompt is one of them.
type QueuedPrompt struct {
	N      int    `json:"n" doc:"its number, for --drop"`
	Text   string `json:"text"`
	Reason string `json:"reason" doc:"why it waits: working, draft (a person's text stands unsent in the prompt), or behind another"`
}
