package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

type daemonRestartOptions struct{ app *App }

func newDaemonRestart(app *App) *cobra.Command {
	o := &daemonRestartOptions{app: app}
	cmd := &cobra.Command{
		Use:   "restart",
		Short: "Replace the coordinator, as after an upgrade; sessions go on",
		Long:  `Stop the coordinator and start a new one, as after an upgrade. Sessions go on.`,
		Args:  noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	app.jsonFlag(cmd)
	return cmd
}

// endTimeout bounds how long the old coordinator may go on answering.
const endTimeout = 10 * time.Second

func (o *daemonRestartOptions) run(ctx context.Context) error {
	a := o.app
	old, err := a.daemonState(ctx)
	if err != nil {
		return err
	}
	if _, err := a.stopDaemon(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, endTimeout)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		var now api.DaemonReply
		if err := a.call(ctx, api.VerbDaemon, api.DaemonRequest{}, &now); err != nil {
			return err
		}
		if !old.Running || now.PID != old.PID {
			return a.running(&now)
		}
		select { // the old one has not let go yet
		case <-tick.C:
		case <-ctx.Done():
			return api.Errorf(api.CodeUnavailable, "the coordinator, pid %d, does not stop; see `termio daemon logs`", old.PID)
		}
	}
}

// running prints the state of a coordinator that was started.
func (a *App) running(reply *api.DaemonReply) error {
	if a.json {
		return a.printJSON(reply)
	}
	return a.print(fmt.Sprintf("running, pid %d\n", reply.PID))
}
