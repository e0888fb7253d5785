//go:build unix

package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/termio-sh/termio/internal/api"
)

// served is the API as a program finds it that has only its document.
type served struct {
	*home
	http http.Client
	doc  map[string]any
	all  *jsonschema.Compiler
}

func (h *home) served() *served {
	h.Helper()
	h.daemonPID()
	s := &served{home: h}
	s.http.Transport = &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", h.layout.DaemonSocket())
	}, DisableKeepAlives: true}
	r, err := s.http.Get("http://termio" + api.OpenAPIPath)
	if err != nil {
		h.Fatal(err)
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK || r.Header.Get("Content-Type") != "application/json" {
		h.Fatalf("the document comes with %s as %s", r.Status, r.Header.Get("Content-Type"))
	}
	doc, err := jsonschema.UnmarshalJSON(r.Body)
	if err != nil {
		h.Fatal(err)
	}
	s.doc = doc.(map[string]any)
	s.all = jsonschema.NewCompiler()
	s.all.DefaultDraft(jsonschema.Draft2020)
	s.all.AssertFormat()
	if err := s.all.AddResource("openapi.json", doc); err != nil {
		h.Fatal(err)
	}
	return s
}

// schema is the one at a place in the document.
func (s *served) schema(at ...string) *jsonschema.Schema {
	s.Helper()
	escape := strings.NewReplacer("~", "~0", "/", "~1", "+", "%2B")
	pointer := "openapi.json#"
	for _, part := range at {
		pointer += "/" + escape.Replace(part)
	}
	sch, err := s.all.Compile(pointer)
	if err != nil {
		s.Fatalf("%v: %v", at, err)
	}
	return sch
}

func (s *served) validates(what string, sch *jsonschema.Schema, text []byte) {
	s.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = sch.Validate(v)
	}
	if err != nil {
		s.Errorf("%s does not validate: %v\n%s", what, err, text)
	}
}

