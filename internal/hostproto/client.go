package hostproto

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// ErrClosed is the end of a connection: the host has gone, or Close was called.
var ErrClosed = errors.New("host protocol: connection closed")

// handshakeTimeout bounds dialling and the hello when the caller's context
// does not.
const handshakeTimeout = 10 * time.Second

// Message is one thing that a host sent unasked. Exactly one of Event and Data
// is set.
type Message struct {
	Type  FrameType // FrameOutput, FrameSnapshot or FrameEvent
	Data  []byte    // output or part of a snapshot; the receiver's own
	Event *Event
}

// Client is one connection to a host. Its methods are safe for concurrent use.
//
// What the host sends unasked is taken with Next. A client that subscribed, or
// that is a viewer, must keep calling it: the connection carries replies and
// messages in one order, so that messages left lying hold up the replies
// behind them (and a host resynchronises a viewer that does not keep up).
type Client struct {
	conn    net.Conn
	welcome Welcome
	msgs    chan Message
	done    chan struct{} // closed when the reader has ended; err is set then
	closing chan struct{} // closed by the first Close

	wmu sync.Mutex // orders frames on conn; never taken with mu held

	mu      sync.Mutex
	nextID  uint64
	waiting map[uint64]chan Reply
	err     error
	closed  bool
}

// Dial connects to the host at socket and says hello. A zero version range in
// h means the one this program speaks. A refusal is an *Error.
func Dial(ctx context.Context, socket string, h Hello) (*Client, error) {
	ctx, cancel := context.WithTimeout(ctx, handshakeTimeout)
	defer cancel()
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, fmt.Errorf("connect to host: %w", err)
	}
	return NewClient(ctx, conn, h)
}

// NewClient says hello on a connection that exists and owns it from then on;
// it is closed when the hello fails.
func NewClient(ctx context.Context, conn net.Conn, h Hello) (*Client, error) {
	if h.Min == 0 && h.Max == 0 {
		h.Min, h.Max = MinVersion, MaxVersion
	}
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	w, r, err := greet(conn, h)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		conn.Close()
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		var refusal *Error
		if errors.As(err, &refusal) {
			return nil, refusal
		}
		return nil, fmt.Errorf("greet host: %w", err)
	}
	c := &Client{
		conn: conn, welcome: w, nextID: 1,
		msgs:    make(chan Message, 16),
		done:    make(chan struct{}),
		closing: make(chan struct{}),
		waiting: map[uint64]chan Reply{},
	}
	go c.read(r)
	return c, nil
}

func greet(conn net.Conn, h Hello) (Welcome, *Reader, error) {
	body, err := json.Marshal(h)
	if err != nil {
		return Welcome{}, nil, err
	}
	frame, err := AppendJSON(nil, FrameControl, Request{Op: OpHello, ID: 1, Body: body})
	if err != nil {
		return Welcome{}, nil, err
	}
	if _, err := conn.Write(frame); err != nil {
		return Welcome{}, nil, err
	}
	r := NewReader(conn)
	t, p, err := r.Next()
	if err != nil {
		return Welcome{}, nil, err
	}
	if t != FrameReply {
		return Welcome{}, nil, fmt.Errorf("frame %c before the reply to hello: %w", t, ErrFrame)
	}
	var reply Reply
	if err := json.Unmarshal(p, &reply); err != nil {
		return Welcome{}, nil, fmt.Errorf("decode reply to hello: %w", err)
	}
	if reply.Error != nil {
		return Welcome{}, nil, reply.Error
	}
	var w Welcome
	if err := json.Unmarshal(reply.Body, &w); err != nil {
		return Welcome{}, nil, fmt.Errorf("decode welcome: %w", err)
	}
	return w, r, nil
}

// Welcome is what the host said when the connection opened.
func (c *Client) Welcome() Welcome { return c.welcome }

// Call sends a request and decodes the reply's body into reply, unless that is
// nil. body may be nil. What the host refuses is an *Error.
func (c *Client) Call(ctx context.Context, op string, body, reply any) error {
	ch := make(chan Reply, 1)
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return fmt.Errorf("%s: %w", op, c.err)
	}
	c.nextID++
	id := c.nextID
	c.waiting[id] = ch
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.waiting, id)
		c.mu.Unlock()
	}()
	if err := c.request(ctx, op, id, body); err != nil {
		return err
	}
	select {
	case r := <-ch:
		return decodeReply(op, r, reply)
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", op, ctx.Err())
	case <-c.done:
		select { // the reply may have been the last thing on the connection
		case r := <-ch:
			return decodeReply(op, r, reply)
		default:
		}
		return fmt.Errorf("%s: %w", op, c.Err())
	}
}

