//go:build unix

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/termio-sh/termio/internal/api"
)

// TestScripts runs the contract as people and scripts see it: the real
// programs, a home of its own for each script.
func TestScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the programs")
	}
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", bin, "../../cmd/termio", "../../cmd/termio-host", "../../cmd/termio-hook", "../../internal/testkit/scriptagent/cmd")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	if err := os.Rename(filepath.Join(bin, "cmd"), filepath.Join(bin, "scriptagent")); err != nil {
		t.Fatal(err)
	}
	cmds := watchCommands()
	for name, f := range map[string]func(*testscript.TestScript, bool, []string){
		"screen": screenShows, "session": sessionIs, "fields": fieldsAre,
		"code": exitsWith, "promptid": promptID, "queued": queuedNumber,
	} {
		cmds[name] = f
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			home, err := os.MkdirTemp("", "ts") // short: it holds sockets
			if err != nil {
				return err
			}
			env.Setenv("TERMIO_HOME", home)
			env.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
			env.Setenv("SHELL", "/bin/sh")
			env.Setenv("LANG", "C.UTF-8")
			demo, err := filepath.Abs("../../scripts/demo.sh")
			if err != nil {
				return err
			}
			env.Setenv("DEMO", demo)
			if name := filepath.Base(env.WorkDir); name == "script-waiting" || name == "script-watch" {
				if err := scriptAgent(env, home, bin); err != nil {
					return err
				}
			}
			env.Defer(func() { tidy(t, env, filepath.Join(bin, "termio"), home) })
			return nil
		},
		Cmds: cmds,
	})
}

// tidy ends everything that a script started.
func tidy(t *testing.T, env *testscript.Env, termio, home string) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	do := func(args ...string) []byte {
		cmd := exec.CommandContext(ctx, termio, args...)
		cmd.Dir = env.WorkDir
		cmd.Env = append(os.Environ(), "TERMIO_HOME="+home)
		out, _ := cmd.Output() // what a script broke is its own error
		return out
	}
	var list api.ListReply
	json.Unmarshal(do("sessions", "list", "--all", "--json"), &list)
	for _, s := range list.Sessions {
		do("sessions", "close", "--all", s.Link)
	}
	do("daemon", "stop")
	if err := os.RemoveAll(home); err != nil {
		t.Error(err)
	}
}

// screenShows: "screen <link> <text>" waits until the session's screen shows
// the text.
func screenShows(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: screen <link> <text>")
	}
	await(ts, fmt.Sprintf("%q on the screen of %s", args[1], args[0]), func() (string, bool) {
		out := output(ts, "termio", "sessions", "read", args[0])
		return out, strings.Contains(out, args[1])
	})
}

// await tries until done; what a session does has no event here.
func await(ts *testscript.TestScript, what string, done func() (string, bool)) {
	deadline := time.Now().Add(15 * time.Second)
	for {
		last, ok := done()
		if ok {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("no %s; last seen:\n%s", what, last)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func output(ts *testscript.TestScript, name string, args ...string) string {
	path, err := exec.LookPath(strings.Split(ts.Getenv("PATH"), string(os.PathListSeparator))[0] + "/" + name)
	ts.Check(err)
	cmd := exec.Command(path, args...)
	cmd.Dir = ts.MkAbs(".")
	for _, k := range []string{"TERMIO_HOME", "PATH", "SHELL", "LANG", "HOME"} {
		cmd.Env = append(cmd.Env, k+"="+ts.Getenv(k))
	}
	out, _ := cmd.Output()
	return string(out)
}

// sessionIs: "session NAME" keeps the link that the last command printed as
// $NAME.
func sessionIs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: session NAME")
	}
	out := strings.TrimSpace(ts.ReadFile("stdout"))
	if strings.HasPrefix(out, "{") {
		var reply api.SpawnReply
		ts.Check(json.Unmarshal([]byte(out), &reply))
		out = reply.Target
	}
	if !strings.HasPrefix(out, "termio://session/") {
		ts.Fatalf("no link: %s", out)
	}
	ts.Setenv(args[0], out)
}

// fieldsAre: "fields a b c" checks that the last command printed one JSON
// object with exactly these fields, in order.
func fieldsAre(ts *testscript.TestScript, neg bool, args []string) {
	line := ts.ReadFile("stdout")
	if strings.Count(line, "\n") != 1 {
		ts.Fatalf("not one line: %q", line)
	}
	dec := json.NewDecoder(bytes.NewReader([]byte(line)))
	var got []string
	depth, key := 0, true
	for {
		tok, err := dec.Token()
		if err != nil {
			break
		}
		switch d, is := tok.(json.Delim); {
		case is && (d == '{' || d == '['):
			depth++
			key = true
			continue
		case is:
			depth--
			key = true
			continue
		}
		if depth == 1 && key {
			got = append(got, tok.(string))
			key = false
		} else if depth == 1 {
			key = true
		}
	}
	if strings.Join(got, " ") != strings.Join(args, " ") {
		ts.Fatalf("fields %v, want %v, in %s", got, args, line)
	}
}
