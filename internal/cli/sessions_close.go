package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

type closeOptions struct {
	app   *App
	scope scope
	done  bool
}

func newClose(app *App) *cobra.Command {
	o := &closeOptions{app: app}
	cmd := &cobra.Command{
		Use:        "close <link>... | --done",
		SuggestFor: []string{"kill", "stop", "end", "delete", "remove", "rm"},
		Short:      "Close sessions and everything they started",
		Long: `Close sessions and end everything they started. All are tried, one reply each;
if any could not be closed the command exits 1.

--done closes every session of the project whose turn is over (done) and that
nothing more waits for; inside a session only those that come from it.`,
		Example: `  termio sessions close 1a2b3c4d
  termio sessions close 1a2b3c4d 5e6f7a8b --json
  termio sessions close --done`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case o.done && len(args) > 0:
				return usagef(api.CodeBadRequest, "--done says itself which sessions; name none beside it")
			case !o.done && len(args) == 0:
				return usagef(api.CodeNoTarget, noTarget)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	app.jsonFlag(cmd)
	o.scope.flags(cmd)
	cmd.Flags().BoolVar(&o.done, "done", false, "every session whose turn is over")
	cmd.ValidArgsFunction = app.completeSessions(&o.scope, true)
	return cmd
}

func (o *closeOptions) run(ctx context.Context, targets []string) error {
	if o.done {
		return o.closeDone(ctx)
	}
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
	a.unsaved(reply.Unsaved)
	return a.print("closed " + name(reply.Closed, reply.Title) + "\n")
}

// closeDone prints one reply for each, as if they had been named.
func (o *closeOptions) closeDone(ctx context.Context) error {
	a := o.app
	caller, err := a.caller(o.scope)
	if err != nil {
		return err
	}
	var reply api.CloseDoneReply
	if err := a.call(ctx, api.VerbCloseDone, api.CloseDoneRequest{Caller: caller}, &reply); err != nil {
		return err
	}
	for _, one := range reply.Closed {
		if a.json {
			err = a.printJSON(api.CloseReply{Head: api.OKHead(), Closed: one.Link, Title: one.Title})
		} else {
			err = a.print("closed " + name(one.Link, one.Title) + "\n")
		}
		if err != nil {
			return err
		}
	}
	for _, one := range reply.Failed {
		a.printError(one.Error)
	}
	switch {
	case len(reply.Failed) > 0:
		return errReported
	case len(reply.Closed) == 0 && a.json:
		return a.printJSON(reply) // one reply at least
	case len(reply.Closed) == 0:
		a.hint("no session is done")
	}
	return nil
}

// unsaved tells a person that what was done is not on disk yet.
func (a *App) unsaved(why string) {
	if why != "" {
		a.warn("That is not saved yet, and is lost if the machine stops now: " + oneLine(why) + ". It goes on being tried.")
	}
}
