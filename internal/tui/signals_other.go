//go:build !unix

package tui

import (
	"errors"
	"os"
)

const suspendSignal = noSignal("suspend")

type noSignal string

func (s noSignal) String() string { return string(s) }
func (noSignal) Signal()          {}

type signals struct{ c chan os.Signal }

func watchSignals() *signals { return &signals{c: make(chan os.Signal)} }

func (*signals) stop() {}

func (s *shell) signal(sig os.Signal) error {
	if sig == suspendSignal {
		return nil
	}
	return errors.New("left: " + sig.String())
}
