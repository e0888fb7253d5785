package acpagent

import (
	"cmp"
	"context"
	"encoding/json"
	"encoding/json/jsontext"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/termio-sh/termio/internal/acp"
)

// agent is one at work.
type agent struct {
	c    Config
	conn *acp.Conn
	out  *lockedWriter
	errs io.Writer

	mu      sync.Mutex
	log     *os.File
	next    int
	failed  map[string]int
	page    int
	turns   map[string]context.CancelFunc // by session
	asked   map[string]string             // our requests, for the schema
	exit    chan int
	over    chan struct{} // closed at the end
	ready   chan struct{} // closed when conn is there
	options jsontext.Value
}

// lockedWriter lets raw lines go between the connection's.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// Serve is an agent's whole life. It returns its exit code.
func Serve(in io.Reader, out, errs io.Writer, c Config) int {
	a := &agent{
		c: c, out: &lockedWriter{w: out}, errs: errs, next: c.FirstID, failed: map[string]int{},
		turns: map[string]context.CancelFunc{}, asked: map[string]string{}, exit: make(chan int, 1), over: make(chan struct{}), ready: make(chan struct{}),
		options: jsontext.Value(c.Options),
	}
	if c.Log != "" {
		a.log, _ = os.OpenFile(c.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		defer a.log.Close()
	}
	io.WriteString(errs, c.Stderr)
	io.WriteString(a.out, c.Noise)
	if c.Child != "" {
		leaveChild(c.Child)
	}
	a.conn = acp.New(in, a.out, acp.Options{
		Handler: a, Received: a.received, Sent: a.sent,
		Noise: func(line []byte) { a.note("INVALID no message: %s", line) },
	})
	close(a.ready)
	defer close(a.over)
	defer a.conn.Close(nil)
	select {
	case code := <-a.exit:
		return code
	case <-a.conn.Done():
		time.Sleep(c.Linger)
		return 0
	}
}

func (a *agent) note(f string, args ...any) {
	if a.log != nil {
		a.mu.Lock()
		fmt.Fprintf(a.log, f+"\n", args...)
		a.mu.Unlock()
	}
}

func (a *agent) sent(line []byte) {
	var id []byte
	method := ""
	acp.Members(line, func(name, value []byte) {
		switch string(name) {
		case "id":
			id = value
		case "method":
			method = acp.Text(value)
		}
	})
	if method != "" && id != nil {
		a.mu.Lock()
		a.asked[string(id)] = method
		a.mu.Unlock()
	}
}

func (a *agent) received(m acp.Message) {
	a.mu.Lock()
	asked := map[string]string{string(m.ID): a.asked[string(m.ID)]}
	a.mu.Unlock()
	if err := CheckFrame(m.Raw, asked); err != nil {
		a.note("INVALID %s: %v: %s", m.Method, strings.ReplaceAll(err.Error(), "\n", " "), m.Raw)
	}
	switch {
	case m.Method != "":
		a.note("%s %s", m.Method, m.Params)
	case m.Error != nil:
		a.note("error %s", m.Error)
	default:
		a.note("answer %s", m.Result)
	}
}

// Notification takes what the client tells.
func (a *agent) Notification(m acp.Message) {
	if m.Method != acp.MethodCancel || a.c.IgnoreCancel {
		return
	}
	var n acp.CancelNotification
	if acp.Decode(m.Params, &n) == nil {
		a.mu.Lock()
		if cancel := a.turns[string(n.SessionID)]; cancel != nil {
			cancel()
		}
		a.mu.Unlock()
	}
}

// Request answers after what the temper has in store for the method.
func (a *agent) Request(m acp.Message, r *acp.Responder) {
	params := append(jsontext.Value(nil), m.Params...)
	method := m.Method
	if code, ok := a.c.Die[method]; ok {
		a.exit <- code
		return
	}
	if slices.Contains(a.c.Hang, method) {
		return
	}
	go func() {
		<-a.ready
		if d := a.c.Delay[method]; d > 0 {
			select {
			case <-time.After(d):
			case <-a.over:
				return
			}
		}
		if e := a.c.Fail[method]; e != nil && a.fails(method) {
			r.Fail(e)
			return
		}
		a.serve(method, params, r)
	}()
}

func (a *agent) fails(method string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failed[method]++
	return a.c.FailTimes == 0 || a.failed[method] <= a.c.FailTimes
}

func (a *agent) has(cap string) bool { return slices.Contains(a.c.Caps, cap) }

func (a *agent) result(method string, r *acp.Responder, v any) {
	if slices.Contains(a.c.Null, method) {
		v = jsontext.Value("null")
	}
	r.Result(v)
}

func (a *agent) serve(method string, params jsontext.Value, r *acp.Responder) {
	var servers struct {
		SessionID  string            `json:"sessionId"`
		MCPServers []json.RawMessage `json:"mcpServers"`
		ConfigID   string            `json:"configId"`
		Value      jsontext.Value    `json:"value"`
	}
	acp.Decode(params, &servers)
	if a.c.StrictMCP && len(servers.MCPServers) > 0 {
		r.Fail(acp.Errorf(acp.CodeBadParams, "Invalid params"))
		return
	}
	switch method {
	case acp.MethodInitialize:
		a.result(method, r, a.initialized())
	case acp.MethodNewSession:
		id := a.newSession()
		a.result(method, r, acp.NewSessionResponse{SessionID: acp.SessionId(id), ConfigOptions: a.config(), Modes: a.modeState(), Unknown: a.models()})
		a.steps(context.Background(), id, a.c.AfterNew)
	case acp.MethodLoadSession, acp.MethodResumeSession:
		a.goOn(method, servers.SessionID, r)
	case acp.MethodListSessions:
		a.list(r)
	case acp.MethodSetSessionConfigOption:
		a.set(servers.ConfigID, servers.Value)
		a.result(method, r, acp.SetSessionConfigOptionResponse{ConfigOptions: a.config()})
	case acp.MethodSetSessionMode:
		a.setMode(params)
		a.result(method, r, acp.SetSessionModeResponse{})
	case "session/set_model":
		a.result(method, r, jsontext.Value("{}"))
	case acp.MethodDeleteSession:
		a.result(method, r, acp.DeleteSessionResponse{})
	case acp.MethodPrompt:
		a.prompt(params, r)
	default:
		r.Fail(acp.Errorf(acp.CodeNoMethod, "Method not found"))
	}
}

func (a *agent) initialized() acp.InitializeResponse {
	caps := acp.AgentCapabilities{LoadSession: a.has("load"), SessionCapabilities: &acp.SessionCapabilities{}}
	if a.has("image") {
		caps.PromptCapabilities = &acp.PromptCapabilities{Image: true}
	}
	s := caps.SessionCapabilities
	if a.has("resume") {
		s.Resume = &acp.SessionResumeCapabilities{}
	}
	if a.has("list") {
		s.List = &acp.SessionListCapabilities{}
	}
	if a.has("delete") {
		s.Delete = &acp.SessionDeleteCapabilities{}
	}
	out := acp.InitializeResponse{
		ProtocolVersion: acp.ProtocolVersion(cmp.Or(a.c.Version, 1)), AgentCapabilities: &caps,
		AgentInfo: &acp.Implementation{Name: "acpagent", Version: "1.2.3"},
	}
	for _, id := range a.c.Auth {
		out.AuthMethods = append(out.AuthMethods, acp.AuthMethod{ID: acp.AuthMethodId(id), Name: "Sign in by " + id})
	}
	return out
}

func (a *agent) newSession() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	for {
		a.next++
		id := fmt.Sprintf("sess-%d", a.next)
		if a.c.Store == "" {
			return id
		}
		f, err := os.OpenFile(filepath.Join(a.c.Store, id), os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			f.Close()
			return id
		}
	}
}

