package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

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

// A call that finds no coordinator starts one.
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
}