// call makes a call as the document describes it, and checks what is sent and
// what comes. ok says which of the two replies is expected.
func (s *served) call(path string, request any, ok bool) map[string]any {
	s.Helper()
	body, err := json.Marshal(request)
	if err != nil {
		s.Fatal(err)
	}
	s.validates("the request of "+path, s.schema("paths", path, "post", "requestBody", "content", "application/json", "schema"), body)
	ctx, cancel := context.WithTimeout(s.Context(), 30*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://termio"+path, bytes.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	resp, err := s.http.Do(r)
	if err != nil {
		s.Fatalf("%s: %v", path, err)
	}
	defer resp.Body.Close()
	kind, status := resp.Header.Get("Content-Type"), "200"
	if resp.StatusCode != http.StatusOK {
		status = "default"
	}
	if (status == "200") != ok {
		text, _ := io.ReadAll(resp.Body)
		s.Errorf("%s replies %s: %s", path, resp.Status, text)
		return nil
	}
	sch := s.schema("paths", path, "post", "responses", status, "content", kind, "schema")
	if kind == "application/x-ndjson" {
		var lines int
		for d := json.NewDecoder(resp.Body); lines < 1; lines++ { // and it goes on
			var line json.RawMessage
			if err := d.Decode(&line); err != nil {
				s.Fatalf("%s: %v", path, err)
			}
			s.validates("a line of "+path, sch, line)
		}
		return nil
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.Fatal(err)
	}
	s.validates("the reply of "+path, sch, text)
	var reply map[string]any
	if err := json.Unmarshal(text, &reply); err != nil {
		s.Fatal(err)
	}
	return reply
}

// TestOpenAPIIsTrue drives every path of the document, with success and with a
// refusal, and validates all that goes over the socket.
func TestOpenAPIIsTrue(t *testing.T) {
	h := newHome(t)
	h.agentThatReads()
	h.git("status")
	s := h.served()
	me := map[string]any{"cwd": h.dir}
	env := os.Environ()
	type body = map[string]any

	run := s.call("/v1/sessions/run", body{"caller": me, "command": "echo out-$((1+1))", "title": "one", "env": env}, true)
	target, _ := run["target"].(string)
	h.eventually("its output", func() bool { return strings.Contains(h.screen(target), "out-2") })
	spawned := s.call("/v1/sessions/spawn", body{"caller": me, "agent": "reader", "prompt": "hello", "env": env, "worktree": "w", "wait": true, "timeout_ms": 1000}, true)
	agent, _ := spawned["target"].(string)
	s.call("/v1/sessions/spawn", body{"caller": me, "agent": "reader", "env": env}, true)
	in := func(more body) body {
		out := body{"caller": me, "target": target}
		for k, v := range more {
			out[k] = v
		}
		return out
	}

	// Paths with a request that succeeds; nil where none can here.
	succeed := map[string]any{
		"/v1/sessions/list":    body{"caller": me, "closed": true},
		"/v1/sessions/send":    in(body{"text": "true", "enter": true}),
		"/v1/sessions/read":    in(body{"lines": 5}),
		"/v1/sessions/focus":   in(nil),
		"/v1/sessions/rename":  in(body{"title": "two"}),
		"/v1/sessions/resolve": in(nil),
		"/v1/sessions/trace":   in(nil),
		"/v1/sessions/queue":   body{"caller": me, "target": agent},
		"/v1/sessions/wait":    in(body{"timeout_ms": 10_000}),
		"/v1/sessions/watch":   body{"caller": me},
		"/v1/worktrees/list":   body{"caller": me},
		"/v1/projects/open":    body{"caller": me, "dir": h.dir},
		"/v1/agents/list":      body{"caller": me},
		"/v1/daemon":           body{},
		"/v1/history/search":   body{"caller": me},
		"/v1/history/status":   body{"caller": me},
		"/v1/history/rebuild":  body{"caller": me},
		"/v1/notify":           body{"caller": me, "text": "m"},
	}
	paths := s.doc["paths"].(map[string]any)
	for path, request := range succeed {
		if paths[path] == nil {
			if strings.HasPrefix(path, "/v1/history") || path == "/v1/notify" {
				continue
			}
			t.Errorf("%s is not in the document", path)
			continue
		}
		s.call(path, request, true)
	}
	// And every path with one that cannot.
	nobody := map[string]any{"session": "00000000-0000-4000-8000-000000000000", "token": "x"}
	driven := 0
	for path, of := range paths {
		operations := of.(map[string]any)
		if operations["post"] == nil || strings.HasPrefix(path, "/v1/daemon") || path == "/v1/agents/list" {
			continue // they refuse nobody
		}
		refused := body{"caller": nobody}
		for _, v := range api.Verbs() {
			if v.Path == path {
				fill(refused, v.Request)
			}
		}
		if path == "/v1/sessions/await" {
			refused["wait"] = `{"id":"x"}`
		}
		refused["caller"] = nobody
		s.call(path, refused, false)
		driven++
	}
	if driven < len(api.Verbs())-6 {
		t.Errorf("only %d paths were driven", driven)
	}

	s.call("/v1/sessions/close", body{"caller": me, "target": agent}, true)
	s.call("/v1/sessions/reopen", body{"caller": me, "target": agent, "env": env}, true)
	s.call("/v1/sessions/close", body{"caller": me, "target": agent}, true)
	s.call("/v1/worktrees/remove", body{"caller": me, "worktree": "w"}, true)
	s.call("/v1/sessions/close-done", body{"caller": me}, true)
	if r, err := s.http.Post("http://termio"+api.OpenAPIPath, "application/json", nil); err != nil || r.StatusCode != http.StatusBadRequest {
		t.Errorf("a POST of the document: %v, %v", r, err)
	}
	s.call("/v1/daemon/stop", body{}, true)
}

// fill gives a request what it must have, of any content.
func fill(into map[string]any, request any) {
	data, err := json.Marshal(request)
	if err != nil {
		return
	}
	json.Unmarshal(data, &into)
}
