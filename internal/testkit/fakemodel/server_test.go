package fakemodel

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// What was typed is found among what agents put around it.
func TestPromptIsWhatWasTyped(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body, prompt, result string
	}{
		"reminders": {
			`{"messages":[{"role":"user","content":[{"type":"text","text":"<system-reminder>x TOOL</system-reminder>"},{"type":"text","text":"hi"},{"type":"text","text":"<system-reminder>y</system-reminder>"}]}]}`,
			"hi", "",
		},
		"the old prompt before the new one": {
			`{"messages":[{"role":"user","content":[{"type":"text","text":"FAIL now"},{"type":"text","text":"and again"}]}]}`,
			"and again", "",
		},
		"typed after a rejected tool": {
			`{"messages":[{"role":"user","content":"one"},{"role":"assistant","content":[]},{"role":"user","content":[{"type":"tool_result","content":"rejected"},{"type":"text","text":"[Request interrupted by user for tool use]"},{"type":"text","text":"two"}]}]}`,
			"two", "",
		},
		"a result keeps its prompt": {
			`{"messages":[{"role":"user","content":"one"},{"role":"assistant","content":[]},{"role":"user","content":[{"type":"tool_result","content":"ran"}]}]}`,
			"one", "ran",
		},
	} {
		q, err := parseAnthropic([]byte(c.body))
		got := ""
		if q.ToolResult != nil {
			got = *q.ToolResult
		}
		if err != nil || q.Prompt != c.prompt || got != c.result {
			t.Errorf("%s: prompt %q, result %q, %v", name, q.Prompt, got, err)
		}
	}
	q, err := parseResponses([]byte(`{"input":[
		{"type":"message","role":"user","content":[{"type":"input_text","text":"# AGENTS.md instructions"}]},
		{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>x</environment_context>"}]},
		{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}]}`))
	if err != nil || q.Prompt != "hi" {
		t.Errorf("codex: %q, %v", q.Prompt, err)
	}
	if q, err = parseResponses([]byte(`{"input":"bare"}`)); err != nil || q.Prompt != "bare" {
		t.Errorf("a bare input: %q, %v", q.Prompt, err)
	}
}

func TestSideRequests(t *testing.T) {
	t.Parallel()
	s := New(Config{})
	s.On("", Reply{Text: "a turn"})
	read := func(body string) string {
		return str(at(decode(t, ask(s, "/v1/chat/completions", body).Body.String()), "choices", 0, "message", "content"))
	}
	if got := read(`{"messages":[{"role":"user","content":"FAIL title please"}]}`); got != SideTitle {
		t.Errorf("without tools: %q", got)
	}
	schema := `{"type":"object","required":["title","n","kind","list","on"],"properties":{"title":{"type":"string"},` +
		`"n":{"type":["integer","null"],"minimum":3},"kind":{"enum":["a","b"]},"list":{"type":"array","minItems":1,"items":{"type":"string"}},"on":{"type":"boolean"}}}`
	got := decode(t, read(`{"messages":[{"role":"user","content":"x"}],"response_format":{"json_schema":{"schema":`+schema+`}}}`))
	want := map[string]any{"title": SideTitle, "n": 3.0, "kind": "a", "list": []any{"fake list"}, "on": false}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("with a form: %v", got)
	}
	s.Add(Rule{Side: true, Replies: []Reply{{Text: "My title"}}})
	if got := read(`{"messages":[{"role":"user","content":"title please"}]}`); got != "My title" {
		t.Errorf("with a side rule: %q", got)
	}
}

