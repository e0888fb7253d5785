package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

type traceOptions struct {
	app   *App
	scope scope
	goOn  bool
}

func newTrace(app *App) *cobra.Command {
	o := &traceOptions{app: app}
	cmd := &cobra.Command{
		Use:   "trace <link>",
		Short: "Say why a session's status is what it is",
		Long: `Print a session's status changes, oldest first, each with the signal behind it:
the channel (title, screen, osc7501, hook, exit, …), the rule that matched, and
what it matched. The newest 200 are kept. A line that leads from a state to
itself changed nothing: a delivery that failed, another conversation.

--follow goes on with the changes to come until the session ends, with --json
as one object a line.`,
		Example: `  termio sessions trace 1a2b3c4d
  termio sessions trace 1a2b3c4d --follow --json`,
		Args: exactArgs(1, api.CodeNoTarget, noTarget),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.goOn {
				return o.follow(cmd.Context(), args[0])
			}
			return o.run(cmd.Context(), args[0])
		},
	}
	app.jsonFlag(cmd)
	cmd.Flags().BoolVarP(&o.goOn, "follow", "f", false, "go on with the changes to come")
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
		rows[i] = traceRow(c)
	}
	return a.print(a.table(rows))
}

func traceRow(c api.TraceChange) []field {
	cause := oneLine(c.Text)
	if c.Rule != "" {
		cause = oneLine(c.Rule) + "  " + cause
	}
	return []field{
		{c.At.Local().Format("15:04:05.000"), dim},
		{fmt.Sprintf("%-21s", c.From+" → "+c.To), glyphs[c.To].look},
		{fmt.Sprintf("%-8s", c.Channel), plain},
		{cause, dim},
	}
}
