package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/acp"
	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/testkit/acpagent"
)

// editor is a client of `termio acp serve`. What it is sent is checked against
// the schema.
type editor struct {
	t    *testing.T
	conn *acp.Conn

	mu      sync.Mutex
	heard   []string // updates, as "kind: text"
	asked   []*acp.Responder
	options []string // of the newest request
	sent    map[string]string
	grown   chan struct{}
}

func (f *fleet) editor(args ...string) *editor {
	f.t.Helper()
	cmd := exec.Command(filepath.Join(bin, "termio"), append([]string{"acp", "serve"}, args...)...)
	cmd.Dir, cmd.Env = f.dir, f.env
	in, err := cmd.StdinPipe()
	if err != nil {
		f.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = f.start(cmd)
	}
	if err != nil {
		f.t.Fatal(err)
	}
	e := &editor{t: f.t, sent: map[string]string{}, grown: make(chan struct{})}
	ready := make(chan struct{})
	e.conn = acp.New(lateReader{out, ready}, in, acp.Options{Handler: e, Received: e.received, Sent: e.noteSent, Noise: func(line []byte) {
		f.t.Errorf("noise: %s", line)
	}})
	close(ready)
	f.t.Cleanup(func() {
		in.Close()
		<-e.conn.Done()
		if err := cmd.Wait(); err != nil {
			f.t.Errorf("termio acp serve: %v", err)
		}
	})
	var hello acp.InitializeResponse
	e.must(acp.MethodInitialize, acp.InitializeRequest{ProtocolVersion: 1}, &hello)
	if hello.ProtocolVersion != 1 || !hello.AgentCapabilities.LoadSession || hello.AgentInfo.Name != "termio" {
		f.t.Errorf("%+v", hello)
	}
	return e
}

type lateReader struct {
	io.Reader
	ready <-chan struct{}
}

func (r lateReader) Read(p []byte) (int, error) {
	<-r.ready
	return r.Reader.Read(p)
}

func (e *editor) noteSent(line []byte) {
	var m struct {
		ID     json.RawMessage
		Method string
	}
	json.Unmarshal(line, &m)
	e.mu.Lock()
	e.sent[string(m.ID)] = m.Method
	e.mu.Unlock()
}

func (e *editor) received(m acp.Message) {
	e.mu.Lock()
	asked := map[string]string{string(m.ID): e.sent[string(m.ID)]}
	e.mu.Unlock()
	if err := acpagent.CheckFrame(m.Raw, asked); err != nil {
		e.t.Errorf("%v: %s", err, m.Raw)
	}
}

func (e *editor) note(text string) {
	e.mu.Lock()
	e.heard = append(e.heard, text)
	close(e.grown)
	e.grown = make(chan struct{})
	e.mu.Unlock()
}

func (e *editor) Notification(m acp.Message) {
	c := acp.UpdateOf(m.Params)
	text, _ := c.Text()
	e.note(c.Kind + ": " + text)
}

func (e *editor) Request(m acp.Message, r *acp.Responder) {
	var q acp.RequestPermissionRequest
	acp.Decode(m.Params, &q)
	e.mu.Lock()
	e.asked, e.options = append(e.asked, r), nil
	for _, o := range q.Options {
		e.options = append(e.options, string(o.OptionID)+":"+string(o.Kind))
	}
	e.mu.Unlock()
	e.note("asked: " + q.ToolCall.Title)
	go func() {
		<-r.Context().Done()
		e.note("over: " + q.ToolCall.Title)
	}()
}

// must asks, and fails the test on an error.
func (e *editor) must(method string, params, into any) {
	e.t.Helper()
	if err := e.call(method, params, into); err != nil {
		e.t.Fatal(err)
	}
}

func (e *editor) call(method string, params, into any) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return e.conn.Call(ctx, method, params, into)
}

// hears waits until those words have come, in that order, and forgets them.
// When a request is over is told apart, so that has no order.
func (e *editor) hears(words ...string) {
	e.t.Helper()
	late := time.After(time.Minute)
	for {
		e.mu.Lock()
		at := 0
		for _, h := range e.heard {
			if at < len(words) && strings.Contains(h, words[at]) {
				at++
			}
			for at < len(words) && strings.HasPrefix(words[at], "over: ") && slices.Contains(e.heard, words[at]) {
				at++
			}
		}
		grown, heard := e.grown, slices.Clone(e.heard)
		if at == len(words) {
			e.heard = nil
		}
		e.mu.Unlock()
		if at == len(words) {
			return
		}
		select {
		case <-grown:
		case <-late:
			e.t.Fatalf("not heard: %q of %q; heard: %q", words[at], words, heard)
		}
	}
}

