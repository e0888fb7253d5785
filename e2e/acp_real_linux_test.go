package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/acphost"
	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/testkit/agents"
	"github.com/termio-sh/termio/internal/testkit/fakemodel"
	"github.com/termio-sh/termio/internal/testkit/netns"
)

// acpAgents are the seven real servers, and what each can and does.
var acpAgents = []struct {
	kit, id string
	// permits: it asks before it runs the model's command. lists and loads
	// what its own sessions are.
	// models: it offers some.
	permits, lists, loads, models bool
}{
	{"claude", "claudeCode", true, true, true, true},
	{"codex", "codex", false, true, true, true}, // its default mode reviews by itself
	{"opencode", "opencode", true, true, true, true},
	{"pi", "pi", false, true, true, true},
	{"gemini", "gemini", true, false, false, true}, // loses sessions within the same minute
	{"qwen", "qwen", true, true, true, true},
	{"copilot", "copilot", true, true, true, false},
}

// acpStage is a real ACP server in a fleet inside a sealed network namespace.
func acpStage(t *testing.T, name string) *journey {
	t.Helper()
	root, err := agents.Find()
	if err != nil {
		t.Fatal(err)
	}
	pins, err := agents.Select(name, agents.ACPPin(name))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pins {
		if err := agents.Installed(root, p); err != nil {
			if os.Getenv("TERMIO_CI") != "" {
				t.Fatalf("the real %s must be here in CI: %v", p.Name, err)
			}
			t.Skipf("skipped: the real %s is not here (go run ./internal/testkit/agents/install %[1]s): %[2]v", p.Name, err)
		}
	}
	ns := netns.New(t)
	j := &journey{fleet: newFleet(t), began: time.Now(), ctx: t.Context()}
	j.start = ns.Start
	l, err := ns.Listen()
	if err != nil {
		t.Fatal(err)
	}
	j.model = fakemodel.Serve(l, fakemodel.Config{Dir: j.dir})
	t.Cleanup(func() { j.model.Close() })
	home, err := agents.NewHome(agents.HomeConfig{
		Root: root, Dir: filepath.Join(filepath.Dir(j.home), "user"), Projects: []string{j.dir}, ModelURL: j.model.URL(), Plugins: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := home.Add(name); err != nil {
		t.Fatal(err)
	}
	if err := home.AddACP(name); err != nil {
		t.Fatal(err)
	}
	j.env = append(home.Env(), "TERMIO_HOME="+j.home, "TERM=xterm-256color")
	return j
}

// run is `termio acp run --json`: its events, the last one, its exit code.
func (j *fleet) acpRun(args ...string) (events []acphost.Event, last acphost.Event, code int) {
	j.t.Helper()
	r := j.termio(append([]string{"acp", "run", "--json"}, args...)...)
	events = acpEvents(j.t, r.out)
	if len(events) == 0 {
		j.t.Fatalf("termio acp run %s printed nothing: exit %d\n%s", strings.Join(args, " "), r.code, r.err)
	}
	return events, events[len(events)-1], r.code
}

// acpEvents reads the lines of a run and checks what holds for all of them.
func acpEvents(t *testing.T, out string) (events []acphost.Event) {
	t.Helper()
	seq := uint64(0)
	for line := range strings.Lines(out) {
		var ev acphost.Event
		if err := json.Unmarshal([]byte(line), &ev); err != nil {
			t.Fatalf("no event: %v: %s", err, line)
		}
		if ev.Seq <= seq || ev.Type == "" {
			t.Errorf("seq %d after %d: %s", ev.Seq, seq, line)
		}
		seq = ev.Seq
		events = append(events, ev)
	}
	for i, ev := range events {
		if end := ev.Type == acphost.EventCompleted || ev.Type == acphost.EventFailed; end != (i == len(events)-1) {
			t.Errorf("event %d of %d is %s", i+1, len(events), ev.Type)
		}
	}
	return events
}

func streamed(events []acphost.Event) string {
	var b strings.Builder
	for _, ev := range events {
		if ev.Type == acphost.EventStream && ev.Kind == "message" && !ev.Replay {
			b.WriteString(ev.Text)
		}
	}
	return b.String()
}

// TestRealACP is one real server after the other: a run, a session with a
// second turn, a permission, a cancel, a coordinator killed in mid-turn, a
// reopened session that goes on, and what the agent lists and loads.
func TestRealACP(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: real agents take long, and this is a short run")
	}
	for _, a := range acpAgents {
		t.Run(a.kit, func(t *testing.T) {
			t.Parallel() // an agent mostly waits
			j := acpStage(t, a.kit)
			probe := must[api.ACPProbeReply](j.fleet, "acp", "probe", a.id, "--json")
			if probe.ProtocolVersion != 1 {
				t.Errorf("probe: %+v", probe)
			}
			j.at(fmt.Sprintf("probed: %s %s", probe.Name, probe.Version))

			events, end, code := j.acpRun("say hello", "--agent", a.id)
			if code != 0 || end.Type != acphost.EventCompleted || end.StopReason != "end_turn" || end.ProviderSessionID == "" {
				t.Fatalf("run: exit %d, %+v", code, end)
			}
			if end.Content == nil || !strings.Contains(*end.Content, "You said: say hello") || streamed(events) != *end.Content {
				t.Errorf("content %q, streamed %q", *end.Content, streamed(events))
			}
			j.at("ran")
			j.acpWarm(a.id)
			if a.models {
				j.acpModel(a.id)
			}
			j.acpSession(a.id, a.permits)
			if a.lists {
				var all api.ACPSessionsReply
				if all = must[api.ACPSessionsReply](j.fleet, "acp", "sessions", "--agent", a.id, "--json"); !all.Supported || len(all.Sessions) == 0 {
					t.Errorf("sessions: %+v", all)
				}
				j.at(fmt.Sprintf("listed %d", len(all.Sessions)))
			}
			if a.loads {
				loaded := must[api.ACPLoadReply](j.fleet, "acp", "load", end.ProviderSessionID, "--agent", a.id, "--json")
				text, _ := json.Marshal(loaded.Lines)
				if !strings.Contains(string(text), "say hello") || !strings.Contains(string(text), "You said") {
					t.Errorf("loaded: %s", text)
				}
				j.at("loaded")
				_, again, code := j.acpRun("say more", "--agent", a.id, "--session", end.ProviderSessionID)
				if code != 0 || again.ProviderSessionID != end.ProviderSessionID || again.Content == nil || strings.Contains(*again.Content, "say hello") {
					t.Errorf("continued: exit %d, %+v %v", code, again, again.Content)
				}
				j.at("continued")
			}
		})
	}
}

// firstToken is how long a run takes until the agent's first words.
func (j *journey) firstToken(id string) time.Duration {
	j.t.Helper()
	began := time.Now()
	r := j.acpStart("--agent", id, "say hello")
	r.until(acphost.EventStream)
	took := time.Since(began)
	if end, code := r.end(); code != 0 || end.StopReason != "end_turn" || end.Content == nil || !strings.Contains(*end.Content, "You said: say hello") {
		j.t.Errorf("exit %d, %+v", code, end)
	}
	return took
}

// acpWarm has a run take an agent that waits for it, and lets another one go:
// nothing of either is left.
func (j *journey) acpWarm(id string) {
	j.t.Helper()
	cold := j.firstToken(id)
	ready := must[api.ACPWarmReply](j.fleet, "acp", "warm", "--agent", id, "--permissions", "restricted", "--json")
	if len(ready.Warm) != 1 || !ready.Warm[0].Ready {
		j.t.Fatalf("not warm: %+v", ready)
	}
	agent := childOf(j.t, ready.Warm[0].PID)
	warm := j.firstToken(id)
	processEnds(j.t, agent, 3*time.Second)
	if list := must[api.ACPWarmReply](j.fleet, "acp", "warm", "--list", "--json"); len(list.Warm) != 0 {
		j.t.Errorf("the run did not take it: %+v", list)
	}
	j.at(fmt.Sprintf("first words after %d ms, of a warm one after %d ms", cold.Milliseconds(), warm.Milliseconds()))
	ready = must[api.ACPWarmReply](j.fleet, "acp", "warm", "--agent", id, "--json")
	agent = childOf(j.t, ready.Warm[0].PID)
	must[api.ACPWarmReply](j.fleet, "acp", "warm", "--end", "--json")
	processEnds(j.t, agent, 5*time.Second)
	j.nothingWarm()
	j.at("a warm one is let go")
}

// modelsAsked are the models that requests were for, and how many.
func (j *journey) modelsAsked() map[string]int {
	n := map[string]int{}
	for _, q := range j.model.Requests() {
		n[q.Model]++
	}
	return n
}

// acpModel has a run use another model than the agent's own choice.
func (j *journey) acpModel(id string) {
	j.t.Helper()
	before := j.modelsAsked()
	offered := must[api.ACPModelsReply](j.fleet, "acp", "models", "--agent", id, "--json")
	i := slices.IndexFunc(offered.Models, func(m api.ACPModel) bool {
		return m.ID != offered.Current && (id != "claudeCode" || m.ID == "haiku")
	})
	if i < 0 {
		j.t.Fatalf("no other model: %+v", offered)
	}
	_, end, code := j.acpRun("say hello", "--agent", id, "--model", offered.Models[i].ID)
	after, changed := j.modelsAsked(), false
	for model := range after {
		changed = changed || before[model] == 0
	}
	if code != 0 || end.StopReason != "end_turn" || !changed {
		j.t.Errorf("with %s: exit %d, %+v; the models were %v, then %v", offered.Models[i].ID, code, end, before, after)
	}
	j.at("with the model " + offered.Models[i].ID)
}

// acpRejects denies what the agent asks for.
func (j *journey) acpRejects(link string) {
	j.t.Helper()
	asks := must[api.WaitReply](j.fleet, "sessions", "send", link, "please TOOL", "--wait", "--json")
	i := slices.IndexFunc(asks.Options, func(o string) bool {
		o = strings.ToLower(o)
		return strings.HasPrefix(o, "reject") || strings.HasPrefix(o, "deny") || strings.HasPrefix(o, "no")
	})
	if asks.Status != "needs-you" || i < 0 {
		j.t.Fatalf("no way to reject: %+v", asks)
	}
	over := must[api.WaitReply](j.fleet, "sessions", "send", link, asks.Options[i], "--wait", "--json")
	if over.Status != "done" {
		j.t.Errorf("after the rejection: %+v", over)
	}
	if _, err := os.Stat(filepath.Join(j.dir, "tool-ran.txt")); err == nil {
		j.t.Errorf("the command that was rejected ran:\n%s", j.screen(link))
	}
	j.at("a rejection")
}

// acpSession has a session over ACP do all that one in a terminal does.
func (j *journey) acpSession(id string, permits bool) {
	j.t.Helper()
	spawned := must[api.SpawnReply](j.fleet, "sessions", "spawn", "--acp", "say one", "--agent", id, "--json")
	link := spawned.Target
	j.shows(link, "You said: say one")
	j.is(link, "done")
	j.at("a session's turn")
	if permits {
		j.acpRejects(link) // before what may be allowed for the whole session
		must[api.SendReply](j.fleet, "sessions", "send", link, "please TOOL now", "--json")
		j.is(link, "needs-you")
		if !strings.Contains(j.screen(link), "? ") {
			j.t.Errorf("no question:\n%s", j.screen(link))
		}
		must[api.SendReply](j.fleet, "sessions", "send", link, "1", "--json")
		j.is(link, "done")
		if _, err := os.Stat(filepath.Join(j.dir, "tool-ran.txt")); err != nil {
			j.t.Errorf("the command that was allowed did not run: %v\n%s", err, j.screen(link))
		}
		j.at("a permission")
	}
	two := must[api.WaitReply](j.fleet, "sessions", "send", link, "say two", "--wait", "--json")
	if two.Cursor == nil || two.CursorEnd == nil {
		j.t.Fatalf("no cursors: %+v", two)
	}
	said := must[api.TranscriptReply](j.fleet, "sessions", "transcript", link, "--from", strconv.Itoa(*two.Cursor), "--to", strconv.Itoa(*two.CursorEnd), "--json")
	if m := said.Messages; len(m) < 2 || m[0].Text != "say two" || !strings.Contains(m[len(m)-1].Text, "You said: say two") {
		j.t.Errorf("the turn's transcript: %+v", m)
	}
	j.at("a transcript")
	gate := j.model.Gate("mid")
	must[api.SendReply](j.fleet, "sessions", "send", link, "HOLD:mid please", "--json")
	if err := gate.Wait(j.ctx); err != nil {
		j.t.Fatal(err)
	}
	pid := must[api.DaemonReply](j.fleet, "daemon", "status", "--json").PID
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		j.t.Fatal(err)
	}
	gate.Open()
	j.is(link, "done")
	j.at("a turn across the coordinator's death")
	hang := j.model.Gate("never")
	must[api.SendReply](j.fleet, "sessions", "send", link, "HOLD:never please", "--json")
	if err := hang.Wait(j.ctx); err != nil {
		j.t.Fatal(err)
	}
	must[api.SendReply](j.fleet, "sessions", "send", link, "--key", "escape", "--json")
	j.is(link, "done")
	hang.Open()
	if !strings.Contains(j.screen(link), "cancelled") {
		j.t.Errorf("not cancelled:\n%s", j.screen(link))
	}
	j.at("a cancel")
	must[api.CloseReply](j.fleet, "sessions", "close", link, "--json")
}
