package e2e

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/testkit/fakemodel"
	"github.com/termio-sh/termio/skills"
)

// asked waits for the model's request with the newest tool result in a turn.
func (j *journey) asked(prompt string, fits func(fakemodel.Request) bool) fakemodel.Request {
	j.t.Helper()
	ctx, cancel := context.WithTimeout(j.ctx, 90*time.Second)
	defer cancel()
	r, err := j.model.Wait(ctx, func(r fakemodel.Request) bool {
		return !r.Side() && strings.Contains(r.Prompt, prompt) && fits(r)
	})
	if err != nil {
		j.t.Fatalf("the model was not asked as it should be: %v; it heard %q%s", err, j.heard(), j.state())
	}
	return r
}

// TestMCP: a real agent calls termio's tools through `termio mcp`. It sees its
// own project, starts a worker, which is told who spawned it, and waits for it.
func TestMCP(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: real agents take long, and this is a short run")
	}
	j := newJourney(t, "claude", "pi")
	config := filepath.Join(j.dir, "mcp.json")
	if err := os.WriteFile(config, []byte(`{"mcpServers": {"termio": {"command": "`+filepath.Join(bin, "termio")+`", "args": ["mcp"]}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	tool := func(name string, args map[string]any) fakemodel.ToolCall {
		return fakemodel.ToolCall{Name: "mcp__termio__" + name, Args: args}
	}
	j.model.On("look around", fakemodel.Reply{Tools: []fakemodel.ToolCall{tool("sessions_list", nil)}}, fakemodel.Reply{Text: "I looked."})
	j.model.On("delegate it", fakemodel.Reply{Tools: []fakemodel.ToolCall{
		tool("sessions_spawn", map[string]any{"prompt": "work hard", "agent": "pi", "wait": true}),
	}}, fakemodel.Reply{Text: "It is delegated."})
	j.model.On("work hard", fakemodel.Reply{Text: "The work is done."})

	spawned := must[api.SpawnReply](j.fleet, "sessions", "spawn", "please look around", "--agent", "claudeCode", "--json",
		"--", "--mcp-config", config, "--strict-mcp-config", "--allowedTools", "mcp__termio__sessions_list", "mcp__termio__sessions_spawn")
	boss := spawned.Target
	offered := j.asked("look around", func(r fakemodel.Request) bool { return r.ToolResult != nil })
	names := map[string]bool{}
	for _, tool := range offered.Tools {
		names[tool.Name] = true
	}
	for _, want := range []string{"mcp__termio__sessions_wait", "mcp__termio__sessions_transcript", "mcp__termio__worktrees_list"} {
		if !names[want] && !strings.Contains(string(offered.Body), want) {
			t.Errorf("the agent does not offer %s", want)
		}
	}
	if got := *offered.ToolResult; !strings.Contains(got, boss) || !strings.Contains(got, `"project":"proj"`) {
		t.Errorf("sessions_list gave %s", got)
	}
	j.at("listed")
	j.is(boss, "done")

	must[api.SendReply](j.fleet, "sessions", "send", boss, "now delegate it", "--json")
	told := j.asked("work hard", func(fakemodel.Request) bool { return true })
	if !strings.Contains(string(told.Body), "[termio: the session "+boss+" gave you") {
		t.Errorf("the worker is not told who spawned it: %s", told.Prompt)
	}
	result := *j.asked("delegate it", func(r fakemodel.Request) bool { return r.ToolResult != nil }).ToolResult
	if !strings.Contains(result, `"status":"done"`) || !strings.Contains(result, `"created":true`) || !strings.Contains(result, `"cursor_end":`) {
		t.Errorf("sessions_spawn gave %s", result)
	}
	j.at("delegated")
	var worker api.Session
	for _, s := range j.list() {
		if s.Parent == boss {
			worker = s
		}
	}
	if worker.AgentID != "pi" || worker.Title != "work hard" && !strings.Contains(worker.Title, "Fake session title") {
		t.Errorf("the worker's row: %+v", worker)
	}
	answer := must[api.TranscriptReply](j.fleet, "sessions", "transcript", worker.Link, "--json")
	if got := saidBy(answer, "assistant"); !strings.Contains(got, "The work is done.") {
		t.Errorf("the worker's answer is %q", got)
	}
}

// TestSkill: a real agent finds the skill where termio puts it, lists it, and
// loads its text, to the letter.
func TestSkill(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: real agents take long, and this is a short run")
	}
	j := newJourney(t, "claude")
	if r := j.termio("skill", "install"); r.code != 0 {
		t.Fatalf("skill install: %+v", r)
	}
	installed, err := os.ReadFile(filepath.Join(value(j.env, "HOME"), ".claude/skills/termio/SKILL.md"))
	if err != nil || !strings.HasPrefix(string(installed), skills.Termio) {
		t.Fatalf("the installed copy: %v\n%s", err, installed)
	}
	inRepository, err := os.ReadFile("../skills/termio/SKILL.md")
	if err != nil || string(inRepository) != skills.Termio {
		t.Errorf("the copy in the program is not that of the repository: %v", err)
	}
	j.model.On("use the skill", fakemodel.Reply{Tools: []fakemodel.ToolCall{{Name: "Skill", Args: map[string]any{"skill": "termio"}}}}, fakemodel.Reply{Text: "I know it now."})
	spawned := must[api.SpawnReply](j.fleet, "sessions", "spawn", "please use the skill", "--agent", "claudeCode", "--json", "--", "--allowedTools", "Skill")
	first := j.asked("use the skill", func(r fakemodel.Request) bool { return r.ToolResult == nil })
	if body := string(first.Body); !strings.Contains(body, "Drive other agent sessions and terminals through the termio command") {
		t.Error("the agent does not list the skill")
	}
	loaded := j.asked("", func(r fakemodel.Request) bool {
		return strings.Contains(string(r.Body), "outranks this page")
	})
	for _, want := range []string{"Several at once", "send \\u003clink\\u003e --answers", "QUESTION: …"} {
		if body := string(loaded.Body); !strings.Contains(body, want) && !strings.Contains(body, strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(want)) {
			t.Errorf("the agent did not load %q", want)
		}
	}
	j.is(spawned.Target, "done", "needs-you")
}
