//go:build unix

package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/termio-sh/termio/internal/api"
)

// scriptAgent makes the scripted agent known to a script's home as "script",
// and $REPORT the hook by which it reports its state, its conversation and its
// transcript.
func scriptAgent(env *testscript.Env, home, bin string) error {
	dir := filepath.Join(home, "config", "agents")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	manifest, err := json.Marshal(map[string]any{
		"id": "script", "name": "Script", "command": filepath.Join(bin, "scriptagent"),
		"transcript": map[string]any{"format": "claude-jsonl"},
	})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "script.json"), manifest, 0o600); err != nil {
		return err
	}
	report := filepath.Join(bin, "report")
	env.Setenv("REPORT", report)
	if err := os.WriteFile(filepath.Join(env.WorkDir, "long"), []byte(strings.Repeat("long ", 1000)), 0o600); err != nil {
		return err
	}
	return os.WriteFile(report, []byte(`#!/bin/sh
in=$(cat)
case $in in
*'"hook_event_name":"UserPromptSubmit"'*) state=working;;
*'"hook_event_name":"Stop"'*) state=done;;
*'"hook_event_name":"PermissionRequest"'* | *'"hook_event_name":"Notification"'*) state=attention;;
*'"hook_event_name":"SessionStart"'*) state=idle;;
*) exit 0;;
esac
printf %s "$in" | '`+filepath.Join(bin, "termio-hook")+`' $state --conversation-from session_id --transcript
`), 0o700)
}

// exitsWith: "code N command args…" runs a command that must end with that code.
func exitsWith(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N command args…")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

// promptID: "promptid NAME" keeps the prompt_id that the last command printed.
func promptID(ts *testscript.TestScript, neg bool, args []string) {
	var r api.WaitReply
	if err := json.Unmarshal([]byte(ts.ReadFile("stdout")), &r); neg || len(args) != 1 || err != nil || r.PromptID == "" {
		ts.Fatalf("no prompt_id: %v", err)
	}
	ts.Setenv(args[0], r.PromptID)
}

// queuedNumber: "queued NAME <text>" keeps the number of the prompt with that
// text in the queue that was printed last.
func queuedNumber(ts *testscript.TestScript, neg bool, args []string) {
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		if len(args) == 2 && strings.HasSuffix(strings.TrimSpace(line), args[1]) {
			ts.Setenv(args[0], strings.Fields(line)[0])
			return
		}
	}
	ts.Fatalf("no such prompt waits")
}

// watches: "watches FILE args…" starts a watch in the background that writes to
// the file, and returns when its snapshot is there; "watched FILE TEXT" waits
// for a text in it; "watchend FILE SIGNAL CODE" ends it and checks its exit code.
func watchCommands() map[string]func(*testscript.TestScript, bool, []string) {
	running := map[string]*exec.Cmd{}
	return map[string]func(*testscript.TestScript, bool, []string){
		"watches": func(ts *testscript.TestScript, neg bool, args []string) {
			out, err := os.Create(ts.MkAbs(args[0]))
			ts.Check(err)
			program := filepath.Join(strings.Split(ts.Getenv("PATH"), string(os.PathListSeparator))[0], "termio")
			cmd := exec.Command(program, append([]string{"sessions", "watch"}, args[1:]...)...)
			cmd.Dir, cmd.Stdout, cmd.Stderr = ts.MkAbs("."), out, out
			for _, k := range []string{"TERMIO_HOME", "PATH", "SHELL", "LANG", "HOME", "TERMIO_SESSION", "TERMIO_TOKEN", "TERMIO_STALL_WINDOW_SECONDS"} {
				if v := ts.Getenv(k); v != "" {
					cmd.Env = append(cmd.Env, k+"="+v)
				}
			}
			ts.Check(cmd.Start())
			key := ts.MkAbs(args[0])
			running[key] = cmd
			ts.Defer(func() {
				if running[key] != nil {
					cmd.Process.Kill()
					cmd.Wait()
				}
				out.Close()
			})
		},
		"watched": func(ts *testscript.TestScript, neg bool, args []string) {
			await(ts, fmt.Sprintf("%q in the watch", args[1]), func() (string, bool) {
				text := ts.ReadFile(args[0])
				return text, strings.Contains(text, args[1])
			})
		},
		"watchend": func(ts *testscript.TestScript, neg bool, args []string) {
			key := ts.MkAbs(args[0])
			cmd := running[key]
			if args[1] == "interrupt" {
				ts.Check(cmd.Process.Signal(os.Interrupt))
			}
			done := make(chan error, 1)
			go func() { done <- cmd.Wait() }()
			select {
			case <-done:
			case <-time.After(10 * time.Second):
				ts.Fatalf("the watch does not end")
			}
			delete(running, key)
			if got := strconv.Itoa(cmd.ProcessState.ExitCode()); got != args[2] {
				ts.Fatalf("the watch ended with %s, want %s", got, args[2])
			}
		},
	}
}
