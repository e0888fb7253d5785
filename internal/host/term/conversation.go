//go:build unix

package term

import (
	"fmt"
	"strings"
	"time"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/resume"
	"github.com/termio-sh/termio/internal/status"
)

// converse takes from a hook's report which conversation the session writes.
// The report is proved to be of this launch and of the session's own agent
// already. One that says working binds nothing: such payloads carry what
// users and tools wrote, in which anything could look like an id.
// session.mu must be held.
func (s *session) converse(state status.HookState, r hostproto.Report) {
	if s.deliveries.plain {
		return
	}
	id, file := resume.Named(s.resume, r.Conversation, r.Transcript), resume.Path(r.Transcript)
	now := s.record.Conversation
	switch {
	case id == "":
	case now != nil && now.ID == id:
		c := *now
		if file != "" {
			c.Transcript = file
		}
		if c.How == hostproto.HowDiscovered {
			c.How = hostproto.HowHook
		}
		if c != *now {
			s.enter(c, r.Event)
		}
	case state != status.HookWorking && id != s.taken:
		s.enter(hostproto.Conversation{ID: id, How: hostproto.HowHook, Since: time.Now(), Transcript: file}, r.Event)
	case state == status.HookWorking && s.record.Name(id):
		s.records.Save(s.record, true) // what its store says of that id decides
	}
}

// converseAs takes what the coordinator found out. It does not count when the
// session is in another conversation by now: the agent's own word is newer.
func (s *session) converseAs(q hostproto.ConverseRequest, reply replyFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := ""
	if s.record.Conversation != nil {
		now = s.record.Conversation.ID
	}
	switch {
	case s.record.Closed != nil:
		reply(nil, &hostproto.Error{Code: hostproto.CodeNotLive, Message: errEnded.Error()})
		return
	case now != q.Was:
	case q.Conversation != nil && atp.ValidID(q.Conversation.ID):
		c := *q.Conversation
		c.Transcript = resume.Path(c.Transcript)
		s.taken = ""
		s.enter(c, q.Why)
	case q.Conversation == nil && (now != "" || q.Why != s.record.Unknown):
		s.taken = now
		s.record.Leave(visible(cut(q.Why, maxSignal)))
		s.record.Spoken = s.record.Spoken || q.Elsewhere // its end is worth a reason
		s.traceConversation("none", q.Why, now)
		s.records.Save(s.record, true)
		s.hub.Publish(hostproto.Event{Type: hostproto.EventConversation, Why: s.record.Unknown}, true)
	}
	reply(s.info(), nil)
}

// enter makes c the session's conversation, and tells everybody. Titles of the
// one before go with it. session.mu must be held.
func (s *session) enter(c hostproto.Conversation, why string) {
	old := s.record.Conversation
	if old != nil && old.ID != c.ID {
		s.enteredAt = s.wireStatus().Turn
	}
	s.record.Enter(c)
	if old == nil || old.ID != c.ID {
		s.traceConversation(c.How, why, c.ID)
	}
	if old != nil && old.ID != c.ID {
		s.dropTitles()
	}
	s.records.Save(s.record, true)
	s.hub.Publish(hostproto.Event{Type: hostproto.EventConversation, Conversation: &c}, true)
}

// submitted notes that something was submitted. The first time tells when an
// agent may have begun its conversation. session.mu must be held.
// A command that makes the agent go to another conversation leaves this one at
// once: until the agent, or its store, names the new one, none is known.
func (s *session) submitted(at time.Time, line string) {
	s.record.Submit(at)
	if command := resume.Rotates(s.resume, line); command != "" && s.record.Conversation != nil {
		s.leave(fmt.Sprintf("%s took it to another conversation, which nothing has named", command), at)
	}
	// In a conversation that nothing has named, and where nothing tells of a
	// turn, what was submitted counts as said.
	if text := strings.TrimSpace(line); (s.record.Unknown != "" || !s.watcher.machine.Tells()) && len(text) > 1 && text[0] != '/' {
		s.record.Spoken = true
	}
	if s.record.Fresh != "" {
		s.record.Fresh = "" // a person has seen it by now
		s.hub.Publish(hostproto.Event{Type: hostproto.EventTitle, Title: s.record.Title()}, true)
	}
	s.records.Save(s.record, true) // after the host's death nothing else tells of it
}

// leave notes that the session is in another conversation by now, and in which
// nobody knows. session.mu must be held.
func (s *session) leave(why string, at time.Time) {
	old := s.record.Conversation.ID
	s.record.Leave(why)
	s.record.Spoken, s.record.Turned, s.record.Named, s.enteredAt = false, at, nil, s.wireStatus().Turn+1
	s.dropTitles()
	s.traceConversation("left", why, old)
	s.records.Save(s.record, true)
	s.hub.Publish(hostproto.Event{Type: hostproto.EventConversation, Why: why}, true)
}

// dropTitles takes away what the conversation before was called.
func (s *session) dropTitles() {
	if s.record.LiveTitle+s.record.Prompted == "" {
		return
	}
	s.record.LiveTitle, s.record.Prompted = "", ""
	s.hub.Publish(hostproto.Event{Type: hostproto.EventTitle, Title: s.record.Title()}, true)
}

// traceLaunch says with which conversation the session was launched.
// session.mu must be held.
func (s *session) traceLaunch() {
	id := ""
	if s.record.Conversation != nil {
		id = s.record.Conversation.ID
	}
	switch r := s.record; {
	case r.Fresh != "":
		s.traceConversation("fresh", r.Fresh, id)
	case r.Resumed:
		s.traceConversation("resumed", "", id)
	case id != "":
		s.traceConversation(r.Conversation.How, "", id)
	}
}

// traceConversation puts what became known of the session's conversation into
// the trace; it changes no state. session.mu must be held.
func (s *session) traceConversation(how, why, id string) {
	rule := how
	if why != "" {
		rule += ": " + visible(cut(why, maxSignal))
	}
	st := s.watcher.machine.Status()
	s.watcher.trace = append(s.watcher.trace, hostproto.Change{
		At: time.Now(), From: string(st.State), To: string(st.State),
		Cause: hostproto.Cause{Channel: "conversation", Rule: rule, Text: id},
	})
	s.changed(nil)
}
