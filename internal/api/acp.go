package api

import "encoding/json"

// ACPOptions ask for a session over the Agent Client Protocol.
type ACPOptions struct {
	// Permissions is who answers the agent when it asks: restricted, ask, auto
	// or strict; ask when empty.
	Permissions string `json:"permissions,omitempty"`
	// Session is the agent's own id of the session to go on with.
	Session string `json:"session,omitempty"`
	// Once ends the session after one turn.
	Once bool `json:"once,omitempty"`
	// MCP are servers for the agent, as the protocol has them.
	MCP json.RawMessage `json:"mcp,omitempty"`
	// OwnMCP adds the sessions verbs as an MCP server; NoMCP leaves out the
	// servers of the settings.
	OwnMCP bool `json:"ownMcp,omitempty"`
	NoMCP  bool `json:"noMcp,omitempty"`
	// Model, Effort and the like are what the session is set to.
	Model         string `json:"model,omitempty"`
	Effort        string `json:"effort,omitempty"`
	Collaboration string `json:"collaboration,omitempty"`
	Fast          *bool  `json:"fast,omitempty"`
	// Set are further options, by their ids or roles.
	Set []OptionSetting `json:"set,omitempty"`
}

// The verbs of `termio acp` that ask an agent for something without a turn.
const (
	VerbACPProbe    = "acp-probe"
	VerbACPModels   = "acp-models"
	VerbACPSessions = "acp-sessions"
	VerbACPLoad     = "acp-load"
)

func acpVerbs() []Verb {
	return []Verb{
		{Name: VerbACPProbe, Path: "/v1/acp/probe", Request: ACPRequest{}, Reply: ACPProbeReply{}},
		{Name: VerbACPModels, Path: "/v1/acp/models", Request: ACPRequest{}, Reply: ACPModelsReply{}},
		{Name: VerbACPSessions, Path: "/v1/acp/sessions", Request: ACPRequest{}, Reply: ACPSessionsReply{}},
		{Name: VerbACPLoad, Path: "/v1/acp/load", Request: ACPRequest{}, Reply: ACPLoadReply{}},
		{Name: VerbACPWarm, Path: "/v1/acp/warm", Request: ACPWarmRequest{}, Reply: ACPWarmReply{}},
	}
}

// ACPRequest asks an agent for something without a turn.
type ACPRequest struct {
	Caller  Caller   `json:"caller"`
	Agent   string   `json:"agent"`
	Dir     string   `json:"dir,omitempty"`     // default: the caller's
	Session string   `json:"session,omitempty"` // load: the agent's own id
	Cursor  string   `json:"cursor,omitempty"`  // sessions: where to go on
	Env     []string `json:"env,omitempty"`
	// Background tells that no person asked: after a failure of the agent
	// nothing is started for such requests for two minutes, and they fail with
	// the same error.
	Background bool `json:"background,omitempty"`
}

// ACPProbeReply is what an agent says of itself.
type ACPProbeReply struct {
	Head
	Agent           string          `json:"agent" doc:"the manifest's id"`
	Name            string          `json:"name"`
	Version         string          `json:"version,omitempty"`
	ProtocolVersion int             `json:"protocolVersion"`
	Capabilities    json.RawMessage `json:"capabilities,omitempty" doc:"as the agent declared them"`
	Authentication  string          `json:"authentication" enum:"authenticated,unauthenticated,unknown"`
	AuthMethods     []ACPAuthMethod `json:"authMethods,omitempty"`
}

// ACPAuthMethod is a way to sign in to an agent.
type ACPAuthMethod struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// ACPModelsReply are the models an agent offers, and its other options.
type ACPModelsReply struct {
	Head
	Current       string          `json:"current,omitempty"`
	Models        []ACPModel      `json:"models"`
	ConfigOptions json.RawMessage `json:"configOptions,omitempty" doc:"as the agent declared them"`
}

// ACPModel is one of them.
type ACPModel struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Group string `json:"group,omitempty"`
}

// ACPSessionsReply are the sessions that an agent knows of a directory and
// those below it.
type ACPSessionsReply struct {
	Head
	Supported  bool         `json:"supported" doc:"false: the agent cannot list its sessions"`
	Sessions   []ACPSession `json:"sessions"`
	NextCursor string       `json:"nextCursor,omitempty" doc:"there are more; go on here"`
}

// ACPSession is one of them.
type ACPSession struct {
	SessionID string `json:"sessionId"`
	Cwd       string `json:"cwd"`
	Title     string `json:"title,omitempty"`
	UpdatedAt string `json:"updatedAt,omitempty"`
}

// ACPLoadReply is a past conversation.
type ACPLoadReply struct {
	Head
	Title string    `json:"title,omitempty"`
	Lines []ACPLine `json:"lines"`
}

// ACPLine is one line of it.
type ACPLine struct {
	Role      string    `json:"role" enum:"user,agent"`
	Text      string    `json:"text"`
	Reasoning string    `json:"reasoning,omitempty"`
	Tools     []ACPTool `json:"tools,omitempty"`
}

// ACPTool is a tool call in it.
type ACPTool struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Kind   string `json:"kind"`
	Status string `json:"status"`
}
