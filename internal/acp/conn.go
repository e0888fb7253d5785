package acp

import (
	"bytes"
	"context"
	"encoding/json/jsontext"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"
)

// ErrClosed is the end of a connection.
var ErrClosed = errors.New("the connection has ended")

// closedError is an end of the connection, with what ended it.
type closedError struct{ why string }

func (e *closedError) Error() string { return e.why }

// Is makes it an ErrClosed.
func (e *closedError) Is(target error) bool { return target == ErrClosed }

// ErrNotSent is a request that the other side cannot have got: the connection
// had ended, or ended before the whole of its line was written.
var ErrNotSent = errors.New("the request was not sent")

// notSentError is an end of the connection that is an ErrNotSent, too.
type notSentError struct{ error }

func (e notSentError) Is(target error) bool { return target == ErrNotSent }
func (e notSentError) Unwrap() error        { return e.error }

// writeGrace is how long the end of the input waits for a write that is under
// way, so that it is known whether that went through: one to a side that has
// gone fails at once.
const writeGrace = 100 * time.Millisecond

// maxOutgoing is how much may wait to be written, in bytes, before whoever
// writes is made to wait too.
const maxOutgoing = MaxMessage

// Handler takes what the other side sends, on the reader's goroutine and in
// the order of the lines. It must not block for long, and must not keep a
// message's slices.
type Handler interface {
	Notification(m Message)
	// Request must be answered once, now or later and from anywhere.
	Request(m Message, r *Responder)
}

// Options are a connection's.
type Options struct {
	Handler Handler
	// MaxMessage bounds a line, in bytes; 0 means MaxMessage.
	MaxMessage int
	// Noise is told of lines that are no messages, and TooLong of those that
	// are past the bound; both may be nil. They run on the reader's goroutine.
	Noise   func(line []byte)
	TooLong func(*TooLongError)
	// Received is shown each message before it is handled, Sent each that is
	// put in the queue to the other side, in its order; both may be nil.
	Received func(m Message)
	Sent     func(line []byte)
	// Idle is called when everything that has arrived is handled; it may be nil.
	Idle func()
}

// Conn is a connection. Its methods are safe for concurrent use.
type Conn struct {
	o  Options
	in *lineReader

	done chan struct{} // closed when the reader has ended

	mu      sync.Mutex
	cond    sync.Cond // something to write, or room for more
	out     []outgoing
	waiting int // bytes of out
	writing bool
	nextID  int64
	calls   map[string]call       // ours, by their id as it is on the wire
	serving map[string]*Responder // theirs
	err     error                 // why it ended
}

// outgoing is a line to be written; id is that of a request of ours.
type outgoing struct {
	line []byte
	id   string
}

// call is one of our requests. answer is called once, on the reader's
// goroutine.
type call struct {
	method string
	answer func(result []byte, err error)
	begun  bool // its line is being written, or was
}

// New starts a connection that reads r and writes w. It ends when r does or
// when a write fails; closing r and w is the caller's affair.
func New(r io.Reader, w io.Writer, o Options) *Conn {
	if o.MaxMessage <= 0 {
		o.MaxMessage = MaxMessage
	}
	c := &Conn{
		o: o, in: newLineReader(r, o.MaxMessage), done: make(chan struct{}),
		calls: map[string]call{}, serving: map[string]*Responder{},
	}
	c.cond.L = &c.mu
	go c.write(w)
	go c.read()
	return c
}

// Done is closed when nothing more will be handled. Err says why.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err is why the connection has ended; nil while it has not.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Close makes the connection end: nothing more is written, and what is asked
// fails. The reader ends when its stream does.
func (c *Conn) Close(cause error) {
	if cause == nil {
		cause = ErrClosed
	}
	c.end(cause)
}

func (c *Conn) end(cause error) {
	c.mu.Lock()
	if c.err == nil {
		c.err = cause
	}
	failed, cause := c.calls, c.err
	c.calls = map[string]call{}
	serving := c.serving
	c.serving = map[string]*Responder{}
	c.cond.Broadcast()
	c.mu.Unlock()
	for _, k := range failed {
		err := fmt.Errorf("%s: %w", k.method, cause)
		if !k.begun {
			err = notSentError{err}
		}
		k.answer(nil, err)
	}
	for _, r := range serving {
		r.cancel(cause)
	}
}

