package acp

import (
	"bytes"
	"context"
	"encoding/json/jsontext"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// peer is the other end of a connection, by hand.
type peer struct {
	t    *testing.T
	conn *Conn
	out  io.WriteCloser // what the connection reads
	in   *lineReader    // what it writes
	rec  *recorder
}

// recorder is a handler that writes down what it gets.
type recorder struct {
	mu      sync.Mutex
	log     []string
	request func(m Message, r *Responder)
	noise   int
	long    []int64
}

func (r *recorder) add(f string, args ...any) {
	r.mu.Lock()
	r.log = append(r.log, fmt.Sprintf(f, args...))
	r.mu.Unlock()
}

func (r *recorder) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string{}, r.log...)
}

func (r *recorder) Notification(m Message) { r.add("note %s %s", m.Method, m.Params) }

func (r *recorder) Request(m Message, resp *Responder) {
	r.add("ask %s %s", m.Method, m.Params)
	if r.request != nil {
		r.request(m, resp)
	}
}

func dial(t *testing.T, change func(*Options)) *peer {
	t.Helper()
	fromPeer, out := io.Pipe()
	toPeer, w := io.Pipe()
	rec := &recorder{}
	o := Options{
		Handler: rec, Noise: func([]byte) { rec.noise++ },
		TooLong: func(e *TooLongError) { rec.long = append(rec.long, e.Size) },
	}
	if change != nil {
		change(&o)
	}
	p := &peer{t: t, conn: New(fromPeer, w, o), out: out, in: newLineReader(toPeer, MaxMessage), rec: rec}
	t.Cleanup(func() {
		out.Close()
		toPeer.Close()
		w.Close()
		<-p.conn.Done()
	})
	return p
}

func (p *peer) say(lines ...string) {
	if _, err := io.WriteString(p.out, strings.Join(lines, "\n")+"\n"); err != nil {
		p.t.Errorf("say: %v", err)
	}
}

func (p *peer) hear() Message {
	line, err := p.in.next()
	if err != nil {
		p.t.Errorf("hear: %v", err)
		return Message{}
	}
	m, ok := parse(bytes.Clone(line))
	if !ok {
		p.t.Errorf("no message: %s", line)
	}
	return m
}

func TestCallsInBothDirections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := dial(t, nil)
		p.rec.request = func(m Message, r *Responder) {
			go func() { r.Result(map[string]string{"you": m.Method}) }()
		}
		done := make(chan error, 1)
		var got struct{ Answer int }
		go func() { done <- p.conn.Call(t.Context(), "x/ask", map[string]int{"a": 1}, &got) }()
		m := p.hear()
		if m.Method != "x/ask" || string(m.Params) != `{"a":1}` {
			t.Fatalf("asked %s", m.Raw)
		}
		p.say(`{"jsonrpc":"2.0","id":"seven","method":"_ext/theirs","params":{"q":2}}`)
		if a := p.hear(); string(a.ID) != `"seven"` || string(a.Result) != `{"you":"_ext/theirs"}` {
			t.Errorf("answered %s", a.Raw)
		}
		p.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"answer":0,"Answer":5}}`, m.ID))
		if err := <-done; err != nil || got.Answer != 5 {
			t.Errorf("%v %+v", err, got)
		}
	})
}

// The reference's order: updates, then the request between them, then the
// answer, all handled as they came.
func TestOrderOfEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := dial(t, nil)
		p.rec.request = func(_ Message, r *Responder) { r.Result(struct{}{}) }
		p.conn.Go("session/prompt", nil, func(result []byte, err error) { p.rec.add("answer %s %v", result, err) })
		m := p.hear()
		go p.hear() // the answer to their request
		var lines, want []string
		for i := range 200 {
			lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":%d}`, i))
			want = append(want, fmt.Sprintf("note session/update %d", i))
		}
		lines = append(lines, `{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{}}`,
			fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"stopReason":"end_turn"}}`, m.ID),
			`{"jsonrpc":"2.0","method":"session/update","params":"late"}`)
		want = append(want, "ask session/request_permission {}", `answer {"stopReason":"end_turn"} <nil>`, `note session/update "late"`)
		p.say(lines...)
		synctest.Wait()
		if got := p.rec.all(); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("order:\n%s", strings.Join(got[max(0, len(got)-5):], "\n"))
		}
	})
}

func TestErrorsOfTheOtherSide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := dial(t, nil)
		done := make(chan error, 1)
		go func() { done <- p.conn.Call(t.Context(), "session/new", nil, nil) }()
		m := p.hear()
		p.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"Authentication required","data":{"why":"no key"}}}`, m.ID))
		err := <-done
		var e *Error
		if !errors.As(err, &e) || e.Code != CodeAuthRequired {
			t.Fatalf("%v", err)
		}
		if want := `session/new: Authentication required (-32000): {"why":"no key"}`; err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
	})
}

