package host

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/nowait"
	"github.com/termio-sh/termio/internal/peercred"
	"github.com/termio-sh/termio/internal/version"
)

// Bounds of a Server.
const (
	helloTimeout = 5 * time.Second
	maxPeers     = 128
	readSize     = 1 << 10 // bytes read of a connection at a time; input is small
)

// Session is what a Server serves. Its methods must not block: they run on the
// goroutine that reads the peer's connection, in the order of the frames.
type Session interface {
	// Info is the session right now.
	Info() hostproto.Info
	// Subscribe is Info for a peer that gets every event after it.
	Subscribe(p *Peer) hostproto.Info
	// Control takes a request and answers it, now or later, by calling reply
	// once. A failure is an *hostproto.Error.
	Control(p *Peer, q hostproto.Request, reply func(body any, failure *hostproto.Error))
	// Attached says that p is a viewer now, Left that a peer has gone, Owns
	// that input and size are owner's from now on, since the one before left.
	Attached(p *Peer)
	Left(p *Peer)
	Owns(owner *Peer)
	// Snapshot is what a viewer starts from, and the place where the rest
	// begins; false when the session has ended. It may block.
	Snapshot(p *Peer) (Snapshot, bool)
	// Input is what the owning viewer typed. It may block, which holds up
	// that viewer only.
	Input(p *Peer, data []byte)
}

// Server speaks the host protocol on a socket.
type Server struct {
	session Session
	hub     *Hub

	mu   sync.Mutex
	open int
}

// NewServer gives a Server of session, whose peers are in hub.
func NewServer(session Session, hub *Hub) *Server {
	return &Server{session: session, hub: hub}
}

// Serve accepts connections until l is closed.
func (s *Server) Serve(l net.Listener) {
	for pause := time.Millisecond; ; {
		conn, err := l.Accept()
		if err != nil {
			if isClosed(err) {
				return
			}
			// Out of descriptors or of memory: that passes.
			time.Sleep(pause)
			pause = min(2*pause, time.Second)
			continue
		}
		pause = time.Millisecond
		if !s.take() {
			refuse(conn, 0, hostproto.CodeInternal, fmt.Sprintf("this session has %d connections already; close one", maxPeers))
			continue
		}
		go func() {
			defer s.release()
			s.serve(conn)
		}()
	}
}

func (s *Server) take() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open >= maxPeers {
		return false
	}
	s.open++
	return true
}

func (s *Server) release() {
	s.mu.Lock()
	s.open--
	s.mu.Unlock()
}

func refuse(conn net.Conn, id uint64, code, message string) {
	frame, err := hostproto.AppendJSON(nil, hostproto.FrameReply, hostproto.Reply{
		ID: id, Error: &hostproto.Error{Code: code, Message: message},
	})
	if err == nil {
		conn.SetWriteDeadline(time.Now().Add(time.Second))
		conn.Write(frame)
	}
	conn.Close()
}

// serve runs one connection to its end.
func (s *Server) serve(conn net.Conn) {
	if err := peercred.Check(conn); err != nil {
		refuse(conn, 0, hostproto.CodeBadRequest, err.Error())
		return
	}
	conn.SetReadDeadline(time.Now().Add(helloTimeout))
	// One read for a frame, not two for its head and body.
	r := hostproto.NewReader(bufio.NewReaderSize(nowait.ReaderOf(conn), readSize))
	h, id, ok := readHello(conn, r)
	if !ok {
		return
	}
	conn.SetReadDeadline(time.Time{})
	p := newPeer(conn, h)
	defer p.Close()
	// The welcome goes first, before anything can send the peer an event.
	p.reply(id, hostproto.Welcome{Version: hostproto.MaxVersion, Host: version.Version, Info: s.session.Info()}, nil)
	s.hub.add(p)
	defer func() {
		owner := s.hub.remove(p)
		if h.Role != hostproto.RoleControl {
			s.hub.tellViewers()
		}
		s.session.Left(p)
		if owner != nil {
			s.session.Owns(owner)
		}
	}()
	if h.Role != hostproto.RoleControl {
		s.hub.attach(p)
		s.hub.tellViewers()
		s.session.Attached(p)
	}
	go func() {
		if h.Role == hostproto.RoleControl {
			p.serveControl()
			return
		}
		if done, err := p.flush(); done || err != nil {
			p.Close()
			return
		}
		p.serveViewer(s.session.Snapshot)
	}()
	s.read(p, r)
}

