package hooks

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// nodeJS finds a JavaScript runtime: the agents' one, or the machine's.
func nodeJS(t *testing.T) string {
	t.Helper()
	ours, _ := filepath.Abs("../../.agents/node/node_modules/node/bin/node")
	for _, p := range []string{ours, "node"} {
		if path, err := exec.LookPath(p); err == nil {
			return path
		}
	}
	t.Skip("skipped: there is no node here")
	return ""
}

// play runs a plugin under node with a driver's script around it, and gives
// the command lines that its reporter was called with.
func play(t *testing.T, id, driver string, session bool) []string {
	t.Helper()
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	reporter := filepath.Join(dir, "it's a reporter")
	if err := os.WriteFile(reporter, []byte("#!/bin/sh\necho \"$*\" >> "+log+"\nexit 3\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	s := specOf(t, id)
	s.Reporter = reporter
	list, err := targets(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := list[0].install(nil, s)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "plugin.mjs"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "driver.mjs"), []byte(driver), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(nodeJS(t), filepath.Join(dir, "driver.mjs"))
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	if session {
		cmd.Env = append(cmd.Env, "TERMIO_SESSION=x")
	}
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%v\n%s\n%s", err, out, text)
	}
	data, _ := os.ReadFile(log)
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

const opencodeDriver = `import { Termio } from "./plugin.mjs"
const hooks = await Termio({})
const send = (type, properties) => hooks.event?.({ event: { type, properties } })
await send("session.created", { info: { id: "root" } })
await send("session.status", { sessionID: "root", status: { type: "busy" } })
await send("session.created", { info: { id: "child", parentID: "root" } })
await send("session.status", { sessionID: "child", status: { type: "busy" } })
await send("permission.asked", { sessionID: "child" })
await send("permission.replied", { sessionID: "child" })
await send("session.idle", { sessionID: "child" })
await send("session.status", { sessionID: "root", status: { type: "idle" } })
await send("message.part.updated", {})
await send("session.idle", undefined)
await send("session.idle", { sessionID: "root" })
`

// A sub-agent of OpenCode's neither ends its parent's turn nor lends it its
// conversation; what it asks blocks all the same.
func TestOpenCodePlugin(t *testing.T) {
	got := play(t, "opencode", opencodeDriver, true)
	want := []string{
		"working --event session.status --conversation root",
		"attention --event permission.asked",
		"working --event permission.replied",
		"done --event session.idle",
		"done --event session.idle --conversation root",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("reports:\n%s", strings.Join(got, "\n"))
	}
	if got := play(t, "opencode", opencodeDriver, false); got[0] != "" {
		t.Errorf("outside of a session: %q", got)
	}
}

const onDriver = `import plugin from "./plugin.mjs"
const on = {}
plugin({ on: (name, f) => { on[name] = f } })
const context = { sessionManager: { getSessionId: () => "s-1" } }
for (const name of EVENTS) await on[name]?.({}, context)
`

func driverOf(events ...string) string {
	list, _ := json.Marshal(events)
	return strings.Replace(onDriver, "EVENTS", string(list), 1)
}

func TestPiExtension(t *testing.T) {
	driver := driverOf("session_start", "agent_start", "tool_call", "ui_prompt_start", "agent_settled")
	want := "idle --event session_start --conversation s-1\nworking --event agent_start --conversation s-1\n" +
		"attention --event ui_prompt_start --conversation s-1\ndone --event agent_settled --conversation s-1"
	if got := strings.Join(play(t, "pi", driver, true), "\n"); got != want {
		t.Errorf("reports:\n%s", got)
	}
	if got := play(t, "pi", driver, false); got[0] != "" {
		t.Errorf("outside of a session: %q", got)
	}
}

func TestAmpPlugin(t *testing.T) {
	driver := driverOf("agent.start", "agent.end")
	if got := strings.Join(play(t, "amp", driver, true), "\n"); got != "working --event agent.start\ndone --event agent.end" {
		t.Errorf("reports:\n%s", got)
	}
	if got := play(t, "amp", driver, false); got[0] != "" {
		t.Errorf("outside of a session: %q", got)
	}
}
