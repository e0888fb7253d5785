//go:build linux

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/testkit/netns"
)

// bin holds the programs under test.
var bin string

func TestMain(m *testing.M) { os.Exit(build(m)) }

func build(m *testing.M) int {
	dir, err := os.MkdirTemp("", "termio-bin")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	cmd := exec.Command("go", "build", "-o", dir+"/", "../cmd/...")
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the programs: %v\n%s", err, out)
		return 1
	}
	// As `make build` arranges them: the quick program takes the name.
	for _, move := range [][2]string{{"termio", "termio-core"}, {"termio-quick", "termio"}} {
		if err := os.Rename(filepath.Join(dir, move[0]), filepath.Join(dir, move[1])); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	bin = dir
	return netns.Main(m)
}

// fleet is one TERMIO_HOME with its project directory.
type fleet struct {
	t    *testing.T
	home string
	dir  string   // the project, where commands are run
	env  []string // of the commands
	// start starts a command; a network namespace's, or the command's own.
	start func(*exec.Cmd) error
}

func newFleet(t *testing.T) *fleet {
	t.Helper()
	base, err := os.MkdirTemp("", "te") // short, for the sockets' paths
	if err != nil {
		t.Fatal(err)
	}
	if base, err = filepath.EvalSymlinks(base); err != nil {
		t.Fatal(err)
	}
	f := &fleet{t: t, home: filepath.Join(base, "h"), dir: filepath.Join(base, "proj"), start: (*exec.Cmd).Start}
	for _, d := range []string{f.home, f.dir, filepath.Join(base, "user")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	f.env = []string{
		"HOME=" + filepath.Join(base, "user"), "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8",
		"TERMIO_HOME=" + f.home, "TERM=xterm-256color",
	}
	t.Cleanup(func() {
		f.end()
		os.RemoveAll(base)
	})
	return f
}

// end closes every session and stops the coordinator, and fails the test when
// a host is left.
func (f *fleet) end() {
	links := []string{}
	for _, s := range f.list() {
		links = append(links, s.Link)
	}
	if len(links) > 0 {
		f.termio(append([]string{"sessions", "close", "--all"}, links...)...)
	}
	f.termio("daemon", "stop")
	// A host whose program has ended stays a moment, so that viewers can read
	// the end.
	left := f.hosts()
	for end := time.Now().Add(5 * time.Second); len(left) > 0 && time.Now().Before(end); left = f.hosts() {
		time.Sleep(20 * time.Millisecond)
	}
	if len(left) > 0 {
		f.t.Errorf("hosts left running: %v", left)
		for _, pid := range left {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// hosts are the host processes whose record lies in this home.
func (f *fleet) hosts() []int {
	var pids []int
	records, _ := filepath.Glob(filepath.Join(f.home, "state/sessions/*/record.json"))
	for _, path := range records {
		b, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		var r struct {
			HostPID int `json:"host_pid"`
		}
		if json.Unmarshal(b, &r) != nil || r.HostPID == 0 {
			continue
		}
		exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", r.HostPID))
		if err == nil && strings.HasPrefix(exe, bin) {
			pids = append(pids, r.HostPID)
		}
	}
	return pids
}

// result is how a command ended.
type result struct {
	out, err string
	code     int
	took     time.Duration
}

// termio runs one command in the project.
func (f *fleet) termio(args ...string) result { return f.input("", args...) }

func (f *fleet) input(stdin string, args ...string) result {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "termio"), args...)
	cmd.Dir, cmd.Env = f.dir, f.env
	var out, errb bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errb
	began := time.Now()
	err := f.start(cmd)
	if err == nil {
		err = cmd.Wait()
	}
	r := result{out: out.String(), err: errb.String(), took: time.Since(began)}
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		r.code = exit.ExitCode()
	} else if err != nil {
		f.t.Fatalf("termio %s: %v", strings.Join(args, " "), err)
	}
	return r
}

// must runs a command that has to succeed and decodes its JSON.
func must[T any](f *fleet, args ...string) T {
	f.t.Helper()
	r := f.termio(args...)
	if r.code != 0 {
		f.t.Fatalf("termio %s: exit %d\n%s%s", strings.Join(args, " "), r.code, r.out, r.err)
	}
	return decode[T](f, r.out)
}

func decode[T any](f *fleet, text string) T {
	f.t.Helper()
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		f.t.Fatalf("not JSON: %v\n%s", err, text)
	}
	return v
}

// refused runs a command that has to fail with the code.
func (f *fleet) refused(code api.Code, args ...string) api.Error {
	f.t.Helper()
	r := f.termio(append(args, "--json")...)
	if r.code != api.ExitError {
		f.t.Fatalf("termio %s: exit %d, want 1\n%s%s", strings.Join(args, " "), r.code, r.out, r.err)
	}
	e := decode[api.Error](f, r.out)
	if e.Code != code || e.OK || e.SchemaVersion != 1 || e.Message == "" {
		f.t.Fatalf("termio %s: error %+v, want %s", strings.Join(args, " "), e, code)
	}
	return e
}

func (f *fleet) list() []api.Session {
	f.t.Helper()
	return must[api.ListReply](f, "sessions", "list", "--all", "--json").Sessions
}

func (f *fleet) session(link string) api.Session {
	f.t.Helper()
	all := f.list()
	i := slices.IndexFunc(all, func(s api.Session) bool { return s.Link == link })
	if i < 0 {
		f.t.Fatalf("%s is not listed; listed are %+v", link, all)
	}
	return all[i]
}

func (f *fleet) screen(link string) string {
	f.t.Helper()
	return must[api.ReadReply](f, "sessions", "read", link, "--json").Screen
}

// until looks again and again, since a command line has no events to wait for.
func until(t *testing.T, limit time.Duration, what string, look func() (string, bool)) {
	t.Helper()
	for end := time.Now().Add(limit); ; time.Sleep(30 * time.Millisecond) {
		saw, ok := look()
		if ok {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s: not within %v; last seen:\n%s", what, limit, saw)
		}
	}
}

// shows waits until the session's screen holds the words, however they wrap.
func (f *fleet) shows(link, text string) {
	f.t.Helper()
	until(f.t, time.Minute, "the screen shows "+text, func() (string, bool) {
		s := f.screen(link)
		return s, strings.Contains(words(s), words(text))
	})
}

// is waits until the session has one of the states.
func (f *fleet) is(link string, states ...string) {
	f.t.Helper()
	until(f.t, time.Minute, "the status is "+strings.Join(states, " or "), func() (string, bool) {
		s := f.session(link)
		return s.Status + "\n" + f.screen(link), slices.Contains(states, s.Status)
	})
}

func words(s string) string { return strings.Join(strings.Fields(s), " ") }

// daemonPID asks the coordinator who it is.
func (f *fleet) daemonPID() int {
	f.t.Helper()
	d := must[api.DaemonReply](f, "daemon", "status", "--json")
	if !d.Running || d.PID == 0 {
		f.t.Fatalf("no coordinator runs: %+v", d)
	}
	return d.PID
}

// killDaemon is what must never cost anything.
func (f *fleet) killDaemon() {
	f.t.Helper()
	if err := syscall.Kill(f.daemonPID(), syscall.SIGKILL); err != nil {
		f.t.Fatal(err)
	}
}
