package hooks_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/hooks"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/testkit/agents"
	"github.com/termio-sh/termio/internal/testkit/console"
	"github.com/termio-sh/termio/internal/testkit/fakemodel"
	"github.com/termio-sh/termio/internal/testkit/netns"
)

func TestMain(m *testing.M) { os.Exit(netns.Main(m)) }

// deaf is a host that only writes down the reports that it gets.
type deaf struct {
	mu      sync.Mutex
	changed chan struct{}
	reports []hostproto.Report
	socket  string
}

func newDeaf(t testing.TB, dir string) *deaf {
	t.Helper()
	d := &deaf{changed: make(chan struct{}), socket: filepath.Join(dir, "s.sock")}
	l, err := net.Listen("unix", d.socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go d.serve(c)
		}
	}()
	return d
}

func (d *deaf) serve(c net.Conn) {
	defer c.Close()
	for r := hostproto.NewReader(c); ; {
		_, p, err := r.Next()
		if err != nil {
			return
		}
		var q hostproto.Request
		if json.Unmarshal(p, &q) != nil {
			return
		}
		if q.Op == hostproto.OpReport {
			var rep hostproto.Report
			if json.Unmarshal(q.Body, &rep) == nil {
				d.mu.Lock()
				d.reports = append(d.reports, rep)
				close(d.changed)
				d.changed = make(chan struct{})
				d.mu.Unlock()
			}
		}
		b, _ := hostproto.AppendJSON(nil, hostproto.FrameReply, hostproto.Reply{ID: q.ID})
		if _, err := c.Write(b); err != nil {
			return
		}
	}
}

// wait waits for a report after the first n that satisfies ok, and returns how
// many there are then.
func (d *deaf) wait(ctx context.Context, n int, ok func(hostproto.Report) bool) (int, error) {
	for {
		d.mu.Lock()
		all, changed := slices.Clone(d.reports), d.changed
		d.mu.Unlock()
		for i := n; i < len(all); i++ {
			if ok(all[i]) {
				return i + 1, nil
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return n, context.Cause(ctx)
		}
	}
}

func (d *deaf) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.reports)
}

