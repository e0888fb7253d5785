package fakemodel

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxBody bounds a request's body, in bytes, unpacked.
const maxBody = 64 << 20

// Config says how a server behaves. The zero value is of use.
type Config struct {
	// Dir is where EDIT writes when the prompt names no file.
	Dir string
	// WordDelay is the time between words where a reply names none.
	WordDelay time.Duration
	// StartDelay is the time before an answer, or a refusal, where a reply
	// names none: no real model answers at once.
	StartDelay time.Duration
	// Log gets one JSON line when a request comes and one when it has ended,
	// without the headers, which may hold keys.
	Log io.Writer
	// Rules are the script to begin with.
	Rules []Rule
}

// A Server answers agents. Its methods may be called from any goroutine.
type Server struct {
	cfg    Config
	ctx    context.Context // ended by Close: no stream outlives the server
	cancel context.CancelFunc
	mux    *http.ServeMux
	http   *http.Server
	url    string

	mu       sync.Mutex
	rules    []*Rule
	gates    map[string]*Gate
	requests []*Request
	changed  chan struct{} // closed and replaced whenever requests change
	ids      int
}

// New makes a server that is not listening yet; it is an http.Handler.
func New(cfg Config) *Server {
	s := &Server{cfg: cfg, gates: map[string]*Gate{}, changed: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	for _, r := range cfg.Rules {
		s.Add(r)
	}
	s.mux = s.routes()
	return s
}

// Serve makes a server and has it answer on l until Close.
func Serve(l net.Listener, cfg Config) *Server {
	s := New(cfg)
	s.url = "http://" + l.Addr().String()
	s.http = &http.Server{Handler: s, BaseContext: func(net.Listener) context.Context { return s.ctx }}
	go s.http.Serve(l) // always ends with ErrServerClosed, by Close
	return s
}

// Start serves on a free port of the loopback of this network namespace.
func Start(cfg Config) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the fake model: %w", err)
	}
	return Serve(l, cfg), nil
}

// URL is the server's address without a path, as http://127.0.0.1:port.
func (s *Server) URL() string { return s.url }

// Close ends every stream and stops listening.
func (s *Server) Close() error {
	s.cancel()
	if s.http == nil {
		return nil
	}
	return s.http.Close()
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// On adds a rule: prompts that contain text get these replies in turn, the
// last one from then on.
func (s *Server) On(text string, replies ...Reply) {
	s.Add(Rule{Prompt: text, Replies: replies})
}

// Add puts a rule before the ones that are there. It panics on a rule without
// a reply, which is a mistake in the test.
func (s *Server) Add(r Rule) {
	if len(r.Replies) == 0 {
		panic("fakemodel: a rule without a reply")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules = slices.Insert(s.rules, 0, &r)
}

// Gate returns the gate of that name, the same one each time.
func (s *Server) Gate(name string) *Gate {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.gates[name]
	if g == nil {
		g = newGate()
		s.gates[name] = g
	}
	return g
}

// Requests returns what came so far, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Request, len(s.requests))
	for i, r := range s.requests {
		out[i] = *r
	}
	return out
}

// Wait returns the first request that fits, past or to come. A request is
// looked at again when its outcome is known.
func (s *Server) Wait(ctx context.Context, fits func(Request) bool) (Request, error) {
	for {
		s.mu.Lock()
		changed := s.changed
		for _, r := range s.requests {
			if fits(*r) {
				defer s.mu.Unlock()
				return *r, nil
			}
		}
		s.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return Request{}, fmt.Errorf("wait for a request to the fake model: %w", context.Cause(ctx))
		}
	}
}

// reply decides what to say: the script first, then the keywords.
func (s *Server) reply(q Request) Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.rules {
		if r.fits(q) {
			return r.next()
		}
	}
	return plan(q, s.cfg.Dir)
}

// record puts a request into the log and returns its number.
func (s *Server) record(q Request) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	q.ID = len(s.requests) + 1
	s.requests = append(s.requests, &q)
	s.notify(q)
	return q.ID
}

func (s *Server) finish(id int, o Outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.requests[id-1]
	q.Outcome, q.Ended = o, time.Now()
	s.notify(Request{ID: q.ID, Time: time.Now(), Path: q.Path, Outcome: o})
}

// notify wakes the waiting and writes the log line. The caller holds s.mu.
func (s *Server) notify(line Request) {
	close(s.changed)
	s.changed = make(chan struct{})
	if s.cfg.Log != nil {
		json.NewEncoder(s.cfg.Log).Encode(line) // a log that cannot be written must not fail the turn
	}
}

// id makes an identifier that no other answer of this server has.
func (s *Server) id(prefix string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ids++
	return fmt.Sprintf("%s_fake%06d", prefix, s.ids)
}

// A wire is one protocol: how a request is read and an answer written.
type wire struct {
	protocol Protocol
	parse    func(body []byte) (Request, error)
	write    func(*stream, Request) error
	fail     func(Failure) any
}

