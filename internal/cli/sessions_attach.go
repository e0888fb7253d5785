package cli

import (
	"context"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/cli/attach"
	"github.com/termio-sh/termio/internal/version"
)

type attachOptions struct {
	app     *App
	scope   scope
	observe bool
}

func newAttach(app *App) *cobra.Command {
	o := &attachOptions{app: app}
	cmd := &cobra.Command{
		Use:   "attach <link>",
		Short: "Show a session in this terminal and type into it",
		Long: `Show a session in this terminal, full screen, and type into it: mouse, paste,
resize and colours as if the program ran here. Ctrl-\ leaves it (` + "`termio config\nset detachKey <key>`" + ` chooses another); the session goes on, and this terminal
is as it was before.

The wheel scrolls back where the program does not want the mouse; any key
returns. Two people on one session see the same, and the newest one types;
--observe only watches.

Where standard input or output is no terminal, attach is a pipe: first the
bytes that draw the screen as it is, then the program's output as it comes;
what standard input brings is typed. It ends when the session does.

A session cannot be attached to from inside itself, nor from a session that
was started from it: it would show itself without end.`,
		Example: `  termio sessions attach 1a2b3c4d
  termio sessions attach 1a2b3c4d --observe
  termio sessions attach 1a2b3c4d < /dev/null > recording`,
		Args: exactArgs(1, api.CodeNoTarget, noTarget),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	o.scope.flags(cmd)
	cmd.ValidArgsFunction = app.completeSessions(&o.scope, false)
	cmd.Flags().BoolVar(&o.observe, "observe", false, "watch only; never type, never change its size")
	return cmd
}

func (o *attachOptions) run(ctx context.Context, target string) error {
	a := o.app
	caller, err := a.targetCaller(o.scope, target)
	if err != nil {
		return err
	}
	_, settings, err := a.settings()
	if err != nil {
		return err
	}
	var reply api.ResolveReply
	if err := a.call(ctx, api.VerbResolve, api.TargetRequest{Caller: caller, Target: target}, &reply); err != nil {
		return err
	}
	if reply.Inside || strings.TrimPrefix(reply.Target, "termio://session/") == caller.Session {
		return api.Errorf(api.CodeBadRequest, "this terminal is in %s, or in a session started from it: it would show itself without end; "+
			"leave with the key that detaches, or attach from another terminal", name(reply.Target, reply.Title))
	}
	end, err := attach.Run(ctx, attach.Options{
		Socket: reply.Socket, Link: reply.Target, Title: reply.Title,
		Observe: o.observe, Detach: settings.Detach(),
		Client: "termio " + version.Version + " attach",
		In:     os.Stdin, Out: os.Stdout, Getenv: a.Getenv,
	})
	if err != nil {
		return err
	}
	_, err = a.Err.Write([]byte(end + "\n"))
	return err
}
