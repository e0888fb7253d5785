package fakemodel

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

const shellSchema = `{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}`

// A protocolCase is how a test speaks one protocol.
type protocolCase struct {
	path string
	// body asks with one shell tool; after is put behind the user's message.
	body func(prompt string, stream bool, after string) string
	// result is what comes after the prompt once the tool has run.
	result string
	// read takes a stream apart.
	read func(t *testing.T, body []byte) heard
	// events is what a stream with one word and one tool call consists of.
	events string
	// failure is where the error's message stands.
	failure []string
}

// heard is what a client makes of an answer.
type heard struct {
	events           []string
	text, tool, args string
	stop             string
}

func flag(b bool) string {
	if b {
		return "true"
	}
	return "false"
}

func quote(s string) string {
	raw, _ := json.Marshal(s)
	return string(raw)
}

func protocols() map[Protocol]protocolCase {
	return map[Protocol]protocolCase{
		Anthropic: {
			path: "/v1/messages",
			body: func(p string, stream bool, after string) string {
				return `{"model":"m","stream":` + flag(stream) + `,"messages":[{"role":"user","content":` + quote(p) + `}` + after +
					`],"tools":[{"name":"Bash","input_schema":` + shellSchema + `}]}`
			},
			result: `,{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"Bash","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":[{"type":"text","text":"it ran"}]}]}`,
			read: readAnthropic,
			events: "message_start content_block_start ping content_block_delta content_block_stop " +
				"content_block_start content_block_delta content_block_delta content_block_delta content_block_delta content_block_stop " +
				"message_delta message_stop",
			failure: []string{"error", "message"},
		},
		Responses: {
			path: "/v1/responses",
			body: func(p string, stream bool, after string) string {
				return `{"model":"m","stream":` + flag(stream) + `,"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":` + quote(p) + `}]}` + after +
					`],"tools":[{"type":"function","name":"shell","parameters":` + shellSchema + `}]}`
			},
			result: `,{"type":"function_call","call_id":"x","name":"shell","arguments":"{}"},{"type":"function_call_output","call_id":"x","output":"it ran"}`,
			read:   readResponses,
			events: "response.created response.in_progress response.output_item.added response.content_part.added response.output_text.delta " +
				"response.output_text.done response.content_part.done response.output_item.done " +
				"response.output_item.added response.function_call_arguments.delta response.function_call_arguments.delta response.function_call_arguments.delta " +
				"response.function_call_arguments.done response.output_item.done response.completed",
			failure: []string{"error", "message"},
		},
		Chat: {
			path: "/v1/chat/completions",
			body: func(p string, stream bool, after string) string {
				return `{"model":"m","stream":` + flag(stream) + `,"messages":[{"role":"system","content":"s"},{"role":"user","content":` + quote(p) + `}` + after +
					`],"tools":[{"type":"function","function":{"name":"bash","parameters":` + shellSchema + `}}]}`
			},
			result:  `,{"role":"assistant","content":null,"tool_calls":[]},{"role":"tool","tool_call_id":"x","content":"it ran"}`,
			read:    readChat,
			events:  "role content call arguments arguments arguments finish usage [DONE]",
			failure: []string{"error", "message"},
		},
		Gemini: {
			path: "/v1beta/models/m:streamGenerateContent?alt=sse",
			body: func(p string, _ bool, after string) string {
				return `{"contents":[{"role":"user","parts":[{"text":` + quote(p) + `}]}` + after +
					`],"tools":[{"functionDeclarations":[{"name":"run_shell_command","parametersJsonSchema":` + shellSchema + `}]}]}`
			},
			result: `,{"role":"model","parts":[{"functionCall":{"name":"run_shell_command"}}]},` +
				`{"role":"user","parts":[{"functionResponse":{"name":"run_shell_command","response":{"output":"it ran"}}}]}`,
			read:    readGemini,
			events:  "text call+STOP",
			failure: []string{"error", "message"},
		},
	}
}

type sse struct{ event, data string }

// events reads server-sent events, checking their frame.
func events(t *testing.T, body []byte) []sse {
	t.Helper()
	var out []sse
	var e sse
	sc := bufio.NewScanner(bytes.NewReader(body))
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		line := strings.TrimSuffix(sc.Text(), "\r")
		switch {
		case line == "":
			out = append(out, e)
			e = sse{}
		case strings.HasPrefix(line, "event: "):
			e.event = line[7:]
		case strings.HasPrefix(line, "data: "):
			e.data = line[6:]
		default:
			t.Errorf("not a line of an event: %q", line)
		}
	}
	return out
}

func decode(t *testing.T, s string) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(s), &m); err != nil {
		t.Fatalf("%q: %v", s, err)
	}
	return m
}

// at follows keys and indexes into decoded JSON; nil when there is nothing.
func at(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			v = object(v)[p]
		case int:
			list, _ := v.([]any)
			if p >= len(list) {
				return nil
			}
			v = list[p]
		}
	}
	return v
}

func str(v any) string {
	s, _ := v.(string)
	return s
}

