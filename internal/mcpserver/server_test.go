package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/termio-sh/termio/internal/api"
)

const link = "termio://session/ab12cd34-9f2e-4c31-b8d7-3e5a12c90f44"

// fake is a coordinator that keeps what it was asked and answers as told.
type fake struct {
	mu    sync.Mutex
	calls []made
	// answer gives a reply or an error for a verb.
	answer func(ctx context.Context, verb string, request any) (any, error)
	lines  []string // of a watch; it goes on in silence after them
}

type made struct {
	verb    string
	request any
}

func (f *fake) note(verb string, request any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, made{verb, request})
}

func (f *fake) last(t *testing.T) made {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.calls) == 0 {
		t.Fatal("the coordinator was not called")
	}
	return f.calls[len(f.calls)-1]
}

func (f *fake) Call(ctx context.Context, verb string, request, reply any) error {
	f.note(verb, request)
	got, err := f.answer(ctx, verb, request)
	if err != nil {
		return err
	}
	data, err := api.Encode(got)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, reply)
}

func (f *fake) Stream(ctx context.Context, verb string, request any, each func([]byte) error) error {
	f.note(verb, request)
	for _, l := range f.lines {
		if err := each([]byte(l)); err != nil {
			return err
		}
	}
	<-ctx.Done()
	return ctx.Err()
}

var me = api.Caller{Session: "s", Token: "t", Cwd: "/p"}