// Go sends a request. answer is called once: on the reader's goroutine, so
// that what came before the answer is handled and what came after is not; or
// when the connection ends. The returned function gives the request up: it
// tells the other side so, and answer gets the cause.
func (c *Conn) Go(method string, params any, answer func(result []byte, err error)) (giveUp func(cause error)) {
	c.mu.Lock()
	if c.err != nil {
		err := c.err
		c.mu.Unlock()
		answer(nil, notSentError{fmt.Errorf("%s: %w", method, err)})
		return func(error) {}
	}
	c.nextID++
	id := strconv.FormatInt(c.nextID, 10)
	line, err := envelope{ID: jsontext.Value(id), Method: method, Params: params}.encode()
	if err != nil {
		c.mu.Unlock()
		answer(nil, fmt.Errorf("%s: %w", method, err))
		return func(error) {}
	}
	c.calls[id] = call{method: method, answer: answer}
	c.enqueue(line, id)
	c.mu.Unlock()
	return func(cause error) {
		if k, ok := c.take(id); ok {
			// To a connection that has ended it need not be said.
			_ = c.Notify(MethodCancelRequest, CancelRequestNotification{RequestID: jsontext.Value(id)})
			k.answer(nil, fmt.Errorf("%s: %w", method, cause))
		}
	}
}

// Call sends a request and decodes its result, unless into is nil. What the
// other side refuses is an *Error. When ctx ends the request is given up, and
// the error is ctx's cause.
func (c *Conn) Call(ctx context.Context, method string, params, into any) error {
	type outcome struct {
		result []byte
		err    error
	}
	ch := make(chan outcome, 1)
	giveUp := c.Go(method, params, func(result []byte, err error) { ch <- outcome{bytes.Clone(result), err} })
	var o outcome
	select {
	case o = <-ch:
	case <-ctx.Done():
		giveUp(context.Cause(ctx))
		o = <-ch // its own answer, or the cause
	}
	if o.err != nil || into == nil {
		return o.err
	}
	if err := Decode(o.result, into); err != nil {
		return fmt.Errorf("%s: its result cannot be read: %w", method, err)
	}
	return nil
}

// Notify sends a notification.
func (c *Conn) Notify(method string, params any) error {
	line, err := envelope{Method: method, Params: params}.encode()
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return fmt.Errorf("%s: %w", method, c.err)
	}
	c.enqueue(line, "")
	return nil
}

// Pending is how many of our requests are not answered yet.
func (c *Conn) Pending() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.calls)
}

func (c *Conn) take(id string) (call, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k, ok := c.calls[id]
	delete(c.calls, id)
	return k, ok
}

// enqueue adds a line to what is to be written; c.mu is held.
func (c *Conn) enqueue(line []byte, id string) {
	for c.waiting > maxOutgoing && c.err == nil {
		c.cond.Wait()
	}
	if c.err != nil {
		return
	}
	if c.o.Sent != nil {
		c.o.Sent(line[:len(line)-1])
	}
	c.out = append(c.out, outgoing{line, id})
	c.waiting += len(line)
	c.cond.Broadcast()
}

func (c *Conn) write(w io.Writer) {
	for {
		c.mu.Lock()
		for len(c.out) == 0 && c.err == nil {
			c.cond.Wait()
		}
		if c.err != nil {
			c.mu.Unlock()
			return
		}
		lines := c.out
		c.out = nil
		c.mu.Unlock()
		for _, o := range lines {
			if !c.begin(o.id) {
				return
			}
			n, err := w.Write(o.line)
			c.mu.Lock()
			c.writing = false
			c.waiting -= len(o.line)
			if k, ok := c.calls[o.id]; ok && n < len(o.line) {
				k.begun = false
				c.calls[o.id] = k
			}
			c.cond.Broadcast()
			c.mu.Unlock()
			if err != nil {
				c.end(&closedError{"write to the other side: " + err.Error()})
				return
			}
		}
	}
}

// begin notes that a line is being written. It reports false when nothing is
// to be written any more.
func (c *Conn) begin(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return false
	}
	c.writing = true
	if k, ok := c.calls[id]; ok {
		k.begun = true
		c.calls[id] = k
	}
	return true
}

