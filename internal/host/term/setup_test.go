//go:build unix

package term

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
)

// A setup command is seen at work, the agent starts after it, and gets its
// prompt however long it took; the setup's own quiet is not taken for an agent
// that is ready.
func TestSetup(t *testing.T) {
	spec := testSpec(t, "cat")
	spec.Record.Agent = "reader"
	spec.Manifest = []byte(`{"id": "reader", "name": "Reader", "order": 900, "command": "cat", "ready": {"maxMs": 300}}`)
	gate := filepath.Join(spec.Record.Dir, "gate")
	if err := exec.Command("mkfifo", gate).Run(); err != nil {
		t.Skipf("skipped: no mkfifo: %v", err)
	}
	spec.SetupDone = filepath.Join(spec.Record.Dir, "done")
	spec.Setup = "echo \"it's quoted\" && cat gate; read -r x < /dev/null || echo 'read '$?"
	spec.Prompt = &hostproto.SendRequest{Text: "the prompt", Enter: true}
	h := startHost(t, spec)
	c := h.control()
	waitScreen(t, c, "the setup's next step", contains(`$ echo "it's quoted" && cat gate`))
	waitScreen(t, c, "the setup's next step", contains("\nit's quoted"))
	// Longer than the agent's whole start may take.
	created := h.started.Record.Created
	waitFor(t, func() string { return "the end of the agent's time" }, func() bool { return time.Since(created) > 600*time.Millisecond })
	if screen := call[hostproto.Screen](t, c, hostproto.OpScreen, hostproto.ScreenRequest{}).Text; strings.Contains(screen, "the prompt") {
		t.Fatalf("the prompt is typed into the setup:\n%s", screen)
	}
	if err := os.WriteFile(gate, []byte("opened\n"), 0); err != nil {
		t.Fatal(err)
	}
	waitScreen(t, c, "the setup's next step", contains("opened\nread 1\n"))
	waitScreen(t, c, "the setup's next step", contains("the prompt\nthe prompt"))
	if _, err := os.Stat(spec.SetupDone); err != nil {
		t.Errorf("success is not noted: %v", err)
	}
}

func TestSetupFails(t *testing.T) {
	spec := testSpec(t, "touch started; cat")
	spec.SetupDone = filepath.Join(spec.Record.Dir, "done")
	spec.Setup = "echo installing\nexit 7"
	h := startHost(t, spec)
	h.waitGone()
	closed := readRecord(t, spec).Closed
	if closed == nil || closed.Reason != hostproto.ReasonBootFailed || closed.ExitCode == nil || *closed.ExitCode != 7 ||
		!strings.Contains(closed.LastLines, "installing\ntermio: the setup command failed with exit code 7") {
		t.Errorf("closed: %+v", closed)
	}
	for _, name := range []string{"done", "started"} {
		if _, err := os.Stat(filepath.Join(spec.Record.Dir, name)); err == nil {
			t.Errorf("%s is there", name)
		}
	}
}

// Two sessions that start in one fresh worktree at once: one runs the setup, the
// other waits for it and goes on without.
func TestOneSetupAtATime(t *testing.T) {
	first, second := testSpec(t, "echo ag''ent; cat"), testSpec(t, "echo ag''ent; cat")
	shared := first.Record.Dir
	gate, runs := filepath.Join(shared, "gate"), filepath.Join(shared, "runs")
	if err := exec.Command("mkfifo", gate).Run(); err != nil {
		t.Skipf("skipped: no mkfifo: %v", err)
	}
	for _, s := range []*hostproto.Spec{&first, &second} {
		s.SetupDone = filepath.Join(shared, "done")
		s.Setup = "echo run >>" + runs + "; cat " + gate
	}
	a := startHost(t, first).control()
	waitScreen(t, a, "the setup", contains("$ echo run"))
	b := startHost(t, second).control()
	waitScreen(t, b, "the word that another runs it", contains("Another session makes this worktree ready"))
	if err := os.WriteFile(gate, []byte("opened\n"), 0); err != nil {
		t.Fatal(err)
	}
	waitScreen(t, a, "the agent", contains("opened\nagent"))
	waitScreen(t, b, "the other agent", contains("ready …\nagent"))
	if text, err := os.ReadFile(runs); string(text) != "run\n" {
		t.Errorf("the setup's runs: %q, %v", text, err)
	}
}

// A setup that is cut short, with its host, is run by the one that waited.
func TestSetupIsTakenOver(t *testing.T) {
	first, second := testSpec(t, "cat"), testSpec(t, "echo ag''ent; cat")
	done := filepath.Join(first.Record.Dir, "done")
	first.SetupDone, second.SetupDone = done, done
	first.Setup, second.Setup = "sleep 1000", "echo mi''ne"
	h := startHost(t, first)
	waitScreen(t, h.control(), "the setup", contains("$ sleep"))
	b := startHost(t, second).control()
	waitScreen(t, b, "the word that another runs it", contains("Another session makes this worktree ready"))
	call[hostproto.Closed](t, h.control(), hostproto.OpClose, hostproto.CloseRequest{})
	h.waitGone()
	waitScreen(t, b, "the setup, again", contains("\nmine\nagent"))
}
