//go:build unix

package term

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/termio-sh/termio/internal/host"
	"github.com/termio-sh/termio/internal/hostproto"
)

// TestHangupBringsTheSocketBack: the coordinator tells a host with a hangup
// that its socket is gone; one that is not gone stays.
func TestHangupBringsTheSocketBack(t *testing.T) {
	spec := testSpec(t, "")
	spec.Record.Socket = filepath.Join(filepath.Dir(spec.Record.Socket), "run", "h", "s.sock")
	if err := os.MkdirAll(filepath.Dir(spec.Record.Socket), 0o700); err != nil {
		t.Fatal(err)
	}
	h := startHost(t, spec)
	old := h.control()
	before, err := os.Stat(spec.Record.Socket)
	if err != nil {
		t.Fatal(err)
	}
	hangUp := func() {
		t.Helper()
		if err := h.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	hangUp()
	call[hostproto.Info](t, old, hostproto.OpInfo, nil)
	if err := os.RemoveAll(filepath.Dir(filepath.Dir(spec.Record.Socket))); err != nil {
		t.Fatal(err)
	}
	hangUp()
	waitFor(t, func() string { return "the socket" }, func() bool {
		c, err := hostproto.Dial(testContext(t), spec.Record.Socket, hostproto.Hello{Role: hostproto.RoleControl})
		if err != nil {
			return false
		}
		defer c.Close()
		return c.Call(testContext(t), hostproto.OpInfo, nil, nil) == nil
	})
	after, err := os.Stat(spec.Record.Socket)
	if err != nil || after.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", after, err)
	}
	call[hostproto.Info](t, old, hostproto.OpInfo, nil) // connections outlive it
	hangUp()
	call[hostproto.Info](t, h.control(), hostproto.OpInfo, nil)
	if again, err := os.Stat(spec.Record.Socket); err != nil || !os.SameFile(after, again) || os.SameFile(before, again) && before.ModTime().Equal(again.ModTime()) {
		t.Errorf("a socket that was there was made anew: %v", err)
	}
	if log, _ := os.ReadFile(filepath.Join(spec.SessionDir, host.LogName)); strings.Contains(string(log), "cannot be") || strings.Count(string(log), "opened anew") != 1 {
		t.Errorf("it tried to open a socket that is there:\n%s", log)
	}
	call[hostproto.Closed](t, h.control(), hostproto.OpClose, hostproto.CloseRequest{})
	h.waitGone()
	if _, err := os.Lstat(spec.Record.Socket); !os.IsNotExist(err) {
		t.Errorf("the socket is still there: %v", err)
	}
}