func TestToolArgumentsFitTheAgent(t *testing.T) {
	t.Parallel()
	prop := func(names ...string) map[string]any {
		m := map[string]any{}
		for _, n := range names {
			m[n] = map[string]any{"type": "string"}
		}
		return m
	}
	questions := map[string]any{"questions": map[string]any{"items": map[string]any{"properties": prop("question", "options")}}}
	for name, c := range map[string]struct {
		call ToolCall
		tool Tool
		want map[string]any
	}{
		"codex asks for approval": {
			ToolCall{Kind: Shell, Command: "ls"},
			Tool{"exec_command", map[string]any{"properties": prop("cmd", "sandbox_permissions", "justification")}},
			map[string]any{"cmd": "ls", "sandbox_permissions": "require_escalated", "justification": "The fake model wants to run this outside the sandbox. OK?"},
		},
		"an array, and what is required": {
			ToolCall{Kind: Shell, Command: "ls"},
			Tool{"shell", map[string]any{"required": []any{"command", "why"}, "properties": map[string]any{"command": map[string]any{"type": "ARRAY"}, "why": map[string]any{"type": "string"}}}},
			map[string]any{"command": []any{"bash", "-lc", "ls"}, "why": "fake why"},
		},
		"a file": {
			ToolCall{Kind: Edit, Path: "/f", Content: "c"},
			Tool{"write", map[string]any{"properties": prop("filePath", "content")}},
			map[string]any{"filePath": "/f", "content": "c"},
		},
		"a question": {
			ToolCall{Kind: Ask, Question: "q?", Options: []string{"y"}},
			Tool{"AskUserQuestion", map[string]any{"properties": questions}},
			map[string]any{"questions": []any{map[string]any{"question": "q?", "options": []any{map[string]any{"label": "y", "description": "The choice y"}}}}},
		},
		"copilot's question": {
			ToolCall{Kind: Ask, Question: "q?", Options: []string{"y"}},
			Tool{"ask_user", map[string]any{"properties": prop("message", "requestedSchema")}},
			map[string]any{"message": "q?", "requestedSchema": map[string]any{
				"type": "object", "required": []any{"choice"},
				"properties": map[string]any{"choice": map[string]any{"type": "string", "title": "Choice", "enum": []any{"y"}}},
			}},
		},
	} {
		got, args, err := c.call.resolve([]Tool{{Name: "other"}, c.tool})
		if err != nil || got != c.tool.Name || !reflect.DeepEqual(args, c.want) {
			t.Errorf("%s: %s %v %v, want %v", name, got, args, err, c.want)
		}
	}
}

func TestWordsComeAtTheReplysPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New(Config{})
		p := protocols()[Anthropic]
		start := time.Now()
		ask(s, p.path, p.body("SLOW please", true, ""))
		want := time.Duration(len(strings.Fields(slowText))) * 400 * time.Millisecond
		if got := time.Since(start); got != want {
			t.Errorf("SLOW took %v, want %v", got, want)
		}
		s.On("x", Reply{Text: "a b", StartDelay: time.Second, WordDelay: time.Minute})
		start = time.Now()
		ask(s, p.path, p.body("x", true, ""))
		if got := time.Since(start); got != time.Second+2*time.Minute {
			t.Errorf("a scripted pace took %v", got)
		}
	})
}

