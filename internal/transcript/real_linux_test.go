package transcript_test

import (
	"context"
	"errors"
	"flag"
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

var keep = flag.String("keep", "", "copy the stores that the real agents make into this folder")

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

func TestRealStores(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: real agents take long, and this is a short run")
	}
	for _, name := range agents.Names() {
		t.Run(name, func(t *testing.T) {
			tr := converse(t, name)
			time.Sleep(2 * time.Second)
			if *keep != "" {
				dir := filepath.Join(*keep, name)
				os.RemoveAll(dir)
				if out, err := exec.Command("cp", "-a", tr.HomeDir, dir).CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
			}
		})
	}
}
