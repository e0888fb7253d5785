package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/testkit/acpagent"
)

// terminalOf waits for a terminal below a session, or with gone until there is
// none.
func (f *fleet) terminalOf(link string, gone bool) (found api.Session) {
	f.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		there := false
		for _, s := range f.list() {
			if s.Kind == "acp-terminal" && s.Parent == link {
				found, there = s, true
			}
		}
		if there != gone {
			return found
		}
		if time.Now().After(deadline) {
			f.t.Fatalf("gone: %v; %+v", gone, f.list())
		}
	}
}

// §5: a terminal that the agent runs is a child of its session that can be read
// and attached to and nothing else, outlives the coordinator, and is gone when
// the agent is done with it.
func TestACPTerminals(t *testing.T) {
	f := acpFleet(t, acpagent.Config{})
	gate := filepath.Join(f.dir, "gate")
	link := must[api.SpawnReply](f, "sessions", "spawn", "--acp", "--agent", "fake", `run printf 'one\ntwo \033[1mBOLD\033[0m\n'; while ! test -e gate; do sleep 0.05; done; echo end`, "--json").Target
	term := f.terminalOf(link, false)
	if term.Status != "working" || !strings.HasPrefix(term.Title, "printf") || term.AgentID != "terminal" || term.Cwd != f.dir {
		t.Errorf("%+v", term)
	}
	f.shows(term.Link, "two BOLD")
	if got := f.screen(term.Link); got != "one\ntwo BOLD" {
		t.Errorf("the screen: %q", got)
	}
	if tree := f.termio("sessions", "list", "--tree").out; !strings.Contains(tree, "└─ ") || !strings.Contains(tree, "printf") {
		t.Errorf("the tree:\n%s", tree)
	}
	for _, args := range [][]string{{"send", term.Link, "x"}, {"close", term.Link}, {"rename", term.Link, "x"}, {"send", term.Link, "x", "--wait"}} {
		if e := f.refused(api.CodeWrongAgent, append([]string{"sessions"}, args...)...); !strings.Contains(e.Message, "can only be looked at") || !strings.Contains(e.Message, link) {
			t.Errorf("%v: %s", args, e.Message)
		}
	}
	c := f.attach(term.Link, 30, 100)
	if _, err := c.WaitText(t.Context(), "two BOLD"); err != nil {
		t.Error(err)
	}
	c.Type("typed in vain\r")

	// It is no session of its own.
	if n := must[api.DaemonReply](f, "daemon", "status", "--json").Sessions; n != 1 {
		t.Errorf("%d sessions are counted", n)
	}
	f.killDaemon()
	if again := f.terminalOf(link, false); again.Link != term.Link {
		t.Errorf("after the coordinator's end: %+v", again)
	}
	watch := f.acpWatch("--state", "working,idle,done,closed")
	watch.until(t, func(e api.WatchEvent) bool {
		if e.Link == term.Link {
			t.Errorf("the watch tells of it: %+v", e)
		}
		return e.Snapshot && e.Link == link
	})
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f.terminalOf(link, true)
	watch.until(t, func(e api.WatchEvent) bool {
		if e.Link == term.Link {
			t.Errorf("the watch tells of it: %+v", e)
		}
		return e.Link == link && e.Status == "done"
	})
	if got := f.screen(link); !strings.Contains(got, "end") || strings.Contains(got, "vain") {
		t.Errorf("the agent got:\n%s", got)
	}
	f.refused(api.CodeNotFound, "sessions", "read", term.Link)
	if left, err := os.ReadDir(filepath.Join(f.home, "state", "sessions")); err != nil || len(left) != 1 {
		t.Errorf("left: %v, %v", left, err)
	}
	if closed := f.termio("sessions", "list", "--closed").out; strings.Contains(closed, "printf") && strings.Contains(closed, "closed") {
		t.Errorf("it is a tombstone:\n%s", closed)
	}
	// Closed with its session.
	os.Remove(gate)
	must[api.SendReply](f, "sessions", "send", link, "run while ! test -e gate; do sleep 0.05; done", "--json")
	f.terminalOf(link, false)
	must[api.CloseReply](f, "sessions", "close", link, "--json")
	f.terminalOf(link, true)
	watch.until(t, func(e api.WatchEvent) bool {
		if e.Link != link {
			t.Errorf("the watch tells of a terminal: %+v", e)
		}
		return e.Link == link && e.Status == "closed"
	})
}
