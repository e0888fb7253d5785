package api

import "time"

// ReopenRequest starts closed sessions again, each with its own address, in
// the conversation that it was in (additive verb): one by its address, or with
// Lost all those that ended without anybody having wanted it.
type ReopenRequest struct {
	Caller Caller `json:"caller"`
	Target string `json:"target,omitempty"`
	Lost   bool   `json:"lost,omitempty"` // --all
	Cols   int    `json:"cols,omitempty"`
	Rows   int    `json:"rows,omitempty"`
	// Env is the caller's environment; the coordinator's where it is absent.
	Env []string `json:"env,omitempty"`
}

// Reopened is one session that was reopened, or why it was not.
type Reopened struct {
	Target string `json:"target" pattern:"^termio://session/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$" doc:"the address of the session, the same as before"`
	Title  string `json:"title" doc:"as people see it"`
	// Resumed tells that it is in the very conversation that it was in.
	Resumed      bool   `json:"resumed" doc:"it is in the conversation that it was in"`
	Conversation string `json:"conversation,omitempty" doc:"the agent's id of the conversation; absent while the agent has not made one"`
	Fresh        string `json:"fresh,omitempty" doc:"why a conversation that it was in is not continued"`
	Error        *Error `json:"error,omitempty" doc:"with --all: why this one was not reopened"`
}

// ReopenReply is the one session, or with --all each of them in Sessions.
type ReopenReply struct {
	Head
	*Reopened
	Sessions []Reopened `json:"sessions,omitempty" doc:"with --all: each session that was to be reopened"`
}

// Conversation is the conversation that a session's agent writes (additive).
type Conversation struct {
	ID    string    `json:"id" doc:"the agent's own id"`
	How   string    `json:"how" enum:"minted,hook,discovered,protocol" doc:"how it is known"`
	Since time.Time `json:"since"`
}