func readAnthropic(t *testing.T, body []byte) (h heard) {
	for _, e := range events(t, body) {
		m := decode(t, e.data)
		if m["type"] != e.event {
			t.Errorf("event %s carries type %v", e.event, m["type"])
		}
		h.events = append(h.events, e.event)
		h.text += str(at(m, "delta", "text"))
		h.args += str(at(m, "delta", "partial_json"))
		h.tool += str(at(m, "content_block", "name"))
		h.stop += str(at(m, "delta", "stop_reason"))
	}
	return h
}

func readResponses(t *testing.T, body []byte) (h heard) {
	for i, e := range events(t, body) {
		m := decode(t, e.data)
		if m["type"] != e.event || m["sequence_number"] != float64(i) {
			t.Errorf("event %d %s carries %v, %v", i, e.event, m["type"], m["sequence_number"])
		}
		h.events = append(h.events, e.event)
		switch e.event {
		case "response.output_text.delta":
			h.text += str(m["delta"])
		case "response.function_call_arguments.delta":
			h.args += str(m["delta"])
		case "response.output_item.done":
			h.tool += str(at(m, "item", "name"))
		case "response.completed":
			h.stop = str(at(m, "response", "status"))
			if str(at(m, "response", "output", 0, "content", 0, "text")) != h.text {
				t.Errorf("the finished response has another text: %s", e.data)
			}
		}
	}
	return h
}

// nameless fails the test for an event with a name, which these protocols do
// not give.
func nameless(t *testing.T, e sse) {
	t.Helper()
	if e.event != "" {
		t.Errorf("an event is called %q", e.event)
	}
}

func readChat(t *testing.T, body []byte) (h heard) {
	for _, e := range events(t, body) {
		nameless(t, e)
		if e.data == "[DONE]" {
			h.events = append(h.events, e.data)
			continue
		}
		m := decode(t, e.data)
		d := at(m, "choices", 0, "delta")
		kind := "usage"
		switch {
		case str(at(d, "role")) != "":
			kind = "role"
		case at(d, "content") != nil:
			kind = "content"
		case at(d, "tool_calls", 0, "id") != nil:
			kind = "call"
		case at(d, "tool_calls") != nil:
			kind = "arguments"
		case at(m, "choices", 0, "finish_reason") != nil:
			kind = "finish"
		}
		h.events = append(h.events, kind)
		h.text += str(at(d, "content"))
		h.tool += str(at(d, "tool_calls", 0, "function", "name"))
		h.args += str(at(d, "tool_calls", 0, "function", "arguments"))
		h.stop += str(at(m, "choices", 0, "finish_reason"))
	}
	return h
}

func readGemini(t *testing.T, body []byte) (h heard) {
	for _, e := range events(t, body) {
		nameless(t, e)
		m := decode(t, e.data)
		part := at(m, "candidates", 0, "content", "parts", 0)
		kind := "text"
		if call := at(part, "functionCall"); call != nil {
			kind = "call"
			h.tool += str(at(call, "name"))
			raw, _ := json.Marshal(at(call, "args"))
			h.args += string(raw)
		}
		h.text += str(at(part, "text"))
		if stop := str(at(m, "candidates", 0, "finishReason")); stop != "" {
			kind += "+" + stop
			h.stop += stop
		}
		h.events = append(h.events, kind)
	}
	return h
}

func ask(s *Server, path, body string) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	s.ServeHTTP(rec, httptest.NewRequest(http.MethodPost, path, strings.NewReader(body)))
	return rec
}

// Every protocol streams text and a tool call in its own events, and takes the
// tool's result.
func TestStreams(t *testing.T) {
	t.Parallel()
	for name, p := range protocols() {
		t.Run(string(name), func(t *testing.T) {
			t.Parallel()
			s := New(Config{})
			s.On("go", Reply{Text: "Sure.", Tools: []ToolCall{{Kind: Shell, Command: "echo <&> é"}}}, Reply{Text: "All done."})
			rec := ask(s, p.path, p.body("go on", true, ""))
			if ct := rec.Header().Get("Content-Type"); rec.Code != 200 || ct != "text/event-stream" {
				t.Fatalf("status %d, type %s", rec.Code, ct)
			}
			h := p.read(t, rec.Body.Bytes())
			if got := strings.Join(h.events, " "); got != p.events {
				t.Errorf("events\n%s, want\n%s", got, p.events)
			}
			if h.text != "Sure." || decode(t, h.args)["command"] != "echo <&> é" || !slices.Contains(toolNames(Shell), h.tool) {
				t.Errorf("heard %+v", h)
			}
			if !slices.Contains([]string{"tool_use", "tool_calls", "completed", "STOP"}, h.stop) {
				t.Errorf("stopped with %q", h.stop)
			}
			h = p.read(t, ask(s, p.path, p.body("go on", true, p.result)).Body.Bytes())
			if h.text != "All done." || h.tool != "" {
				t.Errorf("after the tool: heard %+v", h)
			}
			q := s.Requests()[1]
			if q.Protocol != name || q.Prompt != "go on" || q.ToolResult == nil || !strings.Contains(*q.ToolResult, "it ran") || q.Outcome != Answered {
				t.Errorf("understood %+v", q)
			}
		})
	}
}

