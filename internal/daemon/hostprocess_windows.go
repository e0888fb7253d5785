package daemon

import (
	"context"
	"errors"
	"os/exec"

	"github.com/termio-sh/termio/internal/hostproto"
)

type hostProcesses struct{}

func newHostProcesses() *hostProcesses { return &hostProcesses{} }

var errNoHosts = errors.New("sessions are not supported on Windows yet: use Termio inside WSL")

func (*hostProcesses) start(context.Context, []string, []string, string, string, hostproto.Spec) (hostproto.Started, error) {
	return hostproto.Started{}, errNoHosts
}

func (*hostProcesses) reap() (stop func()) { return func() {} }

func fileLimit() int { return maxLines }

func hangUp(int) error { return errNoHosts }

func group(*exec.Cmd) {}
