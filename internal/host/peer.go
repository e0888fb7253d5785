package host

import (
	"bytes"
	"encoding/json"
	"errors"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/nowait"
	"github.com/termio-sh/termio/internal/peercred"
)

// maxQueued bounds the replies and events that a peer has not read, in bytes.
// A peer that is further behind is cut off; it can come back and ask anew.
const maxQueued = 4 << 20

// Peer is one connection to the host after its hello.
type Peer struct {
	conn net.Conn
	raw  syscall.RawConn // of conn, for writeNow
	role hostproto.Role

	wake   chan struct{} // cap 1: something to write
	closed chan struct{}

	mu        sync.Mutex
	hello     hostproto.Hello
	queue     []byte // whole frames: replies and events
	last      []byte // a viewer's frames for after the last byte of output
	held      []byte // events for after a reply that is being made (replyBefore)
	holding   bool
	writing   bool // flush does
	finishing bool // close when everything is written
	isClosed  bool

	// rest is what writeNow could not write of a frame: it goes before all
	// else. Whoever writes the connection owns it: the Tee's producer while
	// the viewer's cursor is idle, else the viewer's goroutine.
	rest []byte
	now  []byte // writeNow's frame, kept to be used again
}

func newPeer(conn net.Conn, h hostproto.Hello) *Peer {
	return &Peer{conn: conn, raw: nowait.RawOf(conn), role: h.Role, hello: h, wake: make(chan struct{}, 1), closed: make(chan struct{})}
}

// PID is the process that connected; 0 when the system does not tell.
func (p *Peer) PID() int { return peercred.PID(p.conn) }

// Role is what the peer said it is.
func (p *Peer) Role() hostproto.Role { return p.role }

// Hello is how the peer introduced itself, with its present size.
func (p *Peer) Hello() hostproto.Hello {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hello
}

// SetSize notes a viewer's new size.
func (p *Peer) SetSize(s hostproto.Size) {
	p.mu.Lock()
	p.hello.Size = &s
	p.mu.Unlock()
}

// Closed is closed when the connection has ended.
func (p *Peer) Closed() <-chan struct{} { return p.closed }

// Event queues an event. It never blocks.
func (p *Peer) Event(ev hostproto.Event) {
	frame, err := hostproto.AppendJSON(nil, hostproto.FrameEvent, ev)
	if err != nil {
		return // an event holds nothing that cannot be encoded
	}
	p.mu.Lock()
	if p.holding && len(p.held) <= maxQueued {
		p.held = append(p.held, frame...)
		p.mu.Unlock()
		return
	}
	p.mu.Unlock()
	p.enqueue(frame)
}

// replyBefore answers request id with what answer gives, before every event
// that comes from the moment on that answer is called: a client that waits for
// the reply need not read events meanwhile.
func (p *Peer) replyBefore(id uint64, answer func() any) {
	p.mu.Lock()
	p.holding = true
	p.mu.Unlock()
	p.reply(id, answer(), nil)
	p.mu.Lock()
	p.queue = append(p.queue, p.held...)
	p.held, p.holding = nil, false
	p.mu.Unlock()
	p.signal()
}

// Last queues an event that a viewer gets after all output, anybody else now.
func (p *Peer) Last(ev hostproto.Event) {
	if p.role == hostproto.RoleControl {
		p.Event(ev)
		return
	}
	frame, err := hostproto.AppendJSON(nil, hostproto.FrameEvent, ev)
	if err != nil {
		return
	}
	p.mu.Lock()
	p.last = append(p.last, frame...)
	p.mu.Unlock()
	p.signal()
}

// atEnd queues what was kept for the end of the output.
func (p *Peer) atEnd() {
	p.mu.Lock()
	p.queue = append(p.queue, p.last...)
	p.last = nil
	p.mu.Unlock()
}

// reply answers request id; 0 wants no answer.
func (p *Peer) reply(id uint64, body any, failure *hostproto.Error) {
	if id == 0 {
		return
	}
	r := hostproto.Reply{ID: id, Error: failure}
	if failure == nil && body != nil {
		raw, err := json.Marshal(body)
		if err == nil {
			r.Body = raw
		} else {
			r.Error = &hostproto.Error{Code: hostproto.CodeInternal, Message: "encode reply: " + err.Error()}
		}
	}
	frame, err := hostproto.AppendJSON(nil, hostproto.FrameReply, r)
	if err != nil {
		frame, _ = hostproto.AppendJSON(nil, hostproto.FrameReply, hostproto.Reply{ID: id, Error: &hostproto.Error{
			Code: hostproto.CodeInternal, Message: "the reply is too long for one frame",
		}})
	}
	p.enqueue(frame)
}

func (p *Peer) enqueue(frame []byte) {
	p.mu.Lock()
	slow := len(p.queue) > maxQueued
	if !slow && !p.isClosed {
		frame = frame[p.writeFirst(frame):]
		p.queue = append(p.queue, frame...)
	}
	p.mu.Unlock()
	switch {
	case slow:
		p.Close()
	case len(frame) > 0:
		p.signal()
	}
}

// writeFirst writes what goes at once of a control peer's frame, if nothing is
// before it: no goroutine has to be woken for that. p.mu must be held.
func (p *Peer) writeFirst(frame []byte) (n int) {
	if p.role != hostproto.RoleControl || p.raw == nil || p.writing || len(p.queue) > 0 {
		return 0
	}
	n, _ = nowait.Write(p.raw, frame) // flush meets the error again
	return n
}

