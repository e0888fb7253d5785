package e2e

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/testkit/acpagent"
	"github.com/termio-sh/termio/internal/testkit/console"
)

// TestACPAttach is a person in front of a session over ACP: reads the
// conversation, types a prompt, answers a question, cancels, leaves.
func TestACPAttach(t *testing.T) {
	f := acpFleet(t, acpagent.Config{})
	link := must[api.SpawnReply](f, "sessions", "spawn", "--acp", "--agent", "fake", "say first answer", "--json").Target
	f.is(link, "done")
	cmd := exec.Command(filepath.Join(bin, "termio"), "sessions", "attach", link)
	cmd.Dir, cmd.Env = f.dir, f.env
	c, err := console.Start(cmd, console.Options{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	defer c.Close(ctx)
	shows := func(text string) {
		t.Helper()
		if _, err := c.WaitText(ctx, text); err != nil {
			t.Fatalf("%v; the screen:\n%s", err, c.View().Text)
		}
	}
	shows("first answer")
	shows("type a prompt")
	c.Type("say typex\x7fd")
	shows("> say typed")
	c.Type("\r")
	shows("typed\n")
	// A pasted prompt of several lines is one prompt.
	c.Type("\x1b[200~permit edit a:Allow_once:allow_once r:Reject:reject_once\nsay granted\x1b[201~\r")
	shows("asks")
	shows("2. Reject")
	c.Type("nonsense\r")
	shows("is none of the answers")
	c.Type("1\r")
	shows("granted")
	c.Type("hang\r")
	shows("works")
	c.Type("\x1b")
	shows("the turn ended: cancelled")
	c.Type("\x1c") // Ctrl-\
	if code, err := c.WaitExit(ctx); err != nil || code != 0 {
		t.Fatalf("detach: exit %d, %v; the screen:\n%s", code, err, c.View().Text)
	}
	f.is(link, "done", "idle")
}
