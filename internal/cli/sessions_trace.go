package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

type traceOptions struct {
	app   *App
	scope scope
}

func newTrace(app *App) *cobra.Command {
	o := &traceOptions{app: app}
	cmd := &cobra.Command{
		Use:   "trace <link>",
		Short: "Say why a session's status is what it is",
		Long: `Print a session's status changes, oldest first, each with the signal behind it:
the channel (title, screen, osc7501, hook, exit, …), the rule that matched, and
what it matched.`,
		Example: `  termio sessions trace 1a2b3c4d`,
		Args:    exactArgs(1, api.CodeNoTarget, noTarget),
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	app.jsonFlag(cmd)
	o.scope.flags(cmd)
	cmd.ValidArgsFunction = app.completeSessions(&o.scope, false)
	return cmd
}

func (o *traceOptions) run(ctx context.Context, target string) error {
	a := o.app
	caller, err := a.targetCaller(o.scope, target)
	if err != nil {
		return err
	}
	var reply api.TraceReply
	if err := a.call(ctx, api.VerbTrace, api.TargetRequest{Caller: caller, Target: target}, &reply); err != nil {
		return err
	}
	if reply.Changes == nil {
		reply.Changes = []api.TraceChange{}
	}
	if a.json {
		return a.printJSON(reply)
	}
	if len(reply.Changes) == 0 {
		return a.print("no status change yet\n")
	}
	rows := make([][]field, len(reply.Changes))
	for i, c := range reply.Changes {
		cause := oneLine(c.Text)
		if c.Rule != "" {
			cause = oneLine(c.Rule) + "  " + cause
		}
		rows[i] = []field{
			{c.At.Local().Format("15:04:05.000"), dim},
			{c.From + " → " + c.To, glyphs[c.To].look},
			{c.Channel, plain},
			{cause, dim},
		}
	}
	return a.print(a.table(rows))
}
