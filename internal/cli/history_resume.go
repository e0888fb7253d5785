package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

type historyResumeOptions struct {
	app    *App
	title  string
	prompt string
}

func newHistoryResume(app *App) *cobra.Command {
	o := &historyResumeOptions{app: app}
	cmd := &cobra.Command{
		Use:   "resume <row> [--prompt <text>]",
		Short: "Go on with a past conversation in a new session",
		Long: `Start the agent of a past conversation in a new session, in the directory where
the conversation was held, and in exactly that conversation. <row> is the first
column of ` + "`termio history`" + `, or a beginning of it that only one row has.

A conversation that a live session is in is refused, with that session's link:
two writers would spoil it.`,
		Example: `  termio history resume k3j2h5aq
  termio history resume k3j2 --prompt "go on with the tests"`,
		Args: exactArgs(1, api.CodeNoTarget, "say which conversation: `termio history` prints the ids in its first column"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	app.jsonFlag(cmd)
	cmd.Flags().StringVar(&o.title, "title", "", "the session's title")
	cmd.Flags().StringVar(&o.prompt, "prompt", "", "the `text` to go on with; - reads it from standard input")
	return cmd
}

func (o *historyResumeOptions) run(ctx context.Context, row string) error {
	a := o.app
	for _, text := range []string{row, o.title, o.prompt} {
		if err := validText("argument", text); err != nil {
			return err
		}
	}
	request := api.HistoryResumeRequest{Row: row, Title: o.title, Env: a.Environ()}
	var err error
	if o.prompt != "" {
		if request.Prompt, err = a.payload("prompt", []string{o.prompt}); err != nil {
			return err
		}
	}
	if request.Caller, err = a.caller(scope{}); err != nil {
		return err
	}
	request.Cols, request.Rows = a.Size()
	var reply api.SpawnReply
	if err := a.call(ctx, api.VerbHistoryResume, request, &reply); err != nil {
		return err
	}
	return a.started(&reply)
}
