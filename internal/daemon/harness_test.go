//go:build unix

package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hooks/report"
	"github.com/termio-sh/termio/internal/host/term"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/paths"
)

// The test program is also the coordinator and the host that tests run as real
// processes.
const (
	asDaemon = "be-a-daemon"
	asHost   = "be-a-host"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case asDaemon:
			os.Exit(daemonProcess())
		case asHost:
			os.Exit(term.Main(os.Stdin, os.Stdout))
		case "agent": // as `termio agent report`, which hooks fall back to
			o, _ := report.Parse(os.Args[3:])
			report.Run(o)
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

func daemonProcess() int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	layout, err := paths.FromEnv()
	if err == nil {
		err = Run(ctx, Options{Layout: layout, Host: []string{os.Args[0], asHost}})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// home is a Termio of its own, with nothing running in it yet.
type home struct {
	*testing.T
	layout paths.Layout
	client *api.Client
	dir    string // a project's directory
	user   string // $HOME
}

func newHome(t *testing.T) *home {
	t.Helper()
	root, err := os.MkdirTemp("", "tm") // short, for the sockets
	if err != nil {
		t.Fatal(err)
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	h := &home{T: t, dir: filepath.Join(root, "demo"), user: filepath.Join(root, "user")}
	for _, dir := range []string{h.dir, h.user} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", h.user)
	t.Setenv("TERMIO_HOME", filepath.Join(root, "h"))
	t.Setenv("PATH", os.Getenv("PATH"))
	for _, name := range []string{"TERMIO_SESSION", "TERMIO_TOKEN", api.TimeoutEnv} {
		t.Setenv(name, "")
		os.Unsetenv(name)
	}
	if h.layout, err = paths.FromEnv(); err != nil {
		t.Fatal(err)
	}
	h.client = h.newClient(false)
	t.Cleanup(h.end)
	return h
}

func (h *home) newClient(noStart bool) *api.Client {
	h.Helper()
	c, err := api.NewClient(api.ClientOptions{Layout: h.layout, Start: []string{os.Args[0], asDaemon}, NoStart: noStart})
	if err != nil {
		h.Fatal(err)
	}
	h.Cleanup(c.Close)
	return c
}

// end stops everything that the test started.
func (h *home) end() {
	ctx := context.Background()
	h.newClient(true).Stop(ctx)
	var pids []int
	for _, rec := range h.records() {
		if rec.HostPID > 0 && !hostproto.Gone(rec.HostPID, rec.HostBoot) {
			syscall.Kill(rec.HostPID, syscall.SIGCONT)
			syscall.Kill(rec.HostPID, syscall.SIGTERM)
			pids = append(pids, rec.HostPID)
		}
	}
	for _, pid := range pids {
		if !within(10*time.Second, func() bool { return dead(pid) }) {
			h.Errorf("host %d did not end", pid)
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	if h.Failed() {
		for _, name := range []string{LogName, "daemon.out"} {
			if text, err := os.ReadFile(filepath.Join(h.layout.LogsDir(), name)); err == nil {
				h.Logf("%s:\n%s", name, text)
			}
		}
	}
}

func (h *home) records() []hostproto.Record {
	var out []hostproto.Record
	found, _ := filepath.Glob(filepath.Join(h.layout.SessionsDir(), "*", "record.json*"))
	for _, path := range found {
		var rec hostproto.Record
		if data, err := os.ReadFile(path); err == nil && json.Unmarshal(data, &rec) == nil {
			out = append(out, rec)
		}
	}
	return out
}

func dead(pid int) bool {
	_, err := hostproto.ProcessStamp(pid)
	return errors.Is(err, hostproto.ErrGone)
}

// within waits for a condition.
func within(d time.Duration, ok func() bool) bool {
	for deadline := time.Now().Add(d); ; time.Sleep(2 * time.Millisecond) {
		if ok() {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
	}
}

func (h *home) eventually(what string, ok func() bool) {
	h.Helper()
	if !within(15*time.Second, ok) {
		h.Fatalf("never: %s", what)
	}
}

func (h *home) caller() api.Caller { return api.Caller{Cwd: h.dir} }

// daemonPID is the process of the coordinator, which is started if need be.
func (h *home) daemonPID() int {
	h.Helper()
	r, err := h.client.Daemon(h.Context())
	if err != nil {
		h.Fatal(err)
	}
	return r.PID
}

// kill9 ends the coordinator the hard way.
func (h *home) kill9() {
	h.Helper()
	r, err := h.newClient(true).Daemon(h.Context())
	if err != nil || !r.Running {
		h.Fatalf("no coordinator to kill: %+v, %v", r, err)
	}
	if err := syscall.Kill(r.PID, syscall.SIGKILL); err != nil {
		h.Fatal(err)
	}
	h.eventually("the coordinator is dead", func() bool { return dead(r.PID) })
}

func (h *home) run(command string) string {
	h.Helper()
	r, err := h.client.Run(h.Context(), api.RunRequest{Caller: h.caller(), Command: command, Env: os.Environ()})
	if err != nil {
		h.Fatalf("run %q: %v", command, err)
	}
	return r.Target
}

func (h *home) list(closed bool) []api.Session {
	h.Helper()
	r, err := h.client.List(h.Context(), api.ListRequest{Caller: h.caller(), Closed: closed})
	if err != nil {
		h.Fatalf("list: %v", err)
	}
	return r.Sessions
}

func (h *home) screen(target string) string {
	h.Helper()
	r, err := h.client.Read(h.Context(), api.ReadRequest{Caller: h.caller(), Target: target, Lines: 200})
	if err != nil {
		h.Fatalf("read: %v", err)
	}
	return r.Screen
}

// find is the row of a session, closed ones among them.
func (h *home) find(target string) (api.Session, bool) {
	h.Helper()
	for _, s := range h.list(true) {
		if s.Link == target {
			return s, true
		}
	}
	return api.Session{}, false
}

// record is the record of a session.
func (h *home) record(target string) hostproto.Record {
	h.Helper()
	rec, err := readRecord(h.layout.Record(strings.TrimPrefix(target, "termio://session/")))
	if err != nil {
		h.Fatal(err)
	}
	return rec
}

func (h *home) manifest(id, text string) {
	h.Helper()
	if err := os.MkdirAll(h.layout.AgentsDir(), 0o700); err != nil {
		h.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h.layout.AgentsDir(), id+".json"), []byte(text), 0o600); err != nil {
		h.Fatal(err)
	}
}

// script puts a program on the login shell's PATH.
func (h *home) script(name, body string) string {
	h.Helper()
	bin := filepath.Join(h.user, "bin-of-"+name)
	if err := os.MkdirAll(bin, 0o700); err != nil {
		h.Fatal(err)
	}
	path := filepath.Join(bin, name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil {
		h.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(h.user, ".profile"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		h.Fatal(err)
	}
	defer f.Close()
	fmt.Fprintf(f, "PATH=%s:$PATH\nexport PATH\n", bin)
	return path
}

func code(err error) api.Code {
	if err == nil {
		return ""
	}
	return api.From(err).Code
}

// refused checks that an error has a code and says what helps.
func refused(t *testing.T, err error, want api.Code, says ...string) {
	t.Helper()
	if code(err) != want {
		t.Errorf("got %q (%v), want %q", code(err), err, want)
		return
	}
	for _, s := range says {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("the error does not say %q: %v", s, err)
		}
	}
}