func (d *deaf) lines() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var b strings.Builder
	for _, r := range d.reports {
		fmt.Fprintf(&b, "  %-9s %s", r.State, r.Event)
		for _, f := range []struct{ name, value string }{{"tool", r.Tool}, {"conversation", r.Conversation}, {"transcript", filepath.Base(r.Transcript)}} {
			if f.value != "" && f.value != "." {
				fmt.Fprintf(&b, " %s=%s", f.name, f.value)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// buildReporter builds the program that hooks run.
func buildReporter(t testing.TB, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "termio-hook")
	if out, err := exec.Command("go", "build", "-o", path, "../../cmd/termio-hook").CombinedOutput(); err != nil {
		t.Fatalf("build the reporter: %v\n%s", err, out)
	}
	return path
}

var manifestIDs = map[string]string{
	"claude": "claudeCode", "codex": "codex", "opencode": "opencode", "pi": "pi",
	"gemini": "gemini", "qwen": "qwen", "copilot": "copilot",
}

func bundled(t testing.TB, name string) *atp.Manifest {
	t.Helper()
	c, _ := atp.LoadBundled()
	m, ok := c.ByID(manifestIDs[name])
	if !ok {
		t.Fatalf("no manifest for %s", name)
	}
	return m
}

// trial is one agent with hooks at its prompt.
type trial struct {
	t *testing.T
	*agents.Stage
	*console.Console
	*deaf
	ctx   context.Context
	signs agents.Signs
}

// begin starts an agent; prepare gives it its hooks, by arguments and
// variables or through its files.
func begin(t *testing.T, name string, prepare func(s *agents.Stage, reporter string) (args, env []string)) *trial {
	t.Helper()
	s := agents.NewStage(t, name)
	dir := filepath.Dir(s.HomeDir)
	tr := &trial{t: t, Stage: s, deaf: newDeaf(t, dir)}
	ctx, cancel := context.WithTimeoutCause(context.Background(), 150*time.Second, errors.New("the trial's time is over"))
	t.Cleanup(cancel)
	tr.ctx = ctx
	args, env := prepare(s, buildReporter(t, dir))
	var b strings.Builder
	b.WriteString("exec " + name)
	for _, a := range args {
		b.WriteString(" " + atp.Quote(a))
	}
	cmd := s.Command("/bin/bash", "-ilc", b.String())
	cmd.Env = append([]string{
		"HOME=" + s.HomeDir, "TERM=xterm-256color", "COLORTERM=truecolor", "PATH=/usr/bin:/bin",
		"TERMIO_SESSION=00000000-0000-4000-8000-000000000000", "TERMIO_SOCK=" + tr.socket, "TERMIO_TOKEN=secret",
	}, env...)
	tr.Console = s.Console(t, cmd, console.Options{})
	var err error
	if tr.signs, err = agents.SignsOf(name); err != nil {
		t.Fatal(err)
	}
	if _, err := tr.Wait(ctx, "the prompt of "+name, func(v console.View) bool {
		return v.Contains(tr.signs.Ready) && (tr.signs.Busy == "" || !v.Contains(tr.signs.Busy))
	}); err != nil {
		t.Fatal(err)
	}
	return tr
}

func (tr *trial) say(prompt string) {
	tr.t.Helper()
	tr.Type(prompt)
	if _, err := tr.WaitText(tr.ctx, prompt); err != nil {
		tr.t.Fatal(err)
	}
	tr.press("\r", func(ctx context.Context) error {
		_, err := tr.Model.Wait(ctx, func(r fakemodel.Request) bool { return !r.Side() && strings.Contains(r.Prompt, prompt) })
		return err
	})
}

// press presses a key, again and again until effect returns nil.
func (tr *trial) press(key string, effect func(context.Context) error) {
	tr.t.Helper()
	for wait := 400 * time.Millisecond; ; wait *= 2 {
		tr.Type(key)
		ctx, stop := context.WithTimeout(tr.ctx, wait)
		err := effect(ctx)
		stop()
		if err == nil {
			return
		}
		if tr.ctx.Err() != nil {
			tr.t.Fatalf("%q had no effect: %v; the screen:\n%s\nreports:\n%s", key, err, tr.View().Text, tr.lines())
		}
	}
}

// reports waits for a report of a state after the first n.
func (tr *trial) report(n int, state string) int {
	tr.t.Helper()
	ctx, cancel := context.WithTimeoutCause(tr.ctx, 20*time.Second, errors.New("20 s are over"))
	defer cancel()
	n, err := tr.wait(ctx, n, func(r hostproto.Report) bool { return r.State == state })
	if err != nil {
		tr.t.Fatalf("no report of %s: %v; the reports:\n%s\nthe screen:\n%s", state, err, tr.lines(), tr.View().Text)
	}
	return n
}

// inject gives an agent its hooks the way a launch does.
func inject(t *testing.T, name string) func(*agents.Stage, string) (args, env []string) {
	return func(s *agents.Stage, reporter string) (args, env []string) {
		m := bundled(t, name)
		dir := filepath.Join(filepath.Dir(s.HomeDir), "inject")
		in, why, ok := hooks.Inject(hooks.Launch{
			Manifest: m, Dir: dir, Reporter: reporter, Version: "999.0.0", Command: m.Command, Env: s.Env,
			Exists: func(path string) bool { _, err := os.Stat(path); return err == nil },
		})
		if !ok {
			t.Skipf("skipped: hooks are not injected into %s: %s", name, why)
		}
		if err := in.Write(dir); err != nil {
			t.Fatal(err)
		}
		return in.Args, in.Env
	}
}

// journey takes an agent through a turn, a permission and an interrupt.
func (tr *trial) journey() {
	tr.t.Helper()
	tr.say("say hello")
	n := tr.report(0, "working")
	n = tr.report(n, "done")
	if tr.signs.Permission != "" {
		tr.say("please TOOL now")
		if _, err := tr.WaitText(tr.ctx, tr.signs.Permission); err != nil {
			tr.t.Fatal(err)
		}
		n = tr.report(n, "attention")
		tr.press(tr.signs.Approve, func(ctx context.Context) error {
			_, err := tr.Wait(ctx, "the end of the question", func(v console.View) bool { return !v.Contains(tr.signs.Permission) })
			return err
		})
		n = tr.report(n, "done")
	}
	gate := tr.Model.Gate("mid")
	tr.say("HOLD:mid please")
	if err := gate.Wait(tr.ctx); err != nil {
		tr.t.Fatal(err)
	}
	tr.report(n, "working")
	tr.Type("\x1b")
	time.Sleep(300 * time.Millisecond) // OpenCode and Copilot want two of them
	tr.Type("\x1b")
	time.Sleep(1500 * time.Millisecond) // what comes is only shown
	gate.Open()
}

// vanish takes the reporter and the session's files away; the agent must not
// notice.
func (tr *trial) vanish(paths ...string) {
	tr.t.Helper()
	n, before := tr.count(), strings.ToLower(tr.View().Text)
	for _, p := range paths {
		if err := os.RemoveAll(p); err != nil {
			tr.t.Fatal(err)
		}
	}
	tr.Type("\x15")
	tr.say("are you there")
	v, err := tr.WaitText(tr.ctx, fakemodel.Greeting+" You said: are you there")
	if err != nil {
		tr.t.Fatal(err)
	}
	for _, bad := range []string{"hook error", "hook failed", "termio-hook", "enoent", "not found"} {
		if strings.Contains(strings.ToLower(v.Text), bad) && !strings.Contains(before, bad) {
			tr.t.Errorf("without the reporter the agent says %q:\n%s", bad, v.Text)
		}
	}
	if tr.count() != n {
		tr.t.Errorf("reports came without a reporter:\n%s", tr.lines())
	}
}

// TestRealInjection drives every agent that can be given hooks for one launch,
// with nothing of the user's touched, and shows the reports. At the end
// everything of Termio's is taken away, which the agent must survive.
func TestRealInjection(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: real agents take long, and this is a short run")
	}
	for _, name := range agents.Names() {
		t.Run(name, func(t *testing.T) {
			tr := begin(t, name, inject(t, name))
			tr.journey()
			t.Logf("reports:\n%s", tr.lines())
			base := filepath.Dir(tr.HomeDir)
			tr.vanish(filepath.Join(base, "inject"), filepath.Join(base, "termio-hook"))
		})
	}
}

// TestRealInjectionJoins: the hooks of the user's own run beside those that a
// launch is given.
func TestRealInjectionJoins(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: real agents take long, and this is a short run")
	}
	for name, own := range map[string]struct{ file, text string }{
		"claude":  {".claude/settings.json", `{"permissions":{"defaultMode":"default"},"hooks":{"Stop":[{"hooks":[{"type":"command","command":"touch MARK"}]}]}}`},
		"qwen":    {".qwen/settings.json", ""},
		"copilot": {".copilot/settings.json", `{"hooks":{"agentStop":[{"type":"command","command":"touch MARK"}]}}`},
	} {
		t.Run(name, func(t *testing.T) {
			var mark string
			tr := begin(t, name, func(s *agents.Stage, reporter string) (args, env []string) {
				mark = filepath.Join(s.Project, "own-hook-ran")
				path := filepath.Join(s.HomeDir, own.file)
				text := own.text
				if text == "" {
					old, err := os.ReadFile(path)
					if err != nil {
						t.Fatal(err)
					}
					text = `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"touch MARK"}]}]},` + strings.TrimSpace(string(old))[1:]
				}
				if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "MARK", mark)), 0o600); err != nil {
					t.Fatal(err)
				}
				return inject(t, name)(s, reporter)
			})
			tr.say("say hello")
			tr.report(tr.report(0, "working"), "done")
			for end := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
				if _, err := os.Stat(mark); err == nil {
					return
				}
				if time.Now().After(end) {
					t.Fatalf("the user's own hook did not run; the screen:\n%s", tr.View().Text)
				}
			}
		})
	}
}

