//go:build unix

package daemon

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/config"
	"github.com/termio-sh/termio/internal/hostproto"
)

func TestKilledCoordinatorLosesNothing(t *testing.T) {
	h := newHome(t)
	target := h.run("read x; echo before-$x; read x; echo after-$x")
	h.eventually("the command waits", func() bool { return strings.Contains(h.screen(target), "echo before-") })
	if _, err := h.client.Rename(t.Context(), api.RenameRequest{Caller: h.caller(), Target: target, Title: "Precious"}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.client.Send(t.Context(), api.SendRequest{Caller: h.caller(), Target: target, Text: "one", Enter: true}); err != nil {
		t.Fatal(err)
	}
	first := h.daemonPID()

	// A delivery is on its way while the coordinator dies; it lives in the host.
	sent := make(chan error, 1)
	go func() {
		_, err := h.newClient(true).Send(t.Context(), api.SendRequest{Caller: h.caller(), Target: target, Text: "two", Enter: true})
		sent <- err
	}()
	h.kill9()
	<-sent // answered or cut off, as it happened

	rows := h.list(false) // starts the next one
	if len(rows) != 1 || rows[0].Link != target || rows[0].Title != "Precious" {
		t.Fatalf("after the kill: %+v", rows)
	}
	if second := h.daemonPID(); second == first {
		t.Fatal("the coordinator was not killed")
	}
	h.eventually("the screen is whole", func() bool {
		s := h.screen(target)
		return strings.Contains(s, "before-one")
	})
}

func TestOutputWrittenMeanwhileIsThere(t *testing.T) {
	h := newHome(t)
	gate := filepath.Join(h.dir, "gate")
	target := h.run("until [ -e " + gate + " ]; do sleep 0.01; done; echo mean\"\"while-output")
	h.eventually("the command runs", func() bool { return strings.Contains(h.screen(target), "until") })
	h.kill9()
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h.eventually("the output is there", func() bool { return strings.Contains(h.screen(target), "\nmeanwhile-output") })
}

// starts counts the coordinators that ever served this home.
func (h *home) starts() int {
	text, err := os.ReadFile(filepath.Join(h.layout.LogsDir(), LogName))
	if err != nil {
		h.Fatal(err)
	}
	return bytes.Count(text, []byte(`"msg":"started"`))
}

func TestManyStartersYieldOne(t *testing.T) {
	h := newHome(t)
	const n = 8
	pids := make([]int, n)
	var wait sync.WaitGroup
	for i := range n {
		c := h.newClient(false)
		wait.Go(func() {
			r, err := c.Daemon(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			pids[i] = r.PID
		})
	}
	wait.Wait()
	for _, pid := range pids {
		if pid != pids[0] {
			t.Errorf("more than one coordinator: %v", pids)
			break
		}
	}
	if n := h.starts(); n != 1 {
		t.Errorf("%d coordinators served", n)
	}
	if said, _ := os.ReadFile(filepath.Join(h.layout.LogsDir(), "daemon.out")); len(said) > 0 {
		t.Errorf("more were started in vain: %s", said)
	}
}

func TestSecondDaemonStandsDown(t *testing.T) {
	h := newHome(t)
	first := h.daemonPID()
	var notes bytes.Buffer
	if err := Run(t.Context(), Options{Layout: h.layout, Notes: &notes}); err != nil {
		t.Errorf("the second one failed: %v", err)
	}
	if !strings.Contains(notes.String(), "running already") {
		t.Errorf("it said %q", notes.String())
	}
	if now := h.daemonPID(); now != first {
		t.Errorf("coordinator %d was replaced by %d", first, now)
	}
}

func TestRemovedSocketIsOpenedAnew(t *testing.T) {
	h := newHome(t)
	first := h.daemonPID()
	if err := os.Remove(h.layout.DaemonSocket()); err != nil {
		t.Fatal(err)
	}
	h.eventually("the socket is back", func() bool { return answers(h.layout.DaemonSocket()) })
	if now := h.daemonPID(); now != first {
		t.Errorf("coordinator %d was replaced by %d", first, now)
	}
}

func TestCorruptRecordOfALiveSession(t *testing.T) {
	h := newHome(t)
	h.settings(func(s *config.Settings) { s.ShellMarks = new(bool) }) // its status stays as it is, and so does its record
	target := h.run("echo here")
	path := h.layout.Record(strings.TrimPrefix(target, "termio://session/"))
	rec := h.record(target)
	// The host may not write its record again before the test ends.
	t.Cleanup(func() { syscall.Kill(rec.HostPID, syscall.SIGTERM) })
	h.kill9()
	if err := os.WriteFile(path, []byte(`{"version":1,"id":`), 0o600); err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(h.layout.SessionsDir(), "00000000-0000-4000-8000-000000000000")
	if err := os.MkdirAll(dead, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dead, "record.json"), []byte("\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	rows := h.list(true)
	if len(rows) != 1 || rows[0].Link != target {
		t.Errorf("got %+v", rows)
	}
	for _, p := range []string{path, filepath.Join(dead, "record.json")} {
		if kept, _ := filepath.Glob(p + ".corrupt-*"); len(kept) != 1 {
			t.Errorf("%s was set aside as %v", p, kept)
		}
	}
	status, err := h.client.Daemon(t.Context())
	if err != nil || len(status.Problems) != 2 || !strings.Contains(status.Problems[0].Message, ".corrupt-") {
		t.Errorf("reported: %+v, %v", status.Problems, err)
	}
	// Whoever has its link hears that it was here, also from the next coordinator.
	h.kill9()
	link := "termio://session/" + filepath.Base(dead)
	err = h.client.Call(h.Context(), api.VerbReopen, api.ReopenRequest{Caller: h.caller(), Target: link}, nil)
	if e := api.From(err); e == nil || e.Code != api.CodeNotFound || !strings.Contains(e.Message, dead) {
		t.Errorf("reopen of a session without a record: %v", err)
	}
}

// TestUnreadableRecordOfALiveSession: the host knows what the file does not tell.
func TestUnreadableRecordOfALiveSession(t *testing.T) {
	h := newHome(t)
	target := h.run("echo here")
	path := h.layout.Record(strings.TrimPrefix(target, "termio://session/"))
	rec := h.record(target)
	t.Cleanup(func() { syscall.Kill(rec.HostPID, syscall.SIGTERM) })
	h.kill9()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Base(path), path); err != nil { // unreadable for root, too
		t.Fatal(err)
	}
	if rows := h.list(true); len(rows) != 1 || rows[0].Link != target {
		t.Errorf("got %+v", rows)
	}
}

func TestKilledHost(t *testing.T) {
	h := newHome(t)
	target, other := h.run("echo one"), h.run("echo two")
	rec := h.record(target)
	syscall.Kill(rec.HostPID, syscall.SIGKILL)
	h.eventually("the loss is known", func() bool { return len(h.list(false)) == 1 })
	if rows := h.list(false); rows[0].Link != other {
		t.Errorf("the wrong one is left: %+v", rows)
	}
	var at time.Time
	check := func(when string) {
		t.Helper()
		row, ok := h.find(target)
		if !ok || row.Status != "closed" || row.Closed == nil || row.Closed.Reason != "host-lost" {
			t.Fatalf("%s: %+v", when, row)
		}
		if at.IsZero() {
			at = row.Closed.At
		} else if !at.Equal(row.Closed.At) {
			t.Errorf("%s: it was lost at %v, then at %v", when, at, row.Closed.At)
		}
		_, err := h.client.Read(t.Context(), api.ReadRequest{Caller: h.caller(), Target: target})
		refused(t, err, api.CodeNotFound, "host-lost")
	}
	check("at once")
	if _, err := os.Lstat(rec.Socket); err == nil {
		t.Error("its socket is left behind")
	}
	h.kill9()
	check("after a restart")

	// A host that dies while nobody watches.
	rec = h.record(other)
	h.kill9()
	syscall.Kill(rec.HostPID, syscall.SIGKILL)
	h.eventually("the host is dead", func() bool { return dead(rec.HostPID) })
	row, ok := h.find(other)
	if !ok || row.Closed == nil || row.Closed.Reason != "host-lost" {
		t.Errorf("died unwatched: %+v", row)
	}
}

func TestStoppedHostDelaysNobody(t *testing.T) {
	h := newHome(t)
	frozen, other := h.run("echo one"), h.run("echo two")
	rec := h.record(frozen)
	h.kill9()
	syscall.Kill(rec.HostPID, syscall.SIGSTOP)
	defer syscall.Kill(rec.HostPID, syscall.SIGCONT)
	if rows := h.list(false); len(rows) != 2 {
		t.Errorf("a host that cannot be asked is still there: %+v", rows)
	}
	h.screen(other)
	_, err := h.client.Read(t.Context(), api.ReadRequest{Caller: h.caller(), Target: frozen})
	refused(t, err, api.CodeNotLive, "cannot be reached")
	syscall.Kill(rec.HostPID, syscall.SIGCONT)
	h.eventually("it is reached again", func() bool {
		_, err := h.client.Read(t.Context(), api.ReadRequest{Caller: h.caller(), Target: frozen})
		return err == nil
	})
}

// TestSendToAStoppedHost ends with an error, also when its socket is full, and
// so does what comes after it.
func TestSendToAStoppedHost(t *testing.T) {
	h := newHome(t)
	frozen := h.run("echo one")
	h.screen(frozen) // it is connected
	rec := h.record(frozen)
	syscall.Kill(rec.HostPID, syscall.SIGSTOP)
	defer syscall.Kill(rec.HostPID, syscall.SIGCONT)
	began := time.Now()
	_, err := h.client.Send(t.Context(), api.SendRequest{Caller: h.caller(), Target: frozen, Text: strings.Repeat("x", 4<<20), Enter: true})
	refused(t, err, api.CodeNotLive, "does not answer; what was sent may still be typed")
	if took := time.Since(began); took > 3*askTime {
		t.Errorf("it took %v", took)
	}
}

func TestRestart(t *testing.T) {
	h := newHome(t)
	target := h.run("cat")
	h.eventually("it runs", func() bool { return strings.Contains(h.screen(target), "cat") })
	seen := map[int]bool{h.daemonPID(): true}
	for range 5 {
		if r, err := h.newClient(true).Stop(t.Context()); err != nil || r.Running {
			t.Fatalf("stop: %+v, %v", r, err)
		}
		if answers(h.layout.DaemonSocket()) {
			t.Error("one that has stopped can still be called")
		}
		// At once: the one that is about to end takes no call.
		if _, err := h.client.Send(t.Context(), api.SendRequest{Caller: h.caller(), Target: target, Text: "x", Enter: true}); err != nil {
			t.Fatalf("right after a stop: %v", err)
		}
		pid := h.daemonPID()
		if seen[pid] {
			t.Fatalf("coordinator %d was stopped and answers", pid)
		}
		seen[pid] = true
	}
}

// TestKillsAtAnyMoment kills the coordinator while sessions are being started:
// every session that was answered for exists, and every host that runs is known.
func TestKillsAtAnyMoment(t *testing.T) {
	h := newHome(t)
	answered := map[string]bool{}
	const rounds = 8
	for round := range rounds {
		pid := h.daemonPID()
		targets := make(chan string, 4)
		var wait sync.WaitGroup
		for range cap(targets) {
			c := h.newClient(true)
			wait.Go(func() {
				// Cut off, refused or answered, as it happens.
				if r, err := c.Run(t.Context(), api.RunRequest{Caller: h.caller(), Command: "true", Env: os.Environ()}); err == nil {
					targets <- r.Target
				}
			})
		}
		if round == rounds-1 {
			wait.Wait() // on a busy machine nothing may have been answered yet
		}
		time.Sleep(time.Duration(round*round) * 3 * time.Millisecond) // a moment, not a wait
		syscall.Kill(pid, syscall.SIGKILL)
		wait.Wait()
		close(targets)
		for target := range targets {
			answered[target] = true
		}
	}
	listed := map[string]bool{}
	for _, row := range h.list(false) {
		listed[row.Link] = true
	}
	t.Logf("%d were answered for, %d are there, %d ended", len(answered), len(listed), len(h.list(true))-len(listed))
	if len(answered) == 0 {
		t.Error("nothing was answered for: the test shows nothing")
	}
	for target := range answered {
		if !listed[target] {
			row, known := h.find(target)
			t.Errorf("%s was answered for and is not there (%v, %+v)", target, known, row.Closed)
		}
	}
	for _, row := range h.list(true) {
		if row.Closed != nil {
			t.Errorf("a session has ended with its coordinator: %+v", row.Closed)
		}
	}
	for _, rec := range h.records() {
		if !hostproto.Gone(rec.HostPID, rec.HostBoot) && !listed["termio://session/"+rec.ID] {
			t.Errorf("host %d runs and is not known", rec.HostPID)
		}
	}
}

// TestClearedRunDirectory: what a logout clears, the coordinator and the hosts
// make anew, and they find each other, whether the coordinator lives on or not.
func TestClearedRunDirectory(t *testing.T) {
	for _, survives := range []bool{true, false} {
		t.Run(map[bool]string{true: "the coordinator lives", false: "the coordinator is gone"}[survives], func(t *testing.T) {
			h := newHome(t)
			target := h.run("echo here; read x; echo got-$x; read x")
			h.eventually("the command waits", func() bool { return strings.Contains(h.screen(target), "\nhere") })
			rec := h.record(target)
			if !survives {
				h.kill9()
			}
			// At one blow: it comes back while it is being cleared.
			if err := os.Rename(h.layout.Run, h.layout.Run+".cleared"); err != nil {
				t.Fatal(err)
			}
			if err := os.RemoveAll(h.layout.Run + ".cleared"); err != nil {
				t.Fatal(err)
			}
			if !survives {
				h.list(false) // starts the next one
			}
			h.eventually("the host's socket is back", func() bool {
				c, err := hostproto.Dial(t.Context(), rec.Socket, hostproto.Hello{Role: hostproto.RoleControl})
				if err != nil {
					return false
				}
				defer c.Close()
				return c.Call(t.Context(), hostproto.OpInfo, nil, nil) == nil
			})
			for _, p := range []string{filepath.Dir(rec.Socket), rec.Socket} {
				if st, err := os.Stat(p); err != nil || st.Mode().Perm()&0o077 != 0 {
					t.Errorf("%s: %v, %v", p, st, err)
				}
			}
			h.eventually("the API is back", func() bool { return answers(h.layout.DaemonSocket()) })
			if _, err := h.client.Send(t.Context(), api.SendRequest{Caller: h.caller(), Target: target, Text: "it", Enter: true}); err != nil {
				t.Fatal(err)
			}
			h.eventually("the session goes on", func() bool { return strings.Contains(h.screen(target), "got-it") })
			if now := h.record(target); now.HostPID != rec.HostPID {
				t.Errorf("host %d was replaced by %d", rec.HostPID, now.HostPID)
			}
		})
	}
}

// TestRemovedHome: sessions outlive their home, and who comes back finds them.
func TestRemovedHome(t *testing.T) {
	h := newHome(t)
	target := h.run("echo here; read x; echo got-$x; read x")
	h.eventually("the command waits", func() bool { return strings.Contains(h.screen(target), "\nhere") })
	rec := h.record(target)
	t.Cleanup(func() { syscall.Kill(rec.HostPID, syscall.SIGTERM) })
	if err := os.Rename(h.layout.Home, h.layout.Home+".gone"); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(h.layout.Home + ".gone"); err != nil {
		t.Fatal(err)
	}
	h.eventually("the host's socket is back", func() bool { return answers(rec.Socket) })
	h.eventually("the API is back", func() bool { return answers(h.layout.DaemonSocket()) })
	h.kill9()
	if row, ok := h.find(target); !ok || row.Closed != nil {
		t.Fatalf("the session is lost: %+v", row)
	}
	if _, err := h.client.Send(t.Context(), api.SendRequest{Caller: h.caller(), Target: target, Text: "it", Enter: true}); err != nil {
		t.Fatal(err)
	}
	h.eventually("the session goes on", func() bool { return strings.Contains(h.screen(target), "got-it") })
	if _, err := h.client.Rename(t.Context(), api.RenameRequest{Caller: h.caller(), Target: target, Title: "found"}); err != nil {
		t.Fatal(err)
	}
	h.eventually("its record is back", func() bool {
		now, err := readRecord(h.layout.Record(rec.ID))
		return err == nil && now.UserTitle == "found"
	})
}

// TestRemovedHostSocket alone comes back too.
func TestRemovedHostSocket(t *testing.T) {
	h := newHome(t)
	target := h.run("echo here; read x")
	socket := h.record(target).Socket
	if err := os.Remove(socket); err != nil {
		t.Fatal(err)
	}
	h.eventually("the host's socket is back", func() bool { return answers(socket) })
	h.eventually("the session is there", func() bool { return strings.Contains(h.screen(target), "\nhere") })
}
