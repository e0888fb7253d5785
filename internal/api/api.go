// Package api is the contract between the coordinator and everything that
// drives it: requests, replies, events, error codes, their JSON Schemas, and
// the client (DESIGN §7). The reply of a verb here is byte for byte what
// `termio sessions <verb> --json` prints. The verbs, fields, codes and exit
// codes are those of the session-control document; what is added is marked
// "additive" and optional. Within schema version 1 no field is renamed or
// removed, and an unknown optional field is absent, never empty.
package api

import "time"

// SchemaVersion is the version every reply and event carries.
const SchemaVersion = 1

// Head opens every successful reply.
type Head struct {
	OK            bool `json:"ok" const:"true"`
	SchemaVersion int  `json:"schema_version" const:"1"`
}

// OKHead is the head of a success.
func OKHead() Head { return Head{OK: true, SchemaVersion: SchemaVersion} }

// Caller says who asks, for scope: a process inside a session by id and token,
// anyone else by directory.
type Caller struct {
	Session string `json:"session,omitempty"` // TERMIO_SESSION
	Token   string `json:"token,omitempty"`   // TERMIO_TOKEN
	Cwd     string `json:"cwd,omitempty"`
	Project string `json:"project,omitempty"` // --project DIR
	All     bool   `json:"all,omitempty"`     // --all

	// Process is the one that called, as the system tells the coordinator;
	// nobody says it of himself.
	Process int `json:"-"`
}

// ListRequest asks for the sessions in scope.
type ListRequest struct {
	Caller Caller `json:"caller"`
	Closed bool   `json:"closed,omitempty"` // additive: tombstones too
	Lost   bool   `json:"lost,omitempty"`   // additive: how many can be reopened, where the user wants to be asked
}

// Session is one row of a list.
type Session struct {
	Link        string `json:"link" pattern:"^termio://session/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$" doc:"the address of the session"` // termio://session/<uuid>
	ID          string `json:"id" pattern:"^[0-9a-f]{8}$" doc:"the first eight characters of its id"`                                                           // its first eight characters
	Title       string `json:"title" doc:"as people see it"`
	Agent       string `json:"agent" doc:"display name of the agent"` // display name
	Status      string `json:"status" enum:"working,needs-you,done,idle,closed" doc:"what the agent is doing; closed only with --closed (additive)"`
	Description string `json:"description" pattern:"." doc:"one short phrase: the running tool, what it waits for"`
	Transcript  string `json:"transcript,omitempty" doc:"path of the agent's own record of the conversation"`

	// Additive.
	AgentID     string     `json:"agent_id,omitempty" doc:"manifest id (additive)"`
	Kind        string     `json:"kind,omitempty" enum:"acp,acp-terminal" doc:"acp: spoken to over the Agent Client Protocol; acp-terminal: one that such an agent runs, which can only be read; absent: in a terminal (additive)"`
	Cwd         string     `json:"cwd,omitempty" doc:"directory that the program last reported (additive)"`
	Project     string     `json:"project,omitempty" doc:"root directory of the project (additive)"`
	Worktree    string     `json:"worktree,omitempty" doc:"root of the linked git worktree it runs in (additive)"`
	Since       *time.Time `json:"since,omitempty" doc:"when the status began (additive)"`
	Unconfirmed bool       `json:"unconfirmed,omitempty" doc:"the done was concluded from silence (additive)"`
	Error       string     `json:"error,omitempty" doc:"how the last turn failed (additive)"`
	Closed      *Closed    `json:"closed,omitempty" doc:"how the session ended (additive)"`

	Conversation *Conversation `json:"conversation,omitempty" doc:"the conversation that the agent writes, where it is known (additive)"`
	Parent       string        `json:"parent,omitempty" doc:"the address of the session that started it (additive)"`
	Children     []string      `json:"children,omitempty" doc:"the addresses of those in this list that it started (additive)"`
}

// Phrase is the description of a session that has nothing more to say than its
// status. The contract has a description in every row, and no empty one.
func Phrase(status, agentID string) string {
	if agentID == "terminal" {
		// A plain terminal has no turns and waits for nobody.
		switch status {
		case "idle":
			return "terminal"
		case "done":
			return "finished"
		}
	}
	switch status {
	case "working":
		return "working"
	case "needs-you":
		return "waiting for an answer"
	case "done":
		return "finished its turn"
	case "closed":
		return "ended"
	}
	return "ready for input"
}

// Closed says how a session ended (additive).
type Closed struct {
	At       time.Time `json:"at"`
	Reason   string    `json:"reason" enum:"user-closed,exited,killed,boot-failed,host-lost"`
	ExitCode *int      `json:"exit_code,omitempty"`
	Signal   string    `json:"signal,omitempty"`
	// LastLines is the end of its screen, for one that did not come up.
	LastLines string `json:"last_lines,omitempty" doc:"the end of its screen, with boot-failed (additive)"`
	Reopen    string `json:"reopen,omitempty" doc:"the command that opens it again (additive)"`
}

