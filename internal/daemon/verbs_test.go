//go:build unix

package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/api"
)

func TestVerbs(t *testing.T) {
	h := newHome(t)
	ctx := t.Context()
	if rows := h.list(false); len(rows) != 0 {
		t.Fatalf("a new home has %+v", rows)
	}
	began := time.Now()
	r, err := h.client.Run(ctx, api.RunRequest{Caller: h.caller(), Command: "echo $((40+2))", Env: os.Environ(), Cols: 90, Rows: 20})
	if err != nil || !r.Created || !r.Queued || r.Title != "echo $((40+2))" {
		t.Fatalf("run: %+v, %v", r, err)
	}
	t.Logf("run answered in %v", time.Since(began))
	target, id := r.Target, strings.TrimPrefix(r.Target, "termio://session/")
	h.eventually("the output is there", func() bool { return strings.Contains(h.screen(target), "\n42") })

	rows := h.list(false)
	if len(rows) != 1 {
		t.Fatalf("list: %+v", rows)
	}
	row := rows[0]
	if row.Link != target || row.ID != id[:8] || row.Agent != "Terminal" || row.AgentID != "terminal" || row.Project != h.dir || row.Description == "" {
		t.Errorf("row: %+v", row)
	}

	// Every form of the address.
	for _, address := range []string{target, id, id[:8], strings.ToUpper(id), row.Title} {
		if _, err := h.client.Focus(ctx, api.TargetRequest{Caller: h.caller(), Target: address}); err != nil {
			t.Errorf("focus %q: %v", address, err)
		}
	}
	sent, err := h.client.Send(ctx, api.SendRequest{Caller: h.caller(), Target: id[:8], Text: "stty size", Enter: true})
	if err != nil || sent.Target != target || sent.Delivered != len("stty size") {
		t.Errorf("send: %+v, %v", sent, err)
	}
	h.eventually("it has the size that was asked for", func() bool { return strings.Contains(h.screen(target), "\n20 90") })
	_, err = h.client.Send(ctx, api.SendRequest{Caller: h.caller(), Target: target, Keys: []string{"no-such-key"}})
	refused(t, err, api.CodeBadKey)
	_, err = h.client.Send(ctx, api.SendRequest{Caller: h.caller(), Target: target, Enter: true})
	refused(t, err, api.CodeNoText)
	_, err = h.client.Run(ctx, api.RunRequest{Caller: h.caller()})
	refused(t, err, api.CodeNoText)

	if named, err := h.client.Rename(ctx, api.RenameRequest{Caller: h.caller(), Target: target, Title: "Server"}); err != nil || named.Title != "Server" {
		t.Errorf("rename: %+v, %v", named, err)
	}
	if rows := h.list(false); rows[0].Title != "Server" {
		t.Errorf("after rename: %+v", rows)
	}
	where, err := h.client.Resolve(ctx, api.TargetRequest{Caller: h.caller(), Target: "server"})
	if err != nil || where.Socket != h.layout.HostSocket(id) || where.Title != "Server" {
		t.Errorf("resolve: %+v, %v", where, err)
	}
	if trace, err := h.client.Trace(ctx, api.TargetRequest{Caller: h.caller(), Target: target}); err != nil || trace.Changes == nil {
		t.Errorf("trace: %+v, %v", trace, err)
	}
	_, err = h.client.Read(ctx, api.ReadRequest{Caller: h.caller(), Target: "nothing"})
	refused(t, err, api.CodeNotFound, "in demo", "termio sessions list")
	_, err = h.client.Read(ctx, api.ReadRequest{Caller: h.caller(), Target: ""})
	refused(t, err, api.CodeNoTarget)

	closed, err := h.client.CloseSession(ctx, api.TargetRequest{Caller: h.caller(), Target: target})
	if err != nil || closed.Closed != target || closed.Title != "Server" {
		t.Errorf("close: %+v, %v", closed, err)
	}
	if rows := h.list(false); len(rows) != 0 {
		t.Errorf("after close: %+v", rows)
	}
	gone, ok := h.find(target)
	if !ok || gone.Status != "closed" || gone.Closed.Reason != "user-closed" {
		t.Errorf("tombstone: %+v", gone)
	}
	for what, err := range map[string]error{
		"read":    second(h.client.Read(ctx, api.ReadRequest{Caller: h.caller(), Target: target})),
		"send":    second(h.client.Send(ctx, api.SendRequest{Caller: h.caller(), Target: target, Text: "x"})),
		"close":   second(h.client.CloseSession(ctx, api.TargetRequest{Caller: h.caller(), Target: target})),
		"resolve": second(h.client.Resolve(ctx, api.TargetRequest{Caller: h.caller(), Target: target})),
	} {
		if code(err) != api.CodeNotFound || !strings.Contains(err.Error(), "user-closed") {
			t.Errorf("%s of a closed session: %v", what, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestProgramThatDiesAtOnce(t *testing.T) {
	h := newHome(t)
	h.script("dies", `echo "no licence found"; exit 7`)
	h.manifest("dies", `{"id":"dies","name":"Dies","command":"dies"}`)
	r, err := h.client.Spawn(t.Context(), api.SpawnRequest{Caller: h.caller(), Agent: "dies", Env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	if r.Queued {
		t.Error("nothing was given, and something is queued")
	}
	h.eventually("it is closed", func() bool {
		row, ok := h.find(r.Target)
		return ok && row.Closed != nil
	})
	row, _ := h.find(r.Target)
	if row.Closed.Reason != "boot-failed" || row.Closed.ExitCode == nil || *row.Closed.ExitCode != 7 {
		t.Errorf("tombstone: %+v", row.Closed)
	}
	_, err = h.client.Read(t.Context(), api.ReadRequest{Caller: h.caller(), Target: r.Target})
	refused(t, err, api.CodeNotFound, "boot-failed", "exit code 7", "no licence found")
	_, err = h.client.Send(t.Context(), api.SendRequest{Caller: h.caller(), Target: r.Target, Text: "hello", Enter: true})
	refused(t, err, api.CodeNotFound, "exit code 7")
}

func TestStartIsRefused(t *testing.T) {
	h := newHome(t)
	bin := filepath.Join(h.user, ".nvm/versions/node/v22/bin/elsewhere")
	if err := os.MkdirAll(filepath.Dir(bin), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(bin, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	h.manifest("missing", `{"id":"missing","name":"Missing","command":"no-such-agent --flag","install":"https://example.com/get"}`)
	h.manifest("elsewhere", `{"id":"elsewhere","name":"Elsewhere","command":"elsewhere","install":"https://example.com/get"}`)
	spawn := func(r api.SpawnRequest) error {
		r.Caller, r.Env = h.caller(), os.Environ()
		return second(h.client.Spawn(t.Context(), r))
	}
	refused(t, spawn(api.SpawnRequest{Agent: "missing"}), api.CodeStartFailed, "no-such-agent", "/usr/bin", "https://example.com/get")
	refused(t, spawn(api.SpawnRequest{Agent: "elsewhere"}), api.CodeStartFailed, bin, "agents.elsewhere.command")
	refused(t, spawn(api.SpawnRequest{Agent: "nope"}), api.CodeBadAgent, "claudeCode", "missing")
	refused(t, spawn(api.SpawnRequest{Agent: "missing", Bypass: true}), api.CodeBadRequest, "--bypass-permissions")
	refused(t, spawn(api.SpawnRequest{Agent: "terminal", Dir: filepath.Join(h.dir, "gone")}), api.CodeStartFailed, "gone")
	refused(t, spawn(api.SpawnRequest{Agent: "terminal", Dir: "relative"}), api.CodeStartFailed, "relative")
	left, _ := os.ReadDir(h.layout.SessionsDir())
	if len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestFirstFoundAgentAndSettings(t *testing.T) {
	h := newHome(t)
	h.script("aaa", `printf 'args:%s:' "$*"; cat`)
	h.manifest("aaa", `{"id":"aaa","name":"Agent A","order":1,"command":"aaa","permissionBypassFlag":"--yolo"}`)
	spawn := func() string {
		t.Helper()
		r, err := h.client.Spawn(t.Context(), api.SpawnRequest{Caller: h.caller(), Env: os.Environ(), Extra: []string{"a b"}})
		if err != nil {
			t.Fatal(err)
		}
		return r.Target
	}
	target := spawn()
	h.eventually("it got its arguments", func() bool { return strings.Contains(h.screen(target), "args:a b:") })
	if rec := h.record(target); rec.Bypass || rec.Agent != "aaa" {
		t.Errorf("record: %+v", rec)
	}
	settings := `{"defaultAgent":"aaa","agents":{"aaa":{"bypassPermissions":true}}}`
	if err := os.WriteFile(h.layout.Settings(), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	target = spawn()
	h.eventually("the setting counts", func() bool { return strings.Contains(h.screen(target), "args:--yolo a b:") })
	if !h.record(target).Bypass {
		t.Error("the record does not say so")
	}
}

func TestManifestsAreReadAgain(t *testing.T) {
	h := newHome(t)
	ids := func() string {
		r, err := h.client.Agents(t.Context(), api.AgentsRequest{Caller: h.caller()})
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, a := range r.Agents {
			out = append(out, a.ID)
		}
		return strings.Join(out, " ")
	}
	if strings.Contains(ids(), "mine") {
		t.Fatal("too early")
	}
	h.manifest("mine", `{"id":"mine","name":"Mine","command":"mine"}`)
	if !strings.Contains(ids(), "mine") {
		t.Error("a new manifest is not there at the next use")
	}
	h.manifest("bad", `{"id":"bad"`)
	r, err := h.client.Agents(t.Context(), api.AgentsRequest{Caller: h.caller()})
	if err != nil || !strings.Contains(ids(), "mine") || len(r.Problems) != 1 || !strings.Contains(r.Problems[0].File, "bad.json") {
		t.Errorf("a bad one: %+v, %v", r.Problems, err)
	}
	if err := os.Remove(filepath.Join(h.layout.AgentsDir(), "mine.json")); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(ids(), "mine") {
		t.Error("a removed manifest is still there")
	}
}

func TestVersionsAreAskedOnce(t *testing.T) {
	h := newHome(t)
	asked := filepath.Join(h.user, "asked")
	path := h.script("vers", `echo x >> `+asked+`; echo "vers 1.2.3 (Vers)"`)
	h.manifest("vers", `{"id":"vers","name":"Vers","command":"vers"}`)
	slow := h.script("slow", `echo 1.0; exec sleep 300`)
	get := func(id string) api.Agent {
		t.Helper()
		r, err := h.client.Agents(t.Context(), api.AgentsRequest{Caller: h.caller(), ID: id, Versions: true})
		if err != nil || len(r.Agents) != 1 {
			t.Fatalf("%+v, %v", r, err)
		}
		return r.Agents[0]
	}
	for range 3 {
		if a := get("VERS"); !a.Found || a.Path != path || a.Version != "1.2.3" || a.Source == "bundled" {
			t.Errorf("got %+v", a)
		}
	}
	if data, _ := os.ReadFile(asked); string(data) != "x\n" {
		t.Errorf("it was asked %d times", strings.Count(string(data), "x"))
	}
	if v, whole := askVersion(t.Context(), 100*time.Millisecond, slow, nil, os.Environ()); v != "" || whole {
		t.Errorf("a program that hangs: %q, %v", v, whole)
	}
	if v, whole := askVersion(t.Context(), 10*time.Second, "/bin/false", nil, os.Environ()); v != "" || !whole {
		t.Errorf("a program that fails: %q, %v", v, whole)
	}
}

func TestSessionControlOff(t *testing.T) {
	h := newHome(t)
	h.daemonPID()
	if err := os.WriteFile(h.layout.Settings(), []byte(`{"sessionControl":false}`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := h.client.List(t.Context(), api.ListRequest{Caller: h.caller()})
	refused(t, err, api.CodeDisabled, "termio config set sessionControl true", h.layout.Settings())
	if _, err := h.client.Agents(t.Context(), api.AgentsRequest{Caller: h.caller()}); err != nil {
		t.Errorf("what is not session control is off too: %v", err)
	}
	if err := os.Remove(h.layout.Settings()); err != nil {
		t.Fatal(err)
	}
	h.list(false)
}

func TestCorruptSettings(t *testing.T) {
	h := newHome(t)
	h.daemonPID()
	if err := os.WriteFile(h.layout.Settings(), []byte(`{"sessionControl":false}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := h.client.List(t.Context(), api.ListRequest{Caller: h.caller()}); code(err) != api.CodeDisabled {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.layout.Settings(), []byte(`{"sessionControl":fal`), 0o600); err != nil {
		t.Fatal(err)
	}
	// Somebody may be writing it: what was read before still counts.
	if _, err := h.client.List(t.Context(), api.ListRequest{Caller: h.caller()}); code(err) != api.CodeDisabled {
		t.Errorf("a file in the middle of a change: %v", err)
	}
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(h.layout.Settings(), long, long); err != nil {
		t.Fatal(err)
	}
	r, err := h.client.Daemon(t.Context())
	if err != nil || len(r.Problems) != 1 || !strings.Contains(r.Problems[0].Message, ".corrupt-") {
		t.Errorf("reported: %+v, %v", r.Problems, err)
	}
	// What was switched off stays off, for the next coordinator too.
	for range 2 {
		_, err = h.client.List(t.Context(), api.ListRequest{Caller: h.caller()})
		refused(t, err, api.CodeDisabled)
		if r, _ := h.client.Daemon(t.Context()); len(r.Problems) != 1 {
			t.Errorf("the report is gone: %+v", r.Problems)
		}
	}
	h.kill9()
	_, err = h.client.List(t.Context(), api.ListRequest{Caller: h.caller()})
	refused(t, err, api.CodeDisabled)
	if err := os.WriteFile(h.layout.Settings(), []byte(`{}`), 0o600); err != nil {
		t.Fatal(err)
	}
	h.list(false)
}
