package api

import "context"

// VerbNotify is how a program asks for a person.
const VerbNotify = "notify"

// NotifyRequest says what a person is to be told, in the name of the session
// that the caller is in.
type NotifyRequest struct {
	Caller Caller `json:"caller"`
	Title  string `json:"title,omitempty"`
	Text   string `json:"text"`
}

// NotifyReply says where it is told (additive verb).
type NotifyReply struct {
	Head
	Target string   `json:"target,omitempty" pattern:"^termio://session/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$" doc:"the session that it is about, if any"`
	Told   []string `json:"told" doc:"the channels that it was handed to: desktop, terminal, command"`
	Seen   bool     `json:"seen,omitempty" doc:"nobody was told, since somebody looks at the session"`
}

// Notify tells a person.
func (c *Client) Notify(ctx context.Context, r NotifyRequest) (NotifyReply, error) {
	return ask[NotifyReply](ctx, c, VerbNotify, r)
}
