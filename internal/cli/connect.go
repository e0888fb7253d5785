package cli

import (
	"context"
	"os"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/paths"
)

// connect makes the client of this home's coordinator.
func connect(start bool) (Coordinator, error) {
	layout, err := paths.Resolve(os.Getenv)
	if err != nil {
		return nil, api.Errorf(api.CodeUnavailable, "%v", err)
	}
	return api.NewClient(api.ClientOptions{Layout: layout, NoStart: !start})
}

// runDaemon is the coordinator.
func runDaemon(context.Context) error {
	return api.Errorf(api.CodeUnavailable, "the coordinator is not part of this build")
}
