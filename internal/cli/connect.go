package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/daemon"
	"github.com/termio-sh/termio/internal/paths"
)

// connect makes the client of this home's coordinator.
func connect(start bool) (Coordinator, error) {
	layout, err := paths.Resolve(os.Getenv)
	if err != nil {
		return nil, api.Errorf(api.CodeUnavailable, "%v", err)
	}
	if err := layout.CheckSockets(); err != nil {
		return nil, api.Errorf(api.CodeUnavailable, "%v", err)
	}
	return api.NewClient(api.ClientOptions{Layout: layout, NoStart: !start})
}

// runDaemon is the coordinator, until ctx ends, it is told to stop, or a
// signal asks it to.
func runDaemon(ctx context.Context) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	layout, err := paths.Resolve(os.Getenv)
	if err != nil {
		return api.Errorf(api.CodeUnavailable, "%v", err)
	}
	return daemon.Run(ctx, daemon.Options{Layout: layout, Command: inCoordinator()})
}
