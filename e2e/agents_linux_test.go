package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/testkit/agents"
	"github.com/termio-sh/termio/internal/testkit/console"
	"github.com/termio-sh/termio/internal/testkit/fakemodel"
	"github.com/termio-sh/termio/internal/testkit/netns"
)

// realAgents says how the manifests name the agents of the test kit, and
// which of the two things that only some of them tell are expected.
var realAgents = []struct {
	kit, id string
	// exact is set where working, needs-you, done and idle are all told.
	exact bool
}{
	{"claude", "claudeCode", true},
	{"codex", "codex", true},
	{"opencode", "opencode", true},
	{"pi", "pi", true},
	{"gemini", "gemini", true},
	{"qwen", "qwen", true},
	{"copilot", "copilot", true},
}

// journey is one real agent in a fleet inside a sealed network namespace.
type journey struct {
	*fleet
	ctx   context.Context
	model *fakemodel.Server
	signs agents.Signs
	began time.Time
}

func newJourney(t *testing.T, names ...string) *journey {
	t.Helper()
	return newJourneyWith(t, fakemodel.Config{}, names...)
}

func newJourneyWith(t *testing.T, model fakemodel.Config, names ...string) *journey {
	t.Helper()
	root, err := agents.Find()
	if err != nil {
		t.Fatal(err)
	}
	pins, err := agents.Select(names...)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pins {
		if err := agents.Installed(root, p); err != nil {
			if os.Getenv("TERMIO_CI") != "" {
				t.Fatalf("the real %s must be here in CI: %v", p.Name, err)
			}
			t.Skipf("skipped: the real %s is not here (make agents): %v", p.Name, err)
		}
	}
	ns := netns.New(t)
	j := &journey{fleet: newFleet(t), began: time.Now()}
	j.start = ns.Start
	l, err := ns.Listen()
	if err != nil {
		t.Fatal(err)
	}
	model.Dir = j.dir
	j.model = fakemodel.Serve(l, model)
	t.Cleanup(func() { j.model.Close() })
	home, err := agents.NewHome(agents.HomeConfig{
		Root: root, Dir: filepath.Join(filepath.Dir(j.home), "user"), Projects: []string{j.dir}, ModelURL: j.model.URL(), Plugins: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if err := home.Add(name); err != nil {
			t.Fatal(err)
		}
	}
	j.env = append(home.Env(), "TERMIO_HOME="+j.home, "TERM=xterm-256color")
	if j.signs, err = agents.SignsOf(names[0]); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), 3*time.Minute, errors.New("the journey's time is over"))
	t.Cleanup(cancel)
	j.ctx = ctx
	return j
}

func (j *journey) at(what string) {
	j.t.Helper()
	j.t.Logf("%5.1f s: %s", time.Since(j.began).Seconds(), what)
}

// said waits until the model has heard exactly this prompt.
func (j *journey) said(prompt string) {
	j.t.Helper()
	ctx, cancel := context.WithTimeout(j.ctx, 90*time.Second)
	defer cancel()
	if _, err := j.model.Wait(ctx, func(r fakemodel.Request) bool { return !r.Side() && strings.TrimSpace(r.Prompt) == prompt }); err != nil {
		j.t.Fatalf("the model never heard %q: %v; it heard %q%s", prompt, err, j.heard(), j.state())
	}
}

// state is what a failure needs to be understood.
func (j *journey) state() string {
	var b strings.Builder
	for _, s := range j.list() {
		fmt.Fprintf(&b, "\n%s %s %s\n%s\n%s", s.Link, s.Status, s.Title, j.screen(s.Link), j.termio("sessions", "trace", s.Link).out)
	}
	return b.String()
}

func (j *journey) heard() (prompts []string) {
	for _, r := range j.model.Requests() {
		if !r.Side() {
			prompts = append(prompts, r.Prompt)
		}
	}
	return prompts
}