func decodeReply(op string, r Reply, into any) error {
	if r.Error != nil {
		return r.Error
	}
	if into == nil || len(r.Body) == 0 {
		return nil
	}
	if err := json.Unmarshal(r.Body, into); err != nil {
		return fmt.Errorf("decode reply to %s: %w", op, err)
	}
	return nil
}

// Send sends a request that wants no reply.
func (c *Client) Send(ctx context.Context, op string, body any) error {
	return c.request(ctx, op, 0, body)
}

func (c *Client) request(ctx context.Context, op string, id uint64, body any) error {
	q := Request{Op: op, ID: id}
	if body != nil {
		p, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("encode %s: %w", op, err)
		}
		q.Body = p
	}
	frame, err := AppendJSON(nil, FrameControl, q)
	if err != nil {
		return fmt.Errorf("encode %s: %w", op, err)
	}
	if err := c.write(ctx, frame); err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	return nil
}

// Subscribe asks for the session's events and returns what it is now; no event
// is lost between the two. Events are taken with Next.
func (c *Client) Subscribe(ctx context.Context) (Info, error) {
	var info Info
	err := c.Call(ctx, OpSubscribe, nil, &info)
	return info, err
}

// Input sends what a viewer's terminal produced. It blocks while the host does
// not take it.
func (c *Client) Input(ctx context.Context, p []byte) error {
	if len(p) == 0 {
		return nil
	}
	return c.write(ctx, AppendData(nil, FrameInput, p))
}

// Resize tells the host a viewer's new size, one way: only the owner's counts,
// and it is confirmed by EventResized in the stream.
func (c *Client) Resize(ctx context.Context, s Size) error {
	return c.Send(ctx, OpResize, s)
}

func (c *Client) write(ctx context.Context, frame []byte) error {
	c.wmu.Lock()
	defer c.wmu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { c.conn.SetWriteDeadline(time.Unix(1, 0)) })
	n, err := c.conn.Write(frame)
	if stop() {
		if err != nil {
			return c.lost(err)
		}
		return nil
	}
	// The context ended. A frame cut in two cannot be mended.
	if n < len(frame) {
		c.conn.Close()
	}
	c.conn.SetWriteDeadline(time.Time{})
	if err != nil {
		return ctx.Err()
	}
	return nil
}

func (c *Client) lost(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return ErrClosed
	}
	return fmt.Errorf("%w: %w", ErrClosed, err)
}

// Next returns the next message in the order in which the host sent it. When
// the connection has ended and all is taken it returns Err.
func (c *Client) Next(ctx context.Context) (Message, error) {
	select {
	case m, ok := <-c.msgs:
		if !ok {
			return Message{}, c.Err()
		}
		return m, nil
	case <-ctx.Done():
		return Message{}, ctx.Err()
	}
}

// Done is closed when the connection has ended.
func (c *Client) Done() <-chan struct{} { return c.done }

// Err says why the connection ended; it wraps ErrClosed. It is nil before.
func (c *Client) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Close ends the connection.
func (c *Client) Close() error {
	c.mu.Lock()
	if c.err == nil {
		c.err = ErrClosed
	}
	if !c.closed {
		c.closed = true
		close(c.closing)
	}
	c.mu.Unlock()
	return c.conn.Close()
}

func (c *Client) read(r *Reader) {
	err := c.readAll(r)
	c.conn.Close()
	c.mu.Lock()
	if c.err == nil {
		if err == io.EOF {
			c.err = ErrClosed
		} else {
			c.err = c.lost(err)
		}
	}
	c.mu.Unlock()
	close(c.msgs)
	close(c.done)
}

func (c *Client) readAll(r *Reader) error {
	for {
		t, p, err := r.Next()
		if err != nil {
			return err
		}
		m := Message{Type: t}
		switch t {
		case FrameReply:
			var reply Reply
			if err := json.Unmarshal(p, &reply); err != nil {
				return fmt.Errorf("decode reply: %w", err)
			}
			c.answer(reply)
			continue
		case FrameEvent:
			m.Event = new(Event)
			if err := json.Unmarshal(p, m.Event); err != nil {
				return fmt.Errorf("decode event: %w", err)
			}
		case FrameOutput, FrameSnapshot:
			m.Data = append([]byte(nil), p...)
		default:
			return fmt.Errorf("frame %c from a host: %w", t, ErrFrame)
		}
		if !c.deliver(m) {
			return ErrClosed
		}
	}
}

func (c *Client) answer(r Reply) {
	c.mu.Lock()
	ch := c.waiting[r.ID]
	delete(c.waiting, r.ID)
	c.mu.Unlock()
	if ch != nil {
		ch <- r
	}
}

// deliver hands m to Next. After Close nobody may be there to take it.
func (c *Client) deliver(m Message) bool {
	select {
	case c.msgs <- m:
		return true
	case <-c.closing:
		return false
	}
}
