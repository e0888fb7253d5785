package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

type waitOptions struct {
	app      *App
	scope    scope
	any, all bool
	timeout  string
}

func newWait(app *App) *cobra.Command {
	o := &waitOptions{app: app}
	cmd := &cobra.Command{
		Use:   "wait <link>...",
		Short: "Wait until sessions have nothing more to do, or ask",
		Long: `Wait until each session has nothing more to do: its turn is over, nothing waits
to be typed. One that asks (needs-you) is not waited for: its question is
printed. Nothing is sent. --all waits for every one (as without a flag), --any
until the first.

With --json one line for each session as it comes: {target, title, status,
timed_out, transcript?, cursor_end?, prompt?, prompt_id?, …} or the error.
Exit codes: 0 every one that was waited for has an outcome, 1 an error among
them, 3 the time was over first.`,
		Example: `  termio sessions wait 1a2b3c4d
  termio sessions wait --any 1a2b3c4d 5e6f7a8b --json
  termio sessions wait --all 1a2b3c4d 5e6f7a8b --timeout 600000`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef(api.CodeNoTarget, noTarget)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	app.jsonFlag(cmd)
	cmd.Flags().StringVar(&o.scope.project, "project", "", "look into the project of `DIR` instead of this directory's")
	cmd.Flags().BoolVar(&o.scope.all, "all-projects", false, "look into every project")
	cmd.ValidArgsFunction = app.completeSessions(&o.scope, true)
	cmd.Flags().BoolVar(&o.any, "any", false, "until the first of them")
	cmd.Flags().BoolVar(&o.all, "all", false, "until every one of them (so it is without a flag)")
	cmd.MarkFlagsMutuallyExclusive("any", "all")
	cmd.Flags().StringVar(&o.timeout, "timeout", "", "wait at most so many `milliseconds` (300000)")
	return cmd
}

func (o *waitOptions) run(ctx context.Context, targets []string) error {
	a := o.app
	waiting, err := (&waiting{timeout: o.timeout}).request()
	if err != nil {
		return err
	}
	for _, target := range targets {
		if err := validText("link", target); err != nil {
			return err
		}
	}
	caller, err := a.caller(o.scope)
	if err != nil {
		return err
	}
	coordinator, err := a.Connect(true)
	if err != nil {
		return err
	}
	var ends outcomes
	api.WaitSeveral(ctx, coordinator, caller, targets, waiting.TimeoutMs, o.any, func(w api.Waited) {
		if w.Err == nil {
			w.Err = a.printWaited(&w.Reply)
		} else {
			a.printError(w.Err)
		}
		ends.add(w.Reply.TimedOut, w.Err)
	})
	if o.any && ends.good {
		return nil // the one that was waited for has come
	}
	return ends.err()
}

// outcomes are the ends of several calls, of which one exit code is made.
type outcomes struct{ good, failed, late bool }

func (o *outcomes) add(timedOut bool, err error) {
	switch {
	case err != nil:
		o.failed = true
	case timedOut:
		o.late = true
	default:
		o.good = true
	}
}

func (o *outcomes) err() error {
	switch {
	case o.failed:
		return errReported
	case o.late:
		return exitCode{errReported, api.ExitTimeout}
	}
	return nil
}
