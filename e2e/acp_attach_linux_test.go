package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/testkit/acpagent"
	"github.com/termio-sh/termio/internal/testkit/console"
)

// attached is a person in front of a session over ACP.
type attached struct {
	t   *testing.T
	ctx context.Context
	c   *console.Console
}

func attachTo(t *testing.T, f *fleet, dir, link string) *attached {
	t.Helper()
	cmd := exec.Command(filepath.Join(dir, "termio"), "sessions", "attach", link)
	cmd.Dir, cmd.Env = f.dir, f.env
	c, err := console.Start(cmd, console.Options{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(func() {
		c.Close(ctx)
		cancel()
	})
	return &attached{t, ctx, c}
}

func (a *attached) shows(text string) {
	a.t.Helper()
	if _, err := a.c.WaitText(a.ctx, text); err != nil {
		a.t.Fatalf("%v; the screen:\n%s", err, a.c.View().Text)
	}
}

// leaves presses Ctrl-\.
func (a *attached) leaves() {
	a.t.Helper()
	a.c.Type("\x1c")
	if code, err := a.c.WaitExit(a.ctx); err != nil || code != 0 {
		a.t.Fatalf("detach: exit %d, %v; the screen:\n%s", code, err, a.c.View().Text)
	}
}

// TestACPAttach reads the conversation, types a prompt, answers a question,
// cancels, leaves: as the face shows it.
func TestACPAttach(t *testing.T) {
	f := acpFleet(t, acpagent.Config{})
	link := must[api.SpawnReply](f, "sessions", "spawn", "--acp", "--agent", "fake", "say first **answer**", "--json").Target
	f.is(link, "done")
	a := attachTo(t, f, bin, link)
	a.shows("first answer")
	a.shows("Enter sends")
	a.c.Type("say typex\x7fd")
	a.shows("say typed")
	a.c.Type("\r")
	a.shows("\ntyped\n")
	// A pasted prompt of several lines is one prompt.
	a.c.Type("\x1b[200~permit edit a:Allow_once:allow_once r:Reject:reject_once\nsay granted\x1b[201~\r")
	a.shows("asks")
	a.shows("2 Reject")
	a.c.Type("nonsense\r")
	a.shows("is none of the answers")
	a.c.Type("\x15Allow once\r")
	a.shows("granted")
	f.is(link, "done", "idle") // the prompt has that word, too
	a.c.Type("hang\r")
	a.shows("working")
	a.c.Type("\x1b")
	a.shows("the turn was cancelled")
	a.leaves()
	f.is(link, "done", "idle")
}

// TestACPAttachPlain is the same where the face's program is not installed.
func TestACPAttachPlain(t *testing.T) {
	f := acpFleet(t, acpagent.Config{})
	link := must[api.SpawnReply](f, "sessions", "spawn", "--acp", "--agent", "fake", "say first answer", "--json").Target
	f.is(link, "done")
	dir := t.TempDir()
	names, err := os.ReadDir(bin)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if n.Name() == "termio-tui" {
			continue
		}
		if err := os.Link(filepath.Join(bin, n.Name()), filepath.Join(dir, n.Name())); err != nil {
			t.Fatal(err)
		}
	}
	a := attachTo(t, f, dir, link)
	a.shows("first answer")
	a.shows("type a prompt")
	a.c.Type("say typex\x7fd")
	a.shows("> say typed")
	a.c.Type("\r")
	a.shows("typed\n")
	a.c.Type("\x1b[200~permit edit a:Allow_once:allow_once r:Reject:reject_once\nsay granted\x1b[201~\r")
	a.shows("asks")
	a.shows("2. Reject")
	a.c.Type("nonsense\r")
	a.shows("is none of the answers")
	a.c.Type("1\r")
	a.shows("granted")
	a.c.Type("hang\r")
	a.shows("works")
	a.c.Type("\x1b")
	a.shows("the turn ended: cancelled")
	a.leaves()
	f.is(link, "done", "idle")
}
