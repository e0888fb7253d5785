//go:build unix

package daemon

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/config"
)

// reader is an agent that shows what it is told.
const reader = `{"id": "reader", "name": "Reader", "order": 900, "command": "reader"}`

func (h *home) agentThatReads() {
	h.Helper()
	h.script("reader", "stty -echo; printf 'ready> \\033[?2004h'; while IFS= read -r line; do echo \"told: $line\"; done")
	h.manifest("reader", reader)
}

// inside is the caller in a session.
func (h *home) inside(target string) api.Caller {
	h.Helper()
	return api.Caller{Session: strings.TrimPrefix(target, "termio://session/"), Token: h.variable(target, "TERMIO_TOKEN"), Cwd: h.dir}
}

func (h *home) spawn(who api.Caller, prompt string) (string, error) {
	r, err := h.client.Spawn(h.Context(), api.SpawnRequest{Caller: who, Agent: "reader", Prompt: prompt, Env: os.Environ()})
	return r.Target, err
}

func TestProvenance(t *testing.T) {
	h := newHome(t)
	h.agentThatReads()
	boss := h.run("clear")
	who := h.inside(boss)

	worker, err := h.spawn(who, "fix the test")
	if err != nil {
		t.Fatal(err)
	}
	flat := func() string { return strings.ReplaceAll(h.screen(worker), "\n", "") }
	h.eventually("the worker is told", func() bool { return strings.Contains(flat(), "fix the test") })
	if got := flat(); !strings.Contains(got, "told: [termio: the session "+boss+" gave you") || !strings.Contains(got, "`termio sessions send "+boss+" ") {
		t.Errorf("the worker is told:\n%s", got)
	}
	outside, err := h.spawn(h.caller(), "fix the test")
	if err != nil {
		t.Fatal(err)
	}
	h.eventually("one from outside is told", func() bool { return strings.Contains(h.screen(outside), "told: fix the test") })
	plain, err := h.client.Run(t.Context(), api.RunRequest{Caller: who, Command: "echo plain-$((1+1))", Env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	h.eventually("the command ran", func() bool { return strings.Contains(h.screen(plain.Target), "plain-2") })
	for _, link := range []string{outside, plain.Target} {
		if got := h.screen(link); strings.Contains(got, "[termio:") {
			t.Errorf("an envelope in\n%s", got)
		}
	}

	rows := map[string]api.Session{}
	for _, s := range h.list(false) {
		rows[s.Link] = s
	}
	if s := rows[worker]; s.Title != "fix the test" || s.Parent != boss || s.Children != nil {
		t.Errorf("the worker's row: %+v", s)
	}
	if s := rows[boss]; s.Parent != "" || !slices.Equal(s.Children, []string{worker, plain.Target}) {
		t.Errorf("the supervisor's row: %+v", s)
	}
	if s := rows[outside]; s.Parent != "" {
		t.Errorf("one from outside: %+v", s)
	}
}

func (h *home) limits(depth, descendants int) {
	h.Helper()
	h.settings(func(s *config.Settings) { s.MaxDepth, s.MaxDescendants = &depth, &descendants })
}

func TestGuard(t *testing.T) {
	h := newHome(t)
	h.agentThatReads()
	h.limits(2, 3)
	root := h.run("clear")
	start := func(in string) (string, error) {
		r, err := h.client.Run(t.Context(), api.RunRequest{Caller: h.inside(in), Command: "clear", Env: os.Environ()})
		return r.Target, err
	}
	child, err := start(root)
	if err != nil {
		t.Fatal(err)
	}
	grandchild, err := start(child)
	if err != nil {
		t.Fatal(err)
	}
	_, err = start(grandchild)
	refused(t, err, api.CodeStartFailed, "is 2 below "+root, "config set maxDepth 3")
	_, err = h.spawn(h.inside(grandchild), "x")
	refused(t, err, api.CodeStartFailed, "maxDepth")

	// Four at once, with room for one.
	who, errs := h.inside(root), make(chan error, 4)
	for range cap(errs) {
		go func() { _, err := h.spawn(who, "go"); errs <- err }()
	}
	started := 0
	for range cap(errs) {
		if err := <-errs; err == nil {
			started++
		} else {
			refused(t, err, api.CodeStartFailed, "3 sessions are live below "+root, "maxDescendants")
		}
	}
	if started != 1 {
		t.Errorf("%d were started where there was room for one", started)
	}
	// From outside there is no limit, and who ends makes room.
	if _, err := h.spawn(h.caller(), "x"); err != nil {
		t.Error(err)
	}
	if _, err := h.client.CloseSession(t.Context(), api.TargetRequest{Caller: who, Target: grandchild}); err != nil {
		t.Fatal(err)
	}
	// The next coordinator knows the line.
	h.kill9()
	if _, err := start(child); err != nil {
		t.Error(err)
	}
	_, err = start(root)
	refused(t, err, api.CodeStartFailed, "maxDescendants")
	h.limits(2, 10)
	if _, err := start(root); err != nil {
		t.Errorf("after the limit was raised: %v", err)
	}
}
