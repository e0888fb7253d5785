package cli

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

type readOptions struct {
	app   *App
	scope scope
	lines string
}

func newRead(app *App) *cobra.Command {
	o := &readOptions{app: app}
	cmd := &cobra.Command{
		Use:        "read <link>",
		SuggestFor: []string{"show", "screen", "logs", "cat"},
		Short:      "Print what is on a session's screen now",
		Long: `Print what is on a session's screen now, without focusing it: the viewport,
right-trimmed, without blank lines at the end. --lines prints the last N lines
instead, of scrollback and screen together.

The screen is the result of a command started with run. What an agent answered
is in its transcript.`,
		Example: `  termio sessions read 1a2b3c4d
  termio sessions read 1a2b3c4d --lines 40`,
		Args: exactArgs(1, api.CodeNoTarget, noTarget),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	app.jsonFlag(cmd)
	o.scope.flags(cmd)
	cmd.ValidArgsFunction = app.completeSessions(&o.scope, false)
	cmd.Flags().StringVar(&o.lines, "lines", "", "the last `N` lines")
	return cmd
}

func (o *readOptions) run(ctx context.Context, target string) error {
	a := o.app
	request := api.ReadRequest{Target: target}
	if o.lines != "" {
		n, err := strconv.Atoi(o.lines)
		if err != nil || n <= 0 {
			return usagef(api.CodeBadRequest, "--lines is %s: give a number of lines, as in 40", quoted(o.lines))
		}
		request.Lines = n
	}
	var err error
	if request.Caller, err = a.targetCaller(o.scope, target); err != nil {
		return err
	}
	var reply api.ReadReply
	if err := a.call(ctx, api.VerbRead, request, &reply); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(reply)
	}
	if reply.Screen == "" {
		return nil
	}
	return a.print(reply.Screen + "\n")
}

// targetCaller is the caller of a verb with a target, which it checks.
func (a *App) targetCaller(s scope, target string) (api.Caller, error) {
	if err := validText("link", target); err != nil {
		return api.Caller{}, err
	}
	return a.caller(s)
}
