//go:build unix

package daemon

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
)

// hostProcesses starts hosts and reaps those that end. A wait for each would
// cost a thread for each, so one goroutine does it for all.
type hostProcesses struct {
	mu   sync.Mutex
	pids map[int]bool
}

func newHostProcesses() *hostProcesses { return &hostProcesses{pids: map[int]bool{}} }

// maxStarted is the longest answer of a host, in bytes.
const maxStarted = 1 << 20

// start runs a host: it gives it its specification and takes its answer. A
// host that does not answer is killed.
func (h *hostProcesses) start(ctx context.Context, argv, env []string, dir, logPath string, spec hostproto.Spec) (hostproto.Started, error) {
	var answer hostproto.Started
	data, err := json.Marshal(spec)
	if err != nil {
		return answer, fmt.Errorf("encode its specification: %w", err)
	}
	log, err := os.OpenFile(logPath, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return answer, err
	}
	defer log.Close()
	in, out, pid, err := h.launch(argv, env, dir, log)
	if err != nil {
		return answer, err
	}
	defer out.Close()
	go func() {
		defer in.Close()
		in.Write(data) // a host that does not read it says so, or ends
	}()
	stop := context.AfterFunc(ctx, func() {
		out.SetReadDeadline(time.Unix(1, 0))
		in.SetWriteDeadline(time.Unix(1, 0))
	})
	defer stop()
	line, err := bufio.NewReader(io.LimitReader(out, maxStarted)).ReadBytes('\n')
	if err == nil {
		if err = json.Unmarshal(line, &answer); err == nil {
			return answer, nil
		}
		err = fmt.Errorf("its answer cannot be read: %w", err)
	}
	syscall.Kill(pid, syscall.SIGKILL)
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case errors.Is(err, io.EOF):
		err = errors.New("its host ended at once")
	}
	if said := tail(logPath); said != "" {
		err = fmt.Errorf("%w: %s", err, said)
	}
	return answer, err
}

// launch starts the process, in a process session of its own.
func (h *hostProcesses) launch(argv, env []string, dir string, log *os.File) (in, out *os.File, pid int, err error) {
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return nil, nil, 0, fmt.Errorf("find the host's program: %w", err)
	}
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, nil, 0, err
	}
	defer childIn.Close()
	out, childOut, err := os.Pipe()
	if err != nil {
		in.Close()
		return nil, nil, 0, err
	}
	defer childOut.Close()
	p, err := os.StartProcess(path, argv, &os.ProcAttr{
		Dir: dir, Env: env, Files: []*os.File{childIn, childOut, log}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		in.Close()
		out.Close()
		return nil, nil, 0, fmt.Errorf("start the host: %w", err)
	}
	pid = p.Pid
	p.Release() // reaped below, by number
	h.mu.Lock()
	h.pids[pid] = true
	h.mu.Unlock()
	h.collect() // it may have ended before it was noted
	return in, out, pid, nil
}

// reap begins to collect hosts that end, until the returned function is
// called.
func (h *hostProcesses) reap() (stop func()) {
	ended := make(chan os.Signal, 1)
	quit, done := make(chan struct{}), make(chan struct{})
	signal.Notify(ended, syscall.SIGCHLD)
	go func() {
		defer close(done)
		for {
			select {
			case <-ended:
				h.collect()
			case <-quit:
				return
			}
		}
	}()
	return func() {
		signal.Stop(ended)
		close(quit)
		<-done
	}
}

// collect takes the exit codes of the hosts that have ended; only of hosts,
// since other children are waited for where they were started.
func (h *hostProcesses) collect() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for pid := range h.pids {
		got, err := syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
		if got == pid || errors.Is(err, syscall.ECHILD) {
			delete(h.pids, pid)
		}
	}
}

// hangUp makes a host see whether its socket is still there.
func hangUp(pid int) error { return syscall.Kill(pid, syscall.SIGHUP) }

// tail is the end of a file, at most 2 KiB.
func tail(path string) string {
	const most = 2 << 10
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(bytes.TrimSpace(data[max(0, len(data)-most):]))
}

// group makes a command end with everything it started in its process group.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// fileLimit is how many files this process may have open.
func fileLimit() int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil || limit.Cur > maxLines {
		return maxLines
	}
	return int(limit.Cur)
}
