package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/api"
)

// TestCoordinatorStartedInside: a command in a session that finds no
// coordinator starts one. Neither that nor what it starts ends with the session.
func TestCoordinatorStartedInside(t *testing.T) {
	t.Run("it lives", func(t *testing.T) { startedInside(t, false) })
	// Its hosts come to the session's own when it dies.
	t.Run("it dies", func(t *testing.T) { startedInside(t, true) })
}

func startedInside(t *testing.T, dies bool) {
	f := newFleet(t)
	first := must[api.SpawnReply](f, "sessions", "run", "true", "--json").Target
	out := filepath.Join(f.dir, "out")
	script := filepath.Join(f.dir, "inner.sh")
	text := "while [ ! -e " + out + ".go ]; do sleep 0.05; done\n" +
		filepath.Join(bin, "termio") + " sessions run 'sleep 1000' --title inner > " + out + ".tmp 2>&1\nmv " + out + ".tmp " + out + "\n"
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	must[api.SendReply](f, "sessions", "send", first, "sh "+script, "--json")
	f.killDaemon()
	if err := os.WriteFile(out+".go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	inner := ""
	until(t, 20*time.Second, "the session inside is started", func() (string, bool) {
		b, _ := os.ReadFile(out)
		inner = strings.TrimSpace(string(b))
		return inner, strings.HasPrefix(inner, "termio://session/")
	})
	coordinator := f.daemonPID()
	if s := f.session(inner); s.Parent != first || s.Closed != nil {
		t.Fatalf("the one that was started inside: %+v", s)
	}
	if dies {
		f.killDaemon()
		f.list() // starts the next one
		coordinator = f.daemonPID()
	}
	must[api.CloseReply](f, "sessions", "close", first, "--json")
	if now := f.daemonPID(); now != coordinator {
		t.Errorf("coordinator %d ended with the session, now it is %d", coordinator, now)
	}
	f.shows(inner, "sleep 1000")
}
