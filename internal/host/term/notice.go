//go:build unix

package term

import (
	"strings"

	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/status"
)

// notice takes the wish of this session's program to be looked at, as one of
// its notifications.
func (s *session) notice(n hostproto.Notice, reply replyFunc) {
	title, text := cut(visible(n.Title), maxSignal), cut(visible(n.Text), maxSignal)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.record.Closed != nil {
		reply(nil, &hostproto.Error{Code: hostproto.CodeNotLive, Message: errEnded.Error()})
		return
	}
	s.signal(hostproto.Signal{Kind: "notification", Title: title, Text: text})
	s.note(status.Event{Kind: status.KindNotification, Text: cut(strings.TrimSpace(title+" "+text), maxSignal)})
	reply(struct{}{}, nil)
}