// ListReply is the roster. Project is the scope's name.
type ListReply struct {
	Head
	Project  string    `json:"project" doc:"name of the scope"`
	Sessions []Session `json:"sessions"`
	// Lost is given only to those who ask for it.
	Lost int `json:"lost,omitempty" doc:"how many sessions were lost, and can be reopened with --all"`
}

// SpawnRequest starts an agent (or, with Agent "terminal", a plain terminal).
type SpawnRequest struct {
	Caller Caller   `json:"caller"`
	Agent  string   `json:"agent,omitempty"`
	Prompt string   `json:"prompt,omitempty"`
	Dir    string   `json:"dir,omitempty"`    // default: the caller's
	Bypass bool     `json:"bypass,omitempty"` // --bypass-permissions
	Title  string   `json:"title,omitempty"`
	Extra  []string `json:"extra,omitempty"` // arguments for the agent, as given after --
	// Worktree is the name of a git worktree to start in, made if need be at
	// Base, a commit; empty is the HEAD of where the session would start.
	Worktree string `json:"worktree,omitempty"`
	Base     string `json:"base,omitempty"`
	Cols     int    `json:"cols,omitempty"`
	Rows     int    `json:"rows,omitempty"`
	// Env is the caller's environment; the coordinator's where it is absent.
	Env []string `json:"env,omitempty"`
	// ACP speaks to the agent over the Agent Client Protocol, in place of a
	// terminal.
	ACP *ACPOptions `json:"acp,omitempty"`
	Waiting
}

// RunRequest starts a plain terminal and types a shell command into it.
type RunRequest struct {
	Caller  Caller   `json:"caller"`
	Command string   `json:"command"`
	Dir     string   `json:"dir,omitempty"`
	Title   string   `json:"title,omitempty"`
	Cols    int      `json:"cols,omitempty"`
	Rows    int      `json:"rows,omitempty"`
	Env     []string `json:"env,omitempty"`
	Waiting
}

// SpawnReply answers spawn and run as soon as the session exists; the payload
// is still on its way.
type SpawnReply struct {
	Head
	Target  string `json:"target" pattern:"^termio://session/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$" doc:"the address of the new session"`
	Title   string `json:"title" doc:"as people see it"`
	Created bool   `json:"created" const:"true"`
	Queued  bool   `json:"queued" doc:"the payload is on its way"`

	Worktree *SpawnedIn `json:"worktree,omitempty" doc:"the git worktree that it runs in, where one was asked for (additive)"`
}

// SendRequest types into a session.
type SendRequest struct {
	Caller Caller   `json:"caller"`
	Target string   `json:"target"`
	Text   string   `json:"text,omitempty"`
	Keys   []string `json:"keys,omitempty"`
	Enter  bool     `json:"enter"`
	// Answers is the prompt_id of the question that this answers.
	Answers string `json:"answers,omitempty"`
	// Now types at once, also while the agent works or a draft stands there.
	Now bool `json:"now,omitempty"`
	Waiting
}

// SendReply answers send when the payload was delivered.
type SendReply struct {
	Head
	Target     string `json:"target" pattern:"^termio://session/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"`
	Title      string `json:"title"`
	Transcript string `json:"transcript,omitempty" doc:"path of the agent's own record of the conversation"`
	Cursor     *int   `json:"cursor,omitempty" doc:"line of the transcript from which the answer can be read"`

	Delivered int  `json:"delivered,omitempty" doc:"bytes of the text that the program took (additive)"` // additive: bytes of text the program took
	Verified  bool `json:"verified,omitempty" doc:"the text was seen on the screen (additive)"`          // additive: seen on the screen

	Queued bool `json:"queued,omitempty" doc:"the agent works (or a person's draft stands in its prompt), so that the prompt waits; see termio sessions queue (additive)"`
	N      int  `json:"n,omitempty" doc:"its number in the queue (additive)"`

	Submitted *bool `json:"submitted,omitempty" doc:"Enter had an effect: a turn began, or the text left the prompt; absent when that is not known (additive)"` // additive; false is an error
}

// ReadRequest asks for the screen; Lines 0 means the viewport.
type ReadRequest struct {
	Caller Caller `json:"caller"`
	Target string `json:"target"`
	Lines  int    `json:"lines,omitempty"`
}

// ReadReply is the screen: right-trimmed, trailing blank lines dropped.
type ReadReply struct {
	Head
	Target string `json:"target" pattern:"^termio://session/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"`
	Title  string `json:"title"`
	Screen string `json:"screen" doc:"lines trimmed on the right, without blank lines at the end"`
}

// TargetRequest is the request of close, focus and resolve.
type TargetRequest struct {
	Caller Caller `json:"caller"`
	Target string `json:"target"`
}

// CloseReply names what was closed.
type CloseReply struct {
	Head
	Closed string `json:"closed" pattern:"^termio://session/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"`
	Title  string `json:"title"`
	// Unsaved (additive) says why that it was closed is not on disk yet; it goes
	// on being tried, and is lost if the machine stops before.
	Unsaved string `json:"unsaved,omitempty"`
}

