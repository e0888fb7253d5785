package cli

import (
	"context"

	"github.com/spf13/cobra"
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

func (o *daemonRestartOptions) run(ctx context.Context) error {
	if _, err := o.app.stopDaemon(ctx); err != nil {
		return err
	}
	start := daemonStartOptions(*o)
	return start.run(ctx)
}