// prompt begins a turn; the channel gives its end.
func (e *editor) prompt(id, text string) <-chan string {
	end := make(chan string, 1)
	go func() {
		var p acp.PromptResponse
		err := e.call(acp.MethodPrompt, acp.PromptRequest{SessionID: acp.SessionId(id), Prompt: []acp.ContentBlock{acp.TextBlock(text)}}, &p)
		if err != nil {
			end <- "error: " + err.Error()
			return
		}
		end <- string(p.StopReason)
	}()
	return end
}

func (e *editor) ends(end <-chan string, want string) {
	e.t.Helper()
	select {
	case got := <-end:
		if !strings.HasPrefix(got, want) {
			e.t.Errorf("the turn ended with %q, want %q", got, want)
		}
	case <-time.After(time.Minute):
		e.t.Fatal("the turn did not end")
	}
}

// newest is the request that stands.
func (e *editor) newest() *acp.Responder {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.asked[len(e.asked)-1]
}

// Several editors on one session: what was said is replayed, everybody sees
// everything, the first answer counts and the others are told.
func TestACPServe(t *testing.T) {
	f := acpFleet(t, acpagent.Config{Caps: []string{"load"}, Store: t.TempDir(), Replay: []string{"user old", "say REPLAYED"}})
	link := must[api.SpawnReply](f, "sessions", "spawn", "--acp", "--agent", "fake", "say one", "--json").Target
	id := strings.TrimPrefix(link, "termio://session/")
	f.is(link, "done")
	shell := must[api.SpawnReply](f, "sessions", "run", "true", "--json").Target

	a, b := f.editor(), f.editor()
	var all acp.ListSessionsResponse
	a.must(acp.MethodListSessions, acp.ListSessionsRequest{Cwd: f.dir}, &all)
	if len(all.Sessions) != 1 || string(all.Sessions[0].SessionID) != id || all.Sessions[0].Cwd != f.dir || all.Sessions[0].Title != "say one" {
		t.Errorf("%+v", all)
	}
	a.must(acp.MethodListSessions, acp.ListSessionsRequest{Cwd: "/elsewhere"}, &all)
	if len(all.Sessions) != 0 {
		t.Errorf("elsewhere: %+v", all)
	}
	for _, wrong := range []string{"none", strings.TrimPrefix(shell, "termio://session/")} {
		var refused *acp.Error
		err := a.call(acp.MethodLoadSession, acp.LoadSessionRequest{SessionID: acp.SessionId(wrong), Cwd: f.dir, MCPServers: []acp.McpServer{}}, nil)
		if !errors.As(err, &refused) || refused.Code != acp.CodeNotFound {
			t.Errorf("load %s: %v", wrong, err)
		}
	}
	load := func(e *editor) {
		t.Helper()
		e.must(acp.MethodLoadSession, acp.LoadSessionRequest{SessionID: acp.SessionId(id), Cwd: f.dir, MCPServers: []acp.McpServer{}}, nil)
	}
	load(a)
	a.hears("user_message_chunk: say one", "agent_message_chunk: one")
	b.must(acp.MethodResumeSession, acp.ResumeSessionRequest{SessionID: acp.SessionId(id), Cwd: f.dir}, nil)

	end := a.prompt(id, "say before\npermit execute yes:Allow_once:allow_once no:Reject:reject_once\nsay after")
	a.hears("agent_message_chunk: before", "asked: use execute")
	b.hears("user_message_chunk: say before", "asked: use execute")
	if got := strings.Join(b.options, " "); got != "yes:allow_once no:reject_once" {
		t.Errorf("options: %s", got)
	}
	f.is(link, "needs-you")
	b.newest().Result(acp.RequestPermissionResponse{Outcome: acp.RequestPermissionOutcome{Outcome: "selected", OptionID: "yes"}})
	a.hears("over: use execute", `"optionId":"yes"`, "agent_message_chunk: after")
	a.ends(end, "end_turn")
	b.hears("agent_message_chunk: after")

	// A question is there for one who comes later, and people answer it too.
	must[api.SendReply](f, "sessions", "send", link, `grok [{"question":"Which?","options":[{"label":"Red"},{"label":"Blue"}]}]`, "--json")
	f.is(link, "needs-you")
	c := f.editor()
	load(c)
	c.hears("user_message_chunk: say one", "user_message_chunk: say before", "after", "asked: Which?")
	must[api.SendReply](f, "sessions", "send", link, "Blue", "--json")
	c.hears("over: Which?", "Blue")
	a.hears("user_message_chunk: grok", "asked: Which?", "over: Which?", "Blue")

	// What an editor cannot show is said.
	end = a.prompt(id, "form {\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}},\"required\":[\"n\"]}")
	a.hears("termio sessions send")
	must[api.SendReply](f, "sessions", "send", link, "7", "--json")
	a.ends(end, "end_turn")

	// Prompts that wait are withdrawn by a cancel.
	end = a.prompt(id, "say part\nhang")
	a.hears("agent_message_chunk: part")
	waits := a.prompt(id, "say NEVER")
	until(t, time.Minute, "the second prompt waits", func() (string, bool) {
		return "", len(must[api.ReadReply](f, "sessions", "read", link, "--json").Screen) > 0
	})
	a.conn.Notify(acp.MethodCancel, acp.CancelNotification{SessionID: acp.SessionId(id)})
	a.ends(end, "cancelled")
	a.ends(waits, "cancelled")

	// The coordinator is not needed for a turn.
	gone := must[api.DaemonReply](f, "daemon", "status", "--json").PID
	syscall.Kill(gone, syscall.SIGKILL)
	processEnds(t, gone, 5*time.Second)
	a.ends(a.prompt(id, "say alone"), "end_turn")
	a.mu.Lock()
	if slices.Contains(a.heard, "user_message_chunk: say alone") {
		t.Error("an editor is told of its own prompt")
	}
	a.mu.Unlock()
	a.hears("agent_message_chunk: alone")

	// A session that closes fails its turn; loading it opens it again.
	end = a.prompt(id, "say last\nhang")
	a.hears("agent_message_chunk: last")
	must[api.CloseReply](f, "sessions", "close", link, "--json")
	a.ends(end, "cancelled")
	until(t, time.Minute, "the session is let go of", func() (string, bool) {
		err := a.call(acp.MethodPrompt, acp.PromptRequest{SessionID: acp.SessionId(id), Prompt: []acp.ContentBlock{acp.TextBlock("x")}}, nil)
		return "", err != nil
	})
	load(a)
	a.hears("say one", "say last")
	a.ends(a.prompt(id, "say again"), "end_turn")
	a.hears("agent_message_chunk: again")
	if strings.Contains(strings.Join(a.heard, ""), "REPLAYED") {
		t.Error("what the agent replays is said twice")
	}
}