// readHello takes the first frame and refuses what cannot be served.
func readHello(conn net.Conn, r *hostproto.Reader) (h hostproto.Hello, id uint64, ok bool) {
	t, payload, err := r.Next()
	if err != nil {
		conn.Close()
		return h, 0, false
	}
	var q hostproto.Request
	if t != hostproto.FrameControl || json.Unmarshal(payload, &q) != nil || q.Op != hostproto.OpHello {
		refuse(conn, q.ID, hostproto.CodeBadRequest, "a connection begins with hello")
		return h, 0, false
	}
	if err := json.Unmarshal(q.Body, &h); err != nil {
		refuse(conn, q.ID, hostproto.CodeBadRequest, "the hello cannot be read: "+err.Error())
		return h, 0, false
	}
	if h.Max < hostproto.MinVersion || h.Min > hostproto.MaxVersion {
		refuse(conn, q.ID, hostproto.CodeIncompatible, fmt.Sprintf(
			"this session's host (termio %s) speaks host protocol %d to %d, the client %d to %d; use a termio of the host's age, or close the session and start it anew",
			version.Version, hostproto.MinVersion, hostproto.MaxVersion, h.Min, h.Max))
		return h, 0, false
	}
	switch h.Role {
	case hostproto.RoleControl, hostproto.RoleInteract, hostproto.RoleObserve:
	default:
		refuse(conn, q.ID, hostproto.CodeBadRequest, fmt.Sprintf("unknown role %q; one of control, interact, observe", h.Role))
		return h, 0, false
	}
	return h, q.ID, true
}

// read takes a peer's frames until the connection ends or breaks the protocol.
func (s *Server) read(p *Peer, r *hostproto.Reader) {
	for {
		t, payload, err := r.Next()
		if err != nil {
			return
		}
		switch t {
		case hostproto.FrameControl:
			var q hostproto.Request
			if err := json.Unmarshal(payload, &q); err != nil {
				return
			}
			s.control(p, q)
		case hostproto.FrameInput:
			if p.Role() == hostproto.RoleInteract && s.hub.Owner() == p {
				s.session.Input(p, payload)
			}
		default:
			return // only a host sends the others
		}
	}
}

// notice shows a notification about another session to the viewers. The wish of
// this session's own program to be looked at is the session's affair.
func (s *Server) notice(p *Peer, q hostproto.Request) {
	var n hostproto.Notice
	if err := json.Unmarshal(q.Body, &n); err != nil {
		p.reply(q.ID, nil, &hostproto.Error{Code: hostproto.CodeBadRequest, Message: "the notice cannot be read: " + err.Error()})
		return
	}
	if n.Own {
		s.session.Control(p, q, func(body any, failure *hostproto.Error) { p.reply(q.ID, body, failure) })
		return
	}
	s.hub.Publish(hostproto.Event{Type: hostproto.EventNotice, Notice: &n}, true)
	p.reply(q.ID, struct{}{}, nil)
}

func (s *Server) control(p *Peer, q hostproto.Request) {
	if p.Role() == hostproto.RoleObserve {
		switch q.Op {
		case hostproto.OpInfo, hostproto.OpScreen, hostproto.OpTrace, hostproto.OpSubscribe:
		default:
			p.reply(q.ID, nil, &hostproto.Error{Code: hostproto.CodeNotOwner, Message: "an observer only looks"})
			return
		}
	}
	switch q.Op {
	case hostproto.OpInfo:
		p.reply(q.ID, s.session.Info(), nil)
	case hostproto.OpSubscribe:
		p.replyBefore(q.ID, func() any { return s.session.Subscribe(p) })
	case hostproto.OpNotice:
		s.notice(p, q)
	default:
		s.session.Control(p, q, func(body any, failure *hostproto.Error) { p.reply(q.ID, body, failure) })
	}
}
