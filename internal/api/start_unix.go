//go:build unix

package api

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/termio-sh/termio/internal/filelock"
	"github.com/termio-sh/termio/internal/paths"
)

// startTimeout bounds how long a coordinator may take to listen.
const startTimeout = 10 * time.Second

// absent reports whether err says that nobody listens on the socket.
func absent(err error) bool {
	return errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ECONNREFUSED)
}

func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// start runs a coordinator and connects to it, no longer than ctx allows,
// whatever the file system does.
func (c *Client) start(ctx context.Context) (net.Conn, error) {
	type started struct {
		conn net.Conn
		err  error
	}
	done := make(chan started)
	go func() {
		conn, err := c.startOne(ctx)
		select {
		case done <- started{conn, err}:
		case <-ctx.Done():
			if conn != nil {
				conn.Close()
			}
		}
	}()
	select {
	case s := <-done:
		return s.conn, s.err
	case <-ctx.Done():
		return nil, Errorf(CodeUnavailable, "start the coordinator: %v", context.Cause(ctx))
	}
}

// startOne is start. Starters wait for each other, so that one is started.
func (c *Client) startOne(ctx context.Context) (net.Conn, error) {
	l := c.o.Layout
	if err := l.Prepare(); err != nil {
		return nil, Errorf(CodeUnavailable, "%v", err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("it did not listen within %v", startTimeout))
	defer cancel()
	lock, err := filelock.Acquire(ctx, l.StartLock())
	if err != nil {
		return nil, Errorf(CodeUnavailable, "start the coordinator: %v", err)
	}
	defer lock.Release()
	if conn, err := connect(ctx, l.DaemonSocket()); err == nil || !absent(err) {
		return conn, err // another client was first
	}
	conn, err := c.launch(ctx)
	if err != nil {
		return nil, Errorf(CodeUnavailable, "start the coordinator: %v", err)
	}
	return conn, nil
}

// maxOutput is the size at which the file of the coordinator's own output
// (what escapes its log: a panic) starts anew.
const maxOutput = 1 << 20

func (c *Client) launch(ctx context.Context) (net.Conn, error) {
	l := c.o.Layout
	argv := c.o.Start
	if len(argv) == 0 {
		self, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("find this program: %w", err)
		}
		argv = []string{self, "daemon", "run"}
	}
	outPath := filepath.Join(l.LogsDir(), "daemon.out")
	flags := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	if st, err := os.Stat(outPath); err == nil && st.Size() > maxOutput {
		flags |= os.O_TRUNC
	}
	out, err := os.OpenFile(outPath, flags, 0o600)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	var from int64
	if st, err := out.Stat(); err == nil {
		from = st.Size()
	}
	keepOwnFiles()
	cmd := exec.Command(argv[0], argv[1:]...) // not bound to ctx: it outlives this program
	cmd.Dir = l.Home                          // it pins no other directory
	cmd.Env = append(os.Environ(), paths.HomeEnv+"="+l.Home)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	conn, err := awaitSocket(ctx, l.DaemonSocket(), exited, func() string { return tail(outPath, from) })
	if err != nil {
		cmd.Process.Kill() // one that hangs would be in the way of the next
	}
	return conn, err
}

// keepOwnFiles keeps what whoever called this program had left open from the
// coordinator and from all that it starts: a script's lock would be held, and
// the end of its pipe never come, for as long as they live.
func keepOwnFiles() {
	open, err := os.ReadDir("/dev/fd")
	if err != nil {
		return // a system that does not show them
	}
	for _, e := range open {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}

// awaitSocket connects to socket as soon as somebody listens. A program that
// ended without an error found another coordinator at work.
func awaitSocket(ctx context.Context, socket string, exited <-chan error, output func() string) (net.Conn, error) {
	pause := time.Millisecond
	for {
		conn, err := connect(ctx, socket)
		if err == nil || !absent(err) {
			return conn, err
		}
		select {
		case err := <-exited:
			if err != nil {
				return nil, fmt.Errorf("it ended at once (%w): %s", err, orNothing(output()))
			}
			exited = nil
		case <-ctx.Done():
			return nil, fmt.Errorf("%w; its last output: %s", context.Cause(ctx), orNothing(output()))
		case <-time.After(pause):
			pause = min(2*pause, 20*time.Millisecond)
		}
	}
}

func orNothing(s string) string {
	if s == "" {
		return "(it wrote nothing)"
	}
	return s
}
