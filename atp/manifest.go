package atp

import "strings"

// Manifest describes one agent. The keys are those of the Agent Terminal
// Protocol document; those marked "additive" are this project's additions to
// it. A Manifest that came out of the decoder or a Catalog is shared and must
// not be changed.
type Manifest struct {
	// ID is the stable identifier. Sessions persist it.
	ID string
	// Name is what people see.
	Name string
	// Order is the position in the picker; DefaultOrder when not declared.
	Order int
	// Wire is the agent's token in listings; ID when not declared.
	Wire string
	// Aliases are more names the agent is found by (additive).
	Aliases []string
	// Command is the shell command that starts the agent; empty means the
	// user's login shell.
	Command string
	// Processes are more program names, besides Command's first word, by
	// which the running agent is recognised (additive).
	Processes []string
	// VersionArgs make the command print its version; ["--version"] when not
	// declared (additive).
	VersionArgs []string
	// Env is set in the agent's environment at launch (additive).
	Env map[string]string
	// PermissionBypassFlag is the vendor's skip-permissions flag.
	PermissionBypassFlag string
	Icon                 *Icon
	// Install is the vendor's install page.
	Install string
	Skills  *Skills
	// ConfigHome tells how the agent's config tree can be moved.
	ConfigHome *ConfigHome
	// Status holds screen rules. They count only while the session has seen
	// no report on an exact channel.
	Status *ScreenStatus
	// TitleStatus holds rules over the terminal title (OSC 0/2).
	TitleStatus *TitleStatus
	// WorkAfterMs is how many milliseconds work must last to count (additive).
	WorkAfterMs int
	// ProgressStatus says that OSC 9;4 progress tells the agent's state.
	ProgressStatus bool
	Hooks          *Hooks
	// SessionFile is a status file that the agent keeps while it runs
	// (additive).
	SessionFile *SessionFile
	// Resume is nil for an agent whose conversations cannot be resumed.
	Resume *Resume
	// Transcript says how the agent's conversations are stored (additive).
	Transcript *Transcript
	// Ready holds the signs that the program reads its input (additive).
	Ready *Ready
	// Input says how text and keys reach the program's prompt (additive).
	Input *Input
	// ACP says how the agent is spoken to over the Agent Client Protocol
	// (additive).
	ACP *ACP

	source  string
	bundled bool
	raw     []byte
}

// DefaultOrder sorts a manifest without an order after all that have one.
const DefaultOrder = 1_000_000

// TerminalID is the id of the plain shell, which is no agent and is always
// first in the picker.
const TerminalID = "terminal"

// IsTerminal reports whether m is the plain shell.
func (m *Manifest) IsTerminal() bool { return m.ID == TerminalID }

// Source is the file that the manifest was read from.
func (m *Manifest) Source() string { return m.source }

// Bundled reports whether the manifest came with the program.
func (m *Manifest) Bundled() bool { return m.bundled }

// JSON returns the manifest's file as it was read, so that it can be handed to
// another process and decoded there. The caller must not change it.
func (m *Manifest) JSON() []byte { return m.raw }

// Icon is how the agent is drawn. The first one present wins, in the order of
// the fields.
type Icon struct {
	Vector string // a built-in brand mark: claude, codex or grok
	Asset  string // a built-in image by name
	Path   string // an image file: absolute, "~/…", or beside the manifest
	Symbol string // an SF Symbol name
	Glyph  string // a character for terminals (additive)
	Tint   string // #RRGGBB
}

// Skills is the agent's user-level skills directory.
type Skills struct {
	Dir string
}

// ConfigHome names the environment variable that moves the agent's config
// tree, and the default path that its value replaces. Every path of the
// manifest below Path moves with it.
type ConfigHome struct {
	Env  string
	Path string
}

// ScreenStatus are the screen rules: regular expressions searched in the
// screen's text, case-insensitive. Attention beats working.
type ScreenStatus struct {
	Working   []string
	Attention []string
	Idle      []string // additive: text that says "at rest" for certain
	// Rows limits the search to this many of the last lines that are not
	// blank; 0 means the whole screen (additive).
	Rows int
}

// TitleStatus are regular expressions searched in the raw terminal title.
// Attention beats working, working beats idle.
type TitleStatus struct {
	Working   []string
	Attention []string
	Idle      []string // additive: titles that say "at rest" for certain
}

// Hooks describes the agent's own hook configuration.
type Hooks struct {
	Type    string // json, toml, plugin or scripts
	Dialect string // as declared; see Shape
	File    string // for json and toml
	Dir     string // for plugin and scripts
	// Conversation is where the agent's session id is found in a hook's
	// payload.
	Conversation string
	// Subagent is the payload field that names the sub-agent which an event
	// comes from, and Pending the one with the background tasks that still
	// run when a turn ends (additive).
	Subagent, Pending string
	// Tool is the payload field that names the running tool.
	Tool string
	// PromptTitle is the payload field that carries the prompt.
	PromptTitle string
	// CapturesTranscript says that payloads carry transcript_path.
	CapturesTranscript bool
	Events             []HookEvent
	// Inject gives the hooks to one launch only (additive).
	Inject *HookInject
}

// HookEvent maps one of the agent's events to a state.
type HookEvent struct {
	On      string
	State   State
	Matcher string
	// Since is the first version of the agent that knows the event; it is
	// not written for an older one (additive).
	Since string
}

