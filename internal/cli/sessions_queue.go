package cli

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

type queueOptions struct {
	app   *App
	scope scope
	drop  string
}

func newQueue(app *App) *cobra.Command {
	o := &queueOptions{app: app}
	cmd := &cobra.Command{
		Use:   "queue <link>",
		Short: "List the prompts that wait for an agent, withdraw one",
		Long: `List the prompts that wait for an agent to end its turn, in the order in which
they will be typed. What is sent to an agent while it works waits here, so that
each prompt begins a turn of its own; so does one that would be typed behind a
person's unsent draft. --drop withdraws the one with that number.`,
		Example: `  termio sessions queue 1a2b3c4d
  termio sessions queue 1a2b3c4d --drop 2`,
		Args: exactArgs(1, api.CodeNoTarget, noTarget),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	app.jsonFlag(cmd)
	o.scope.flags(cmd)
	cmd.ValidArgsFunction = app.completeSessions(&o.scope, false)
	cmd.Flags().StringVar(&o.drop, "drop", "", "withdraw the prompt with that `number`")
	return cmd
}

func (o *queueOptions) run(ctx context.Context, target string) error {
	a := o.app
	request := api.QueueRequest{Target: target}
	if o.drop != "" {
		n, err := strconv.Atoi(o.drop)
		if err != nil || n < 1 {
			return usagef(api.CodeBadRequest, "--drop is %s: give a prompt's number, as in 2", quoted(o.drop))
		}
		request.Drop = n
	}
	var err error
	if request.Caller, err = a.targetCaller(o.scope, target); err != nil {
		return err
	}
	var reply api.QueueReply
	if err := a.call(ctx, api.VerbQueue, request, &reply); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(reply)
	}
	if reply.Dropped != nil {
		return a.print("withdrawn: " + oneLine(reply.Dropped.Text) + "\n")
	}
	if len(reply.Prompts) == 0 {
		return a.print("no prompt waits\n")
	}
	rows := make([][]field, len(reply.Prompts))
	for i, p := range reply.Prompts {
		rows[i] = []field{{strconv.Itoa(p.N), plain}, {p.Reason, dim}, {oneLine(p.Text), plain}}
	}
	return a.print(a.table(rows))
}
