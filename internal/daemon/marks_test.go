//go:build unix

package daemon

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/config"
	"github.com/termio-sh/termio/internal/shellenv"
)

// A shell that marks its commands ends a wait with the exit code, and what is
// typed into a program that it runs settles by the screen.
func TestWaitOfAMarkingShell(t *testing.T) {
	if shell := shellenv.LoginShell(func(string) string { return "" }); shell != "/bin/bash" && shell != "/usr/bin/bash" {
		t.Skipf("the login shell is %s", shell)
	}
	if _, err := exec.LookPath("cat"); err != nil {
		t.Skip(err)
	}
	h := newHome(t)
	wait := func(verb string, request any) api.WaitReply {
		t.Helper()
		var r api.WaitReply
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := h.client.Call(ctx, verb, request, &r); err != nil {
			t.Fatalf("%s: %v", verb, err)
		}
		return r
	}
	// Longer still than a screen has to be to count as settled.
	r := wait(api.VerbRun, api.RunRequest{Caller: h.caller(), Command: "sleep 2; exit_with() { return 3; }; exit_with", Waiting: api.Waiting{Wait: true}})
	if r.Status != "done" || r.ExitCode == nil || *r.ExitCode != 3 {
		t.Errorf("%+v", r)
	}
	r = wait(api.VerbSend, api.SendRequest{Caller: h.caller(), Target: r.Target, Text: "true", Enter: true, Waiting: api.Waiting{Wait: true}})
	if r.ExitCode == nil || *r.ExitCode != 0 {
		t.Errorf("%+v", r)
	}
	if _, err := h.client.Send(t.Context(), api.SendRequest{Caller: h.caller(), Target: r.Target, Text: "cat", Enter: true}); err != nil {
		t.Fatal(err)
	}
	h.eventually("cat runs", func() bool { return h.status(r.Target) == "working" })
	r = wait(api.VerbSend, api.SendRequest{Caller: h.caller(), Target: r.Target, Text: "echoed", Enter: true, Waiting: api.Waiting{Wait: true}})
	if r.Status != "working" || r.TimedOut || r.ExitCode != nil {
		t.Errorf("into a program: %+v", r)
	}
	// Nobody reads what is typed while a command runs: its echo settles nothing.
	h.settings(func(s *config.Settings) { s.ShellMarks = new(bool) })
	r = wait(api.VerbRun, api.RunRequest{Caller: h.caller(), Command: "sleep 4", Waiting: api.Waiting{Wait: true}})
	r = wait(api.VerbSend, api.SendRequest{Caller: h.caller(), Target: r.Target, Text: "echo ahe''ad", Enter: true, Waiting: api.Waiting{Wait: true}})
	if screen := h.screen(r.Target); r.TimedOut || !strings.Contains(screen, "\nahead") {
		t.Errorf("%+v; the screen is:\n%s", r, screen)
	}
}
