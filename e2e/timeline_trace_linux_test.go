package e2e

import (
	"bufio"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/api"
)

// TestTraceFollows: each change is printed when it comes, once, and the
// command ends with the session.
func TestTraceFollows(t *testing.T) {
	f := newFleet(t)
	must[any](f, "config", "set", "shellMarks", "false", "--json") // whose changes would come, too
	link := must[api.SpawnReply](f, "sessions", "spawn", "--agent", "terminal", "--json").Target
	cmd := exec.Command(filepath.Join(bin, "termio"), "sessions", "trace", link, "--follow", "--json")
	cmd.Dir, cmd.Env = f.dir, f.env
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.start(cmd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	changes := make(chan api.TraceChange)
	go func() {
		defer close(changes)
		for in := bufio.NewScanner(out); in.Scan(); {
			var c api.TraceChange
			if json.Unmarshal(in.Bytes(), &c) == nil && c.From != c.To {
				changes <- c
			}
		}
	}()
	next := func(state, channel string) {
		t.Helper()
		select {
		case c, ok := <-changes:
			if !ok || c.To != state || c.Channel != channel {
				t.Fatalf("the next change is %+v (%v), want %s by %s", c, ok, state, channel)
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("no change to %s", state)
		}
	}
	for _, step := range []struct{ say, state string }{{"working", "working"}, {"blocked:kind=question", "needs-you"}, {"done", "done"}} {
		must[api.SendReply](f, "sessions", "send", link, `printf '\033]7501;state=`+step.say+`\007'`, "--json")
		next(step.state, "osc7501")
	}
	must[api.CloseReply](f, "sessions", "close", link, "--json")
	for c := range changes {
		t.Errorf("after the end came %+v", c)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("trace --follow: %v", err)
	}
}
