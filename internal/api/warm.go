package api

import (
	"encoding/json"
	"time"
)

// VerbACPWarm is `termio acp warm`.
const VerbACPWarm = "acp-warm"

// ACPWarmRequest has an agent over ACP started for a session that is to come,
// or says which are.
type ACPWarmRequest struct {
	Caller Caller `json:"caller"`
	Agent  string `json:"agent,omitempty"`
	Dir    string `json:"dir,omitempty"` // default: the caller's
	// Permissions is what the session will be spawned with; ask when empty.
	Permissions string          `json:"permissions,omitempty"`
	MCP         json.RawMessage `json:"mcp,omitempty"` // these three as in ACPOptions
	OwnMCP      bool            `json:"ownMcp,omitempty"`
	NoMCP       bool            `json:"noMcp,omitempty"`
	Env         []string        `json:"env,omitempty"`
	// List starts nothing, End lets go of those of the agent, or of all.
	List bool `json:"list,omitempty"`
	End  bool `json:"end,omitempty"`
}

// ACPWarmReply are the agents that wait for their session now.
type ACPWarmReply struct {
	Head
	Warm []ACPWarm `json:"warm"`
}

// ACPWarm is one of them.
type ACPWarm struct {
	Agent string    `json:"agent" doc:"the manifest's id"`
	Dir   string    `json:"dir"`
	Ready bool      `json:"ready" doc:"false: it is being started"`
	Since time.Time `json:"since"`
	Until time.Time `json:"until,omitzero" doc:"when it is let go, if nobody takes it"`
	PID   int       `json:"pid,omitempty" doc:"of its host"`
}
