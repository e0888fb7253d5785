package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/termio-sh/termio/internal/acp"
	"github.com/termio-sh/termio/internal/acphost"
	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/testkit/acpagent"
)

const someOptions = `[
 {"id":"model","name":"Model","category":"model","type":"select","currentValue":"a","options":[{"value":"a","name":"A"},{"value":"b","name":"B"}]},
 {"id":"effort","name":"Effort","category":"thought_level","type":"select","currentValue":"low","options":[{"value":"low","name":"L"},{"value":"high","name":"H"}]},
 {"id":"fast-mode","name":"Fast","category":"model_config","type":"boolean","currentValue":false}]`

const someModes = `{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"plan","name":"Plan"}]}`

// wasSet tells what the scripted agent was set to since it was asked last.
func (f *fleet) wasSet(from *int) string {
	f.t.Helper()
	all := acpagent.Heard(filepath.Join(f.home, "heard"))
	var out []string
	for _, line := range all[*from:] {
		method, params, _ := strings.Cut(line, " ")
		var q struct {
			ConfigID, ModeID string
			Value            json.RawMessage
		}
		if (method == acp.MethodSetSessionConfigOption || method == acp.MethodSetSessionMode) && json.Unmarshal([]byte(params), &q) == nil {
			out = append(out, q.ConfigID+q.ModeID+"="+strings.Trim(string(q.Value), `"`))
		}
	}
	*from = len(all)
	return strings.Join(out, " ")
}

func shownOptions(r api.OptionsReply) string {
	var out []string
	for _, o := range r.Options {
		out = append(out, fmt.Sprintf("%s/%s=%s", o.Role, o.ID, o.Value))
	}
	return strings.Join(out, " ")
}

// Rows 178–184: the options of a session are shown and set while it lives,
// remembered for the agent's next ones when a person sets them, and kept when
// the session is opened again.
func TestACPOptions(t *testing.T) {
	c := acpagent.Config{Options: json.RawMessage(someOptions), Modes: json.RawMessage(someModes), Caps: []string{"load"}}
	f := acpFleet(t, c)
	link := must[api.SpawnReply](f, "sessions", "spawn", "--acp", "--agent", "fake", "--set", "mode=plan", "--json").Target
	seen := 0
	r := must[api.OptionsReply](f, "sessions", "options", link, "--json")
	if got := shownOptions(r); !r.Live || got != "model/model=a mode/mode=plan effort/effort=low fast/fast-mode=false" || len(r.Remembered) != 0 || !r.Options[0].Free {
		t.Errorf("%s %+v", got, r)
	}
	if got := f.wasSet(&seen); got != "plan=" {
		t.Errorf("at spawn: %s", got)
	}
	r = must[api.OptionsReply](f, "sessions", "options", link, "fast=on", "mode=ask", "effort=high", "model=b", "--json")
	if got := f.wasSet(&seen); got != "model=b ask= effort=high fast-mode=true" {
		t.Errorf("set: %s", got)
	}
	if got := fmt.Sprint(r.Remembered); got != "[{model b} {effort high} {fast true}]" || shownOptions(r) != "model/model=b mode/mode=ask effort/effort=high fast/fast-mode=true" {
		t.Errorf("%s %s", got, shownOptions(r))
	}
	if text := f.termio("sessions", "options", link, "effort"); text.code != 0 || !strings.Contains(text.out, "*  high") {
		t.Errorf("%+v", text)
	}
	for want, args := range map[string][]string{
		"it can be: low, high": {"effort=huge"}, "the agent offers: model, mode": {"speed=1"}, "only the model": {"mode="}, "<name>=<value>": {"a=b", "c"},
	} {
		if e := f.refused(api.CodeBadRequest, append([]string{"sessions", "options", link}, args...)...); !strings.Contains(e.Message, want) {
			t.Errorf("%v: %s", args, e.Message)
		}
	}

	// The next session begins so; an agent's own mode is not remembered.
	if _, _, code := f.acpRun("say x", "--agent", "fake"); code != 0 {
		t.Error("the run failed")
	}
	if got := f.wasSet(&seen); got != "model=b effort=high fast-mode=true" {
		t.Errorf("the next session: %s", got)
	}
	// What is asked for counts first.
	f.acpRun("say x", "--agent", "fake", "--model", "free/x", "--set", "fast=off")
	if got := f.wasSet(&seen); got != "model=free/x effort=high" {
		t.Errorf("asked for: %s", got)
	}

	// An agent's wish is its own session's only.
	own := must[api.SpawnReply](f, "sessions", "run", filepath.Join(bin, "termio")+" sessions options "+link+" model=a; echo exit=$?", "--json").Target
	f.shows(own, "exit=0")
	if got := f.wasSet(&seen); got != "model=a" {
		t.Errorf("from a session: %s", got)
	}
	r = must[api.OptionsReply](f, "sessions", "options", link, "fast=", "--json")
	if got := fmt.Sprint(r.Remembered); got != "[{model b} {effort high}]" || f.wasSet(&seen) != "" {
		t.Errorf("forgotten: %s", got)
	}
	f.refused(api.CodeWrongAgent, "sessions", "options", own)

	// Opened again it is as it was.
	must[api.WaitReply](f, "sessions", "send", link, "say one", "--wait", "--json")
	must[api.CloseReply](f, "sessions", "close", link, "--json")
	must[api.ReopenReply](f, "sessions", "reopen", link, "--json")
	r = must[api.OptionsReply](f, "sessions", "options", link, "--json")
	if r.Live || shownOptions(r) != "model/model=a mode/mode=ask effort/effort=high fast/fast-mode=true" {
		t.Errorf("before it runs: %v %s", r.Live, shownOptions(r))
	}
	must[api.WaitReply](f, "sessions", "send", link, "say two", "--wait", "--json")
	if got := f.wasSet(&seen); got != "effort=high fast-mode=true" {
		t.Errorf("opened again: %s", got)
	}
}

