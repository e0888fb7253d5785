package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/testkit/agents"
	"github.com/termio-sh/termio/internal/testkit/console"
	"github.com/termio-sh/termio/internal/testkit/picture"
	"github.com/termio-sh/termio/vt"
)

// TestPicture makes the README's picture anew: real agents in real sessions,
// as `list` and `attach` show them.
//
//	TERMIO_PICTURE=docs/picture.svg go test ./e2e -run TestPicture
func TestPicture(t *testing.T) {
	path := os.Getenv("TERMIO_PICTURE")
	if path == "" {
		t.Skip("skipped: TERMIO_PICTURE names no file to draw")
	}
	j := newJourney(t, "claude", "codex", "opencode")
	spawn := func(agent, prompt, title string) string {
		return must[api.SpawnReply](j.fleet, "sessions", "spawn", prompt, "--agent", agent, "--title", title, "--json").Target
	}
	asking := spawn("claudeCode", "run the tests TOOL", "Run the tests")
	working := spawn("codex", "HOLD:codex refactor the parser", "Refactor the parser")
	done := spawn("opencode", "explain the retry logic", "Explain the retry logic")
	shell := j.run("echo listening on 127.0.0.1:5173; cat", "--title", "dev server")
	j.shows(shell, "5173")
	j.is(asking, "needs-you")
	j.is(done, "done")
	j.is(working, "working")

	list := j.draw([]string{"sessions", "list"}, 6, 96, func(c *console.Console) {
		if _, err := c.WaitExit(j.ctx); err != nil {
			t.Fatal(err)
		}
	})
	signs, err := agents.SignsOf("claude")
	if err != nil {
		t.Fatal(err)
	}
	attached := j.draw([]string{"sessions", "attach", asking}, 34, 96, func(c *console.Console) {
		if _, err := c.Wait(j.ctx, "the whole question and no notice", func(v console.View) bool {
			return v.Contains(signs.Permission) && v.Contains("Esc to cancel") && !v.Contains("leaves, the session goes on")
		}); err != nil {
			t.Fatal(err)
		}
	})
	svg := picture.SVG(
		picture.Panel{Title: "$ termio sessions list", Screen: list},
		picture.Panel{Title: "$ termio sessions attach", Screen: attached},
	)
	j.model.Gate("codex").Open()
	if err := os.WriteFile(filepath.Join("..", path), []byte(svg), 0o644); err != nil {
		t.Fatal(err)
	}
}

// draw runs a command on a terminal and returns what it shows once ready.
func (j *journey) draw(args []string, rows, cols int, ready func(*console.Console)) *vt.Terminal {
	j.t.Helper()
	cmd := exec.Command(filepath.Join(bin, "termio"), args...)
	cmd.Dir, cmd.Env = j.dir, append(j.env, "COLORTERM=truecolor")
	rec := &console.Recorder{}
	c, err := console.Start(cmd, console.Options{Rows: rows, Cols: cols, Start: j.start, Raw: rec})
	if err != nil {
		j.t.Fatal(err)
	}
	defer c.Close(j.ctx)
	ready(c)
	term := vt.New(vt.Options{Cols: cols, Rows: rows})
	term.Write(rec.Bytes())
	return term
}
