package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

type renameOptions struct {
	app   *App
	scope scope
}

func newRename(app *App) *cobra.Command {
	o := &renameOptions{app: app}
	cmd := &cobra.Command{
		Use:   "rename <link> <title>",
		Short: "Give a session a title",
		Long:  `Give a session a title of your own. An empty one gives the program's back.`,
		Example: `  termio sessions rename 1a2b3c4d "login bug"
  termio sessions rename 1a2b3c4d ""`,
		Args: func(_ *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return usagef(api.CodeNoTarget, noTarget)
			case 1:
				return usagef(api.CodeNoText, "give the title; \"\" gives the program's back")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args[0], strings.Join(args[1:], " "))
		},
	}
	app.jsonFlag(cmd)
	o.scope.flags(cmd)
	cmd.ValidArgsFunction = app.completeSessions(&o.scope, false)
	return cmd
}

func (o *renameOptions) run(ctx context.Context, target, title string) error {
	a := o.app
	if err := validText("title", title); err != nil {
		return err
	}
	caller, err := a.targetCaller(o.scope, target)
	if err != nil {
		return err
	}
	var reply api.RenameReply
	request := api.RenameRequest{Caller: caller, Target: target, Title: title}
	if err := a.call(ctx, api.VerbRename, request, &reply); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(reply)
	}
	a.unsaved(reply.Unsaved)
	return a.print("renamed " + name(reply.Target, reply.Title) + "\n")
}
