package agents_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/testkit/agents"
	"github.com/termio-sh/termio/internal/testkit/console"
	"github.com/termio-sh/termio/internal/testkit/fakemodel"
	"github.com/termio-sh/termio/internal/testkit/netns"
)

func TestMain(m *testing.M) { os.Exit(netns.Main(m)) }

// limit is the time for one agent's whole trial.
const limit = 150 * time.Second

// again is how long a key's effect is waited for before it is pressed again,
// at first; twice as long each time after that.
const again = 400 * time.Millisecond

// A trial is one agent at its prompt.
type trial struct {
	*agents.Stage
	*console.Console
	ctx   context.Context
	began time.Time
}

// start brings an agent up the way Termio starts it: through a login shell,
// whose profile is all that tells it of the agent and the model.
func start(t *testing.T, name string, prepare func(*agents.Stage)) *trial {
	t.Helper()
	tr := &trial{Stage: agents.NewStage(t, name)}
	if prepare != nil {
		prepare(tr.Stage)
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), limit, errors.New("the trial's time is over"))
	t.Cleanup(cancel)
	cmd := tr.Command("/bin/bash", "-ilc", "exec "+name)
	cmd.Env = []string{"HOME=" + tr.HomeDir, "TERM=xterm-256color", "COLORTERM=truecolor", "PATH=/usr/bin:/bin"}
	tr.ctx, tr.began = ctx, time.Now()
	tr.Console = tr.Stage.Console(t, cmd, console.Options{})
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
	tr.at(t, "ready")
	return signs
}

// say types a prompt and, once it stands on the screen, presses Enter until
// the model hears of it: an Enter within some 40 ms of the text is not taken
// for one by Gemini CLI.
func (tr *trial) say(t *testing.T, prompt string) {
	t.Helper()
	tr.Type(prompt)
	tr.see(t, prompt)
	tr.press(t, "\r", func(ctx context.Context) error {
		_, err := tr.Model.Wait(ctx, func(r fakemodel.Request) bool { return !r.Side() && r.Prompt == prompt })
		return err
	})
}

// press presses a key, again and again until effect returns nil.
func (tr *trial) press(t *testing.T, key string, effect func(context.Context) error) {
	t.Helper()
	for times := 1; ; times++ {
		tr.Type(key)
		ctx, stop := context.WithTimeout(tr.ctx, again<<(times-1))
		err := effect(ctx)
		stop()
		if err == nil {
			if times > 1 {
				t.Logf("%q had to be pressed %d times", key, times)
			}
			return
		}
		if tr.ctx.Err() != nil {
			t.Fatalf("%q had no effect: %v; the screen:\n%s", key, err, tr.View().Text)
		}
	}
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

// at tells how far the trial is.
func (tr *trial) at(t *testing.T, what string) {
	t.Helper()
	t.Logf("%5.1f s: %s", time.Since(tr.began).Seconds(), what)
}

// Every agent that is installed answers a prompt on its screen; one that asks
// before it runs a command asks, and runs it once that is allowed. When the
// trial is over nothing of it runs any more (package netns).
func TestRealAgents(t *testing.T) {
	for _, name := range agents.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := start(t, name, nil)
			signs := tr.ready(t, name)
			tr.say(t, "say hello")
			tr.see(t, fakemodel.Greeting+" You said: say hello")
			tr.at(t, "answered")
			if signs.Permission == "" {
				return
			}
			tr.say(t, "please TOOL now")
			tr.see(t, signs.Permission)
			tr.at(t, "asks")
			ran := filepath.Join(tr.Project, "tool-ran.txt")
			if _, err := os.Stat(ran); err == nil {
				t.Error("the command ran before it was allowed")
			}
			// Claude Code lets keys go by for some 200 ms after it asked.
			tr.press(t, signs.Approve, func(ctx context.Context) error {
				_, err := tr.Wait(ctx, "the end of the question", func(v console.View) bool { return !v.Contains(signs.Permission) })
				return err
			})
			if _, err := tr.Model.Wait(tr.ctx, func(r fakemodel.Request) bool {
				return r.ToolResult != nil && strings.Contains(*r.ToolResult, "tool-ran-ok")
			}); err != nil {
				t.Errorf("%v; the screen:\n%s", err, tr.View().Text)
			}
			tr.see(t, "The tool finished. Its result was:")
			if _, err := os.Stat(ran); err != nil {
				t.Errorf("the command that was allowed did not run: %v", err)
			}
			tr.at(t, "ran the command")
		})
	}
}

const plugin = `import fs from "node:fs"
export const Note = async (ctx) => {
  fs.writeFileSync(ctx.directory + "/plugin-loaded", "yes")
  return {}
}
`

// A plugin of OpenCode's is loaded, and loading it does not wait for npm.
func TestRealOpenCodePlugin(t *testing.T) {
	t.Parallel()
	tr := start(t, "opencode", func(s *agents.Stage) {
		dir := filepath.Join(s.HomeDir, ".config/opencode/plugin")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "note.js"), []byte(plugin), 0o644); err != nil {
			t.Fatal(err)
		}
	})
	tr.ready(t, "opencode")
	if _, err := os.Stat(filepath.Join(tr.Project, "plugin-loaded")); err != nil {
		t.Errorf("ready, but the plugin was not loaded: %v", err)
	}
	if took := time.Since(tr.began); took > 60*time.Second {
		t.Errorf("ready only after %v", took)
	}
}
