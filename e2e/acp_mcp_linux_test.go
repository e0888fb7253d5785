package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/termio-sh/termio/internal/acp"
	"github.com/termio-sh/termio/internal/acphost"
	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/testkit/acpagent"
)

// heardOf are the parameters of a method that the scripted agent got.
func (f *fleet) heardOf(method string) (out []string) {
	for _, line := range acpagent.Heard(filepath.Join(f.home, "heard")) {
		if params, ok := strings.CutPrefix(line, method+" "); ok {
			out = append(out, params)
		}
	}
	return out
}

// given are the MCP servers of a request, as name:command.
func given(t *testing.T, params string) string {
	t.Helper()
	var q struct{ MCPServers []acp.McpServer }
	if err := json.Unmarshal([]byte(params), &q); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, s := range q.MCPServers {
		out = append(out, s.Name+":"+filepath.Base(s.Command+s.URL))
		for _, e := range s.Env {
			if s.Name == acphost.OwnServer && (e.Name == "TERMIO_SESSION" || e.Name == "TERMIO_TOKEN") && e.Value != "" {
				out = append(out, e.Name)
			}
		}
	}
	return strings.Join(out, " ")
}

// MCP servers of the user, of the project and of a session; this program's own
// among them, behind what it lets the session do (row 190).
func TestACPServers(t *testing.T) {
	f := acpFleet(t, acpagent.Config{Caps: []string{"load"}, Store: t.TempDir()})
	file := filepath.Join(f.home, "servers.json")
	if err := os.WriteFile(file, []byte(`{"mcpServers":{"filed":{"command":"cat"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	project, err := filepath.EvalSymlinks(f.dir)
	if err != nil {
		t.Fatal(err)
	}
	set := func(key, value string) {
		t.Helper()
		if r := f.termio("config", "set", key, value); r.code != 0 {
			t.Fatalf("%+v", r)
		}
	}
	set("acp.mcpServers", `{"user":{"command":"true"},"both":{"command":"true"},"termio":true}`)
	set("projects."+project+".mcpServers", `{"both":{"command":"false"}}`)
	if got := f.termio("config", "get", "acp.mcpServers").out; !strings.Contains(got, `"user":{"command":"true"}`) {
		t.Errorf("the setting: %s", got)
	}
	link := must[api.SpawnReply](f, "sessions", "spawn", "--acp", "--agent", "fake", "--mcp", "mine=sh -c :", "--mcp-config", file, "--json").Target
	must[api.WaitReply](f, "sessions", "send", link, "say ONE", "--wait", "--json")
	const all = "both:false user:true filed:cat mine:sh termio:termio-mcp TERMIO_SESSION TERMIO_TOKEN"
	if got := given(t, f.heardOf(acp.MethodNewSession)[0]); got != all {
		t.Errorf("new: %s", got)
	}
	// Its next life has them, too.
	must[api.CloseReply](f, "sessions", "close", link, "--json")
	if r := must[api.ReopenReply](f, "sessions", "reopen", link, "--json"); !r.Resumed {
		t.Errorf("%+v", r)
	}
	must[api.WaitReply](f, "sessions", "send", link, "say TWO", "--wait", "--json")
	if got := f.heardOf(acp.MethodLoadSession); len(got) != 1 || given(t, got[0]) != all {
		t.Errorf("load: %v", got)
	}
	// Another reach: not continued, but told.
	f.termio("config", "unset", "acp.mcpServers")
	must[api.CloseReply](f, "sessions", "close", link, "--json")
	r := must[api.ReopenReply](f, "sessions", "reopen", link, "--json")
	if r.Resumed || !strings.Contains(r.Fresh, "has changed") {
		t.Errorf("%+v", r)
	}
	// Nothing was said yet, so it still holds in the life after that.
	must[api.CloseReply](f, "sessions", "close", link, "--json")
	must[api.ReopenReply](f, "sessions", "reopen", link, "--json")
	must[api.WaitReply](f, "sessions", "send", link, "say THREE", "--wait", "--json")
	news, prompts := f.heardOf(acp.MethodNewSession), f.heardOf(acp.MethodPrompt)
	if len(news) != 2 || given(t, news[1]) != "both:false filed:cat mine:sh" || len(f.heardOf(acp.MethodLoadSession)) != 1 {
		t.Errorf("%v", news)
	}
	last := prompts[len(prompts)-1]
	for _, want := range []string{"User: say ONE", "Assistant: ONE", "Assistant: TWO", "say THREE"} {
		if !strings.Contains(last, want) {
			t.Errorf("not told %q: %s", want, last)
		}
	}
	if !strings.Contains(f.screen(link), "a new session of the agent's goes on") {
		t.Errorf("it is not said:\n%s", f.screen(link))
	}

	// The same by the agent's own id; none of the settings'.
	_, first, _ := f.acpRun("say PAST", "--agent", "fake", "--mcp", "none", "--mcp", "termio")
	own := f.heardOf(acp.MethodNewSession)
	if got := given(t, own[len(own)-1]); got != "termio:termio-mcp TERMIO_SESSION TERMIO_TOKEN" {
		t.Errorf("alone: %s", got)
	}
	if _, again, code := f.acpRun("say x", "--agent", "fake", "--mcp", "none", "--mcp", "termio", "--session", first.ProviderSessionID); code != 0 || again.ProviderSessionID != first.ProviderSessionID {
		t.Errorf("the same reach: %+v", again)
	}
	events, end, code := f.acpRun("say y", "--agent", "fake", "--mcp", "none", "--session", first.ProviderSessionID)
	if code != 0 || end.ProviderSessionID == first.ProviderSessionID || !strings.HasSuffix(streamed(events), "y") {
		t.Errorf("another reach: %+v", end)
	}
	prompts = f.heardOf(acp.MethodPrompt)
	if !strings.Contains(prompts[len(prompts)-1], "Assistant: PAST") {
		t.Errorf("not told: %s", prompts[len(prompts)-1])
	}
	for _, args := range [][]string{{"--mcp", "odd"}, {"--mcp-config", "/nowhere"}} {
		if r := f.termio(append([]string{"acp", "run", "x", "--agent", "fake"}, args...)...); r.code == 0 {
			t.Errorf("%v: %+v", args, r)
		}
	}
	f.refused(api.CodeStartFailed, "sessions", "spawn", "--acp", "--agent", "fake", "--mcp", "gone=no-such-program")
}

// Row 185: the user's User-Agent and proxy are in the agent's environment and
// nowhere else.
func TestACPInjected(t *testing.T) {
	f := acpFleet(t, acpagent.Config{})
	for key, value := range map[string]string{"acp.userAgent": "codex-cli/0.55.0", "acp.proxy": "http://127.0.0.1:7890"} {
		if r := f.termio("config", "set", key, value); r.code != 0 {
			t.Fatalf("%+v", r)
		}
	}
	if r := f.termio("config", "set", "acp.proxy", "nonsense"); r.code == 0 {
		t.Error("a proxy that is none was taken")
	}
	link := must[api.SpawnReply](f, "sessions", "spawn", "--acp", "--agent", "fake", "--json").Target
	must[api.WaitReply](f, "sessions", "send", link, `run echo "$TERMIO_USER_AGENT $HTTPS_PROXY $NO_PROXY"`, "--wait", "--json")
	if got := f.screen(link); !strings.Contains(got, "codex-cli/0.55.0 http://127.0.0.1:7890 127.0.0.1,localhost,::1") {
		t.Errorf("%s", got)
	}
	record, err := json.Marshal(f.record(link))
	if err != nil || strings.Contains(string(record), "7890") || strings.Contains(string(record), "0.55") {
		t.Errorf("the record: %s, %v", record, err)
	}
}

// Rows 54–57: a past session of Dsh, which cannot replay one, is read from
// where it keeps them; a Dsh that can is asked.
func TestACPDsh(t *testing.T) {
	f := acpFleet(t, acpagent.Config{Caps: []string{"resume"}})
	path, err := scripted()
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(f.home, "dsh")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	f.manifest("dsh", map[string]any{"command": link})
	const id = "0b54e1a2-7f7c-4a37-9d2c-3f1f6f6f0a11"
	home := t.TempDir()
	f.env = append(f.env, "DSH_HOME="+home)
	cwd, err := filepath.EvalSymlinks(f.dir)
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(home, "sessions", "p", id, "session.v4.jsonl")
	text := `{"type":"session","version":4,"id":"` + id + `","cwd":"` + cwd + `"}` + "\n" +
		`{"seq":0,"type":"user/message","data":{"source":{"kind":"user"},"content":[{"type":"text","text":"ask"}]}}` + "\n" +
		`{"seq":1,"type":"assistant/message","data":{"content":[{"type":"text","text":"from the disk"}]}}` + "\n" +
		`{"seq":2,"type":"session/title","data":{"title":"Past"}}` + "\n"
	if err = os.MkdirAll(filepath.Dir(log), 0o700); err == nil {
		err = os.WriteFile(log, []byte(text), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	r := must[api.ACPLoadReply](f, "acp", "load", id, "--agent", "dsh", "--json")
	if r.Title != "Past" || len(r.Lines) != 2 || r.Lines[0].Text != "ask" || r.Lines[1].Text != "from the disk" {
		t.Errorf("%+v", r)
	}
	if e := f.refused(api.CodeStartFailed, "acp", "load", strings.Replace(id, "0", "1", 1), "--agent", "dsh"); !strings.Contains(e.Message, "it is not there") {
		t.Errorf("%s", e.Message)
	}
	if len(f.heardOf(acp.MethodLoadSession)) != 0 {
		t.Error("it was asked to load")
	}
	f.temper(acpagent.Config{Caps: []string{"load"}, Replay: []string{"say by itself"}})
	if r := must[api.ACPLoadReply](f, "acp", "load", id, "--agent", "dsh", "--json"); len(r.Lines) != 1 || r.Lines[0].Text != "by itself" {
		t.Errorf("%+v", r)
	}
}