// TestRealAgents is the main job, whole: a real agent is spawned with a
// prompt, answers on its screen, asks for permission and is answered, is
// attached to and typed into, goes on when the coordinator dies in the middle
// of a turn, and leaves nothing behind.
func TestRealAgents(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: real agents take long, and this is a short run")
	}
	for _, agent := range realAgents {
		t.Run(agent.kit, func(t *testing.T) {
			t.Parallel() // an agent mostly waits
			j := newJourney(t, agent.kit)

			began := time.Now()
			spawned := must[api.SpawnReply](j.fleet, "sessions", "spawn", "say hello", "--agent", agent.id, "--json")
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("spawn took %v: it must not wait for the agent", took)
			}
			if !spawned.Created || !spawned.Queued || !strings.HasPrefix(spawned.Target, "termio://session/") {
				t.Fatalf("spawn replied %+v", spawned)
			}
			link := spawned.Target
			j.at("spawned")
			j.said("say hello")
			j.shows(link, fakemodel.Greeting+" You said: say hello")
			j.at("answered")
			j.is(link, "done")

			if j.signs.Permission != "" {
				j.permission(link, agent.exact)
			}
			j.typed(link)
			j.killed(link, agent.exact)

			must[api.CloseReply](j.fleet, "sessions", "close", link, "--json")
			j.refused(api.CodeNotFound, "sessions", "read", link)
			j.at("closed")
		})
	}
}

func (j *journey) permission(link string, exact bool) {
	j.t.Helper()
	must[api.SendReply](j.fleet, "sessions", "send", link, "please TOOL now", "--json")
	j.shows(link, j.signs.Permission)
	if exact {
		j.is(link, "needs-you")
	}
	ran := filepath.Join(j.dir, "tool-ran.txt")
	if _, err := os.Stat(ran); err == nil {
		j.t.Error("the command ran before it was allowed")
	}
	j.at("asks")
	must[api.SendReply](j.fleet, "sessions", "send", link, "--key", "enter", "--json")
	j.shows(link, "The tool finished. Its result was:")
	if _, err := os.Stat(ran); err != nil {
		j.t.Errorf("the command that was allowed did not run: %v", err)
	}
	j.is(link, "done")
	j.at("ran the command")
}

// typed attaches as a person does, types a prompt, and detaches.
func (j *journey) typed(link string) {
	j.t.Helper()
	cmd := exec.Command(filepath.Join(bin, "termio"), "sessions", "attach", link)
	cmd.Dir, cmd.Env = j.dir, j.env
	c, err := console.Start(cmd, console.Options{Rows: 40, Cols: 120, Start: j.start})
	if err != nil {
		j.t.Fatal(err)
	}
	defer c.Close(j.ctx)
	if _, err := c.WaitText(j.ctx, fakemodel.Greeting); err != nil {
		j.t.Fatal(err)
	}
	c.Type("typed by hand")
	if _, err := c.WaitText(j.ctx, "typed by hand"); err != nil {
		j.t.Fatal(err)
	}
	// Some agents take a fast Enter for a part of a paste; people are slow.
	time.Sleep(300 * time.Millisecond)
	c.Type("\r")
	j.said("typed by hand")
	if _, err := c.WaitText(j.ctx, "You said: typed by hand"); err != nil {
		j.t.Fatal(err)
	}
	c.Type("\x1c") // Ctrl-\
	if code, err := c.WaitExit(j.ctx); err != nil || code != 0 {
		j.t.Fatalf("detach: exit %d, %v; the screen:\n%s", code, err, c.View().Text)
	}
	j.is(link, "done", "idle")
	j.at("attached, typed, detached")
}

// killed kills the coordinator in the middle of a turn.
func (j *journey) killed(link string, exact bool) {
	j.t.Helper()
	gate := j.model.Gate("mid")
	must[api.SendReply](j.fleet, "sessions", "send", link, "HOLD:mid please", "--json")
	if err := gate.Wait(j.ctx); err != nil {
		j.t.Fatal(err)
	}
	if exact {
		j.is(link, "working")
	}
	before := j.session(link)
	j.killDaemon()
	after := j.session(link)
	if after.Status != before.Status && exact {
		j.t.Errorf("the status was %s and is %s after the kill", before.Status, after.Status)
	}
	if after.Title != before.Title {
		j.t.Errorf("the title was %q and is %q after the kill", before.Title, after.Title)
	}
	gate.Open()
	j.is(link, "done")
	j.at("survived the coordinator's death")
}
