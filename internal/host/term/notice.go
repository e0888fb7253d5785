//go:build unix

package term

import (
	"strings"

	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/status"
)

// notice shows a notification about another session to the viewers, or takes
// the wish of this session's program to be looked at as one of its
// notifications.
func (s *session) notice(n hostproto.Notice, reply replyFunc) {
	n.Title, n.Text = cut(visible(n.Title), maxSignal), cut(n.Text, maxSignal)
	if !n.Own {
		s.hub.Publish(hostproto.Event{Type: hostproto.EventNotice, Notice: &n}, true)
		reply(struct{}{}, nil)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.record.Closed != nil {
		reply(nil, &hostproto.Error{Code: hostproto.CodeNotLive, Message: errEnded.Error()})
		return
	}
	s.signal(hostproto.Signal{Kind: "notification", Title: n.Title, Text: n.Text})
	s.note(status.Event{Kind: status.KindNotification, Text: cut(strings.TrimSpace(n.Title+" "+visible(n.Text)), maxSignal)})
	reply(struct{}{}, nil)
}

// tellViewers says how many are attached, to those who want to know whether
// somebody looks.
func (s *session) tellViewers() {
	_, n := s.hub.Seq()
	s.hub.Publish(hostproto.Event{Type: hostproto.EventViewers, Viewers: &n}, false)
}
