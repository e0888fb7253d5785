package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

type focusOptions struct {
	app   *App
	scope scope
}

func newFocus(app *App) *cobra.Command {
	o := &focusOptions{app: app}
	cmd := &cobra.Command{
		Use:   "focus <link>",
		Short: "Bring a session to the front where people look",
		Long: `Bring a session to the front of the faces that are open, and mark it as seen.
It does not take over this terminal: that is attach.`,
		Example: `  termio sessions focus 1a2b3c4d`,
		Args:    exactArgs(1, api.CodeNoTarget, noTarget),
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	app.jsonFlag(cmd)
	o.scope.flags(cmd)
	cmd.ValidArgsFunction = app.completeSessions(&o.scope, false)
	return cmd
}

func (o *focusOptions) run(ctx context.Context, target string) error {
	a := o.app
	caller, err := a.targetCaller(o.scope, target)
	if err != nil {
		return err
	}
	var reply api.FocusReply
	if err := a.call(ctx, api.VerbFocus, api.TargetRequest{Caller: caller, Target: target}, &reply); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(reply)
	}
	return a.print("focused " + shortID(reply.Focused) + "\n")
}
