package acpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/termio-sh/termio/internal/acp"
	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hostproto"
)

// Coordinator answers the verbs of the API.
type Coordinator interface {
	Call(ctx context.Context, verb string, request, reply any) error
}

// Options are a server's.
type Options struct {
	Coordinator Coordinator
	// Socket is where the host of a session listens, by the session's id.
	Socket func(id string) string
	Caller api.Caller
	Env    []string
	// Agent and Permissions are those of sessions that the client starts.
	Agent       string
	Permissions string
	Version     string
}

// Server is one client's connection.
type Server struct {
	o    Options
	conn *acp.Conn

	mu   sync.Mutex // comes before an attachment's
	open map[string]*attachment
}

// Serve speaks to a client over in and out until in ends. The sessions go on.
func Serve(in io.Reader, out io.Writer, o Options) error {
	s := &Server{o: o, open: map[string]*attachment{}}
	ready := make(chan struct{})
	s.conn = acp.New(waiting{in, ready}, out, acp.Options{Handler: s})
	close(ready)
	<-s.conn.Done()
	s.mu.Lock()
	all := s.open
	s.open = nil
	s.mu.Unlock()
	for _, a := range all {
		a.close()
	}
	return nil
}

// waiting reads nothing before the server is whole.
type waiting struct {
	io.Reader
	ready <-chan struct{}
}

func (w waiting) Read(p []byte) (int, error) {
	<-w.ready
	return w.Reader.Read(p)
}

// setupTime bounds what the coordinator and a host are asked for at once.
const setupTime = 60 * time.Second

// Request takes what the client asks.
func (s *Server) Request(m acp.Message, r *acp.Responder) {
	switch m.Method {
	case acp.MethodInitialize:
		r.Result(s.initialized())
	case acp.MethodListSessions:
		take(m, r, s.list)
	case acp.MethodNewSession:
		take(m, r, s.newSession)
	case acp.MethodLoadSession:
		take(m, r, func(ctx context.Context, q acp.LoadSessionRequest, r *acp.Responder) error {
			return s.goOn(ctx, string(q.SessionID), true, r, func(c []acp.SessionConfigOption, m *acp.SessionModeState) any {
				return acp.LoadSessionResponse{ConfigOptions: c, Modes: m}
			})
		})
	case acp.MethodResumeSession:
		take(m, r, func(ctx context.Context, q acp.ResumeSessionRequest, r *acp.Responder) error {
			return s.goOn(ctx, string(q.SessionID), false, r, func(c []acp.SessionConfigOption, m *acp.SessionModeState) any {
				return acp.ResumeSessionResponse{ConfigOptions: c, Modes: m}
			})
		})
	case acp.MethodSetSessionConfigOption:
		take(m, r, s.setOption)
	case acp.MethodSetSessionMode:
		take(m, r, s.setMode)
	case acp.MethodPrompt:
		s.prompt(m, r)
	default:
		r.Fail(acp.Errorf(acp.CodeNoMethod, "Method not found: %s", m.Method))
	}
}

// take decodes a request for f, and has it done beside what comes next.
func take[T any](m acp.Message, r *acp.Responder, f func(context.Context, T, *acp.Responder) error) {
	var q T
	if err := acp.Decode(m.Params, &q); err != nil {
		r.Fail(acp.Errorf(acp.CodeBadParams, "%s cannot be read: %v", m.Method, err))
		return
	}
	go func() {
		ctx, cancel := context.WithTimeoutCause(r.Context(), setupTime, fmt.Errorf("it took more than %v", setupTime))
		defer cancel()
		if err := f(ctx, q, r); err != nil {
			r.Fail(asError(err))
		}
	}()
}

func asError(err error) *acp.Error {
	e := api.From(err)
	switch e.Code {
	case api.CodeNotFound, api.CodeNoTarget:
		return acp.Errorf(acp.CodeNotFound, "%s", e.Message)
	case api.CodeBadRequest, api.CodeBadAgent:
		return acp.Errorf(acp.CodeBadParams, "%s", e.Message)
	}
	return acp.Errorf(acp.CodeInternal, "%s", e.Message)
}

