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
