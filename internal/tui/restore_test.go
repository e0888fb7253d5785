//go:build unix

package tui

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/termio-sh/termio/internal/testkit/console"
)

// fromShell opens the face from a shell, as a person does, and gives its
// process.
func (w *world) fromShell() int {
	w.t.Helper()
	w.open(80, 24, "/bin/bash", "--norc", "--noprofile", "-i")
	w.take(
		step{"a prompt", nil, shows("$")},
		step{"the user's own screen", keys("echo before-it\r"), shows("before-it\n")},
		step{"a prompt again", nil, func(w *world) bool { return strings.HasSuffix(strings.TrimSpace(w.screen()), "\n$") }},
		step{"the face", keys("termio\r"), shows("shop", "n new")},
	)
	return w.process("termio-tui")
}

// process is the child of the shell that runs a program.
func (w *world) process(name string) int {
	w.t.Helper()
	out, err := exec.Command("ps", "-o", "pid=,args=", "--ppid", strconv.Itoa(w.cmd.Process.Pid)).Output()
	if err != nil {
		w.t.Fatalf("ps: %v", err)
	}
	for line := range bytes.SplitSeq(out, []byte("\n")) {
		f := strings.Fields(string(line))
		if len(f) > 1 && strings.HasPrefix(f[1], name) {
			pid, err := strconv.Atoi(f[0])
			if err != nil {
				w.t.Fatal(err)
			}
			return pid
		}
	}
	w.t.Fatalf("no %s below the shell:\n%s", name, out)
	return 0
}

// atShell waits until the shell has its screen and answers.
func (w *world) atShell(say string) {
	w.t.Helper()
	if _, err := w.Wait(w.context(), "the user's own screen", func(v console.View) bool {
		// What is typed before the prompt goes with what the face left unread.
		return !v.Alternate && strings.Contains(w.screen(), "before-it") && strings.HasSuffix(strings.TrimSpace(w.screen()), "\n$")
	}); err != nil {
		w.t.Fatal(err)
	}
	w.take(step{"the shell answers", keys("echo " + say + "-$((1+1))\r"), shows(say + "-2")})
	// An interactive shell edits in a mode of its own: what counts is what the
	// programs that it starts find.
	w.take(step{"the mode is sane", keys("stty -a | tr ';' '\\n' | grep -c -w -e ' echo' -e ' icanon' -e '^isig'; echo looked\r"), shows("looked\n")})
	for _, m := range w.View().Modes {
		switch m {
		case 7, 25, 2004: // the shell's own
		default:
			w.t.Errorf("mode %d was left on", m)
		}
	}
	if s := w.screen(); strings.Contains(s, "NEEDS YOU") || strings.Contains(s, "keys go to") {
		w.t.Errorf("the face is still on the screen:\n%s", s)
	}
}

func TestRestoredAfterKill(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			w := newWorld(t)
			pid := w.fromShell()
			if err := syscall.Kill(pid, sig); err != nil {
				t.Fatal(err)
			}
			if sig == syscall.SIGKILL {
				// The shell may have put its prompt on the screen that the guard
				// took away; the guard is done when that is gone.
				if _, err := w.Wait(w.context(), "the guard", func(v console.View) bool { return !v.Alternate }); err != nil {
					t.Fatal(err)
				}
				w.Type("\r")
			}
			w.atShell("after")
		})
	}
}

func TestSuspendAndResume(t *testing.T) {
	w := newWorld(t)
	w.termio("sessions", "run", "echo in-the-session; cat")
	pid := w.fromShell()
	w.take(step{"the session", nil, shows("in-the-session")})
	w.Type("\x1a")
	w.atShell("away")
	w.take(
		step{"the face again", keys("fg\r"), shows("shop", "in-the-session", "n new")},
		step{"keys work", keys("?"), shows("Keys", "any key closes")},
		step{"closed", keys("q"), hides("any key closes")},
	)
	// A stop that cannot be caught, and the shell that goes on.
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	w.atShell("again")
}

// TestNotATerminal keeps scripts as they were.
func TestNotATerminal(t *testing.T) {
	w := newWorld(t)
	out := w.termio()
	if !strings.Contains(out, "opened "+w.dir) || strings.Contains(out, "\x1b[?1049h") {
		t.Errorf("into a pipe: %q", out)
	}
	cmd := exec.Command(w.bin + "/termio")
	cmd.Env = append(w.env, "TERM=dumb")
	cmd.Dir = w.dir
	r, err := console.Start(cmd, console.Options{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	if code, err := r.WaitExit(w.context()); err != nil || code != 0 {
		t.Fatalf("TERM=dumb: code %d, %v", code, err)
	}
	if v := r.View(); v.Alternate || !v.Contains("shop") {
		t.Errorf("TERM=dumb: %s", v.Text)
	}
	if _, err := os.Stat(w.home); err != nil {
		t.Fatal(err)
	}
}
