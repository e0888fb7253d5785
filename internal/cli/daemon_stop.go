package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

type daemonStopOptions struct{ app *App }

func newDaemonStop(app *App) *cobra.Command {
	o := &daemonStopOptions{app: app}
	cmd := &cobra.Command{
		Use:   "stop",
		Short: "Stop the coordinator; sessions go on",
		Long:  `Stop the coordinator. Sessions go on, and the next command starts a new one.`,
		Args:  noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	app.jsonFlag(cmd)
	return cmd
}

func (o *daemonStopOptions) run(ctx context.Context) error {
	a := o.app
	reply, err := a.stopDaemon(ctx)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(reply)
	}
	if reply.PID == 0 {
		return a.print("no coordinator is running; there is nothing to stop\n")
	}
	return a.print("stopped; sessions go on\n")
}

// stopDaemon ends the coordinator that runs, if one does.
func (a *App) stopDaemon(ctx context.Context) (api.DaemonReply, error) {
	coordinator, err := a.Connect(false)
	if err != nil {
		return api.DaemonReply{}, err
	}
	return coordinator.Stop(ctx)
}