// TestRealInstalled drives every agent with the hooks in its own config, and
// takes them out again.
func TestRealInstalled(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: real agents take long, and this is a short run")
	}
	for _, name := range agents.Names() {
		t.Run(name, func(t *testing.T) {
			var store *hooks.Store
			m := bundled(t, name)
			tr := begin(t, name, func(s *agents.Stage, reporter string) (args, env []string) {
				store = &hooks.Store{
					Dir: filepath.Join(filepath.Dir(s.HomeDir), "state"), Reporter: reporter,
					Getenv: func(name string) string { return map[string]string{"HOME": s.HomeDir}[name] },
					Find: func(context.Context, *atp.Manifest) (string, error) {
						dir, err := agents.Find()
						if err != nil {
							return "", err
						}
						return exec.LookPath(filepath.Join(dir, name, "node_modules", ".bin", name))
					},
					Version: func(_ context.Context, m *atp.Manifest, path string) string { return hooks.PackageVersion(path) },
				}
				if o := store.Install(t.Context(), m); o.State != hooks.Installed {
					t.Fatalf("%+v", o)
				}
				if name == "codex" { // else it asks, once, whether they are trusted
					args = []string{"--dangerously-bypass-hook-trust"}
				}
				return args, nil
			})
			tr.journey()
			t.Logf("reports:\n%s", tr.lines())
			if o := store.Status(t.Context(), m); o.State != hooks.Installed {
				t.Errorf("after a session: %+v", o)
			}
			tr.vanish(filepath.Join(filepath.Dir(tr.HomeDir), "termio-hook"))
			if o := store.Remove(t.Context(), m); o.State != hooks.NotInstalled || len(o.Changed) == 0 {
				t.Errorf("removal: %+v", o)
			}
		})
	}
}