// An editor shows and sets the options of a hosted session; others see it.
func TestACPServeOptions(t *testing.T) {
	f := acpFleet(t, acpagent.Config{Options: json.RawMessage(someOptions), Modes: json.RawMessage(someModes)})
	one := f.editor("--agent", "fake")
	var made acp.NewSessionResponse
	one.must(acp.MethodNewSession, acp.NewSessionRequest{Cwd: f.dir, MCPServers: []acp.McpServer{}}, &made)
	if len(made.ConfigOptions) != 3 || made.Modes == nil || made.Modes.CurrentModeID != "ask" {
		t.Fatalf("%+v", made)
	}
	two := f.editor()
	var loaded acp.LoadSessionResponse
	two.must(acp.MethodLoadSession, acp.LoadSessionRequest{SessionID: made.SessionID, Cwd: f.dir, MCPServers: []acp.McpServer{}}, &loaded)
	if len(loaded.ConfigOptions) != 3 || loaded.Modes == nil {
		t.Errorf("%+v", loaded)
	}
	var set acp.SetSessionConfigOptionResponse
	one.must(acp.MethodSetSessionConfigOption, acp.SetSessionConfigOptionRequest{SessionID: made.SessionID, ConfigID: "fast-mode", Type: "boolean", Value: []byte("true")}, &set)
	if len(set.ConfigOptions) != 3 || set.ConfigOptions[2].Current() != "true" {
		t.Errorf("%+v", set)
	}
	one.must(acp.MethodSetSessionMode, acp.SetSessionModeRequest{SessionID: made.SessionID, ModeID: "plan"}, nil)
	two.hears(acp.UpdateConfig, acp.UpdateMode)
	seen := 0
	if got := f.wasSet(&seen); got != "fast-mode=true plan=" {
		t.Errorf("set: %s", got)
	}
	if err := one.call(acp.MethodSetSessionMode, acp.SetSessionModeRequest{SessionID: made.SessionID, ModeID: "none"}, nil); err == nil || !strings.Contains(err.Error(), "it can be: ask, plan") {
		t.Errorf("a mode that is not there: %v", err)
	}
	one.ends(one.prompt(string(made.SessionID), "say done"), "end_turn")
}

// TestACPNotices: what a run was asked for and the agent does not have is told,
// as an event and to people.
func TestACPNotices(t *testing.T) {
	f := acpFleet(t, acpagent.Config{Options: json.RawMessage(someOptions)})
	events, last, code := f.acpRun("say x", "--agent", "fake", "--set", "speed=9")
	told := 0
	for _, ev := range events {
		if ev.Type == acphost.EventNotice && strings.Contains(ev.Message, "speed is not set") {
			told++
		}
	}
	if told != 1 || code != 0 || last.Type != acphost.EventCompleted {
		t.Errorf("told %d times, exit %d, %+v", told, code, last)
	}
	if r := f.termio("acp", "run", "say x", "--agent", "fake", "--set", "speed=9"); r.code != 0 || !strings.Contains(r.err, "speed is not set") {
		t.Errorf("exit %d: %s%s", r.code, r.out, r.err)
	}
	for _, agent := range []string{"nobody", "terminal"} {
		if r := f.termio("acp", "serve", "--agent", agent); r.code == 0 || !strings.Contains(r.err, "error: ") {
			t.Errorf("acp serve --agent %s: exit %d, %q", agent, r.code, r.err)
		}
	}
}
