//go:build !unix

package attach

import (
	"fmt"
	"os"
	"os/signal"
)

// signals are those that a viewer takes.
type signals struct{ c chan os.Signal }

func watchSignals() *signals {
	s := &signals{c: make(chan os.Signal, 8)}
	signal.Notify(s.c, os.Interrupt)
	return s
}

func (s *signals) stop() { signal.Stop(s.c) }

func (v *viewer) signal(_ *signals, sig os.Signal) error {
	return fmt.Errorf("left session %s: %v; the session goes on", v.o.name(), sig)
}
