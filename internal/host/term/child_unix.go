//go:build unix

package term

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// child is the program in the PTY. The host reaps it itself, together with
// every orphan that it inherits, so that there is one place where a process id
// stops being ours.
type child struct {
	pid int

	mu     sync.Mutex
	exited chan struct{} // closed when it has ended; status and ended are set then
	status exitStatus
	ended  time.Time
	reaped bool
}

// exitStatus is how a program ended.
type exitStatus struct {
	code   int    // -1 when a signal ended it
	signal string // as in "SIGKILL"
}

func (s exitStatus) failed() bool { return s.code != 0 }

// startChild runs argv in dir with the terminal tty as its controlling
// terminal, leader of a session and of a process group of its own.
func startChild(argv, env []string, dir string, tty *os.File) (*child, error) {
	fd := tty.Fd()
	pid, err := syscall.ForkExec(argv[0], argv, &syscall.ProcAttr{
		Dir: dir, Env: env, Files: []uintptr{fd, fd, fd},
		Sys: &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0},
	})
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", argv[0], err)
	}
	return &child{pid: pid, exited: make(chan struct{})}, nil
}

// watchSignals turns the host's signals into calls: reap for each child that
// may have ended, stop when the host is asked to end, reopen at a hangup: the
// coordinator sends it when it does not find the host's socket, and that of the
// terminal that the host came from does no harm.
func watchSignals(reap func(), stop func(signal string), reopen func()) {
	ch := make(chan os.Signal, 8)
	// SIGPIPE too: a coordinator killed before it has read the host's answer
	// must not take the session with it.
	signal.Notify(ch, syscall.SIGCHLD, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGPIPE)
	go func() {
		for s := range ch {
			switch s {
			case syscall.SIGCHLD:
				reap()
			case syscall.SIGTERM, syscall.SIGINT:
				stop(unix.SignalName(s.(syscall.Signal)))
			case syscall.SIGHUP:
				reopen()
			}
		}
	}()
}

// reap collects every process that has ended: the program and the orphans.
func (c *child) reap() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		var ws syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &ws, syscall.WNOHANG, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil || pid <= 0 {
			return
		}
		if pid != c.pid || c.reaped {
			continue
		}
		c.reaped, c.ended = true, time.Now()
		if ws.Signaled() {
			c.status = exitStatus{code: -1, signal: unix.SignalName(ws.Signal())}
		} else {
			c.status = exitStatus{code: ws.ExitStatus()}
		}
		close(c.exited)
	}
}

// detach makes the host a session of its own.
func detach() {
	// It fails when the host leads its process group already, as when the
	// one who started it has done this.
	_, _ = syscall.Setsid()
	_ = os.Chdir("/")
}

// redirect points the standard files of the host away from whoever started it:
// input and output to nothing, errors to log.
func redirect(log *os.File) error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("open %s: %w", os.DevNull, err)
	}
	defer null.Close()
	for fd, f := range []*os.File{null, null, log} {
		if f == nil {
			continue
		}
		if err := dup(int(f.Fd()), fd); err != nil {
			return fmt.Errorf("redirect file %d: %w", fd, err)
		}
	}
	return nil
}
