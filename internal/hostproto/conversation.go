package hostproto

import (
	"slices"
	"time"
)

// Conversation is one conversation of an agent, under the agent's own id for
// it, and how its session came to know that.
type Conversation struct {
	ID    string    `json:"id"`
	How   string    `json:"how"` // one of the How constants
	Since time.Time `json:"since"`
	// Transcript is the file that it is written to, when that is known.
	Transcript string `json:"transcript,omitempty"`
}

// How a conversation became known, the surest last but one: a discovered one
// gives way to what a hook says.
const (
	HowMinted     = "minted"     // the id was made here and given to the agent
	HowDiscovered = "discovered" // its record appeared in the agent's store
	HowHook       = "hook"       // the agent's own hook said so
	HowProtocol   = "protocol"   // the agent answered it over its protocol
)

// maxLeft bounds Record.Left.
const maxLeft = 20

// Enter makes c the conversation that the session is writing. The one before,
// if it is another, is left.
func (r *Record) Enter(c Conversation) {
	if old := r.Conversation; old != nil && old.ID != c.ID {
		r.leave(*old)
	}
	if old := r.Conversation; old != nil && old.ID != c.ID {
		r.Spoken = false
	}
	r.Conversation, r.Unknown = &c, ""
}

// Leave notes that it is not known any more which conversation the session is
// writing, and why.
func (r *Record) Leave(why string) {
	r.Unknown = why
	if r.Conversation != nil {
		r.leave(*r.Conversation)
		r.Conversation = nil
	}
}

// leave builds a new list, since records are copied by value.
func (r *Record) leave(c Conversation) {
	left := append(append(make([]Conversation, 0, len(r.Left)+1), r.Left...), c)
	r.Left = left[max(0, len(left)-maxLeft):]
}

// Transcript is the file that the session's conversation is written to, "" when
// it is not known.
func (r *Record) Transcript() string {
	if r.Conversation == nil {
		return ""
	}
	return r.Conversation.Transcript
}

// ConverseRequest tells a host what the coordinator found out about the
// session's conversation, or that the one it is in belongs to another session.
type ConverseRequest struct {
	// Was is the id of the conversation that the request is about, "" for
	// none; the request counts only while the session is in it.
	Was string `json:"was,omitempty"`
	// Conversation is the one that the session is in; nil when it cannot be
	// known, and then Why says so.
	Conversation *Conversation `json:"conversation,omitempty"`
	Why          string        `json:"why,omitempty"`
	// Elsewhere tells that the conversation is another session's, and so that
	// there is one that this session is cut off from.
	Elsewhere bool `json:"elsewhere,omitempty"`
}

// LaunchNotes is the part of a record that is needed to launch its program
// again as it was, and to know its conversation.
type LaunchNotes struct {
	// Launched is when the program was started, the last time.
	Launched time.Time `json:"launched,omitzero"`
	// Turned is when the session was last told to go to another conversation,
	// by a command of the agent's.
	Turned time.Time `json:"turned,omitzero"`
	// Override is the user's own command, in place of the manifest's.
	Override string `json:"override,omitempty"`
	// ConfigHome is the value of the variable that moved the agent's config
	// tree (configHome of its manifest), where it was set.
	ConfigHome string `json:"config_home,omitempty"`
	// UserHome is the home folder that the program was given.
	UserHome string `json:"user_home,omitempty"`
	// Program is the path of the agent's program.
	Program string `json:"program,omitempty"`
	// ChildBoot tells a reused ChildPID, as HostBoot does.
	ChildBoot string `json:"child_boot,omitempty"`
	// Resumed tells that the launch continued Conversation; Fresh says why it
	// did not continue the one before, until something is said in the new one.
	Resumed bool   `json:"resumed,omitempty"`
	Fresh   string `json:"fresh,omitempty"`
	// Spoken tells that a turn began in the conversation.
	Spoken bool `json:"spoken,omitempty"`
	// Named are the ids that the agent named since the launch, or since it left
	// a conversation, in reports that bind nothing: the newest last. One that is
	// in the agent's store too is the session's.
	Named []string `json:"named,omitempty"`
	// Submits are the times at which something was submitted since the launch:
	// the first, and the newest.
	Submits []time.Time `json:"submits,omitempty"`
}

// maxSubmits bounds LaunchNotes.Submits.
const maxSubmits = 12

// Submit notes that something was submitted.
func (n *LaunchNotes) Submit(at time.Time) {
	s := append(append(make([]time.Time, 0, len(n.Submits)+1), n.Submits...), at)
	if len(s) > maxSubmits {
		s = append(s[:1], s[2:]...)
	}
	n.Submits = s
}

// maxNamed bounds LaunchNotes.Named.
const maxNamed = 4

// Name notes that the agent has named a conversation, and reports whether that
// is news.
func (n *LaunchNotes) Name(id string) bool {
	if slices.Contains(n.Named, id) {
		return false
	}
	named := append(append(make([]string, 0, len(n.Named)+1), n.Named...), id)
	n.Named = named[max(0, len(named)-maxNamed):]
	return true
}
