//go:build unix

package process

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Reaper collects every process of the host that ends: those it has started
// and the orphans that it inherits. It is the one place where a process id
// stops being ours.
type Reaper struct {
	mu       sync.Mutex
	children map[int]*Child
}

// Child is a process that the host has started.
type Child struct {
	PID    int
	Exited chan struct{} // closed when it has ended; Status is set then
	Status Status
}

// Status is how a process ended.
type Status struct {
	Code   int    // -1 when a signal ended it
	Signal string // as in "SIGKILL"
}

func (s Status) String() string {
	if s.Signal != "" {
		return "signal " + s.Signal
	}
	return fmt.Sprintf("exit code %d", s.Code)
}

// Start runs argv[0] in dir, leader of a session of its own, with these files
// as its standard ones.
func (r *Reaper) Start(argv, env []string, dir string, in, out, errs *os.File) (*Child, error) {
	r.mu.Lock() // until it is noted, so that its end cannot come before
	defer r.mu.Unlock()
	pid, err := syscall.ForkExec(argv[0], argv, &syscall.ProcAttr{
		Dir: dir, Env: env, Files: []uintptr{in.Fd(), out.Fd(), errs.Fd()},
		Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", argv[0], err)
	}
	c := &Child{PID: pid, Exited: make(chan struct{})}
	if r.children == nil {
		r.children = map[int]*Child{}
	}
	r.children[pid] = c
	return c, nil
}

// Reap collects what has ended.
func (r *Reaper) Reap() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		var ws syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &ws, syscall.WNOHANG, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil || pid <= 0 {
			return
		}
		c := r.children[pid]
		if c == nil {
			continue // an orphan
		}
		delete(r.children, pid)
		if ws.Signaled() {
			c.Status = Status{Code: -1, Signal: unix.SignalName(ws.Signal())}
		} else {
			c.Status = Status{Code: ws.ExitStatus()}
		}
		close(c.Exited)
	}
}
