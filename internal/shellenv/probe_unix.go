//go:build unix

package shellenv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/termio-sh/termio/internal/loginshell"
)

// probe asks shell for its environment. It runs in a process session of its
// own, so that it has no terminal to take, and ends with ctx, with what it
// started.
func probe(ctx context.Context, shell string, env []string) ([]string, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	cmd := exec.CommandContext(ctx, shell, loginshell.Args(shell, probeScript)[1:]...)
	cmd.Env = append(env[:len(env):len(env)], "TERM=dumb")
	cmd.Dir = Get(env, "HOME")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 200 * time.Millisecond
	out := &probeOutput{whole: make(chan struct{})}
	cmd.Stdout = out
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var err error
	select {
	case <-out.whole:
		// It need not end by itself: a start-up file may have started
		// something that keeps the output open.
		cancel(errors.New("it has answered"))
		<-ended
	case err = <-ended:
	}
	if env, ok := parseProbe(out.String()); ok {
		return env, nil
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if err == nil {
		err = errors.New("it printed no environment")
	}
	return nil, fmt.Errorf("%w", err)
}

// probeOutput collects output and says when the end marker came.
type probeOutput struct {
	whole chan struct{} // closed when it came

	mu   sync.Mutex
	buf  []byte
	seen bool
}

func (o *probeOutput) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.buf)+len(p) > maxProbe {
		return 0, errors.New("it prints without end")
	}
	from := max(0, len(o.buf)-len(endMark))
	o.buf = append(o.buf, p...)
	if !o.seen && bytes.Contains(o.buf[from:], []byte(endMark)) {
		o.seen = true
		close(o.whole)
	}
	return len(p), nil
}

func (o *probeOutput) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.buf)
}