// connect gives a client's session with a server.
func connect(t *testing.T, f *fake, client *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	s, err := New(Options{Coordinator: f, Caller: me, Env: []string{"A=1"}, ProgressEvery: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	theirs, ours := mcp.NewInMemoryTransports()
	if _, err := s.Connect(t.Context(), ours, nil); err != nil {
		t.Fatal(err)
	}
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, client).Connect(t.Context(), theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// samples are replies of the coordinator.
func samples(_ context.Context, verb string, request any) (any, error) {
	waited := api.WaitReply{Head: api.OKHead(), Target: link, Title: "t", Status: "done", Transcript: "/t", Cursor: new(int), CursorEnd: new(int)}
	switch verb {
	case api.VerbList:
		return api.ListReply{Head: api.OKHead(), Project: "demo", Sessions: []api.Session{}}, nil
	case api.VerbSpawn, api.VerbRun, api.VerbSend:
		if w, ok := request.(interface{ Waits() bool }); ok && w.Waits() {
			return waited, nil
		}
		if verb == api.VerbSend {
			return api.SendReply{Head: api.OKHead(), Target: link, Title: "t", Delivered: 3}, nil
		}
		return api.SpawnReply{Head: api.OKHead(), Target: link, Title: "t", Created: true, Queued: true}, nil
	case api.VerbWait:
		if request.(api.WaitRequest).Target == "gone" {
			return nil, api.Errorf(api.CodeNotFound, "no session gone")
		}
		return waited, nil
	case api.VerbTranscript:
		return api.TranscriptReply{Head: api.OKHead(), Target: link, Title: "t", Transcript: "/t", Messages: []api.Message{}}, nil
	case api.VerbRead:
		return api.ReadReply{Head: api.OKHead(), Target: link, Title: "t", Screen: "$ "}, nil
	case api.VerbClose:
		if request.(api.TargetRequest).Target == "gone" {
			return nil, api.Errorf(api.CodeNotFound, "no session gone")
		}
		return api.CloseReply{Head: api.OKHead(), Closed: link, Title: "t"}, nil
	case api.VerbCloseDone:
		return api.CloseDoneReply{Head: api.OKHead(), Closed: []api.ClosedOne{{Link: link, Title: "t"}}}, nil
	case api.VerbQueue:
		return api.QueueReply{Head: api.OKHead(), Target: link, Title: "t", Prompts: []api.QueuedPrompt{}}, nil
	case api.VerbReopen:
		return api.ReopenReply{Head: api.OKHead(), Reopened: &api.Reopened{Target: link, Title: "t"}}, nil
	case api.VerbFocus:
		return api.FocusReply{Head: api.OKHead(), Focused: link}, nil
	case api.VerbRename:
		return api.RenameReply{Head: api.OKHead(), Target: link, Title: "t"}, nil
	case api.VerbTrace:
		return api.TraceReply{Head: api.OKHead(), Target: link, Changes: []api.TraceChange{}}, nil
	case api.VerbAgents:
		return api.AgentsReply{Head: api.OKHead(), Agents: []api.Agent{}}, nil
	case api.VerbWorktrees:
		return api.WorktreesReply{Head: api.OKHead(), Project: "demo", Worktrees: []api.WorktreeRow{{Name: "demo", Dir: "/p", Main: true}}}, nil
	case api.VerbRemoveWorktree:
		return api.RemoveWorktreeReply{Head: api.OKHead(), Removed: "/w"}, nil
	}
	return nil, errors.New("not asked for in this test: " + verb)
}

// TestTools calls every tool as a client does: its arguments and its result
// have the schemas that it declares, and the coordinator hears of the caller.
func TestTools(t *testing.T) {
	f := &fake{answer: samples, lines: []string{`{"heartbeat":true}`, `{"schema_version":1,"link":"` + link + `","status":"done","title":"t"}`}}
	c := connect(t, f, nil)
	arguments := map[string][]string{
		"sessions_list":       {`{}`, `{"closed":true}`},
		"sessions_spawn":      {`{"prompt":"x"}`, `{"prompt":"x","agent":"pi","worktree":"w","base":"main","args":["-a"],"wait":true,"timeout_ms":5000}`},
		"sessions_run":        {`{"command":"ls"}`, `{"command":"ls","wait":true}`},
		"sessions_send":       {`{"target":"` + link + `","text":"x"}`, `{"target":"` + link + `","keys":["escape"]}`, `{"target":"` + link + `","text":"1","answers":"p","wait":true}`},
		"sessions_wait":       {`{"targets":["` + link + `","gone"]}`, `{"targets":["` + link + `"],"any":true}`},
		"sessions_watch":      {`{}`},
		"sessions_transcript": {`{"target":"` + link + `"}`, `{"target":"` + link + `","from":3,"to":9}`},
		"sessions_read":       {`{"target":"` + link + `","lines":3}`},
		"sessions_close":      {`{"targets":["` + link + `"]}`, `{"targets":["` + link + `","gone"]}`, `{"done":true}`},
		"sessions_queue":      {`{"target":"` + link + `"}`, `{"target":"` + link + `","drop":1}`},
		"sessions_reopen":     {`{"target":"` + link + `"}`},
		"sessions_focus":      {`{"target":"` + link + `"}`},
		"sessions_rename":     {`{"target":"` + link + `","title":"n"}`},
		"sessions_trace":      {`{"target":"` + link + `"}`},
		"agents_list":         {`{}`},
		"worktrees_list":      {`{}`},
		"worktrees_remove":    {`{"worktree":"w"}`},
	}
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		if len(tool.Description) > 300 || tool.Description == "" {
			t.Errorf("%s: a description of %d bytes", tool.Name, len(tool.Description))
		}
		in, out := compile(t, tool.InputSchema), compile(t, tool.OutputSchema)
		given := arguments[tool.Name]
		if given == nil {
			t.Errorf("%s is not called in this test", tool.Name)
		}
		for _, args := range given {
			if err := valid(in, []byte(args)); err != nil {
				t.Errorf("%s %s: %v", tool.Name, args, err)
			}
			r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool.Name, Arguments: json.RawMessage(args)})
			if err != nil || r.IsError {
				t.Errorf("%s %s: %+v, %v", tool.Name, args, r, err)
				continue
			}
			text := r.Content[0].(*mcp.TextContent).Text
			if err := valid(out, []byte(text)); err != nil {
				t.Errorf("%s %s: %s: %v", tool.Name, args, text, err)
			}
			structured, _ := json.Marshal(r.StructuredContent)
			if err := valid(out, structured); err != nil {
				t.Errorf("%s %s: structured %s: %v", tool.Name, args, structured, err)
			}
			sent, _ := json.Marshal(f.last(t).request)
			if !strings.Contains(string(sent), `"caller":{"session":"s","token":"t","cwd":"/p"}`) {
				t.Errorf("%s calls as somebody else: %s", tool.Name, sent)
			}
		}
		if r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool.Name, Arguments: json.RawMessage(`{"no_such":1}`)}); err != nil || !r.IsError ||
			!strings.Contains(r.Content[0].(*mcp.TextContent).Text, `"error":"bad_request"`) {
			t.Errorf("%s with an argument that it has not: %+v, %v", tool.Name, r, err)
		}
		delete(arguments, tool.Name)
	}
	if len(arguments) != 0 {
		t.Errorf("there are no tools %v", arguments)
	}
}

