package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

type reopenOptions struct {
	app   *App
	scope projectScope
	all   bool
}

func newReopen(app *App) *cobra.Command {
	o := &reopenOptions{app: app}
	cmd := &cobra.Command{
		Use:   "reopen <link>... | --all",
		Short: "Start closed sessions again, each in the conversation it was in",
		Long: `Start closed sessions again: at their old address, with the same arguments and
options, in their directory, and in the very conversation that they were in.
Where that cannot be continued exactly a new conversation begins, and the reply,
the trace and the session's title say why; another one is never guessed.

--all reopens what was lost: sessions of this project that nobody closed and
that did not end by themselves, as when the machine was restarted. The setting
"restore" (always, ask, never) says what becomes of those by itself.

A conversation is open in one session at a time: a second attempt is refused
(already_open) with the address of the first.`,
		Example: `  termio sessions list --closed
  termio sessions reopen 1a2b3c4d
  termio sessions reopen --all`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case o.all && len(args) > 0:
				return usagef(api.CodeBadRequest, "--all takes no links: it reopens all that was lost")
			case !o.all && len(args) == 0:
				return usagef(api.CodeNoTarget, "say which session, or --all: `termio sessions list --closed` prints the links")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	app.jsonFlag(cmd)
	o.scope.flags(cmd)
	cmd.Flags().BoolVar(&o.all, "all", false, "all that was lost in this project")
	return cmd
}

// projectScope is the scope of a verb whose --all means something else.
type projectScope struct{ project string }

func (p *projectScope) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.project, "project", "", "the sessions of the project in this directory")
}

func (o *reopenOptions) run(ctx context.Context, targets []string) error {
	if o.all {
		return o.reopenAll(ctx)
	}
	failed := false
	for _, target := range targets {
		if err := o.reopen(ctx, target); err != nil {
			o.app.printError(err)
			failed = true
		}
	}
	if failed {
		return errReported
	}
	return nil
}

func (o *reopenOptions) request(caller api.Caller) api.ReopenRequest {
	r := api.ReopenRequest{Caller: caller, Env: o.app.Environ()}
	r.Cols, r.Rows = o.app.Size()
	return r
}

func (o *reopenOptions) reopen(ctx context.Context, target string) error {
	a := o.app
	caller, err := a.targetCaller(scope{project: o.scope.project}, target)
	if err != nil {
		return err
	}
	r := o.request(caller)
	r.Target = target
	var reply api.ReopenReply
	if err := a.call(ctx, api.VerbReopen, r, &reply); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(reply)
	}
	if reply.Reopened == nil {
		return nil
	}
	return a.print(reopenedText(*reply.Reopened))
}

func (o *reopenOptions) reopenAll(ctx context.Context) error {
	a := o.app
	caller, err := a.caller(scope{project: o.scope.project})
	if err != nil {
		return err
	}
	r := o.request(caller)
	r.Lost = true
	var reply api.ReopenReply
	if err := a.call(ctx, api.VerbReopen, r, &reply); err != nil {
		return err
	}
	failed := false
	var b strings.Builder
	for _, one := range reply.Sessions {
		if one.Error != nil {
			failed = true
			b.WriteString("not reopened: " + name(one.Target, one.Title) + ": " + one.Error.Message + "\n")
			continue
		}
		b.WriteString(reopenedText(one))
	}
	if len(reply.Sessions) == 0 {
		b.WriteString("nothing was lost in this project\n")
	}
	if a.json {
		err = a.printJSON(reply)
	} else {
		err = a.print(b.String())
	}
	if err == nil && failed {
		return errReported
	}
	return err
}

func reopenedText(r api.Reopened) string {
	switch {
	case r.Resumed:
		return "reopened in its conversation: " + name(r.Target, r.Title) + "\n"
	case r.Fresh != "":
		return "reopened with a new conversation: " + name(r.Target, r.Title) + "\n  " + oneLine(r.Fresh) + "\n"
	}
	return "reopened: " + name(r.Target, r.Title) + "\n"
}
