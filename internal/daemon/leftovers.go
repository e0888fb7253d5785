//go:build unix

package daemon

import (
	"context"
	"syscall"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
)

// Times of ending what does not end by itself.
const (
	leftoverTerm = 1500 * time.Millisecond // after HUP and TERM, KILL follows
	stoppedHost  = 7 * time.Second         // for a host to end its session after SIGTERM
)

// endLeftovers ends what a lost host had started: its program, and on Linux
// every process that carries the token of the session's launch. Nothing else
// is a proof, and nothing is ended without one.
func (d *Daemon) endLeftovers(rec hostproto.Record) {
	left := func() (pids []int) {
		if rec.ChildPID > 1 && rec.ChildBoot != "" {
			if stamp, err := hostproto.ProcessStamp(rec.ChildPID); err == nil && stamp == rec.ChildBoot {
				pids = append(pids, rec.ChildPID)
			}
		}
		return append(pids, carriers(rec.ID, func(token string) bool { return d.proves(rec.ID, token) })...)
	}
	began := time.Now()
	for told := map[int]syscall.Signal{}; time.Since(began) < 2*leftoverTerm; time.Sleep(20 * time.Millisecond) {
		pids := left()
		if len(pids) == 0 {
			return
		}
		sig := syscall.SIGTERM
		if time.Since(began) > leftoverTerm {
			sig = syscall.SIGKILL
		}
		for _, pid := range pids {
			if told[pid] == sig {
				continue
			}
			told[pid] = sig
			d.log.Warn("a lost session's process is ended", "session", rec.ID, "pid", pid, "signal", sig.String())
			_ = syscall.Kill(pid, sig)
			_ = syscall.Kill(pid, syscall.SIGCONT)
		}
	}
}

// endHost ends a session whose host does not answer: a stopped one is let run
// and asked once more, by a signal; one that does not end is killed. It
// reports whether the host, which is known by its stamp, is gone.
func (d *Daemon) endHost(ctx context.Context, rec hostproto.Record) bool {
	same := func() bool {
		stamp, err := hostproto.ProcessStamp(rec.HostPID)
		return err == nil && rec.HostBoot != "" && stamp == rec.HostBoot
	}
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		if !same() {
			break
		}
		_ = syscall.Kill(rec.HostPID, sig)
		_ = syscall.Kill(rec.HostPID, syscall.SIGCONT)
		for end := time.Now().Add(stoppedHost); same() && time.Now().Before(end) && ctx.Err() == nil; {
			time.Sleep(20 * time.Millisecond)
		}
	}
	return hostproto.Gone(rec.HostPID, rec.HostBoot)
}
