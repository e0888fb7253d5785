//go:build unix

package process

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// WatchSignals turns the host's signals into calls: reap for each child that
// may have ended, stop when the host is asked to end, reopen at a hangup: the
// coordinator sends it when it does not find the host's socket, and that of the
// terminal that the host came from does no harm.
func WatchSignals(reap func(), stop func(signal string), reopen func()) {
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

// Detach makes the host a session of its own.
func Detach() {
	// It fails when the host leads its process group already, as when the
	// one who started it has done this.
	_, _ = syscall.Setsid()
	_ = os.Chdir("/")
}

// Redirect points the standard files of the host away from whoever started it:
// input and output to nothing, errors to log.
func Redirect(log *os.File) error {
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
