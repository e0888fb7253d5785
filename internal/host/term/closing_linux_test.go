package term

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
)

// pidsIn waits for n files with process ids in dir.
func pidsIn(t *testing.T, dir string, n int) map[string]int {
	t.Helper()
	pids := map[string]int{}
	waitFor(t, func() string { return fmt.Sprintf("%d process ids in files, have %v", n, pids) }, func() bool {
		files, _ := filepath.Glob(filepath.Join(dir, "*.pid"))
		for _, f := range files {
			data, _ := os.ReadFile(f)
			if pid, err := strconv.Atoi(strings.TrimSpace(string(data))); err == nil {
				pids[filepath.Base(f)] = pid
			}
		}
		return len(pids) == n
	})
	return pids
}

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

// everyKind starts one process of each way to get away from a plain hangup.
const everyKind = `
set -m
sleep 1000 & echo $! >job.pid
set +m
sleep 1001 & echo $! >child.pid
nohup sleep 1002 >/dev/null 2>&1 & echo $! >nohup.pid
setsid sh -c 'echo $$ >setsid.pid; exec sleep 1003' &
(setsid sh -c 'trap "" HUP; (exec >/dev/null 2>&1 </dev/null; sh -c "echo \$\$ >daemon.pid; exec sleep 1004") & ' &) 
sh -c 'echo $$ >stopped.pid; kill -STOP $$; exec sleep 1005' &
printf READY
exec sleep 1006
`

func TestCloseEndsEverything(t *testing.T) {
	h := startHost(t, testSpec(t, everyKind))
	c := h.control()
	pids := pidsIn(t, h.spec.Record.Dir, 6)
	info := call[hostproto.Info](t, c, hostproto.OpInfo, nil)
	pids["program"] = info.Record.ChildPID
	begin := time.Now()
	closed := call[hostproto.Closed](t, c, hostproto.OpClose, hostproto.CloseRequest{Reason: hostproto.ReasonUser})
	took := time.Since(begin)
	for name, pid := range pids {
		if alive(pid) { // a zombie would count too
			t.Errorf("%s (%d) is still there after close", name, pid)
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	// On a loaded machine a program may not get to act on the first signal
	// before the second one comes.
	if closed.Reason != hostproto.ReasonUser || closed.Signal != "SIGHUP" && closed.Signal != "SIGTERM" {
		t.Errorf("closed: %+v", closed)
	}
	if took > killAfter-time.Second {
		t.Errorf("close took %v although nobody resisted", took)
	}
	h.waitGone()
}

func TestCloseKillsWhatResists(t *testing.T) {
	h := startHost(t, testSpec(t, `trap "" HUP TERM INT; sh -c 'echo $$ >inner.pid; while :; do sleep 1; done' & echo $$ >outer.pid; while :; do sleep 1; done`))
	c := h.control()
	pids := pidsIn(t, h.spec.Record.Dir, 2)
	begin := time.Now()
	closed := call[hostproto.Closed](t, c, hostproto.OpClose, nil)
	if took := time.Since(begin); took < killAfter-time.Second || took > killAfter+3*time.Second {
		t.Errorf("close took %v, not about %v", took, killAfter)
	}
	if closed.Signal != "SIGKILL" {
		t.Errorf("closed: %+v", closed)
	}
	for name, pid := range pids {
		if alive(pid) {
			t.Errorf("%s is still there", name)
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	h.waitGone()
}

// TestExitEndsWhatWasLeft: a host ends what its agent started.
func TestExitEndsWhatWasLeft(t *testing.T) {
	h := startHost(t, testSpec(t, `setsid sh -c 'echo $$ >left.pid; exec sleep 1000' >/dev/null 2>&1 </dev/null & while [ ! -s left.pid ]; do sleep 0.02; done; exit 0`))
	h.waitGone()
	for name, pid := range pidsIn(t, h.spec.Record.Dir, 1) {
		if alive(pid) {
			t.Errorf("%s outlived the session", name)
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

func TestNoZombies(t *testing.T) {
	// Orphans come to the host, which must reap them.
	h := startHost(t, testSpec(t, `for i in 1 2 3 4 5 6 7 8 9; do (true &) ; done; printf READY; read x`))
	c := h.control()
	waitScreen(t, c, "READY", contains("READY"))
	host := h.cmd.Process.Pid
	waitFor(t, func() string { return "the orphans to be reaped" }, func() bool {
		zombies := 0
		files, _ := filepath.Glob("/proc/[0-9]*/stat")
		for _, f := range files {
			data, _ := os.ReadFile(f)
			_, rest, _ := strings.Cut(string(data), ") ")
			if strings.HasPrefix(rest, "Z "+strconv.Itoa(host)+" ") {
				zombies++
			}
		}
		return zombies == 0
	})
}

func TestTermEndsTheSessionHupDoesNot(t *testing.T) {
	h := startHost(t, testSpec(t, ""))
	c := h.control()
	waitScreen(t, c, "the prompt", func(s string) bool { return s != "" })
	h.cmd.Process.Signal(syscall.SIGHUP)
	call[hostproto.SendReply](t, c, hostproto.OpSend, hostproto.SendRequest{Text: "echo st''ill", Enter: true})
	waitScreen(t, c, "the shell after SIGHUP", contains("\nstill"))
	h.cmd.Process.Signal(syscall.SIGTERM)
	h.waitGone()
	if r := readRecord(t, h.spec); r.Closed == nil || r.Closed.Reason != hostproto.ReasonKilled || r.Closed.Signal != "SIGTERM" {
		t.Errorf("record: %+v", r.Closed)
	}
}

// runaway hops: each process starts the next one, in a session of its own,
// and ends at once, so that a look at the table of processes easily misses it.
const runaway = `cat >hop.sh <<'END'
setsid sh -c 'sleep 0.005; exec sh hop.sh' </dev/null >/dev/null 2>&1 &
END
for i in 1 2 3 4 5 6 7 8; do sh hop.sh; done
printf READY
exec sleep 1007
`

func TestCloseEndsRunaways(t *testing.T) {
	h := startHost(t, testSpec(t, runaway))
	c := h.control()
	waitScreen(t, c, "READY", contains("READY"))
	dir := h.spec.Record.Dir
	if len(processesIn(dir)) < 2 {
		t.Fatal("nothing hops, so nothing is tested")
	}
	call[hostproto.Closed](t, c, hostproto.OpClose, hostproto.CloseRequest{})
	if left := processesIn(dir); len(left) > 0 {
		t.Errorf("left after close: %v", left)
		for _, pid := range left {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	h.waitGone()
}

// processesIn are the processes whose working directory is dir.
func processesIn(dir string) (pids []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if cwd, err := os.Readlink("/proc/" + e.Name() + "/cwd"); err == nil && cwd == dir {
			pids = append(pids, pid)
		}
	}
	return pids
}
