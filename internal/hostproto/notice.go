package hostproto

// OpNotice shows a Notice in the terminals that are attached to the session, or
// notes that the session's own program asks to be looked at.
const OpNotice = "notice"

// EventNotice brings a viewer a Notice; EventViewers says how many are attached.
const (
	EventNotice  = "notice"
	EventViewers = "viewers"
)

// Notice is a notification. Session is what it is about: a later one about the
// same takes its place, and Withdraw takes it back.
type Notice struct {
	Session  string `json:"session,omitempty"`
	Title    string `json:"title,omitempty"`
	Text     string `json:"text,omitempty"`
	Bell     bool   `json:"bell,omitempty"`
	Withdraw bool   `json:"withdraw,omitempty"`
	// Own is the session's own program asking to be looked at; it is shown to
	// nobody here.
	Own bool `json:"own,omitempty"`
}
