package fakemodel

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"
)

// errCut ends an answer that the script wants dropped.
var errCut = errors.New("the script cuts the answer here")

// A stream is one answer under way.
type stream struct {
	server *Server
	w      http.ResponseWriter
	ctx    context.Context
	reply  Reply
	held   bool
}

// head begins an answer of server-sent events.
func (s *stream) head() {
	h := s.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	s.w.WriteHeader(http.StatusOK)
	s.flush()
}

// event sends one event; name may be empty, eol ends its lines.
func (s *stream) event(name string, data any, eol string) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	raw, err := encode(data)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if name != "" {
		b.WriteString("event: " + name + eol)
	}
	b.WriteString("data: ")
	b.Write(raw)
	b.WriteString(eol + eol)
	return s.raw(b.Bytes())
}

func (s *stream) raw(b []byte) error {
	if _, err := s.w.Write(b); err != nil {
		return err
	}
	s.flush()
	return nil
}

func (s *stream) flush() {
	if f, ok := s.w.(http.Flusher); ok {
		f.Flush()
	}
}

// whole sends an answer that is not streamed, after the waits that a stream
// would have made.
func (s *stream) whole(v any) error {
	if err := s.words(func(string) error { return nil }); err != nil {
		return err
	}
	writeJSON(s.w, http.StatusOK, v)
	return nil
}

// words hands the text to emit word by word at the reply's pace, standing
// still after the first where the reply says so. It ends with errCut when the
// answer is to be dropped after the text.
func (s *stream) words(emit func(string) error) error {
	for _, w := range words(s.reply.Text) {
		if err := emit(w); err != nil {
			return err
		}
		if err := s.hold(); err != nil {
			return err
		}
		if err := s.sleep(s.reply.WordDelay); err != nil {
			return err
		}
	}
	if err := s.hold(); err != nil { // a text without a word is held too
		return err
	}
	if s.reply.Cut {
		return errCut
	}
	return nil
}

func (s *stream) hold() error {
	if s.held {
		return nil
	}
	s.held = true
	switch {
	case s.reply.Hang:
		<-s.ctx.Done()
		return s.ctx.Err()
	case s.reply.Hold != "":
		return s.server.Gate(s.reply.Hold).pass(s.ctx)
	}
	return nil
}

func (s *stream) sleep(d time.Duration) error {
	if d <= 0 {
		return s.ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
}

// A call is a tool call with its final name and arguments.
type call struct {
	name string
	args map[string]any
	json string
}

// calls makes the reply's tool calls fit what the request offers. A kind of
// tool that the agent does not have becomes a call that it will refuse.
func (s *stream) calls(q Request) []call {
	var out []call
	for _, c := range s.reply.Tools {
		name, args, err := c.resolve(q.Tools)
		if err != nil {
			name, args = string(c.Kind), map[string]any{"error": err.Error()}
		}
		raw, _ := encode(args) // made of plain values only
		out = append(out, call{name: name, args: args, json: string(raw)})
	}
	return out
}

// pieces splits s in two or three, as arguments arrive in more than one delta.
func pieces(s string) []string {
	r := []rune(s)
	third := max(1, (len(r)+2)/3)
	var out []string
	for len(r) > 0 {
		n := min(third, len(r))
		out = append(out, string(r[:n]))
		r = r[n:]
	}
	return out
}

// encode is JSON without the escapes that are only meant for HTML.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