// Notification takes what the client tells.
func (s *Server) Notification(m acp.Message) {
	var q acp.CancelNotification
	if m.Method != acp.MethodCancel || acp.Decode(m.Params, &q) != nil {
		return
	}
	if a := s.attached(string(q.SessionID)); a != nil && !a.do(a.cancel) {
		a.cancel() // too much is in the way
	}
}

func (s *Server) initialized() acp.InitializeResponse {
	return acp.InitializeResponse{
		ProtocolVersion: 1,
		AgentInfo:       &acp.Implementation{Name: "termio", Title: "Termio", Version: s.o.Version},
		AgentCapabilities: &acp.AgentCapabilities{
			LoadSession:     true,
			MCPCapabilities: &acp.McpCapabilities{HTTP: true, SSE: true}, // the hosted agent says what it cannot
			SessionCapabilities: &acp.SessionCapabilities{
				List: &acp.SessionListCapabilities{}, Resume: &acp.SessionResumeCapabilities{},
			},
			PromptCapabilities: &acp.PromptCapabilities{EmbeddedContext: true},
		},
	}
}

// list are the sessions over ACP, closed ones included: they can be loaded.
func (s *Server) list(ctx context.Context, q acp.ListSessionsRequest, r *acp.Responder) error {
	who := s.o.Caller
	who.All = true
	var all api.ListReply
	if err := s.o.Coordinator.Call(ctx, api.VerbList, api.ListRequest{Caller: who, Closed: true}, &all); err != nil {
		return err
	}
	out := acp.ListSessionsResponse{Sessions: []acp.SessionInfo{}}
	for _, row := range all.Sessions {
		if row.Kind != hostproto.KindACP || q.Cwd != "" && filepath.Clean(q.Cwd) != row.Cwd {
			continue
		}
		info := acp.SessionInfo{SessionID: acp.SessionId(idOf(row.Link)), Cwd: row.Cwd, Title: row.Title}
		if row.Since != nil {
			info.UpdatedAt = row.Since.UTC().Format(time.RFC3339)
		}
		out.Sessions = append(out.Sessions, info)
	}
	r.Result(out)
	return nil
}

// idOf is the id in a session's address.
func idOf(link string) string { return strings.TrimPrefix(link, "termio://session/") }

// newSession starts a session in the client's directory.
func (s *Server) newSession(ctx context.Context, q acp.NewSessionRequest, r *acp.Responder) error {
	if !filepath.IsAbs(q.Cwd) {
		return api.Errorf(api.CodeBadRequest, "cwd is %q: it must be an absolute path", q.Cwd)
	}
	o := &api.ACPOptions{Permissions: s.o.Permissions}
	if len(q.MCPServers) > 0 {
		raw, err := acp.Encode(q.MCPServers)
		if err != nil {
			return fmt.Errorf("encode the MCP servers: %w", err)
		}
		o.MCP = json.RawMessage(raw)
	}
	who := s.o.Caller
	who.Cwd, who.Project, who.All = q.Cwd, "", false
	var made api.SpawnReply
	if err := s.o.Coordinator.Call(ctx, api.VerbSpawn, api.SpawnRequest{
		Caller: who, Agent: s.o.Agent, Dir: q.Cwd, Env: s.o.Env, ACP: o,
	}, &made); err != nil {
		return err
	}
	id := idOf(made.Target)
	a, err := s.attach(ctx, id, s.o.Socket(id), false)
	if err != nil {
		return err
	}
	config, modes := a.options(ctx, true)
	s.begin(a, r, acp.NewSessionResponse{SessionID: acp.SessionId(id), ConfigOptions: config, Modes: modes})
	return nil
}