// Unknown methods, and answers nobody waits for, are no reason to end.
func TestGiveUpAndLateAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := dial(t, nil)
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("timed out after 1s"))
		defer cancel()
		done := make(chan error, 1)
		go func() { done <- p.conn.Call(ctx, "session/list", nil, nil) }()
		m := p.hear()
		c := p.hear()
		if c.Method != MethodCancelRequest || string(c.Params) != `{"requestId":`+string(m.ID)+`}` {
			t.Errorf("withdrew with %s", c.Raw)
		}
		if err := <-done; err == nil || err.Error() != "session/list: timed out after 1s" {
			t.Errorf("%v", err)
		}
		p.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID), `{"jsonrpc":"2.0","method":"_x/after","params":{}}`)
		synctest.Wait()
		if got := p.rec.all(); len(got) != 1 || got[0] != "note _x/after {}" {
			t.Errorf("%v", got)
		}
	})
}

func TestTheirRequestIsWithdrawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := dial(t, nil)
		ended := make(chan error, 1)
		p.rec.request = func(_ Message, r *Responder) {
			go func() {
				<-r.Context().Done()
				ended <- context.Cause(r.Context())
				if r.Result(1) {
					t.Error("answered twice")
				}
			}()
		}
		p.say(`{"jsonrpc":"2.0","id":9,"method":"terminal/wait_for_exit","params":{}}`, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":9}}`)
		if a := p.hear(); string(a.ID) != "9" || !strings.Contains(string(a.Error), "-32800") {
			t.Errorf("answered %s", a.Raw)
		}
		if err := <-ended; !errors.Is(err, errWithdrawn) {
			t.Errorf("%v", err)
		}
	})
}

func TestNoiseIsCountedAndSkipped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := dial(t, nil)
		p.say("npm warn something", "42", `"text"`, `[{"jsonrpc":"2.0","method":"x"}]`, `{"level":"info"}`, `{"jsonrpc":"2.0","method":"ok"`, "", "  ",
			"{\"jsonrpc\":\"2.0\",\"method\":\"good\",\"params\":{\"s\":\"a\xffb\"}}\r")
		synctest.Wait()
		if got := p.rec.all(); len(got) != 1 || got[0] != "note good {\"s\":\"a\uFFFDb\"}" {
			t.Errorf("%q", got)
		}
		if p.rec.noise != 6 {
			t.Errorf("%d lines of noise", p.rec.noise)
		}
	})
}

func TestTooLongLineIsNamedAndSkipped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := dial(t, func(o *Options) { o.MaxMessage = 1000 })
		done := make(chan error, 1)
		go func() { done <- p.conn.Call(t.Context(), "session/prompt", nil, nil) }()
		p.hear()
		p.say(strings.Repeat("x", 250_000), `{"jsonrpc":"2.0","method":"next"}`)
		err := <-done
		if !isTooLong(err) || !strings.Contains(err.Error(), "session/prompt") || !strings.Contains(err.Error(), "250000 bytes") {
			t.Errorf("%v", err)
		}
		synctest.Wait()
		if got := p.rec.all(); len(got) != 1 || len(p.rec.long) != 1 || p.rec.long[0] != 250_000 {
			t.Errorf("%v %v", got, p.rec.long)
		}
	})
}

func TestEndFailsWhatIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := dial(t, nil)
		serving := make(chan *Responder, 1)
		p.rec.request = func(_ Message, r *Responder) { serving <- r }
		done := make(chan error, 1)
		go func() { done <- p.conn.Call(t.Context(), "session/prompt", nil, nil) }()
		p.hear()
		p.say(`{"jsonrpc":"2.0","id":1,"method":"fs/read_text_file"}`, `{"jsonrpc":"2.0","method":"last"}`)
		r := <-serving
		io.WriteString(p.out, `{"jsonrpc":"2.0","method":"unended"}`)
		p.out.Close()
		if err := <-done; !errors.Is(err, ErrClosed) {
			t.Errorf("%v", err)
		}
		<-r.Context().Done()
		<-p.conn.Done()
		if got := p.rec.all(); len(got) != 3 || got[2] != "note unended " {
			t.Errorf("%q", got)
		}
		if err := p.conn.Call(t.Context(), "x", nil, nil); !errors.Is(err, ErrClosed) {
			t.Errorf("afterwards: %v", err)
		}
		if err := p.conn.Notify("x", nil); !errors.Is(err, ErrClosed) {
			t.Errorf("afterwards: %v", err)
		}
	})
}

