//go:build unix

package acp

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/termio-sh/termio/internal/acphost"
	"github.com/termio-sh/termio/internal/host"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/status"
)

// warm is a host that is no session yet.
type warm struct {
	ready chan struct{} // closed when the set-up is over; reply stands then
	reply hostproto.WarmReply

	// Guarded by the session's lock.
	kept    bool // somebody has asked for it
	adopted bool // it is a session now
}

// keepTime is how long a warm host waits for the first one who wants it.
const keepTime = 10 * time.Second

// unowned tells that the host is warm and nobody's session; s.mu is held.
func (s *session) unowned() bool { return s.warm != nil && !s.warm.adopted }

// runWarm sets the agent up. The host ends when that fails, and when nobody
// asks for it.
func (s *session) runWarm() {
	ctx, cancel := s.whileOpen()
	defer cancel()
	time.AfterFunc(keepTime, func() {
		s.mu.Lock()
		forgotten := !s.warm.kept
		s.mu.Unlock()
		if forgotten {
			s.end(hostproto.ReasonExited)
		}
	})
	found, err := s.agent.WarmUp(ctx)
	var f *acphost.Failure
	switch {
	case errors.As(err, &f):
		s.warm.reply = hostproto.WarmReply{Word: f.Word, Message: f.Error()}
	case err != nil:
		s.warm.reply = hostproto.WarmReply{Word: acphost.FailAgent, Message: err.Error()}
	default:
		if data, e := json.Marshal(found); e == nil {
			s.warm.reply.Found = data
		}
	}
	close(s.warm.ready)
}

// keepWarm tells a peer when the agent is ready, and ends the host with that
// peer's connection, unless it was adopted.
func (s *session) keepWarm(p *host.Peer, reply replyFunc) {
	if s.warm == nil {
		refuse(reply, hostproto.CodeBadOp, "this host is a session already")
		return
	}
	s.mu.Lock()
	s.warm.kept = true
	s.mu.Unlock()
	select {
	case <-s.warm.ready:
		reply(s.warm.reply, nil)
	case <-p.Closed():
	case <-s.finished:
		refuse(reply, hostproto.CodeNotLive, "the warm host has ended")
		return
	}
	select {
	case <-p.Closed():
	case <-s.finished:
		return
	}
	s.mu.Lock()
	mine := s.unowned()
	s.mu.Unlock()
	if mine {
		s.end(hostproto.ReasonUser)
	}
}

// agentEnded ends a warm host without an agent; s.mu is held.
func (s *session) agentEnded() {
	if s.unowned() {
		go s.end(hostproto.ReasonExited)
	}
}

// adopt makes the host the session that it was started for. What fails leaves
// a host that ends, and no session.
func (s *session) adopt(q hostproto.AdoptRequest, reply replyFunc) {
	mode, err := s.mayAdopt(q)
	if err != nil {
		refuse(reply, hostproto.CodeBadRequest, "%v", err)
		return
	}
	a := acphost.Adoption{Mode: mode, Attended: !q.Once}
	if len(q.Prefer) > 0 {
		if err := json.Unmarshal(q.Prefer, &a.Prefer); err != nil {
			refuse(reply, hostproto.CodeBadRequest, "read what the session is set to: %v", err)
			return
		}
	}
	fail := func(code string, err error) {
		s.mu.Lock()
		s.warm.adopted = false
		s.mu.Unlock()
		refuse(reply, code, "%v", err)
		go s.end(hostproto.ReasonExited)
	}
	if err := s.agent.Adopt(a); err != nil {
		fail(hostproto.CodeNotLive, err)
		return
	}
	if err := s.become(q); err != nil {
		fail(hostproto.CodeInternal, err)
		return
	}
	s.begin(hostproto.Spec{Prompt: &hostproto.SendRequest{Text: q.Prompt}, ACP: &hostproto.ACPSpec{}})
	reply(s.Info(), nil)
}

// mayAdopt claims the host for one session.
func (s *session) mayAdopt(q hostproto.AdoptRequest) (acphost.Mode, error) {
	mode, err := acphost.ParseMode(q.Permissions)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil:
		return mode, err
	case !s.unowned() || s.closing != "":
		return mode, errors.New("the host is a session already, or has ended")
	case q.Record.ID != s.record.ID || !filepath.IsAbs(q.SessionDir) || !filepath.IsAbs(q.Record.Socket):
		return mode, errors.New("the host was started for another session")
	case mode.Acts() != acphost.Mode(s.record.Permissions).Acts():
		return mode, fmt.Errorf("the agent was told what it may do under %q", s.record.Permissions)
	}
	s.warm.adopted = true
	return mode, nil
}

// become takes the session's place: its socket, its folder, its record.
func (s *session) become(q hostproto.AdoptRequest) error {
	if err := s.doors.open(q.Record.Socket); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := os.Rename(s.dir, q.SessionDir); err != nil {
		return fmt.Errorf("make the host's folder the session's: %w", err)
	}
	s.dir = q.SessionDir
	s.journal.moved(q.SessionDir)
	s.records.Move(q.SessionDir)
	was := s.record
	s.record = q.Record
	s.record.Version, s.record.Kind, s.record.Closed = hostproto.RecordVersion, hostproto.KindACP, nil
	s.record.Size, s.record.Permissions = was.Size, q.Permissions
	if q.Record.Size.Cols > 0 && q.Record.Size.Rows > 0 {
		s.record.Size = q.Record.Size
		s.view.mu.Lock()
		s.view.size = s.record.Size
		s.view.mu.Unlock()
	}
	s.record.HostPID, s.record.HostBoot, s.record.ChildPID = was.HostPID, was.HostBoot, was.ChildPID
	if s.record.Created.IsZero() {
		s.record.Created = time.Now()
	}
	s.machine = status.New(status.Config{}, time.Now())
	s.once = q.Once
	s.last = s.wire()
	s.record.State, s.record.Since = s.last.State, s.last.Since
	if err := s.records.SaveNow(s.record); err != nil {
		s.log("write the record of the adopted session: %v", err) // it is tried again
	}
	return nil
}

// forgetWarm removes the folder of a host that never was a session.
func (s *session) forgetWarm() {
	s.mu.Lock()
	dir, mine := s.dir, s.unowned()
	s.mu.Unlock()
	if !mine {
		return
	}
	if err := os.RemoveAll(dir); err != nil {
		s.log("remove the folder of a warm host: %v", err)
	}
}

// doors are where the host listens.
type doors struct {
	server *host.Server

	mu  sync.Mutex
	now *host.Socket
}

// open listens at path, in place of where it listened before.
func (d *doors) open(path string) error {
	l, err := host.Listen(path)
	if err != nil {
		return err
	}
	d.mu.Lock()
	was := d.now
	d.now = l
	d.mu.Unlock()
	go d.server.Serve(l)
	if was != nil {
		was.Close()
	}
	return nil
}

// reopen makes the socket's file anew if it is gone.
func (d *doors) reopen() (bool, error) {
	d.mu.Lock()
	l := d.now
	d.mu.Unlock()
	return l.Reopen()
}

func (d *doors) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.now != nil {
		d.now.Close()
	}
}
