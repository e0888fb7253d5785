//go:build unix

package attach

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// signals are those that a viewer takes.
type signals struct{ c chan os.Signal }

func watchSignals() *signals {
	s := &signals{c: make(chan os.Signal, 8)}
	s.notify()
	return s
}

func (s *signals) notify() {
	signal.Notify(s.c, syscall.SIGWINCH, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTSTP, syscall.SIGCONT)
}

func (s *signals) stop() { signal.Stop(s.c) }

func (v *viewer) signal(s *signals, sig os.Signal) error {
	switch sig {
	case syscall.SIGWINCH:
		return v.resized()
	case syscall.SIGTSTP:
		return v.suspend(s.suspend)
	case syscall.SIGCONT:
		// After a stop that cannot be caught: the shell had the terminal.
		return v.resume()
	}
	return fmt.Errorf("left session %s: %v; the session goes on", v.o.name(), sig)
}

// suspend stops this process until it is continued. With SIGSTOP: once SIGTSTP
// was taken, the runtime does not give its default back.
func (s *signals) suspend() {
	signal.Stop(s.c)
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	syscall.Kill(syscall.Getpid(), syscall.SIGSTOP)
	<-continued
	signal.Stop(continued)
	for len(s.c) > 0 {
		<-s.c
	}
	s.notify()
}
