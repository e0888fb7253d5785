package api

// WatchRequest asks for a stream of status changes. Its reply is no single
// one: JSON events, one a line, until either side ends it.
type WatchRequest struct {
	Caller Caller `json:"caller"`
	// States are the statuses to hear of; done and needs-you when empty.
	States []string `json:"states,omitempty"`
	// NoSnapshot leaves out the lines that tell what is now.
	NoSnapshot bool `json:"no_snapshot,omitempty"`
}

// WatchEvent is a session's status, as a line of a watch.
type WatchEvent struct {
	SchemaVersion int    `json:"schema_version" const:"1"`
	Link          string `json:"link" pattern:"^termio://session/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"`
	Status        string `json:"status" enum:"working,needs-you,done,idle,stalled,closed" doc:"what it is now; stalled is a signal of watch alone; closed is additive"`
	Title         string `json:"title"`
	Cwd           string `json:"cwd,omitempty" doc:"directory that the program last reported"`
	Snapshot      bool   `json:"snapshot,omitempty" doc:"what was already so when the watch began"`
	Prompt        string `json:"prompt,omitempty" doc:"with needs-you: the question on the screen"`
	Transcript    string `json:"transcript,omitempty" doc:"with done: path of the agent's own record of the conversation"`
	CursorEnd     *int   `json:"cursor_end,omitempty" doc:"with done: how many lines the transcript has"`
	Evidence      string `json:"evidence,omitempty" doc:"with stalled: what the detector went by"`

	PromptID string   `json:"prompt_id,omitempty" doc:"with needs-you: names the question, for send --answers (additive)"`
	Options  []string `json:"options,omitempty" doc:"with needs-you: the question's answers, where the agent gave them as data (additive)"`
	Error    string   `json:"error,omitempty" doc:"with done: how the turn failed (additive)"`
	Closed   *Closed  `json:"closed,omitempty" doc:"with closed: how the session ended (additive)"`
}

// Heartbeat is the line of a watch that was silent for 30 seconds.
type Heartbeat struct {
	Heartbeat bool `json:"heartbeat" const:"true"`
}

// Lost is the line of a watch whose reader was so slow that events were
// dropped; a snapshot follows (additive).
type Lost struct {
	SchemaVersion int  `json:"schema_version" const:"1"`
	Lost          bool `json:"lost" const:"true" doc:"events were dropped because they were not read; a snapshot follows (additive)"`
}