// FocusReply names what was brought to front.
type FocusReply struct {
	Head
	Focused string `json:"focused" pattern:"^termio://session/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"`
}

// RenameRequest sets a session's title; empty gives the program's back.
type RenameRequest struct {
	Caller Caller `json:"caller"`
	Target string `json:"target"`
	Title  string `json:"title"`
}

// RenameReply names the session and its new title (additive verb).
type RenameReply struct {
	Head
	Target string `json:"target" pattern:"^termio://session/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"`
	Title  string `json:"title"`
	// Unsaved (additive) says why the title is not on disk yet, as in CloseReply.
	Unsaved string `json:"unsaved,omitempty"`
}

// ResolveReply tells a viewer where a session's host listens (additive verb).
type ResolveReply struct {
	Head
	Target string `json:"target" pattern:"^termio://session/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"`
	Title  string `json:"title"`
	Agent  string `json:"agent"`
	Socket string `json:"socket" doc:"where the session's host listens"`
	// Launched tells one launch of the session from the next (additive).
	Launched time.Time `json:"launched,omitzero" doc:"when its program was started, the last time (additive)"`
	// Resumed tells that this launch continues a conversation (additive).
	Resumed bool `json:"resumed,omitempty" doc:"this launch continues a conversation (additive)"`
	// Inside tells a viewer that it would show itself, without end.
	Inside bool `json:"inside,omitempty" doc:"the caller runs in this session, or in one started from it (additive)"`
}

// TraceReply tells why a session's status is what it is (additive verb).
type TraceReply struct {
	Head
	Target  string        `json:"target" pattern:"^termio://session/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"`
	Changes []TraceChange `json:"changes"`
}

// TraceChange is one status change and its cause.
type TraceChange struct {
	At      time.Time `json:"at"`
	From    string    `json:"from"`
	To      string    `json:"to"`
	Channel string    `json:"channel"`
	Rule    string    `json:"rule,omitempty"`
	Text    string    `json:"text,omitempty"`
}

// OpenRequest registers a directory as a project (additive verb).
type OpenRequest struct {
	Caller Caller `json:"caller"`
	Dir    string `json:"dir"`
}

// OpenReply is the project and its sessions.
type OpenReply struct {
	Head
	Project   string     `json:"project"` // its name
	Dir       string     `json:"dir"`
	New       bool       `json:"new,omitempty"`
	Worktrees []Worktree `json:"worktrees,omitempty"`
	Sessions  []Session  `json:"sessions"`
	// Lost is how many of the project's sessions can be reopened, where the user
	// wants to be asked (additive).
	Lost int `json:"lost,omitempty"`
}

// Worktree is one of a project's git worktrees.
type Worktree struct {
	Dir    string `json:"dir"`
	Branch string `json:"branch,omitempty"`
}

// Agent is one row of `termio agents list`.
type Agent struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Command string `json:"command,omitempty"`
	Source  string `json:"source"`            // bundled, or the user's file
	Found   bool   `json:"found"`             // on the login shell's PATH
	Path    string `json:"path,omitempty"`    // where
	Version string `json:"version,omitempty"` // what it says of itself
	Install string `json:"install,omitempty"` // where to get it, when missing
	Bypass  bool   `json:"bypass,omitempty"`  // a permission-bypass flag is declared
}

// Problem is one thing wrong with a file of the user's or ours.
type Problem struct {
	File    string `json:"file"`
	Key     string `json:"key,omitempty" doc:"as in hooks.events[2].state; absent for the whole file"`
	Rule    string `json:"rule" doc:"stable name of what was broken, as in required"`
	Message string `json:"message,omitempty" doc:"what is wrong and what to do, for people (additive)"`
	Line    int    `json:"line,omitempty" doc:"from 1 (additive)"`
	Column  int    `json:"column,omitempty" doc:"in bytes, from 1 (additive)"`
	Warning bool   `json:"warning,omitempty" doc:"the file can be used all the same"`
}

// AgentsReply is the catalog and what was wrong with user files.
type AgentsReply struct {
	Head
	Agents   []Agent   `json:"agents"`
	Problems []Problem `json:"problems,omitempty"`
}

// AgentsRequest asks for the agents; ID for one of them only.
type AgentsRequest struct {
	Caller Caller `json:"caller"`
	ID     string `json:"id,omitempty"`
	// Versions asks each program that is found for its version.
	Versions bool `json:"versions,omitempty"`
}

// DaemonRequest asks for the coordinator's state, or that it stops.
type DaemonRequest struct{}

// DaemonReply is the coordinator's own state.
type DaemonReply struct {
	Head
	Running  bool       `json:"running"`
	PID      int        `json:"pid,omitempty"`
	Version  string     `json:"version,omitempty"`
	Started  *time.Time `json:"started,omitempty"`
	Sessions int        `json:"sessions"`
	Home     string     `json:"home"`
	Socket   string     `json:"socket"`
	// Problems are files that could not be used: settings, registries,
	// records and manifests, set aside or left out.
	Problems []Problem `json:"problems,omitempty"`
}
