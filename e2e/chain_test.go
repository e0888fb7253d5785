//go:build linux

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/testkit/console"
)

func (f *fleet) run(command string, more ...string) string {
	f.t.Helper()
	return must[api.SpawnReply](f, append([]string{"sessions", "run", command, "--json"}, more...)...).Target
}

// attach starts an attached client on a terminal of its own.
func (f *fleet) attach(link string, rows, cols int, more ...string) *console.Console {
	f.t.Helper()
	cmd := exec.Command(filepath.Join(bin, "termio"), append([]string{"sessions", "attach", link}, more...)...)
	cmd.Dir, cmd.Env = f.dir, f.env
	c, err := console.Start(cmd, console.Options{Rows: rows, Cols: cols, Start: f.start})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		c.Close(ctx)
	})
	return c
}

func shortly(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func TestShellSession(t *testing.T) {
	f := newFleet(t)
	// The quotes tell the output from the command that is typed; a number
	// might stand in the directory's name.
	link := f.run("echo forty''two", "--title", "answer")
	f.shows(link, "fortytwo")
	s := f.session(link)
	if s.Title != "answer" || s.Agent != "Terminal" || s.Status != "idle" && s.Status != "done" {
		t.Errorf("listed as %+v", s)
	}
	// Every way to name it.
	for _, name := range []string{link, s.ID, link[len("termio://session/"):], "answer"} {
		if got := must[api.ReadReply](f, "sessions", "read", name, "--json").Target; got != link {
			t.Errorf("%s resolves to %s", name, got)
		}
	}
	must[api.SendReply](f, "sessions", "send", link, "echo forty''nine", "--json")
	f.shows(link, "fortynine")
	must[api.SendReply](f, "sessions", "send", link, "--key", "ctrl-c", "--key", "ctrl-l", "--json")
	until(t, 10*time.Second, "the screen is cleared", func() (string, bool) {
		s := f.screen(link)
		return s, !strings.Contains(s, "fortynine")
	})
	r := must[api.RenameReply](f, "sessions", "rename", link, "other name", "--json")
	if r.Title != "other name" || f.session(link).Title != "other name" {
		t.Errorf("renamed to %q", r.Title)
	}
	c := must[api.CloseReply](f, "sessions", "close", link, "--json")
	if c.Closed != link {
		t.Errorf("closed %q", c.Closed)
	}
	if left := f.list(); len(left) != 0 {
		t.Errorf("still listed: %+v", left)
	}
}

func TestAttach(t *testing.T) {
	f := newFleet(t)
	link := f.run("echo ready")
	f.shows(link, "ready")
	ctx := shortly(t)

	first := f.attach(link, 30, 100)
	if _, err := first.WaitText(ctx, "ready"); err != nil {
		t.Fatal(err)
	}
	first.Type("stty size\r")
	if _, err := first.WaitText(ctx, "30 100"); err != nil {
		t.Fatal(err)
	}
	// The newest interactive viewer sets the size.
	second := f.attach(link, 20, 60)
	if _, err := second.WaitText(ctx, "ready"); err != nil {
		t.Fatal(err)
	}
	second.Type("clear; stty size\r")
	for _, c := range []*console.Console{second, first} {
		if _, err := c.WaitText(ctx, "20 60"); err != nil {
			t.Fatal(err)
		}
	}
	// An observer never types.
	watcher := f.attach(link, 24, 80, "--observe")
	if _, err := watcher.WaitText(ctx, "20 60"); err != nil {
		t.Fatal(err)
	}
	watcher.Type("echo from-the-observer\r")
	second.Type("\x1c")
	if code, err := second.WaitExit(ctx); code != 0 || err != nil {
		t.Fatalf("detach: %d, %v\n%s", code, err, second.View().Text)
	}
	// When it leaves, the one before sets it again.
	until(t, 10*time.Second, "the first viewer's size is back", func() (string, bool) {
		must[api.SendReply](f, "sessions", "send", link, "clear; stty size", "--json")
		s := f.screen(link)
		return s, strings.Contains(s, "30 100")
	})
	if s := f.screen(link); strings.Contains(s, "from-the-observer") {
		t.Errorf("the observer typed:\n%s", s)
	}
	// The session's end is told, with its exit code.
	first.Type("exit 3\r")
	if code, err := first.WaitExit(ctx); err != nil {
		t.Fatalf("after the session's end: %d, %v", code, err)
	}
	until(t, 5*time.Second, "the outer terminal is back and says how it ended", func() (string, bool) {
		v := first.View()
		return fmt.Sprintf("alternate %v\n%s", v.Alternate, v.Text), v.Contains("3") && !v.Alternate
	})
}

// A scripts's attach has no terminal: it pipes.
func TestAttachPipes(t *testing.T) {
	f := newFleet(t)
	link := f.run("echo ready")
	f.shows(link, "ready")
	r := f.input("echo forty''two; exit\n", "sessions", "attach", link)
	if r.code != 0 || !strings.Contains(r.out, "fortytwo") {
		t.Errorf("exit %d\n%s\n%s", r.code, r.out, r.err)
	}
}

// Output written while the coordinator is dead is not lost, and what was on
// its way arrives.
func TestCoordinatorKilled(t *testing.T) {
	f := newFleet(t)
	gate := filepath.Join(f.dir, "gate")
	link := f.run(fmt.Sprintf("while [ ! -e %s ]; do sleep 0.05; done; seq -f 'line-%%06.0f' 1 5000; echo the-''end", gate))
	other := f.run("cat")
	for round := range 5 {
		f.killDaemon()
		if got := len(f.list()); got != 2 {
			t.Fatalf("round %d: %d sessions listed after the kill, want 2", round, got)
		}
	}
	pid := f.daemonPID()
	f.killDaemon()
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f.shows(link, "the-end")
	if f.daemonPID() == pid {
		t.Fatal("the coordinator was not killed")
	}
	text := must[api.ReadReply](f, "sessions", "read", link, "--lines", "6000", "--json").Screen
	for i := 1; i <= 5000; i++ {
		if !strings.Contains(text, fmt.Sprintf("line-%06d", i)) {
			t.Fatalf("line %d is lost", i)
		}
	}
	must[api.SendReply](f, "sessions", "send", other, "still here", "--json")
	f.shows(other, "still here still here") // cat says it again
}

// A payload of 256 KiB arrives whole, in a program that reads raw input.
func TestLargePayload(t *testing.T) {
	f := newFleet(t)
	got := filepath.Join(f.dir, "got")
	link := f.run("stty raw -echo; printf '\\033[?2004h'; head -c 262156 > " + got + "; stty sane; echo took-it")
	until(t, 10*time.Second, "the program runs", func() (string, bool) {
		_, err := os.Stat(got)
		return f.screen(link), err == nil
	})
	text := strings.Repeat("0123456789abcde\n", 1<<14) // 256 KiB
	r := f.input(text+"\n", "sessions", "send", link, "-", "--no-enter", "--json")
	if r.code != 0 {
		t.Fatalf("exit %d\n%s%s", r.code, r.out, r.err)
	}
	f.shows(link, "took-it")
	b, err := os.ReadFile(got)
	if err != nil {
		t.Fatal(err)
	}
	body := bytes.TrimSuffix(bytes.TrimPrefix(b, []byte("\x1b[200~")), []byte("\x1b[201~"))
	body = bytes.ReplaceAll(body, []byte("\r"), []byte("\n"))
	if string(body) != text {
		t.Errorf("%d bytes arrived, want %d, equal: false", len(body), len(text))
	}
}

func TestBadInput(t *testing.T) {
	f := newFleet(t)
	link := f.run("echo ready")
	f.shows(link, "ready")
	cases := []struct {
		name string
		code api.Code
		args []string
		says string
	}{
		{"unknown agent", api.CodeBadAgent, []string{"sessions", "spawn", "x", "--agent", "nobody"}, "claudeCode"},
		{"agent not installed", api.CodeStartFailed, []string{"sessions", "spawn", "x", "--agent", "grok"}, "x.ai/cli"},
		{"no such session", api.CodeNotFound, []string{"sessions", "read", "deadbeef"}, "list"},
		{"no such session, not spawned", api.CodeNotFound, []string{"sessions", "send", "my title", "x"}, ""},
		{"no text", api.CodeNoText, []string{"sessions", "send", link}, ""},
		{"unknown key", api.CodeBadKey, []string{"sessions", "send", link, "--key", "hyper-x"}, "hyper-x"},
		{"directory is gone", api.CodeStartFailed, []string{"sessions", "run", "true", "--dir", "/no/such/dir"}, "/no/such/dir"},
		{"unknown flag", api.CodeBadRequest, []string{"sessions", "list", "--bogus"}, "--bogus"},
		{"invalid UTF-8", api.CodeBadRequest, []string{"sessions", "send", link, "a\xffb"}, "UTF-8"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			g := *f
			g.t = t
			if e := g.refused(c.code, c.args...); !strings.Contains(e.Message, c.says) {
				t.Errorf("the message does not say %q: %s", c.says, e.Message)
			}
			text := g.termio(c.args...)
			if text.code != 1 || !strings.HasPrefix(text.err, "error: ") || text.out != "" {
				t.Errorf("as text: exit %d, stdout %q, stderr %q", text.code, text.out, text.err)
			}
		})
	}
	if s := f.list(); len(s) != 1 {
		t.Errorf("a refused command left a session: %+v", s)
	}
}

