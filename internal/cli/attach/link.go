package attach

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/nowait"
)

const (
	// maxTyped bounds input on its way to a host that does not take it, in
	// bytes; what comes on top is dropped, and the person told.
	maxTyped  = 64 << 20
	dialLimit = 10 * time.Second
)

// link is a viewer's connection to its host. Unlike hostproto.Client it hands
// over what arrives on the goroutine that reads it, and writes on the one that
// has something to write: an echo passes through no other.
type link struct {
	conn   net.Conn
	raw    syscall.RawConn
	reader *hostproto.Reader

	mu      sync.Mutex
	busy    bool   // a goroutine is writing
	pending []byte // what it writes next
	err     error
}

// connect says hello as the viewer that o asks for.
func connect(ctx context.Context, o *Options, size hostproto.Size, lines int) (*link, error) {
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "unix", o.Socket)
	if err != nil {
		return nil, fmt.Errorf("attach to %s: %w", o.name(), err)
	}
	l := &link{conn: conn, raw: nowait.RawOf(conn), reader: hostproto.NewReader(bufio.NewReaderSize(nowait.ReaderOf(conn), hostproto.MaxData))}
	deadline, _ := ctx.Deadline()
	conn.SetDeadline(deadline)
	if err := l.hello(o, size, lines); err != nil {
		conn.Close()
		return nil, fmt.Errorf("attach to %s: %w", o.name(), err)
	}
	conn.SetDeadline(time.Time{})
	return l, nil
}

func (l *link) hello(o *Options, size hostproto.Size, lines int) error {
	h := hostproto.Hello{
		Min: hostproto.MinVersion, Max: hostproto.MaxVersion,
		Role: hostproto.RoleInteract, Client: o.Client, Size: &size, Scrollback: lines,
	}
	if o.Observe {
		h.Role, h.Size = hostproto.RoleObserve, nil
	}
	if err := l.request(hostproto.OpHello, 1, h); err != nil {
		return err
	}
	t, p, err := l.reader.Next()
	if err != nil {
		return err
	}
	var reply hostproto.Reply
	if t != hostproto.FrameReply || json.Unmarshal(p, &reply) != nil {
		return hostproto.ErrFrame
	}
	if reply.Error != nil {
		return reply.Error
	}
	return nil
}

// request sends a control message; id 0 wants no reply.
func (l *link) request(op string, id uint64, body any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("encode %s: %w", op, err)
	}
	frame, err := hostproto.AppendJSON(nil, hostproto.FrameControl, hostproto.Request{Op: op, ID: id, Body: raw})
	if err != nil {
		return err
	}
	_, err = l.write(frame)
	return err
}

// input sends what was typed. It reports false when that had to be dropped.
func (l *link) input(p []byte) (bool, error) {
	return l.write(hostproto.AppendData(nil, hostproto.FrameInput, p))
}

// write sends frames without waiting for a host that does not take them.
func (l *link) write(frames []byte) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.err != nil:
		return false, l.err
	case l.busy && len(l.pending)+len(frames) > maxTyped:
		return false, nil
	case l.busy:
		l.pending = append(l.pending, frames...)
		return true, nil
	}
	n, err := nowait.Write(l.raw, frames)
	switch {
	case err != nil:
		l.err = err
		return false, err
	case n < len(frames):
		l.busy = true
		go l.drain(bytes.Clone(frames[n:]))
	}
	return true, nil
}

// drain writes what the host did not take at once.
func (l *link) drain(p []byte) {
	for len(p) > 0 {
		_, err := l.conn.Write(p)
		l.mu.Lock()
		p, l.pending = l.pending, nil
		l.busy = len(p) > 0 && err == nil
		if err != nil {
			l.err, p = err, nil
		}
		l.mu.Unlock()
	}
}

// next is the next frame from the host. Its payload is valid until the next
// call.
func (l *link) next() (hostproto.FrameType, []byte, *hostproto.Event, error) {
	t, p, err := l.reader.Next()
	if err != nil {
		if err == io.EOF || errors.Is(err, net.ErrClosed) {
			err = hostproto.ErrClosed
		}
		return 0, nil, nil, err
	}
	if t != hostproto.FrameEvent {
		return t, p, nil, nil
	}
	e := new(hostproto.Event)
	if err := json.Unmarshal(p, e); err != nil {
		return 0, nil, nil, fmt.Errorf("decode event: %w", err)
	}
	return t, nil, e, nil
}

func (l *link) close() { l.conn.Close() }
