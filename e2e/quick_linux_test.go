package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/api"
)

// by runs a command by one of the programs.
func (f *fleet) by(program string, args ...string) result {
	f.t.Helper()
	cmd := exec.Command(filepath.Join(bin, program), args...)
	cmd.Dir, cmd.Env = f.dir, f.env
	var out, errout strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errout
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		f.t.Fatal(err)
	}
	return result{out: out.String(), err: errout.String(), code: cmd.ProcessState.ExitCode()}
}

// The quick program runs its verbs inside the coordinator: what they print and
// how they exit is what the whole program does.
func TestQuickIsLikeTheWhole(t *testing.T) {
	f := newFleet(t)
	link := must[api.SpawnReply](f, "sessions", "run", "cat", "--title", "a cat", "--json").Target
	f.termio("sessions", "send", link, "hello there")
	f.shows(link, "hello there hello there")
	for _, line := range [][]string{
		{"sessions", "list"},
		{"sessions", "list", "--json", "--all"},
		{"sessions", "list", "--project", "."},
		{"sessions", "read", link},
		{"sessions", "read", link, "--json", "--lines", "3"},
		{"sessions", "read", link, "--lines", "many"},
		{"sessions", "read", "nobody"},
		{"sessions", "read", "nobody", "--json"},
		{"sessions", "read", "\xff"},
		{"sessions", "send", link},
		{"sessions", "send", link, "--key", "hyper-q", "--json"},
		{"sessions", "send", "--unknown", link, "x"},
		{"sessions", "rename", link, "a dog"},
		{"sessions", "focus", link, "--json"},
		{"sessions", "focus"},
	} {
		quick, whole := f.by("termio", line...), f.by("termio-core", line...)
		if age := "0s"; strings.Contains(quick.out, age) { // may have changed in between
			quick.out, whole.out = strings.Join(strings.Fields(quick.out), " "), strings.Join(strings.Fields(whole.out), " ")
		}
		if quick != whole {
			t.Errorf("%q:\nquick: exit %d\n%s%s\nwhole: exit %d\n%s%s", line, quick.code, quick.out, quick.err, whole.code, whole.out, whole.err)
		}
	}
}

// A call that has begun and loses its coordinator is told so, in the contract's
// shape; one that finds none starts one.
func TestQuickWithoutACoordinator(t *testing.T) {
	f := newFleet(t)
	link := must[api.SpawnReply](f, "sessions", "run", "cat", "--json").Target
	pid := f.daemonPID()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if s := f.session(link); s.Link != link { // by a new coordinator
		t.Errorf("the session is %+v", s)
	}

	// The host stands still, so that the call is at work when its coordinator dies.
	host := f.hosts()[0]
	if err := syscall.Kill(host, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(host, syscall.SIGCONT)
	pid = f.daemonPID()
	cmd := exec.Command(filepath.Join(bin, "termio"), "sessions", "read", link, "--json")
	cmd.Dir, cmd.Env = f.dir, f.env
	var out strings.Builder
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// It has read the head of the reply, and so that the call has begun.
	until(t, 10*time.Second, "the call is at work", func() (string, bool) {
		var read int
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/io", cmd.Process.Pid))
		fmt.Sscanf(string(b), "rchar: %d", &read)
		return string(b), read > len(strings.Join(cmd.Args, " "))+100
	})
	syscall.Kill(pid, syscall.SIGKILL)
	cmd.Wait()
	var e api.Error
	if err := json.Unmarshal([]byte(out.String()), &e); err != nil || e.Code != api.CodeUnavailable || cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("exit %d, %q (%v)", cmd.ProcessState.ExitCode(), out.String(), err)
	}
}
