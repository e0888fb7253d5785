package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

type daemonStartOptions struct{ app *App }

func newDaemonStart(app *App) *cobra.Command {
	o := &daemonStartOptions{app: app}
	cmd := &cobra.Command{
		Use:   "start",
		Short: "Start the coordinator in the background",
		Long:  `Start the coordinator in the background, if it does not run.`,
		Args:  noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	app.jsonFlag(cmd)
	return cmd
}

func (o *daemonStartOptions) run(ctx context.Context) error {
	a := o.app
	var reply api.DaemonReply
	if err := a.call(ctx, api.VerbDaemon, api.DaemonRequest{}, &reply); err != nil {
		return err
	}
	return a.running(&reply)
}
