//go:build unix

package tui

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// suspendSignal is what the key that suspends stands for.
const suspendSignal = syscall.SIGTSTP

// signals are those that the face takes.
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

func (s *shell) signal(sig os.Signal) error {
	switch sig {
	case syscall.SIGWINCH:
		return s.resized()
	case syscall.SIGTSTP:
		return s.suspend(s.signals.suspend)
	case syscall.SIGCONT:
		// After a stop that cannot be caught: the shell had the terminal.
		return s.resume()
	}
	return fmt.Errorf("left: %v; the sessions go on", sig)
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
