//go:build unix

package term

import (
	"crypto/subtle"
	"strings"
	"time"
	"unicode"

	proc "github.com/termio-sh/termio/internal/host/process"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/prompt"
	"github.com/termio-sh/termio/internal/status"
)

// report takes a hook's word. The token proves that it comes from inside this
// launch of the session: one that an earlier launch left behind, or another
// session's, is refused. pid is the reporter's process; it waits for the reply,
// so that its ancestors are there to be looked at.
func (s *session) report(pid int, r hostproto.Report, reply replyFunc) {
	refuse := func(code, message string) {
		reply(nil, &hostproto.Error{Code: code, Message: message})
	}
	state := status.HookState(r.State)
	switch state {
	case status.HookWorking, status.HookAttention, status.HookDone, status.HookIdle:
	default:
		refuse(hostproto.CodeBadRequest, "a report's state is working, attention, done or idle")
		return
	}
	if s.token == "" || subtle.ConstantTimeCompare([]byte(s.token), []byte(r.Token)) != 1 {
		refuse(hostproto.CodeBadRequest, "the report has not the token of this session's launch")
		return
	}
	line := proc.Lineage(pid)
	s.lookForeground(time.Now())
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.record.Closed != nil {
		refuse(hostproto.CodeNotLive, errEnded.Error())
		return
	}
	if !s.speaks.accepts(line, proc.Running) {
		reply(struct{}{}, nil) // an agent that the session's own has started
		return
	}
	s.converse(state, r)
	if title := prompt.Title(r.PromptTitle); title != "" && s.record.Prompted == "" {
		s.record.Prompted = title
		s.records.Save(s.record, false)
		s.hub.Publish(hostproto.Event{Type: hostproto.EventTitle, Title: s.record.Title()}, true)
	}
	s.note(status.Event{Kind: status.KindHook, Hook: status.Hook{
		State: state, Event: visible(r.Event), Tool: visible(r.Tool), Conversation: r.Conversation,
		Subagent: r.Subagent != "", SubagentID: visible(r.Subagent), Pending: r.Pending,
		Generation: s.generation,
	}})
	reply(struct{}{}, nil)
}

// visible is s without what could move a terminal.
func visible(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(s, ""))
}
