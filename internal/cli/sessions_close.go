package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

type closeOptions struct {
	app   *App
	scope scope
}

func newClose(app *App) *cobra.Command {
	o := &closeOptions{app: app}
	cmd := &cobra.Command{
		Use:   "close <link>...",
		Short: "Close sessions and everything they started",
		Long: `Close sessions and end everything they started. All are tried, one reply each;
if any could not be closed the command exits 1.`,
		Example: `  termio sessions close 1a2b3c4d
  termio sessions close 1a2b3c4d 5e6f7a8b --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef(api.CodeNoTarget, noTarget)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	app.jsonFlag(cmd)
	o.scope.flags(cmd)
	cmd.ValidArgsFunction = app.completeSessions(&o.scope, true)
	return cmd
}

func (o *closeOptions) run(ctx context.Context, targets []string) error {
	failed := false
	for _, target := range targets {
		if err := o.close(ctx, target); err != nil {
			o.app.printError(err)
			failed = true
		}
	}
	if failed {
		return errReported
	}
	return nil
}

func (o *closeOptions) close(ctx context.Context, target string) error {
	a := o.app
	caller, err := a.targetCaller(o.scope, target)
	if err != nil {
		return err
	}
	var reply api.CloseReply
	if err := a.call(ctx, api.VerbClose, api.TargetRequest{Caller: caller, Target: target}, &reply); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(reply)
	}
	return a.print("closed " + name(reply.Closed, reply.Title) + "\n")
}