// A new session of the editor's: its directory, its MCP servers; it goes on
// when the editor has left.
func TestACPServeNew(t *testing.T) {
	f := acpFleet(t, acpagent.Config{})
	e := f.editor("--agent", "fake", "--permissions", "auto")
	var made acp.NewSessionResponse
	server := acp.McpServer{Name: "files", Command: "/bin/files", Args: []string{}, Env: []acp.EnvVariable{}}
	e.must(acp.MethodNewSession, acp.NewSessionRequest{Cwd: f.dir, MCPServers: []acp.McpServer{server}}, &made)
	id := string(made.SessionID)
	e.ends(e.prompt(id, "permit execute y:Allow:allow_once\nsay done"), "end_turn")
	e.hears(`"optionId":"y"`, "done")
	if !strings.Contains(f.heard(), `"name":"files"`) {
		t.Errorf("the MCP server is not handed on:\n%s", f.heard())
	}
	if s := f.session("termio://session/" + id); s.Kind != "acp" || s.Cwd != f.dir {
		t.Errorf("%+v", s)
	}
	if err := e.call(acp.MethodNewSession, acp.NewSessionRequest{Cwd: "sub", MCPServers: []acp.McpServer{}}, nil); err == nil || !strings.Contains(err.Error(), "absolute") {
		t.Errorf("a relative directory: %v", err)
	}
	e.prompt(id, "sleep 300ms\nsay LATER")
	f.is("termio://session/"+id, "working")
	e.conn.Close(nil)
	f.shows("termio://session/"+id, "LATER")
}