// Without a script the keywords decide, in every protocol.
func TestKeywords(t *testing.T) {
	t.Parallel()
	for name, p := range protocols() {
		t.Run(string(name), func(t *testing.T) {
			t.Parallel()
			s := New(Config{Dir: "/dir"})
			hear := func(prompt, after string) heard {
				rec := ask(s, p.path, p.body(prompt, true, after))
				if rec.Code != 200 {
					t.Fatalf("%q: status %d: %s", prompt, rec.Code, rec.Body)
				}
				return p.read(t, rec.Body.Bytes())
			}
			if h := hear("say TOOLBOX", ""); h.text != Greeting+" You said: say TOOLBOX" {
				t.Errorf("plain: %+v", h)
			}
			if h := hear("use a TOOL", ""); decode(t, h.args)["command"] != DefaultCommand {
				t.Errorf("TOOL: %+v", h)
			}
			if h := hear("use a TOOL `ls -l` now", ""); decode(t, h.args)["command"] != "ls -l" {
				t.Errorf("TOOL with a command: %+v", h)
			}
			if h := hear("please EDIT", ""); !strings.HasPrefix(h.text, "no edit tool among:") {
				t.Errorf("EDIT without the tool: %+v", h)
			}
			if h := hear("use a TOOL", p.result); !strings.Contains(h.text, "Its result was:") || !strings.Contains(h.text, "it ran") {
				t.Errorf("after the tool: %+v", h)
			}
			if h := hear("LONG", ""); strings.Count(h.text, "\n") < 30 {
				t.Errorf("LONG: %+v", h)
			}
			for word, status := range map[string]int{"FAIL": 500, "RATELIMIT": 429} {
				rec := ask(s, p.path, p.body("now "+word, true, ""))
				var path []any
				for _, k := range p.failure {
					path = append(path, k)
				}
				if msg := str(at(decode(t, rec.Body.String()), path...)); rec.Code != status || !strings.HasPrefix(msg, "fake ") {
					t.Errorf("%s: status %d, message %q", word, rec.Code, msg)
				}
			}
			if q := s.Requests(); q[len(q)-1].Outcome != Refused {
				t.Errorf("a failure is logged as %q", q[len(q)-1].Outcome)
			}
		})
	}
}

// The answers that are not streamed.
func TestWhole(t *testing.T) {
	t.Parallel()
	s := New(Config{})
	s.On("go", Reply{Text: "Sure.", Tools: []ToolCall{{Kind: Shell, Command: "ls"}}})
	ps := protocols()
	for name, c := range map[Protocol]struct{ text, tool []any }{
		Anthropic: {[]any{"content", 0, "text"}, []any{"content", 1, "input", "command"}},
		Responses: {[]any{"output", 0, "content", 0, "text"}, []any{"output", 1, "arguments"}},
		Chat:      {[]any{"choices", 0, "message", "content"}, []any{"choices", 0, "message", "tool_calls", 0, "function", "arguments"}},
		Gemini:    {[]any{"candidates", 0, "content", "parts", 0, "text"}, []any{"candidates", 0, "content", "parts", 1, "functionCall", "args", "command"}},
	} {
		path := strings.Replace(ps[name].path, "streamGenerateContent?alt=sse", "generateContent", 1)
		m := decode(t, ask(s, path, ps[name].body("go", false, "")).Body.String())
		if str(at(m, c.text...)) != "Sure." || !strings.Contains(str(at(m, c.tool...)), "ls") {
			t.Errorf("%s: %v", name, m)
		}
	}
}

func TestGeminiArray(t *testing.T) {
	t.Parallel()
	s := New(Config{})
	p := protocols()[Gemini]
	var list []map[string]any
	body := ask(s, "/v1beta/models/m:streamGenerateContent", p.body("a b", true, "")).Body.Bytes()
	if err := json.Unmarshal(body, &list); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	if str(at(list[0], "candidates", 0, "content", "parts", 0, "text")) != "Hello " || len(list) < 5 {
		t.Errorf("chunks: %v", list)
	}
}

func TestCountAndModels(t *testing.T) {
	t.Parallel()
	s := New(Config{})
	if m := decode(t, ask(s, "/v1/messages/count_tokens?beta=true", `{}`).Body.String()); m["input_tokens"] != 42.0 {
		t.Errorf("count_tokens: %v", m)
	}
	if m := decode(t, ask(s, "/v1beta/models/x:countTokens", `{}`).Body.String()); m["totalTokens"] != 42.0 {
		t.Errorf("countTokens: %v", m)
	}
	rec := httptest.NewRecorder()
	s.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/v1/models", nil))
	if !strings.Contains(rec.Body.String(), `"fake-model"`) {
		t.Errorf("models: %s", rec.Body)
	}
	if rec := ask(s, "/v1/nothing", `{}`); rec.Code != 404 {
		t.Errorf("an unknown route: %d", rec.Code)
	}
	if len(s.Requests()) != 0 {
		t.Errorf("none of these is a request to the model: %v", s.Requests())
	}
}