// settleWrite waits for a write that is under way, at most writeGrace.
func (c *Conn) settleWrite() {
	late := false
	timer := time.AfterFunc(writeGrace, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		late = true
		c.cond.Broadcast()
	})
	defer timer.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for (c.writing || len(c.out) > 0) && c.err == nil && !late {
		c.cond.Wait()
	}
}

func (c *Conn) read() {
	defer close(c.done)
	for {
		line, err := c.in.next()
		var long *TooLongError
		switch {
		case err == nil:
			c.line(line)
		case errors.As(err, &long):
			c.tooLong(long)
		case errors.Is(err, io.EOF):
			c.settleWrite()
			c.end(&closedError{"the other side has closed its output"})
			return
		default:
			c.end(&closedError{"read from the other side: " + err.Error()})
			return
		}
		if c.o.Idle != nil && !c.in.pending() {
			c.o.Idle()
		}
	}
}

// tooLong fails what is being asked, since the answer may have been in the line.
func (c *Conn) tooLong(long *TooLongError) {
	if c.o.TooLong != nil {
		c.o.TooLong(long)
	}
	c.mu.Lock()
	failed := c.calls
	c.calls = map[string]call{}
	c.mu.Unlock()
	for _, k := range failed {
		k.answer(nil, fmt.Errorf("%s: the other side sent %w", k.method, long))
	}
}

func (c *Conn) line(line []byte) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	m, ok := parse(line)
	if !ok {
		if c.o.Noise != nil {
			c.o.Noise(line)
		}
		return
	}
	if c.o.Received != nil {
		c.o.Received(m)
	}
	switch {
	case m.Method == "":
		c.answered(m)
	case m.ID != nil:
		c.serve(m)
	case m.Method == MethodCancelRequest:
		c.withdrawn(m)
	default:
		c.o.Handler.Notification(m)
	}
}

func (c *Conn) answered(m Message) {
	k, ok := c.take(string(m.ID))
	if !ok { // given up, or sent as a string by a side that thinks ids are texts
		if k, ok = c.take(Text(m.ID)); !ok {
			return
		}
	}
	if m.Error != nil {
		k.answer(nil, parseError(m.Error, k.method))
		return
	}
	k.answer(m.Result, nil)
}

func (c *Conn) serve(m Message) {
	ctx, cancel := context.WithCancelCause(context.Background())
	r := &Responder{c: c, id: bytes.Clone(m.ID), method: m.Method, ctx: ctx, cancel: cancel}
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		cancel(ErrClosed)
		return
	}
	c.serving[string(r.id)] = r
	c.mu.Unlock()
	c.o.Handler.Request(m, r)
}

// errWithdrawn is the cause of a request's end by $/cancel_request.
var errWithdrawn = errors.New("the other side withdrew its request")

func (c *Conn) withdrawn(m Message) {
	var p CancelRequestNotification
	if Decode(m.Params, &p) != nil {
		return
	}
	c.mu.Lock()
	r := c.serving[string(p.RequestID)]
	c.mu.Unlock()
	if r != nil {
		r.cancel(errWithdrawn)
		r.Fail(Errorf(CodeCancelled, "the request was cancelled"))
	}
}

// Responder answers one request of the other side.
type Responder struct {
	c      *Conn
	id     []byte
	method string
	ctx    context.Context
	cancel context.CancelCauseFunc
}

// Context ends when the request is answered, withdrawn, or the connection ends.
func (r *Responder) Context() context.Context { return r.ctx }

// Method is what was asked.
func (r *Responder) Method() string { return r.method }

// ID is the request's id, as it is on the wire.
func (r *Responder) ID() string { return string(r.id) }

// Result answers with v. It reports false when the request was answered before
// or the connection has ended.
func (r *Responder) Result(v any) bool {
	raw, err := Encode(v)
	if err != nil {
		return r.Fail(Errorf(CodeInternal, "the answer cannot be encoded: %v", err))
	}
	return r.send(envelope{ID: r.id, Result: raw})
}

// Fail answers with an error.
func (r *Responder) Fail(e *Error) bool { return r.send(envelope{ID: r.id, Error: e}) }

func (r *Responder) send(e envelope) bool {
	defer r.cancel(nil)
	line, err := e.encode()
	if err != nil {
		return false
	}
	c := r.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.serving[string(r.id)] != r {
		return false
	}
	delete(c.serving, string(r.id))
	c.enqueue(line, "")
	return true
}