func compile(t *testing.T, schema any) *jsonschema.Schema {
	t.Helper()
	data, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if m, ok := doc.(map[string]any); !ok || m["type"] != "object" {
		t.Errorf("MCP wants schemas of objects: %s", data)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("s.json", doc); err != nil {
		t.Fatal(err)
	}
	return c.MustCompile("s.json")
}

func valid(s *jsonschema.Schema, text []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

func TestRequests(t *testing.T) {
	f := &fake{answer: samples}
	c := connect(t, f, nil)
	do := func(name, args string) any {
		t.Helper()
		if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(args)}); err != nil {
			t.Fatal(err)
		}
		return f.last(t).request
	}
	if r := do("sessions_send", `{"target":"x","text":"y"}`).(api.SendRequest); !r.Enter {
		t.Errorf("a text is submitted: %+v", r)
	}
	for _, args := range []string{`{"target":"x","keys":["down"]}`, `{"target":"x","text":"y","no_enter":true}`} {
		if r := do("sessions_send", args).(api.SendRequest); r.Enter {
			t.Errorf("%s presses Enter", args)
		}
	}
	if r := do("sessions_spawn", `{"prompt":"p","args":["a b"]}`).(api.SpawnRequest); r.Env[0] != "A=1" || r.Extra[0] != "a b" || r.Bypass {
		t.Errorf("spawn: %+v", r)
	}
}

// A refusal is a result that the model can read, with the one shape.
func TestRefusals(t *testing.T) {
	f := &fake{answer: func(context.Context, string, any) (any, error) {
		return nil, api.Errorf(api.CodeNoScope, "go elsewhere")
	}}
	c := connect(t, f, nil)
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "sessions_list"})
	if err != nil || !r.IsError {
		t.Fatalf("%+v, %v", r, err)
	}
	want := `{"ok":false,"error":"no_scope","message":"go elsewhere","schema_version":1}`
	if text := r.Content[0].(*mcp.TextContent).Text; text != want {
		t.Errorf("got %s", text)
	}
	if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "no_such_tool"}); err == nil {
		t.Error("an unknown tool is answered")
	}
}

// A long call tells that it goes on, and ends when its client gives it up.
func TestProgressAndCancel(t *testing.T) {
	gone := make(chan struct{})
	f := &fake{answer: func(ctx context.Context, _ string, _ any) (any, error) {
		<-ctx.Done()
		close(gone)
		return nil, ctx.Err()
	}}
	told := make(chan string, 100)
	c := connect(t, f, &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
		told <- r.Params.Message
	}})
	ctx, cancel := context.WithCancel(t.Context())
	params := &mcp.CallToolParams{Name: "sessions_send", Arguments: json.RawMessage(`{"target":"x","text":"y","wait":true}`)}
	params.SetProgressToken("p")
	ended := make(chan error, 1)
	go func() { _, err := c.CallTool(ctx, params); ended <- err }()
	for range 2 {
		select {
		case m := <-told:
			if !strings.HasPrefix(m, "still waiting") {
				t.Errorf("told %q", m)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("no progress is told")
		}
	}
	cancel()
	select {
	case <-gone:
	case <-time.After(10 * time.Second):
		t.Fatal("the coordinator's call goes on")
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the call ended with %v", err)
	}
}

func TestWatchThatHearsNothing(t *testing.T) {
	f := &fake{lines: []string{`{"heartbeat":true}`}}
	c := connect(t, f, nil)
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "sessions_watch", Arguments: json.RawMessage(`{"timeout_ms":1}`)})
	if err != nil || r.IsError || r.Content[0].(*mcp.TextContent).Text != `{"ok":true,"schema_version":1,"events":[],"timed_out":true}` {
		t.Errorf("%+v, %v", r, err)
	}
}
