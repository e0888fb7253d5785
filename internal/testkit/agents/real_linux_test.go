package agents_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/testkit/agents"
	"github.com/termio-sh/termio/internal/testkit/console"
	"github.com/termio-sh/termio/internal/testkit/fakemodel"
	"github.com/termio-sh/termio/internal/testkit/netns"
)

func TestMain(m *testing.M) { os.Exit(netns.Main(m)) }

// A trial is one agent at its prompt.
type trial struct {
	*console.Console
	ctx   context.Context
	model *fakemodel.Server
	dir   string
	began time.Time
}

// start brings an agent up in a sealed namespace with a model of its own.
func start(t *testing.T, name string) *trial {
	t.Helper()
	root, err := agents.Find()
	if err != nil {
		t.Fatal(err)
	}
	pins, err := agents.Select(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pins {
		if err := agents.Installed(root, p); err != nil {
			t.Skipf("skipped: the real %s is not here: %v", name, err)
		}
	}
	ns := netns.New(t)
	base := t.TempDir()
	tr := &trial{dir: filepath.Join(base, "proj"), began: time.Now()}
	if err := os.Mkdir(tr.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	l, err := ns.Listen()
	if err != nil {
		t.Fatal(err)
	}
	tr.model = fakemodel.Serve(l, fakemodel.Config{Dir: tr.dir})
	t.Cleanup(func() { tr.model.Close() })
	home, err := agents.NewHome(agents.HomeConfig{
		Root: root, Dir: filepath.Join(base, "h"), Projects: []string{tr.dir}, ModelURL: tr.model.URL(),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := home.Add(name); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", "-c", "exec "+name)
	cmd.Dir, cmd.Env = tr.dir, home.Env()
	ctx, cancel := context.WithTimeoutCause(context.Background(), 60*time.Second, errors.New("90 s are over"))
	tr.ctx = ctx
	rec := &console.Recorder{}
	if tr.Console, err = console.Start(cmd, console.Options{Start: ns.Start, Raw: rec}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if dir := os.Getenv("TERMIO_TEST_RECORD"); dir != "" {
			os.WriteFile(filepath.Join(dir, filepath.Base(t.Name())+".bin"), rec.Bytes(), 0o644)
		}
		end, stop := context.WithTimeout(context.Background(), 10*time.Second)
		defer stop()
		defer cancel()
		if err := tr.Close(end); err != nil {
			t.Logf("at the hang-up: %v", err)
		}
	})
	return tr
}

// ready waits until the agent takes input.
func (tr *trial) ready(t *testing.T, name string) agents.Signs {
	t.Helper()
	signs, err := agents.SignsOf(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tr.Wait(tr.ctx, "the prompt of "+name, func(v console.View) bool {
		return v.Contains(signs.Ready) && (signs.Busy == "" || !v.Contains(signs.Busy))
	}); err != nil {
		t.Fatal(err)
	}
	t.Logf("ready after %.1f s", time.Since(tr.began).Seconds())
	return signs
}

// say types a prompt and, once it stands on the screen, presses Enter.
func (tr *trial) say(t *testing.T, prompt string) {
	t.Helper()
	tr.Type(prompt)
	tr.see(t, prompt)
	tr.Type("\r")
}

// see waits for text on the screen.
func (tr *trial) see(t *testing.T, text string) console.View {
	t.Helper()
	v, err := tr.WaitText(tr.ctx, text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestRealAgents(t *testing.T) {
	for _, name := range agents.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := start(t, name)
			signs := tr.ready(t, name)
			tr.say(t, "say hello")
			v := tr.see(t, fakemodel.Greeting+" You said: say hello")
			t.Logf("answered after %.1f s, modes %v, keys %v, title %q", time.Since(tr.began).Seconds(), v.Modes, v.KeyFlags, v.Title())
			if signs.Permission == "" {
				return
			}
			tr.say(t, "please TOOL now")
			tr.see(t, signs.Permission)
			t.Logf("asked after %.1f s", time.Since(tr.began).Seconds())
			tr.Type(signs.Approve)
			tr.see(t, "The tool finished. Its result was:")
			if _, err := os.Stat(filepath.Join(tr.dir, "tool-ran.txt")); err != nil {
				t.Errorf("the tool that was allowed did not run: %v", err)
			}
			t.Logf("tool ran after %.1f s; the screen:\n%s", time.Since(tr.began).Seconds(), tr.View().Text)
		})
	}
}