func (p *Peer) signal() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// finish closes the connection once all that is queued is written.
func (p *Peer) finish() {
	p.mu.Lock()
	p.finishing = true
	p.mu.Unlock()
	p.signal()
}

// Close ends the connection.
func (p *Peer) Close() {
	p.mu.Lock()
	was := p.isClosed
	p.isClosed = true
	p.mu.Unlock()
	if !was {
		p.conn.Close()
		close(p.closed)
	}
}

// flush writes what is queued. It reports whether the peer is to be closed now.
func (p *Peer) flush() (done bool, err error) {
	for {
		p.mu.Lock()
		if len(p.queue) == 0 {
			done := p.finishing
			p.mu.Unlock()
			return done, nil
		}
		out := p.queue
		p.queue, p.writing = nil, true
		p.mu.Unlock()
		_, err = p.conn.Write(out)
		p.mu.Lock()
		p.writing = false
		p.mu.Unlock()
		if err != nil {
			return true, err
		}
	}
}

// serveControl writes a control connection's frames until it ends.
func (p *Peer) serveControl() {
	defer p.Close()
	for {
		if done, err := p.flush(); done || err != nil {
			return
		}
		select {
		case <-p.wake:
		case <-p.closed:
			return
		}
	}
}

// Snapshot is what a viewer starts from.
type Snapshot struct {
	Data   []byte
	Size   hostproto.Size
	Owner  bool
	Cursor *Cursor // where the output after Data begins
}

// serveViewer writes a viewer's connection: a snapshot, ready, every byte
// after it, and again from a new snapshot whenever the viewer has lost its
// place.
func (p *Peer) serveViewer(take func(p *Peer) (Snapshot, bool)) {
	defer p.Close()
	for first := true; ; first = false {
		snap, ok := take(p)
		if !ok {
			p.atEnd()
			p.flush()
			return
		}
		err := p.sendSnapshot(snap, first)
		if err == nil {
			err = p.stream(snap.Cursor)
		}
		snap.Cursor.Leave()
		if err != errLost {
			return
		}
	}
}

var errLost = errors.New("viewer lost its place")

func (p *Peer) sendSnapshot(s Snapshot, first bool) error {
	// The size goes before the snapshot, which fits no other.
	begin := hostproto.Event{Type: hostproto.EventResized, Size: &s.Size}
	if !first {
		begin.Type = hostproto.EventResync
	}
	out, _ := hostproto.AppendJSON(nil, hostproto.FrameEvent, begin)
	out = hostproto.AppendData(out, hostproto.FrameSnapshot, s.Data)
	out, _ = hostproto.AppendJSON(out, hostproto.FrameEvent, hostproto.Event{Type: hostproto.EventReady, Size: &s.Size, Owner: s.Owner})
	_, err := p.conn.Write(out)
	return err
}

// stream writes output until the end of everything (nil), a failure, or
// errLost.
func (p *Peer) stream(c *Cursor) error {
	var hdr [8]byte
	for {
		if len(p.rest) > 0 {
			if _, err := p.conn.Write(p.rest); err != nil {
				return err
			}
			p.rest = nil
		}
		data, size, end := c.Next()
		switch {
		case size != nil:
			frame, _ := hostproto.AppendJSON(nil, hostproto.FrameEvent, hostproto.Event{Type: hostproto.EventResized, Size: size})
			if _, err := p.conn.Write(frame); err != nil {
				return err
			}
			continue
		case len(data) > 0:
			h := hostproto.AppendHeader(hdr[:0], hostproto.FrameOutput, len(data))
			bufs := net.Buffers{h, data}
			if _, err := bufs.WriteTo(p.conn); err != nil {
				return err
			}
			c.Advance(len(data))
			p.mu.Lock()
			waiting := len(p.queue) > 0
			p.mu.Unlock()
			if !waiting {
				continue
			}
		}
		if c.Lost() {
			return errLost
		}
		// Replies and events may overtake output; the end may not.
		if end {
			p.atEnd()
		}
		done, err := p.flush()
		if err != nil {
			return err
		}
		if len(data) > 0 {
			continue
		}
		if done && end {
			return nil
		}
		c.Idle(p.writeNow)
		select {
		case <-p.wake:
		case <-c.Wake():
		case <-p.closed:
			c.Busy()
			return os.ErrClosed
		}
		c.Busy()
	}
}

// writeNow writes output to the connection as far as that takes it without
// waiting, and reports whether nothing of it is left to be given again.
func (p *Peer) writeNow(data []byte) bool {
	if len(data) > hostproto.MaxData || len(p.rest) > 0 {
		return false
	}
	frame := hostproto.AppendFrame(p.now[:0], hostproto.FrameOutput, data)
	p.now = frame
	n, _ := nowait.Write(p.raw, frame) // stream meets the error again
	switch {
	case n == 0:
		return false
	case n < len(frame):
		p.rest = bytes.Clone(frame[n:])
		p.signal()
	}
	return true
}

// drain waits until everything is written and the connection is closed, but
// not longer than d; then it closes it anyway.
func (p *Peer) drain(d time.Duration) {
	p.finish()
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-p.closed:
	case <-t.C:
		p.Close()
	}
}