// A handler that is slow holds up the other side's writes, and nothing is lost.
func TestSlowHandlerHoldsUpThePipe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := 0
		slow := slowHandler{func() { time.Sleep(time.Millisecond); got++ }}
		p := dial(t, func(o *Options) { o.Handler = slow })
		line := `{"jsonrpc":"2.0","method":"session/update","params":{"pad":"` + strings.Repeat("x", 10_000) + `"}}` + "\n"
		start := time.Now()
		const n = 500
		for range n {
			io.WriteString(p.out, line)
		}
		if wrote := time.Since(start); wrote < (n-20)*time.Millisecond {
			t.Errorf("5 MB were taken in %v though the handler needs %v", wrote, n*time.Millisecond)
		}
		p.out.Close()
		<-p.conn.Done()
		if got != n {
			t.Errorf("%d of %d", got, n)
		}
	})
}

type slowHandler struct{ f func() }

func (s slowHandler) Notification(Message)        { s.f() }
func (s slowHandler) Request(Message, *Responder) {}

func TestUnknownMembersAndKindsSurvive(t *testing.T) {
	for _, raw := range []string{
		`{"sessionUpdate":"brand_new","payload":{"deep":[1,2]}}`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"hologram","beam":true}}`,
		`{"content":[{"type":"content","content":{"type":"text","text":"x"}}],"sessionUpdate":"tool_call","title":"t","toolCallId":"c","future":9}`,
	} {
		var u SessionUpdate
		if err := Decode([]byte(raw), &u); err != nil {
			t.Fatal(err)
		}
		again, err := Encode(u)
		if err != nil {
			t.Fatal(err)
		}
		a, b := jsontext.Value(raw), jsontext.Value(again)
		a.Canonicalize()
		b.Canonicalize()
		if string(a) != string(b) {
			t.Errorf("%s came back as %s", a, b)
		}
	}
}

func TestDecodeIsLenient(t *testing.T) {
	var u ToolCallUpdate
	raw := `{"toolCallId":"c","title":5,"status":"completed","locations":[{"path":"/a"},7,{"path":"/b","line":"x"}]}`
	if err := Decode([]byte(raw), &u); err != nil {
		t.Fatal(err)
	}
	if u.ToolCallID != "c" || u.Title != "" || u.Status != ToolCallStatusCompleted || len(u.Locations) != 2 || u.Locations[1].Path != "/b" {
		t.Errorf("%+v", u)
	}
	if Decode([]byte("null"), &u) != nil || Decode(nil, &u) != nil {
		t.Error("null is an error")
	}
	if Decode([]byte(`"x"`), &u) == nil {
		t.Error("a text passed for an object")
	}
}

func TestChunk(t *testing.T) {
	c := UpdateOf([]byte(`{"sessionId":"s\"1","update":{"sessionUpdate":"agent_message_chunk","content":{"text":"a\n\u00e9","type":"text"}}}`))
	text, ok := c.Text()
	if Text(c.Session) != `s"1` || c.Kind != UpdateMessage || !ok || text != "a\né" {
		t.Errorf("%q %q %q", c.Session, c.Kind, text)
	}
	if _, ok := UpdateOf([]byte(`{"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"image","text":"no"}}}`)).Text(); ok {
		t.Error("an image has text")
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\nnoise\n{\"id\":1,\"result\":null}"), 40)
	f.Add([]byte("{\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"x\",\"content\":{\"type\":\"text\",\"text\":\"\\\"\\\\\"}}}}\r\n"), 1000)
	f.Add(bytes.Repeat([]byte("y"), 200), 3)
	f.Add([]byte("{\"id\":{\"a\":[\"]}\",{}]},\"method\":\"m\"}\n"), 99)
	f.Fuzz(func(t *testing.T, data []byte, limit int) {
		limit = min(max(limit, 1), 1<<16)
		l := newLineReader(iotestReader{bytes.NewReader(data)}, limit)
		var want []byte
		for _, line := range bytes.Split(data, []byte("\n")) {
			if len(line) <= limit {
				want = append(append(want, bytes.TrimSuffix(line, []byte("\r"))...), '\n')
			}
		}
		var got []byte
		for {
			line, err := l.next()
			if isTooLong(err) {
				continue
			}
			if err != nil {
				break
			}
			got = append(append(got, line...), '\n')
			m, ok := parse(line)
			if !ok {
				continue
			}
			var p jsontext.Value
			if m.Params != nil {
				if err := Decode(m.Params, &p); err != nil {
					t.Errorf("the params of %s are no value: %q", line, m.Params)
				}
			}
			if c := UpdateOf(m.Params); c.Content != nil {
				c.Text()
			}
			var u SessionNotification
			Decode(m.Params, &u)
		}
		// A last line without an end is one only when it holds something.
		if !bytes.Equal(bytes.TrimRight(got, "\n\r"), bytes.TrimRight(want, "\n\r")) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// iotestReader gives a few bytes at a time.
type iotestReader struct{ r io.Reader }

func (r iotestReader) Read(p []byte) (int, error) { return r.r.Read(p[:min(len(p), 7)]) }