// HookInject tells how an agent is given hooks for one launch without touching
// its config. The generated hook file is written to a private directory of the
// session; in Args and Env, {file} is its absolute path, {dir} that directory,
// {config} the file's text, {url} the path as a file URL.
type HookInject struct {
	// File is the generated file's name.
	File string
	// Wrap is the text that the hook configuration stands in, at {hooks};
	// empty means the configuration is the whole file.
	Wrap string
	// Files are more files beside it, by name; {file}, {dir} and {url} stand
	// in their text too.
	Files map[string]string
	Args  []string
	Env   map[string]string
	// Unless are files ("/…", "~/…") whose existence, and variables ("$NAME")
	// whose being set, forbid the injection: it would take their place.
	Unless []string
	// Needs are files ("/…", "~/…") without which it would do harm.
	Needs []string
	// Since is the first version of the agent that can be injected.
	Since string
}

// SessionFile is a JSON file that the agent keeps up to date while it runs.
type SessionFile struct {
	// Path of the file, with {pid} for the agent's process id or {id} for
	// its conversation.
	Path string
	// State, ID, Cwd and Detail are key paths in it; Detail says what a
	// waiting agent waits for.
	State, ID, Cwd, Detail string
	// States maps the file's state words to states.
	States map[string]State
}

// Resume says how a conversation is continued: exactly, or not at all.
type Resume struct {
	Create string // arguments that start a conversation under a given {id}
	Resume string // arguments that continue {id}
	// StoreRoot and StoreMatch find a conversation on disk; see Store.
	StoreRoot  string
	StoreMatch string
	// StoreID is the key path, in the first line of a matched file, to the
	// conversation's whole id (additive).
	StoreID string
	// Begun is a regular expression that a conversation's file matches once
	// something was said in it; one that does not cannot be continued, and its
	// id cannot be used again (additive).
	Begun string
	// Chooses are arguments by which the user picks a conversation himself;
	// those that begin with "-" also count as "--name=value" (additive).
	Chooses []string
	// Rotates are commands that, submitted to the agent, lead to another
	// conversation, as "/new" (additive).
	Rotates []string
	// TranscriptName is the transcript's file name in a dir: store.
	TranscriptName string
	Discover       *Discover
	// Seed is "session-file" for an agent that wants an empty session file
	// before it is launched with a new id.
	Seed string
}

// Pinned reports whether the agent takes an id at launch.
func (r *Resume) Pinned() bool { return r != nil && r.Create != "" }

// Discovered reports whether the agent mints the id itself.
func (r *Resume) Discovered() bool { return r != nil && r.Create == "" && r.Discover != nil }

// StoreKind says what a conversation is in the agent's store.
type StoreKind string

// The kinds of StoreMatch.
const (
	StoreFile StoreKind = "file"
	StoreDir  StoreKind = "dir"
)

// Store splits StoreMatch into what it matches and its pattern, below one
// folder of StoreRoot. The pattern holds {id} or {id8}, the id's first eight
// characters; "*" stands for any text without a slash. Both are empty when no
// store is declared.
func (r *Resume) Store() (StoreKind, string) {
	if r == nil {
		return "", ""
	}
	kind, pattern, _ := strings.Cut(r.StoreMatch, ":")
	return StoreKind(kind), pattern
}

// Formats of Discover.
const (
	FormatJSONL  = "jsonl"
	FormatJSON   = "json"
	FormatSQLite = "sqlite"
)

// Discover says where an agent that mints its own ids keeps their records.
type Discover struct {
	// Root is the folder that is searched for records; for sqlite, the
	// database file.
	Root   string
	Format string // jsonl (first line), json (whole file) or sqlite (additive)
	// Table holds the records (sqlite only).
	Table string
	// ID and Cwd are key paths to strings, or columns.
	ID, Cwd string
	// Created is the key path or column of the record's own birth time: Unix
	// seconds or milliseconds, or RFC 3339 text (additive).
	Created string
	// Parent is the key path or column that is set on a sub-agent's record
	// only (additive).
	Parent string
}

// Transcript says how the agent's conversations are stored.
type Transcript struct {
	// Format is the layout's name, one of TranscriptFormats.
	Format string
	// Version is the layout's version, from 1.
	Version int
	// Root and Glob find all of the agent's conversations, "**" for any
	// folders; Root is the database for a sqlite format.
	Root, Glob string
	// Match is a glob below Root that finds one conversation: it holds {id},
	// or {id8}, the id's first eight characters.
	Match string
}

// Ready holds the signs that the program reads its input. Each that is
// declared must hold; the host's own boot settle applies when none is.
type Ready struct {
	// BracketedPaste waits until the program turned bracketed paste on.
	BracketedPaste bool
	// Screen waits until one of these regular expressions, case-insensitive,
	// is on the screen.
	Screen []string
	// NotScreen waits until none of these is on the screen.
	NotScreen []string
	// QuietMs waits until the screen has not changed for so long.
	QuietMs int
	// MinMs is the least time from launch; MaxMs the time after which input
	// is sent in any case. 0 is the host's default.
	MinMs, MaxMs int
}

// Input says how text and keys reach the program's prompt. Keys are named as
// for "sessions send --key".
type Input struct {
	// Clear are keys that empty the prompt before text is typed into it.
	Clear []string
	// Submit is the key that sends the prompt; "enter" when empty.
	Submit string
	// SubmitDelayMs is the pause between the text and Submit; 0 is the
	// host's default.
	SubmitDelayMs int
	// Interrupt are the keys that end a turn, pressed in order.
	Interrupt []string
	// InterruptGapMs is the pause between the Interrupt keys.
	InterruptGapMs int
	// Newline is the key that inserts a line break.
	Newline string
}

// ACP says how the agent is started as a server of the Agent Client Protocol
// on its standard input and output.
type ACP struct {
	Command string
	Args    []string
	Env     map[string]string
}
