package hostproto

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

	"github.com/termio-sh/termio/internal/nowait"
)

// maxTyped bounds input on its way to a host that does not take it, in bytes;
// what comes on top is dropped.
const maxTyped = 64 << 20

// Viewer is a viewer's connection to its host. Unlike Client it hands over what
// arrives on the goroutine that reads it, and writes on the one that has
// something to write: an echo passes through no other.
//
// Next is for one goroutine; the rest is safe for concurrent use.
type Viewer struct {
	conn   net.Conn
	raw    syscall.RawConn
	reader *Reader

	mu      sync.Mutex
	busy    bool   // a goroutine is writing
	pending []byte // what it writes next
	err     error
}

// DialViewer connects to the host at socket and says hello as a viewer. A zero
// version range in h means the one this program speaks. A refusal is an *Error.
func DialViewer(ctx context.Context, socket string, h Hello) (*Viewer, error) {
	ctx, cancel := context.WithTimeout(ctx, handshakeTimeout)
	defer cancel()
	if h.Min == 0 && h.Max == 0 {
		h.Min, h.Max = MinVersion, MaxVersion
	}
	conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, fmt.Errorf("connect to host: %w", err)
	}
	v := &Viewer{conn: conn, raw: nowait.RawOf(conn), reader: NewReader(bufio.NewReaderSize(nowait.ReaderOf(conn), MaxData))}
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	err = v.hello(h)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return v, nil
}

func (v *Viewer) hello(h Hello) error {
	if err := v.Request(OpHello, 1, h); err != nil {
		return err
	}
	t, p, err := v.reader.Next()
	if err != nil {
		return err
	}
	var reply Reply
	if t != FrameReply || json.Unmarshal(p, &reply) != nil {
		return ErrFrame
	}
	if reply.Error != nil {
		return reply.Error
	}
	return nil
}

// Request sends a control message; id 0 wants no reply.
func (v *Viewer) Request(op string, id uint64, body any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("encode %s: %w", op, err)
	}
	frame, err := AppendJSON(nil, FrameControl, Request{Op: op, ID: id, Body: raw})
	if err != nil {
		return err
	}
	_, err = v.write(frame)
	return err
}

// Input sends what was typed. It reports false when that had to be dropped.
func (v *Viewer) Input(p []byte) (bool, error) {
	return v.write(AppendData(nil, FrameInput, p))
}

// write sends frames without waiting for a host that does not take them.
func (v *Viewer) write(frames []byte) (bool, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case v.err != nil:
		return false, v.err
	case v.busy && len(v.pending)+len(frames) > maxTyped:
		return false, nil
	case v.busy:
		v.pending = append(v.pending, frames...)
		return true, nil
	}
	n, err := nowait.Write(v.raw, frames)
	switch {
	case err != nil:
		v.err = err
		return false, err
	case n < len(frames):
		v.busy = true
		go v.drain(bytes.Clone(frames[n:]))
	}
	return true, nil
}

// drain writes what the host did not take at once.
func (v *Viewer) drain(p []byte) {
	for len(p) > 0 {
		_, err := v.conn.Write(p)
		v.mu.Lock()
		p, v.pending = v.pending, nil
		v.busy = len(p) > 0 && err == nil
		if err != nil {
			v.err, p = err, nil
		}
		v.mu.Unlock()
	}
}

// Next is the next frame from the host. Its payload is valid until the next
// call. The end of the connection is ErrClosed.
func (v *Viewer) Next() (FrameType, []byte, *Event, error) {
	t, p, err := v.reader.Next()
	if err != nil {
		if err == io.EOF || errors.Is(err, net.ErrClosed) {
			err = ErrClosed
		}
		return 0, nil, nil, err
	}
	if t != FrameEvent {
		return t, p, nil, nil
	}
	e := new(Event)
	if err := json.Unmarshal(p, e); err != nil {
		return 0, nil, nil, fmt.Errorf("decode event: %w", err)
	}
	return t, nil, e, nil
}

// Close ends the connection.
func (v *Viewer) Close() { v.conn.Close() }
