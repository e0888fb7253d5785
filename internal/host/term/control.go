//go:build unix

package term

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/termio-sh/termio/internal/host"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/status"
	"github.com/termio-sh/termio/vt"
)

type replyFunc = func(body any, failure *hostproto.Error)

// Control takes one request of a peer.
func (s *session) Control(p *host.Peer, q hostproto.Request, reply replyFunc) {
	switch q.Op {
	case hostproto.OpScreen:
		handle(q, reply, s.screen)
	case hostproto.OpSend:
		handle(q, reply, s.send)
	case hostproto.OpLook:
		handle(q, reply, s.look)
	case hostproto.OpQueue:
		handle(q, reply, s.queue)
	case hostproto.OpClose:
		handle(q, reply, func(c hostproto.CloseRequest, reply replyFunc) {
			s.close(c.Reason, func(failure *hostproto.Error) {
				reply(hostproto.CloseReply{Closed: s.closed(), Unsaved: s.records.Settled()}, failure)
			})
		})
	case hostproto.OpRename:
		handle(q, reply, s.rename)
	case hostproto.OpSeen:
		s.mu.Lock()
		s.note(status.Event{Kind: status.KindSeen})
		info := s.info()
		s.mu.Unlock()
		reply(info, nil)
	case hostproto.OpResize:
		handle(q, reply, func(size hostproto.Size, reply replyFunc) { s.resizeBy(p, size, reply) })
	case hostproto.OpTrace:
		s.mu.Lock()
		t := hostproto.TraceReply{Changes: append([]hostproto.Change{}, s.watcher.trace...)}
		s.mu.Unlock()
		reply(t, nil)
	case hostproto.OpConverse:
		handle(q, reply, s.converseAs)
	case hostproto.OpNotice:
		handle(q, reply, s.notice)
	case hostproto.OpReport:
		handle(q, reply, func(r hostproto.Report, reply replyFunc) { s.report(p.PID(), r, reply) })
	default:
		reply(nil, &hostproto.Error{Code: hostproto.CodeBadOp, Message: fmt.Sprintf("this host does not know the operation %q", q.Op)})
	}
}

// handle decodes a request's body for f.
func handle[T any](q hostproto.Request, reply replyFunc, f func(T, replyFunc)) {
	var body T
	if len(q.Body) > 0 {
		if err := json.Unmarshal(q.Body, &body); err != nil {
			reply(nil, &hostproto.Error{Code: hostproto.CodeBadRequest, Message: fmt.Sprintf("the body of %s cannot be read: %v", q.Op, err)})
			return
		}
	}
	f(body, reply)
}

func (s *session) screen(q hostproto.ScreenRequest, reply replyFunc) {
	s.engine.lend(func(t *vt.Terminal) {
		cols, rows := t.Size()
		out := hostproto.Screen{Size: hostproto.Size{Cols: cols, Rows: rows}}
		if q.Lines > 0 {
			out.Text = t.TailText(q.Lines)
		} else {
			out.Text = t.ScreenText()
		}
		reply(out, nil)
	}, func() {
		reply(nil, &hostproto.Error{Code: hostproto.CodeNotLive, Message: errEnded.Error()})
	})
}

func (s *session) send(q hostproto.SendRequest, reply replyFunc) {
	s.deliver(q, false, func(r hostproto.SendReply, failure *hostproto.Error) {
		if failure != nil {
			s.undeliverable(failure, false)
			s.hub.Publish(hostproto.Event{Type: hostproto.EventDelivery, Delivery: &hostproto.Delivery{SendReply: r, Error: failure}}, false)
			reply(nil, failure)
			return
		}
		reply(r, nil)
	})
}

// prompt delivers the payload that the session was started with; how it went
// is an event, since nobody waits.
func (s *session) prompt(q hostproto.SendRequest) {
	s.deliver(q, true, func(r hostproto.SendReply, failure *hostproto.Error) {
		if failure != nil {
			s.log("deliver the first prompt: %v", failure)
			s.undeliverable(failure, true)
		}
		end := &hostproto.Delivery{SendReply: r, First: true, Error: failure}
		s.mu.Lock()
		s.first = end
		s.mu.Unlock()
		s.hub.Publish(hostproto.Event{Type: hostproto.EventDelivery, Delivery: end}, false)
	})
}

func (s *session) rename(q hostproto.RenameRequest, reply replyFunc) {
	title := strings.TrimSpace(visible(q.Title))
	s.mu.Lock()
	s.record.UserTitle = cut(title, maxTitle)
	s.records.Save(s.record, true)
	s.hub.Publish(hostproto.Event{Type: hostproto.EventTitle, Title: s.record.Title()}, true)
	info := s.info()
	s.mu.Unlock()
	go func() { reply(hostproto.RenameReply{Info: info, Unsaved: s.records.Settled()}, nil) }()
}

// resizeBy sets the size for the viewer that owns it. Another one's is kept
// for the time when it owns the session.
func (s *session) resizeBy(p *host.Peer, size hostproto.Size, reply replyFunc) {
	if size.Cols <= 0 || size.Rows <= 0 {
		reply(nil, &hostproto.Error{Code: hostproto.CodeBadRequest, Message: fmt.Sprintf("a terminal of %d×%d cannot be", size.Cols, size.Rows)})
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p.SetSize(size)
	if s.hub.Owner() != p {
		reply(nil, &hostproto.Error{Code: hostproto.CodeNotOwner, Message: "another viewer owns the size now"})
		return
	}
	s.resize(size)
	reply(s.size, nil)
}