// goOn opens a session; a closed one is reopened.
func (s *Server) goOn(ctx context.Context, id string, replay bool, r *acp.Responder, result func([]acp.SessionConfigOption, *acp.SessionModeState) any) error {
	id = idOf(id)
	who := s.o.Caller
	who.All = true
	var all api.ListReply
	if err := s.o.Coordinator.Call(ctx, api.VerbList, api.ListRequest{Caller: who, Closed: true}, &all); err != nil {
		return err
	}
	var row *api.Session
	for i := range all.Sessions {
		if idOf(all.Sessions[i].Link) == id {
			row = &all.Sessions[i]
		}
	}
	switch {
	case row == nil:
		return api.Errorf(api.CodeNotFound, "Resource not found: there is no session %s", id)
	case row.Kind != hostproto.KindACP:
		return api.Errorf(api.CodeNotFound, "the session %s is one in a terminal: `termio sessions attach` opens it", id)
	case row.Closed != nil:
		if err := s.o.Coordinator.Call(ctx, api.VerbReopen, api.ReopenRequest{Caller: who, Target: row.Link, Env: s.o.Env}, new(api.ReopenReply)); err != nil {
			return err
		}
	}
	if old := s.attached(id); old != nil {
		s.forget(old)
		old.close()
	}
	a, err := s.attach(ctx, id, s.o.Socket(id), replay)
	if err != nil {
		return err
	}
	s.begin(a, r, result(a.options(ctx, false)))
	return nil
}

// begin answers that a session is open, and follows it from then on.
func (s *Server) begin(a *attachment, r *acp.Responder, result any) {
	s.mu.Lock()
	over := s.open == nil
	if !over {
		s.open[a.id] = a
	}
	s.mu.Unlock()
	if over || !r.Result(result) { // the client has gone, or wants it no more
		s.forget(a)
		a.close()
		return
	}
	a.start()
}

func (s *Server) attached(id string) *attachment {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open[idOf(id)]
}

// forget lets go of an attachment.
func (s *Server) forget(a *attachment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[a.id] == a {
		delete(s.open, a.id)
	}
}

func (s *Server) prompt(m acp.Message, r *acp.Responder) {
	var q acp.PromptRequest
	if err := acp.Decode(m.Params, &q); err != nil {
		r.Fail(acp.Errorf(acp.CodeBadParams, "%s cannot be read: %v", m.Method, err))
		return
	}
	a := s.attached(string(q.SessionID))
	if a == nil {
		r.Fail(acp.Errorf(acp.CodeNotFound, "Resource not found: the session %s is not open here; load it first", q.SessionID))
		return
	}
	text, err := textOf(q.Prompt)
	if err != nil {
		r.Fail(acp.Errorf(acp.CodeBadParams, "%v", err))
		return
	}
	if !a.do(func() { a.prompt(r, text) }) {
		r.Fail(acp.Errorf(acp.CodeInternal, "too many prompts wait already"))
	}
}

// textOf is a prompt as the host takes it: text, with links by their address
// and what is embedded in full.
func textOf(blocks []acp.ContentBlock) (string, error) {
	var b strings.Builder
	before := ""
	for _, k := range blocks {
		if before == "resource" || before == k.Type || before != "" && k.Type == "resource" {
			b.WriteByte('\n')
		}
		before = k.Type
		switch k.Type {
		case "text":
			b.WriteString(k.Text)
		case "resource_link":
			fmt.Fprintf(&b, "[%s](%s)", k.Name, k.URI)
		case "resource":
			if k.Resource == nil || k.Resource.Text == "" {
				return "", errors.New("the prompt embeds a resource that is no text")
			}
			fmt.Fprintf(&b, "%s:\n```\n%s\n```", k.Resource.URI, k.Resource.Text)
		default:
			return "", fmt.Errorf("a prompt's content of the type %q is not taken here", k.Type)
		}
	}
	if strings.TrimSpace(b.String()) == "" {
		return "", errors.New("the prompt is empty")
	}
	return b.String(), nil
}
