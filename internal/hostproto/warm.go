package hostproto

import "encoding/json"

// Operations of a warm host: one that has an agent with an empty session, and
// is no session of anybody's yet. It ends with the connection of whoever keeps
// it, until it is adopted.
const (
	OpWarm  = "warm"  // -> WarmReply, when the agent is ready; keeps the host
	OpAdopt = "adopt" // AdoptRequest -> Info: from now on it is that session
)

// WarmReply is what a set-up came to.
type WarmReply struct {
	Word    string `json:"word,omitempty"` // acphost's, of a failure
	Message string `json:"message,omitempty"`
	// Found is what is known of the agent now (acphost.Found).
	Found json.RawMessage `json:"found,omitempty"`
}

// AdoptRequest makes a warm host a session.
type AdoptRequest struct {
	// Record is the session's; its id is the one that the host was started with.
	Record Record `json:"record"`
	// SessionDir becomes the session's folder: the host's own is moved there.
	SessionDir string `json:"session_dir"`
	// Of the specification of a host that is started for a session.
	Permissions string          `json:"permissions"`
	Once        bool            `json:"once,omitempty"`
	Prefer      json.RawMessage `json:"prefer,omitempty"`
	Prompt      string          `json:"prompt,omitempty"`
}
