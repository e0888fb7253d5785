package transcript_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/testkit/agents"
	"github.com/termio-sh/termio/internal/testkit/console"
	"github.com/termio-sh/termio/internal/testkit/fakemodel"
	"github.com/termio-sh/termio/internal/testkit/netns"
	"github.com/termio-sh/termio/internal/transcript"
)

var record = flag.Bool("record", false, "write what the real agents keep into testdata: go test ./internal/transcript -run TestRealStores -record, then -run TestCaptured -update")

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(netns.Main(m))
}

// A trial is one real agent at its prompt.
type trial struct {
	*agents.Stage
	*console.Console
	ctx context.Context
}

func start(t *testing.T, name string) *trial {
	t.Helper()
	tr := &trial{Stage: agents.NewStage(t, name)}
	ctx, cancel := context.WithTimeoutCause(context.Background(), 150*time.Second, errors.New("the trial's time is over"))
	t.Cleanup(cancel)
	cmd := tr.Command("/bin/bash", "-ilc", "exec "+name)
	cmd.Env = []string{"HOME=" + tr.HomeDir, "TERM=xterm-256color", "COLORTERM=truecolor", "PATH=/usr/bin:/bin"}
	tr.ctx = ctx
	tr.Console = tr.Stage.Console(t, cmd, console.Options{})
	return tr
}

// press presses a key, again and again until effect returns nil.
func (tr *trial) press(t *testing.T, key string, effect func(context.Context) error) {
	t.Helper()
	for wait := 400 * time.Millisecond; ; wait *= 2 {
		tr.Type(key)
		ctx, stop := context.WithTimeout(tr.ctx, wait)
		err := effect(ctx)
		stop()
		if err == nil {
			return
		}
		if tr.ctx.Err() != nil {
			t.Fatalf("%q had no effect: %v; the screen:\n%s", key, err, tr.View().Text)
		}
	}
}

func (tr *trial) say(t *testing.T, prompt string) {
	t.Helper()
	tr.Type(prompt)
	tr.see(t, prompt)
	tr.press(t, "\r", func(ctx context.Context) error {
		_, err := tr.Model.Wait(ctx, func(r fakemodel.Request) bool { return !r.Side() && r.Prompt == prompt })
		return err
	})
}

func (tr *trial) see(t *testing.T, text string) {
	t.Helper()
	if _, err := tr.WaitText(tr.ctx, text); err != nil {
		t.Fatal(err)
	}
}

// converse has a conversation of two prompts, the second with a tool.
func converse(t *testing.T, name string) *trial {
	t.Helper()
	tr := start(t, name)
	signs, err := agents.SignsOf(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tr.Wait(tr.ctx, "the prompt of "+name, func(v console.View) bool {
		return v.Contains(signs.Ready) && (signs.Busy == "" || !v.Contains(signs.Busy))
	}); err != nil {
		t.Fatal(err)
	}
	tr.say(t, "say hello")
	tr.see(t, fakemodel.Greeting+" You said: say hello")
	tr.say(t, "please TOOL now")
	if signs.Permission != "" {
		tr.see(t, signs.Permission)
		tr.press(t, signs.Approve, func(ctx context.Context) error {
			_, err := tr.Wait(ctx, "the end of the question", func(v console.View) bool { return !v.Contains(signs.Permission) })
			return err
		})
	}
	tr.see(t, "The tool finished. Its result was:")
	return tr
}

// manifestOf is the bundled manifest of an agent of the test kit.
func manifestOf(t *testing.T, name string) *atp.Manifest {
	t.Helper()
	catalog, _ := atp.LoadBundled() // package atp tests that nothing is wrong with them
	m, ok := catalog.Lookup(name)
	if !ok || m.Transcript == nil {
		t.Fatalf("%s has no manifest with a transcript", name)
	}
	return m
}

// The real CLIs have a conversation; it is found by its id, counted and read.
// With -record what they wrote becomes the files in testdata.
func TestRealStores(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: real agents take long, and this is a short run")
	}
	for _, name := range agents.Names() {
		t.Run(name, func(t *testing.T) {
			tr := converse(t, name)
			m := manifestOf(t, name)
			env := func(k string) string { return map[string]string{"HOME": tr.HomeDir}[k] }
			var path string
			var about transcript.About
			var said []transcript.Message
			tr.until(t, "the whole conversation on disk", func() bool {
				var items []transcript.Item
				for item, err := range transcript.List(tr.ctx, m, env) {
					if err != nil {
						return false // a database that is being made
					}
					items = append(items, item)
				}
				if len(items) != 1 {
					return false
				}
				path = items[0].Path
				about, _ = transcript.Head(m.Transcript.Format, path)
				said, _ = transcript.Read(m.Transcript.Format, path, 0, transcript.ToEnd)
				return len(said) > 0 && strings.Contains(said[len(said)-1].Text, "The tool finished.")
			})
			if about.Dir != tr.Project || about.ID == "" || about.Sub {
				t.Errorf("it is about %+v", about)
			}
			checkConversation(t, said)
			for _, dir := range []string{"", tr.Project, "/elsewhere"} {
				if got, ok := transcript.Find(m, env, dir, about.ID); !ok || got != path {
					t.Errorf("found %q, %v for the directory %q; it is %s", got, ok, dir, path)
				}
			}
			if other, ok := transcript.Find(m, env, tr.Project, uuid.NewString()); ok {
				t.Errorf("a conversation that is not there was found: %s", other)
			}
			if !transcript.Inside(m, env, path) {
				t.Errorf("%s is not inside its store", path)
			}
			n, err := transcript.NewCounter(m.Transcript.Format).Lines(path)
			if err != nil || n <= said[len(said)-1].Line {
				t.Errorf("%d lines (%v), and something is said in line %d", n, err, said[len(said)-1].Line)
			}
			if *record {
				keepStore(t, m.Transcript.Format, path, tr.HomeDir, tr.Project)
			}
		})
	}
}

// until waits for what files show.
func (tr *trial) until(t *testing.T, what string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-tr.ctx.Done():
			t.Fatalf("no %s: %v", what, context.Cause(tr.ctx))
		}
	}
}