func (a *agent) goOn(method, id string, r *acp.Responder) {
	if method == acp.MethodResumeSession && !a.has("resume") || method == acp.MethodLoadSession && !a.has("load") {
		r.Fail(acp.Errorf(acp.CodeNoMethod, "Method not found"))
		return
	}
	if a.c.Store != "" {
		if _, err := os.Stat(filepath.Join(a.c.Store, id)); err != nil {
			r.Fail(acp.Errorf(acp.CodeNotFound, "Resource not found: %s", id))
			return
		}
	}
	if method == acp.MethodLoadSession || a.c.ReplayOnResume {
		a.steps(context.Background(), id, a.c.Replay)
	}
	if method == acp.MethodLoadSession {
		a.result(method, r, acp.LoadSessionResponse{ConfigOptions: a.config(), Modes: a.modeState(), Unknown: a.models()})
		a.steps(context.Background(), id, a.c.ReplayLate)
		return
	}
	a.result(method, r, acp.ResumeSessionResponse{ConfigOptions: a.config(), Modes: a.modeState(), Unknown: a.models()})
}

func (a *agent) list(r *acp.Responder) {
	if !a.has("list") {
		r.Fail(acp.Errorf(acp.CodeNoMethod, "Method not found"))
		return
	}
	a.mu.Lock()
	var p Page
	if len(a.c.Pages) > 0 {
		p = a.c.Pages[min(a.page, len(a.c.Pages)-1)]
	}
	a.page++
	a.mu.Unlock()
	if p.Fail != nil {
		r.Fail(p.Fail)
		return
	}
	r.Result(acp.ListSessionsResponse{Sessions: p.Sessions, NextCursor: p.Next})
}

func (a *agent) config() []acp.SessionConfigOption {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []acp.SessionConfigOption
	acp.Decode(a.options, &out)
	return out
}

// modeState are the session's modes; nil for an agent that has none.
func (a *agent) modeState() (out *acp.SessionModeState) {
	a.mu.Lock()
	defer a.mu.Unlock()
	acp.Decode(jsontext.Value(a.c.Modes), &out)
	return out
}

func (a *agent) setMode(params jsontext.Value) {
	modes := a.modeState()
	var q acp.SetSessionModeRequest
	if modes == nil || acp.Decode(params, &q) != nil {
		return
	}
	modes.CurrentModeID = q.ModeID
	if raw, err := acp.Encode(modes); err == nil {
		a.mu.Lock()
		a.c.Modes = json.RawMessage(raw)
		a.mu.Unlock()
	}
}

// models is what stands beside the schema's members of a session's response.
func (a *agent) models() jsontext.Value {
	if len(a.c.Models) == 0 {
		return nil
	}
	return jsontext.Value(`{"models":` + string(a.c.Models) + `}`)
}

func (a *agent) set(id string, value jsontext.Value) {
	all := a.config()
	for i := range all {
		if string(all[i].ID) == id {
			all[i].CurrentValue = value
		}
	}
	raw, err := acp.Encode(all)
	if err == nil {
		a.mu.Lock()
		a.options = raw
		a.mu.Unlock()
	}
}