func (s *Server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	s.controlRoutes(mux)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		p := path.Clean(r.URL.Path)
		switch {
		case r.Method == http.MethodHead || p == "/" || p == "/healthz":
			writeJSON(w, http.StatusOK, map[string]any{"ok": true})
		case r.Method == http.MethodGet && strings.HasSuffix(p, "/models"):
			writeJSON(w, http.StatusOK, modelList())
		case r.Method == http.MethodPost:
			s.post(w, r, p)
		default:
			notFound(w, r)
		}
	})
	return mux
}

func (s *Server) post(w http.ResponseWriter, r *http.Request, p string) {
	switch {
	case strings.HasSuffix(p, "/messages/count_tokens"):
		writeJSON(w, http.StatusOK, map[string]any{"input_tokens": 42})
	case strings.HasSuffix(p, "/messages"):
		s.answer(w, r, anthropicWire())
	case strings.HasSuffix(p, "/responses"):
		s.answer(w, r, responsesWire())
	case strings.HasSuffix(p, "/chat/completions"):
		s.answer(w, r, chatWire())
	default:
		model, method, ok := geminiPath(p)
		switch {
		case ok && method == "countTokens":
			writeJSON(w, http.StatusOK, map[string]any{"totalTokens": 42})
		case ok:
			s.answer(w, r, geminiWire(model, method == "streamGenerateContent", r.URL.Query().Get("alt") == "sse"))
		default:
			notFound(w, r)
		}
	}
}

// answer takes one request through reading, deciding and writing.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, wr wire) {
	body, err := readBody(r)
	if err != nil {
		writeJSON(w, http.StatusBadRequest, wr.fail(Failure{Status: 400, Type: "invalid_request_error", Message: err.Error()}))
		return
	}
	q, err := wr.parse(body)
	if err != nil {
		writeJSON(w, http.StatusBadRequest, wr.fail(Failure{Status: 400, Type: "invalid_request_error", Message: "read the request: " + err.Error()}))
		return
	}
	q.Protocol, q.Path, q.Time, q.Body = wr.protocol, r.URL.RequestURI(), time.Now(), body
	id := s.record(q)
	outcome := Answered
	defer func() {
		s.finish(id, outcome)
		if outcome == Cut {
			panic(http.ErrAbortHandler) // drops the connection without an end
		}
	}()
	st := &stream{server: s, w: w, ctx: r.Context(), reply: s.reply(q)}
	if st.reply.WordDelay == 0 {
		st.reply.WordDelay = s.cfg.WordDelay
	}
	if st.reply.StartDelay == 0 {
		st.reply.StartDelay = s.cfg.StartDelay
	}
	if err := st.sleep(st.reply.StartDelay); err != nil {
		outcome = Aborted
		return
	}
	if f := st.reply.Fail; f != nil {
		outcome = Refused
		if f.RetryAfter > 0 {
			w.Header().Set("Retry-After", fmt.Sprint(f.RetryAfter))
		}
		writeJSON(w, f.Status, wr.fail(*f))
		return
	}
	switch err := wr.write(st, q); {
	case errors.Is(err, errCut):
		outcome = Cut
	case err != nil:
		outcome = Aborted
	}
}

// readBody returns the request's body unpacked.
func readBody(r *http.Request) ([]byte, error) {
	var src io.Reader = r.Body
	switch enc := r.Header.Get("Content-Encoding"); enc {
	case "", "identity":
	case "gzip":
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			return nil, fmt.Errorf("unpack the request: %w", err)
		}
		src = z
	default:
		return nil, fmt.Errorf("unpack the request: content encoding %q is not spoken here", enc)
	}
	var b bytes.Buffer
	n, err := b.ReadFrom(io.LimitReader(src, maxBody+1))
	if err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	if n > maxBody {
		return nil, fmt.Errorf("read the request: more than %d bytes", maxBody)
	}
	return b.Bytes(), nil
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v) // the client may be gone, which is no fault
}

func notFound(w http.ResponseWriter, r *http.Request) {
	writeJSON(w, http.StatusNotFound, map[string]any{"type": "error", "error": map[string]any{
		"type": "not_found_error", "message": "fake model: no route for " + r.Method + " " + r.URL.Path,
	}})
}

func modelList() any {
	var data []any
	for _, id := range []string{
		"claude-sonnet-4-5", "claude-opus-4-5", "claude-haiku-4-5", "gpt-5", "gpt-5-codex", "fake-model", "gemini-2.5-pro",
	} {
		data = append(data, map[string]any{
			"id": id, "object": "model", "type": "model", "display_name": id,
			"created": 0, "created_at": "2025-01-01T00:00:00Z", "owned_by": "fake",
		})
	}
	return map[string]any{"object": "list", "has_more": false, "data": data}
}
