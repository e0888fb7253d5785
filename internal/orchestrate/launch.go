package orchestrate

import (
	"maps"
	"slices"
	"time"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/prompt"
)

// The size of a session that was asked for by something without a terminal,
// and the largest side of any.
const (
	DefaultCols = 120
	DefaultRows = 40
	maxSide     = 2000
)

// Order is everything that decides how a session is started.
type Order struct {
	ID       string // a lower-case UUID
	Now      time.Time
	Manifest *atp.Manifest
	Project  string // root of its project
	Dir      string
	Shell    string // the login shell
	Socket   string // where its host will listen
	From     Origin // the session that asks, if it is one
	Title    string // the user's
	// Text is typed and submitted once the program reads: a prompt for an
	// agent, a shell command for a plain terminal.
	Text string
	// Bypass asks for the permission-bypass flag, Override is the user's own
	// command, Extra are arguments for the agent.
	Bypass   bool
	Override string
	Extra    []string
	// Fragment is the shell text that gives the agent its conversation, which
	// is Conversation where it has an id already; Notes are kept for a relaunch.
	Fragment     string
	Conversation *hostproto.Conversation
	Notes        hostproto.LaunchNotes
	// Args and Env are what this launch alone is given beside (hooks).
	Args, Env []string

	Cols, Rows int
	Scrollback int

	// Setup is a command that runs in the terminal before the program;
	// SetupDone is the file that it makes when it succeeds.
	Setup, SetupDone string
}

// Plan is how a session will be started.
type Plan struct {
	Record hostproto.Record
	Prompt *hostproto.SendRequest // nil when there is nothing to type
	Env    []string               // what the manifest adds to the environment
	// Setup and SetupDone are those of the order.
	Setup, SetupDone string
	ACP              *hostproto.ACPSpec // for a session over the Agent Client Protocol
	Again            bool               // the session was there before and is reopened
}

// Launch makes the plan of a session.
func Launch(o Order) Plan {
	m := o.Manifest
	p := Plan{Record: hostproto.Record{
		Version:   hostproto.RecordVersion,
		ID:        o.ID,
		Kind:      "term",
		Agent:     m.ID,
		AgentName: m.Name,
		UserTitle: prompt.Clean(o.Title),
		Prompted:  prompt.Title(o.Text),
		Project:   o.Project,
		Dir:       o.Dir,
		Command: atp.LaunchCommand(m, atp.LaunchOptions{
			Bypass: o.Bypass, CommandOverride: o.Override, Args: o.Args, Fragment: o.Fragment, Extra: o.Extra,
		}),
		Shell:   o.Shell,
		Bypass:  o.Bypass && m.PermissionBypassFlag != "",
		Extra:   o.Extra,
		Parent:  o.From.Parent,
		Root:    o.From.Root,
		Depth:   o.From.Depth,
		Created: o.Now,
		Size:    hostproto.Size{Cols: side(o.Cols, DefaultCols), Rows: side(o.Rows, DefaultRows)},
		Socket:  o.Socket,
		State:   "idle",
		Since:   o.Now,

		Conversation: o.Conversation,
		LaunchNotes:  o.Notes,
	}}
	p.Setup, p.SetupDone = o.Setup, o.SetupDone
	if o.Text != "" {
		p.Prompt = &hostproto.SendRequest{Text: enveloped(m, o.From, o.Text), Enter: true}
	}
	for _, k := range slices.Sorted(maps.Keys(m.Env)) {
		p.Env = append(p.Env, k+"="+m.Env[k])
	}
	p.Env = append(p.Env, o.Env...)
	return p
}

func side(n, def int) int {
	if n <= 0 {
		return def
	}
	return min(n, maxSide)
}
