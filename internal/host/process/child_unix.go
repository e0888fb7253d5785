//go:build unix

package process

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

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
	Exited chan struct{} // closed when it has ended; the rest is set then
	Status Status
	Ended  time.Time
}

// Status is how a process ended.
type Status struct {
	Code   int    // -1 when a signal ended it
	Signal string // as in "SIGKILL"
}

// Failed tells whether it ended otherwise than with success.
func (s Status) Failed() bool { return s.Code != 0 }

func (s Status) String() string {
	if s.Signal != "" {
		return "signal " + s.Signal
	}
	return fmt.Sprintf("exit code %d", s.Code)
}

// Command is a program to run.
type Command struct {
	Argv, Env    []string // Argv[0] is the program's path
	Dir          string
	In, Out, Err *os.File
	// Terminal makes In the program's controlling terminal.
	Terminal bool
}

// Start runs a program, leader of a session and of a process group of its own.
func (r *Reaper) Start(c Command) (*Child, error) {
	r.mu.Lock() // until it is noted, so that its end cannot come before
	defer r.mu.Unlock()
	pid, err := syscall.ForkExec(c.Argv[0], c.Argv, &syscall.ProcAttr{
		Dir: c.Dir, Env: c.Env, Files: []uintptr{c.In.Fd(), c.Out.Fd(), c.Err.Fd()},
		Sys: &syscall.SysProcAttr{Setsid: true, Setctty: c.Terminal, Ctty: 0},
	})
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", c.Argv[0], err)
	}
	child := &Child{PID: pid, Exited: make(chan struct{})}
	if r.children == nil {
		r.children = map[int]*Child{}
	}
	r.children[pid] = child
	return child, nil
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
		c.Ended = time.Now()
		if ws.Signaled() {
			c.Status = Status{Code: -1, Signal: unix.SignalName(ws.Signal())}
		} else {
			c.Status = Status{Code: ws.ExitStatus()}
		}
		close(c.Exited)
	}
}
