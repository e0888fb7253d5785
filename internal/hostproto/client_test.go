package hostproto

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// fakeHost is the other end of a connection, by hand.
type fakeHost struct {
	t    *testing.T
	conn net.Conn
	r    *Reader
}

// greeted gives a client that has said hello to a fake host.
func greeted(t *testing.T) (*Client, *fakeHost) {
	t.Helper()
	near, far := net.Pipe()
	h := &fakeHost{t: t, conn: far, r: NewReader(far)}
	go func() {
		q := h.request()
		var hello Hello
		if err := json.Unmarshal(q.Body, &hello); err != nil || q.Op != OpHello || hello.Min != MinVersion || hello.Max != MaxVersion {
			t.Errorf("hello: %+v %v", q, err)
		}
		h.reply(q.ID, Welcome{Version: 1, Host: "test"}, nil)
	}()
	c, err := NewClient(t.Context(), near, Hello{Role: RoleControl})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); far.Close() })
	return c, h
}

func (h *fakeHost) request() Request {
	ft, p, err := h.r.Next()
	var q Request
	if err != nil || ft != FrameControl || json.Unmarshal(p, &q) != nil {
		h.t.Errorf("request: %c %s %v", ft, p, err)
	}
	return q
}

func (h *fakeHost) frame(ft FrameType, v any) {
	f, err := AppendJSON(nil, ft, v)
	if err != nil {
		h.t.Error(err)
	}
	h.conn.Write(f)
}

func (h *fakeHost) reply(id uint64, body any, failure *Error) {
	raw, _ := json.Marshal(body)
	h.frame(FrameReply, Reply{ID: id, Body: raw, Error: failure})
}

func TestCallsMeetTheirReplies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, h := greeted(t)
		if c.Welcome().Host != "test" {
			t.Errorf("welcome %+v", c.Welcome())
		}
		go func() { // answers in the wrong order, with an event between
			a, b := h.request(), h.request()
			h.reply(b.ID, Size{Cols: len(b.Op)}, nil)
			h.frame(FrameEvent, Event{Type: EventTitle, Title: "x"})
			h.reply(99, nil, nil) // nobody asked
			h.reply(a.ID, Size{Cols: len(a.Op)}, nil)
		}()
		done := make(chan bool)
		for _, op := range []string{"a", "bbbb"} {
			go func() {
				var s Size
				if err := c.Call(t.Context(), op, nil, &s); err != nil || s.Cols != len(op) {
					t.Errorf("%s: %+v %v", op, s, err)
				}
				done <- true
			}()
		}
		<-done
		<-done
		if m, err := c.Next(t.Context()); err != nil || m.Event == nil || m.Event.Title != "x" {
			t.Errorf("message %+v %v", m, err)
		}
	})
}

func TestRefusalIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, h := greeted(t)
		go func() { h.reply(h.request().ID, nil, &Error{Code: CodeNotDelivered, Message: "no", Delivered: 7}) }()
		err := c.Call(t.Context(), OpSend, SendRequest{Text: "x"}, nil)
		var e *Error
		if !errors.As(err, &e) || e.Delivered != 7 {
			t.Errorf("%v", err)
		}
	})
}

func TestCallEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, h := greeted(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		answer := make(chan uint64, 1)
		go func() { answer <- h.request().ID }()
		if err := c.Call(ctx, OpSend, nil, nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		// A late reply is nothing, and the connection goes on.
		go func() {
			h.reply(<-answer, nil, nil)
			h.reply(h.request().ID, nil, nil)
		}()
		if err := c.Call(t.Context(), OpInfo, nil, nil); err != nil {
			t.Errorf("the next call: %v", err)
		}
	})
}

func TestLostConnectionEndsEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, h := greeted(t)
		go func() { h.request(); h.conn.Close() }()
		if err := c.Call(t.Context(), OpSend, nil, nil); !errors.Is(err, ErrClosed) {
			t.Errorf("call: %v", err)
		}
		if _, err := c.Next(t.Context()); !errors.Is(err, ErrClosed) {
			t.Errorf("next: %v", err)
		}
		<-c.Done()
		if err := c.Call(t.Context(), OpInfo, nil, nil); !errors.Is(err, ErrClosed) {
			t.Errorf("call after: %v", err)
		}
	})
}

func TestCloseWhileNobodyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, h := greeted(t)
		go func() {
			for range 1000 {
				if _, err := h.conn.Write(AppendFrame(nil, FrameOutput, []byte("x"))); err != nil {
					return
				}
			}
		}()
		synctest.Wait() // the client's room for messages is full now
		c.Close()
		<-c.Done() // or its reader hangs for ever
	})
}

func TestWhatIsNoHostIsSaid(t *testing.T) {
	for name, talk := range map[string]func(*fakeHost){
		"refusal":   func(h *fakeHost) { h.reply(1, nil, &Error{Code: CodeIncompatible, Message: "too old"}) },
		"event":     func(h *fakeHost) { h.frame(FrameEvent, Event{}) },
		"garbage":   func(h *fakeHost) { h.conn.Write([]byte("SSH-2.0-OpenSSH\r\n")) },
		"nothing":   func(h *fakeHost) { h.conn.Close() },
		"no answer": func(*fakeHost) {},
	} {
		synctest.Test(t, func(t *testing.T) {
			near, far := net.Pipe()
			defer far.Close()
			h := &fakeHost{t: t, conn: far, r: NewReader(far)}
			go func() { h.request(); talk(h) }()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, err := NewClient(ctx, near, Hello{Role: RoleControl})
			var e *Error
			switch {
			case err == nil:
				t.Errorf("%s: no error", name)
			case name == "refusal" && (!errors.As(err, &e) || e.Code != CodeIncompatible):
				t.Errorf("%s: %v", name, err)
			case name == "no answer" && !errors.Is(err, context.DeadlineExceeded):
				t.Errorf("%s: %v", name, err)
			case name != "refusal" && !strings.Contains(err.Error(), "greet host"):
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}