func serve(t *testing.T, cfg Config) *Server {
	t.Helper()
	s, err := Start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// post begins a stream and returns once its head is here.
func post(ctx context.Context, t *testing.T, s *Server, p protocolCase, prompt string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL()+p.path, strings.NewReader(p.body(prompt, true, "")))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// A gate holds the stream behind its first word until the test opens it.
func TestGate(t *testing.T) {
	t.Parallel()
	for name, p := range protocols() {
		t.Run(string(name), func(t *testing.T) {
			t.Parallel()
			s := serve(t, Config{})
			resp := post(t.Context(), t, s, p, "HOLD:mid please")
			if err := s.Gate("mid").Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			r := bufio.NewReader(resp.Body)
			var first bytes.Buffer
			for !strings.Contains(first.String(), "Thinking") {
				line, err := r.ReadString('\n')
				if err != nil {
					t.Fatal(err)
				}
				first.WriteString(line)
			}
			if s.Requests()[0].Outcome != "" {
				t.Error("the turn is over before the gate is open")
			}
			s.Gate("mid").Open()
			rest, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			h := p.read(t, append(first.Bytes(), rest...))
			if h.text != "Thinking until released. Released now." {
				t.Errorf("heard %+v", h)
			}
		})
	}
}

func TestHangEndsWithItsClient(t *testing.T) {
	t.Parallel()
	s := serve(t, Config{})
	ctx, leave := context.WithCancel(t.Context())
	post(ctx, t, s, protocols()[Chat], "HANG")
	leave()
	if _, err := s.Wait(t.Context(), func(r Request) bool { return r.Outcome == Aborted }); err != nil {
		t.Error(err)
	}
	post(t.Context(), t, s, protocols()[Chat], "HANG again")
	s.Close()
	if _, err := s.Wait(t.Context(), func(r Request) bool { return r.ID == 2 && r.Outcome == Aborted }); err != nil {
		t.Error(err)
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	s := serve(t, Config{})
	s.On("cut", Reply{Text: "half of", Cut: true})
	resp := post(t.Context(), t, s, protocols()[Responses], "cut here")
	body, err := io.ReadAll(resp.Body)
	if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(string(body), "half ") || strings.Contains(string(body), "completed") {
		t.Errorf("%v after %s", err, body)
	}
	if _, err := s.Wait(t.Context(), func(r Request) bool { return r.Outcome == Cut }); err != nil {
		t.Error(err)
	}
}

func TestScriptInTurn(t *testing.T) {
	t.Parallel()
	s := New(Config{Rules: []Rule{{Prompt: "deploy", Replies: []Reply{{Fail: &Failure{Status: 529, Type: "overloaded_error", Message: "busy", RetryAfter: 7}}, {Text: "one"}, {Text: "two"}}}}})
	p := protocols()[Anthropic]
	rec := ask(s, p.path, p.body("deploy it", true, ""))
	if rec.Code != 529 || rec.Header().Get("Retry-After") != "7" {
		t.Errorf("first: %d %v", rec.Code, rec.Header())
	}
	for i, want := range []string{"one", "two", "two"} {
		if h := p.read(t, ask(s, p.path, p.body("deploy it", true, "")).Body.Bytes()); h.text != want {
			t.Errorf("%d: %q, want %q", i, h.text, want)
		}
	}
	s.On("deploy it", Reply{Text: "newest"})
	if h := p.read(t, ask(s, p.path, p.body("deploy it", true, "")).Body.Bytes()); h.text != "newest" {
		t.Errorf("the newest rule is not asked first: %q", h.text)
	}
}

func TestBadRequests(t *testing.T) {
	t.Parallel()
	s := New(Config{})
	p := protocols()[Chat]
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte(p.body("packed", true, "")))
	z.Close()
	for name, c := range map[string]struct {
		encoding, body string
		status         int
	}{
		"packed":        {"gzip", packed.String(), 200},
		"badly packed":  {"gzip", "x", 400},
		"not spoken":    {"zstd", "x", 400},
		"not JSON":      {"", "{", 400},
		"of other type": {"", `{"messages":7}`, 400},
	} {
		req := httptest.NewRequest(http.MethodPost, p.path, strings.NewReader(c.body))
		req.Header.Set("Content-Encoding", c.encoding)
		rec := httptest.NewRecorder()
		s.ServeHTTP(rec, req)
		if rec.Code != c.status {
			t.Errorf("%s: %d %s", name, rec.Code, rec.Body)
		}
	}
}

// The server as a process of its own is found by its file, steered over its
// port, logs what came, and ends with its caller.
func TestCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bin, urlFile, log := filepath.Join(dir, "fakemodel"), filepath.Join(dir, "url"), filepath.Join(dir, "log")
	if out, err := exec.Command("go", "build", "-o", bin, "./cmd").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(bin, "-until-eof", "-url-file", urlFile, "-log", log)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url := strings.TrimSpace(line)
	if raw, err := os.ReadFile(urlFile); err != nil || strings.TrimSpace(string(raw)) != url {
		t.Errorf("url file %q, %v; printed %q", raw, err, url)
	}
	send := func(method, path, body string) string {
		req, err := http.NewRequest(method, url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		raw, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	send("POST", "/_fake/rules", `[{"prompt":"x","replies":[{"text":"held words","hold":"g"}]}]`)
	p := protocols()[Anthropic]
	done := make(chan string, 1)
	go func() { done <- send("POST", p.path, p.body("x", true, "")) }()
	send("GET", "/_fake/gates/g/wait", "")
	send("POST", "/_fake/gates/g/open", "")
	if h := p.read(t, []byte(<-done)); h.text != "held words" {
		t.Errorf("heard %+v", h)
	}
	if got := send("GET", "/_fake/requests", ""); !strings.Contains(got, `"prompt":"x"`) {
		t.Errorf("requests: %s", got)
	}
	stdin.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("end: %v", err)
	}
	raw, err := os.ReadFile(log)
	if err != nil || strings.Count(string(raw), "\n") != 2 || !strings.Contains(string(raw), `"outcome":"answered"`) {
		t.Errorf("log (%v): %s", err, raw)
	}
}
