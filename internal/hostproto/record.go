package hostproto

import "time"

// RecordVersion is the version of the record's shape; fields are only added.
const RecordVersion = 1

// Record is one session on disk (state/sessions/<id>/record.json): what is
// needed to list it, to find its host and, later, to reopen it. Its host is
// its only writer. It holds no environment and no prompt text, since both can
// carry secrets.
type Record struct {
	Version int    `json:"version"`
	ID      string `json:"id"`    // lower-case UUID
	Kind    string `json:"kind"`  // term or acp
	Agent   string `json:"agent"` // manifest id; "terminal" for a plain one
	// AgentName is the manifest's display name when the session started.
	AgentName string `json:"agent_name"`

	// Plain marks a plain terminal in which Agent was started by hand; when it
	// ends, the session is a terminal again.
	Plain bool `json:"plain,omitempty"`

	UserTitle string `json:"user_title,omitempty"` // set by rename; wins
	LiveTitle string `json:"live_title,omitempty"` // the program's, sanitised
	Prompted  string `json:"prompted,omitempty"`   // fallback title from the first prompt, at most 64 characters

	Project string `json:"project,omitempty"` // root directory of its project
	Dir     string `json:"dir"`               // where it was started
	Cwd     string `json:"cwd,omitempty"`     // what the program last reported (OSC 7)

	// Command is the shell text after exec; Shell the login shell that ran it.
	Command string   `json:"command"`
	Shell   string   `json:"shell"`
	Bypass  bool     `json:"bypass,omitempty"`
	Extra   []string `json:"extra,omitempty"` // arguments given after --

	// Parent is the session that asked for this one; Root the first of the
	// line, and Depth how far below it this one is. All are empty for one that
	// was started from outside.
	Parent string `json:"parent,omitempty"`
	Root   string `json:"root,omitempty"`
	Depth  int    `json:"depth,omitempty"`

	Created time.Time `json:"created"`
	Size    Size      `json:"size"`

	HostPID  int    `json:"host_pid"`
	HostBoot string `json:"host_boot"` // tells a reused pid: boot id and start time
	ChildPID int    `json:"child_pid,omitempty"`
	Socket   string `json:"socket"`

	// State and Since are the status at the last write, for a tombstone or a
	// host that cannot be asked.
	State string    `json:"state"`
	Since time.Time `json:"since"`

	// Conversation is the one that the session is writing now, nil while none
	// is known; Left are those before, the newest last (see Enter).
	Conversation *Conversation  `json:"conversation,omitempty"`
	Left         []Conversation `json:"left,omitempty"`
	LaunchNotes
	// Permissions is who answers an agent over ACP that asks, see ACPSpec.
	Permissions string `json:"permissions,omitempty"`
	// Granted stands for what the agent's session was given of this program's
	// own MCP server; "" for nothing.
	Granted string `json:"granted,omitempty"`
	// Choices are what a session over ACP was set to, for its next life.
	Choices []Choice `json:"choices,omitempty"`
	// Unknown says why no conversation is known, where that is a decision.
	Unknown string `json:"unknown,omitempty"`

	Closed *Closed `json:"closed,omitempty"`
}

// Reasons of Closed.
const (
	ReasonUser       = "user-closed"
	ReasonExited     = "exited"
	ReasonKilled     = "killed" // by a signal that was not ours
	ReasonBootFailed = "boot-failed"
	ReasonHostLost   = "host-lost" // found by the coordinator; never written by a host
)

// Closed says how a session ended.
type Closed struct {
	At       time.Time `json:"at"`
	Reason   string    `json:"reason"`
	ExitCode *int      `json:"exit_code,omitempty"`
	Signal   string    `json:"signal,omitempty"`
	// LastLines is the end of the screen, at most 20 lines and 2 KiB.
	LastLines string `json:"last_lines,omitempty"`
	// Replaced tells that the program ended with success just after its own
	// file had been replaced: an update.
	Replaced bool `json:"replaced,omitempty"`
}

// Title is what people see: their own title, else the program's, else the
// first prompt's, else the agent's name; and that the conversation is another
// one than before, until something is said in it.
func (r *Record) Title() string {
	title := r.Agent
	for _, t := range []string{r.UserTitle, r.LiveTitle, r.Prompted, r.AgentName} {
		if t != "" {
			title = t
			break
		}
	}
	if r.Fresh != "" {
		title += " – new conversation: " + r.Fresh
	}
	return title
}

// Spec is what the coordinator hands a new host on its standard input: all a
// host needs to start, secrets included, so none is on a command line.
type Spec struct {
	Record     Record   `json:"record"`
	SessionDir string   `json:"session_dir"`
	Env        []string `json:"env"` // complete, already cleaned (internal/shellenv)
	Scrollback int      `json:"scrollback,omitempty"`
	// Manifest is the agent's manifest, whole, as JSON: its rules for titles,
	// screens and readiness are applied in the host.
	Manifest []byte `json:"manifest,omitempty"`
	// Programs and AgentsDir are for a plain terminal, which recognises agents
	// that are started in it by hand: the names of their programs with their
	// manifests' ids, and where the user's manifests are.
	Programs  map[string]string `json:"programs,omitempty"`
	AgentsDir string            `json:"agents_dir,omitempty"`
	// Setup is a shell command that runs in the terminal before the program,
	// which starts only when it succeeds; that is noted in the file SetupDone.
	Setup     string `json:"setup,omitempty"`
	SetupDone string `json:"setup_done,omitempty"`
	// Marks makes a plain terminal's shell mark its prompts and commands, if it
	// is one that can be made to (package shellmarks).
	Marks bool `json:"marks,omitempty"`
	// Prompt is typed and submitted once the program reads its input.
	Prompt *SendRequest `json:"prompt,omitempty"`
	// ACP is there for a session of the kind acp.
	ACP *ACPSpec `json:"acp,omitempty"`
}

// Started is the one line a host writes on its standard output when the
// program runs, or why it does not.
type Started struct {
	OK     bool    `json:"ok"`
	Record *Record `json:"record,omitempty"`
	Error  *Error  `json:"error,omitempty"`
}
