package daemon

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/termio-sh/termio/internal/api"
)

// TestLostHostLeavesNothing: what hides from the hangup, in a session of its
// own, is ended when the host was killed; what only names the session, without
// its token, is not.
func TestLostHostLeavesNothing(t *testing.T) {
	h := newHome(t)
	file := filepath.Join(h.dir, "pids")
	link := h.run("trap '' HUP; setsid sh -c 'trap \"\" HUP; echo $$ >>" + file + "; exec sleep 600' & " +
		"TERMIO_TOKEN=other setsid sh -c 'echo $$ >>" + file + "2; exec sleep 600' &")
	read := func(name string) int {
		data, _ := os.ReadFile(name)
		pid, _ := strconv.Atoi(strings.TrimSpace(string(data)))
		return pid
	}
	h.eventually("both run", func() bool { return read(file) > 0 && read(file+"2") > 0 })
	stranger := read(file + "2")
	defer syscall.Kill(stranger, syscall.SIGKILL)
	syscall.Kill(h.record(link).HostPID, syscall.SIGKILL)
	h.eventually("what it started is gone", func() bool { return dead(read(file)) })
	h.eventually("it is told", func() bool { s, _ := h.find(link); return s.Closed != nil && s.Closed.Reason == "host-lost" })
	if dead(stranger) {
		t.Error("a process that could not prove where it comes from was ended")
	}
}

// TestReopenAllMissesNothing: a session whose host was killed together with the
// coordinator, and whose program takes its time to end, is one of those that
// --all means.
func TestReopenAllMissesNothing(t *testing.T) {
	h := newHome(t)
	file := filepath.Join(h.dir, "pid")
	link := h.run("setsid sh -c 'trap \"\" HUP TERM; echo $$ >" + file + "; while :; do sleep 1; done' &")
	h.eventually("it runs", func() bool { data, _ := os.ReadFile(file); return len(data) > 0 })
	host := h.record(link).HostPID
	h.kill9()
	syscall.Kill(host, syscall.SIGKILL)
	h.eventually("the host is gone", func() bool { return dead(host) })
	var reply api.ReopenReply
	if err := h.client.Call(h.Context(), api.VerbReopen, api.ReopenRequest{Caller: h.caller(), Lost: true}, &reply); err != nil {
		t.Fatal(err)
	}
	if len(reply.Sessions) != 1 || reply.Sessions[0].Target != link || reply.Sessions[0].Error != nil {
		t.Errorf("reopened %+v, want %s", reply.Sessions, link)
	}
}

// TestCloseEndsAStoppedHost: a host that cannot answer is ended all the same.
func TestCloseEndsAStoppedHost(t *testing.T) {
	h := newHome(t)
	link := h.run("true")
	rec := h.record(link)
	if err := syscall.Kill(rec.HostPID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if _, err := h.client.CloseSession(h.Context(), api.TargetRequest{Caller: h.caller(), Target: link}); err != nil {
		t.Fatalf("close: %v", err)
	}
	h.eventually("the host is gone", func() bool { return dead(rec.HostPID) })
	if !dead(rec.ChildPID) {
		t.Error("its program runs on")
	}
}
