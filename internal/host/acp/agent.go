//go:build unix

package acp

import (
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/termio-sh/termio/internal/acphost"
	proc "github.com/termio-sh/termio/internal/host/process"
)

// How an agent and what it started are ended, once its input is closed: it has
// politeTime to go by itself.
const (
	politeTime = 400 * time.Millisecond
	killTime   = 1800 * time.Millisecond
	giveUp     = 6 * time.Second
)

func signalAfter(d time.Duration) syscall.Signal {
	switch {
	case d < politeTime:
		return 0
	case d < killTime:
		return syscall.SIGTERM
	}
	return syscall.SIGKILL
}

// processes starts and ends what runs in the session.
type processes struct {
	reaper proc.Reaper
	log    func(string, ...any)

	mu sync.Mutex // one ending at a time
}

// endAll ends everything below the host, and tells how much does not end.
func (p *processes) endAll() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return proc.Ending{Signal: signalAfter, GiveUp: giveUp, Log: p.log}.EndAll(nil)
}

// launch is acphost's Launcher.
func (p *processes) launch(argv, env []string, dir string, in, out, errs *os.File) (acphost.Process, error) {
	c, err := p.reaper.Start(proc.Command{Argv: argv, Env: env, Dir: dir, In: in, Out: out, Err: errs})
	if err != nil {
		return nil, err
	}
	return program{c}, nil
}

// program is a process as acphost sees it.
type program struct{ c *proc.Child }

func (p program) Exited() <-chan struct{} { return p.c.Exited }

func (p program) Exit() (code int, signal string) { return p.c.Status.Code, p.c.Status.Signal }

// Kill ends the process and those in its group, of which it is the leader.
func (p program) Kill() {
	select {
	case <-p.c.Exited:
	default:
		// It fails when the process has just ended.
		_ = syscall.Kill(-p.c.PID, syscall.SIGKILL)
	}
}

// connect starts the agent.
func (p *processes) connect(argv, env []string, dir string) (*acphost.Link, int, error) {
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, 0, err
	}
	defer childIn.Close()
	out, childOut, err := os.Pipe()
	if err != nil {
		in.Close()
		return nil, 0, err
	}
	defer childOut.Close()
	errs, childErr, err := os.Pipe()
	if err != nil {
		in.Close()
		out.Close()
		return nil, 0, err
	}
	defer childErr.Close()
	c, err := p.reaper.Start(proc.Command{Argv: argv, Env: env, Dir: dir, In: childIn, Out: childOut, Err: childErr})
	if err != nil {
		for _, f := range []*os.File{in, out, errs} {
			f.Close()
		}
		return nil, 0, fmt.Errorf("%w: is it installed, and on the PATH of your login shell?", err)
	}
	var once sync.Once
	return &acphost.Link{
		In: in, Out: out, Err: errs, Process: program{c},
		End: func() {
			once.Do(func() {
				in.Close()
				p.endAll()
				out.Close()
				errs.Close()
			})
		},
	}, c.PID, nil
}