// A program that dies at once says how, in the list and to whoever asks.
func TestDiesAtOnce(t *testing.T) {
	f := newFleet(t)
	dir := filepath.Join(f.home, "config", "agents")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	manifest := `{"id":"dier","name":"Dier","command":"sh -c 'echo no licence found; exit 7'"}`
	if err := os.WriteFile(filepath.Join(dir, "dier.json"), []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	link := must[api.SpawnReply](f, "sessions", "spawn", "hello", "--agent", "dier", "--json").Target
	until(t, 10*time.Second, "it is closed", func() (string, bool) {
		l := must[api.ListReply](f, "sessions", "list", "--closed", "--json")
		for _, s := range l.Sessions {
			if s.Link == link && s.Closed != nil {
				return "", s.Closed.Reason == "boot-failed" && s.Closed.ExitCode != nil && *s.Closed.ExitCode == 7
			}
		}
		return fmt.Sprintf("%+v", l.Sessions), false
	})
	r := f.termio("sessions", "read", link)
	if r.code != 1 || !strings.Contains(r.err, "7") || !strings.Contains(r.err, "no licence found") {
		t.Errorf("read: exit %d, %s%s", r.code, r.out, r.err)
	}
}

func TestPlacesThatCannotBe(t *testing.T) {
	f := newFleet(t)
	long := filepath.Join(f.home, strings.Repeat("deep/", 30))
	for _, c := range []struct{ home, says string }{
		{long, "TERMIO_HOME"},
		{"/proc/termio", "/proc/termio"},
	} {
		g := *f
		g.env = append(append([]string{}, f.env...), "TERMIO_HOME="+c.home)
		r := g.termio("sessions", "list")
		if r.code != 1 || !strings.Contains(r.err, c.says) {
			t.Errorf("%s: exit %d, %q", c.home, r.code, r.err)
		}
	}
}
