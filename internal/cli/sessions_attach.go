package cli

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/cli/attach"
	"github.com/termio-sh/termio/internal/hostproto"
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

When the session's agent replaces itself, or refuses to continue its
conversation, it is started again, and attach goes along.

A session over ACP has no terminal: its conversation is shown as in the face
(docs/tui.md), with a prompt to type into.

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
	if !o.observe && a.faceFits() && hasConversation(ctx, reply.Socket) {
		if shown, err := a.showConversation(reply.Target); shown {
			return err
		}
	}
	for {
		end, err := attach.Run(ctx, attach.Options{
			Socket: reply.Socket, Link: reply.Target, Title: reply.Title,
			Observe: o.observe, Detach: settings.Detach(),
			Client: "termio " + version.Version + " attach",
			In:     os.Stdin, Out: os.Stdout, Getenv: a.Getenv,
		})
		if err != nil {
			return err
		}
		a.warn(end.Text)
		next, again := o.startedAgain(ctx, caller, reply, end.Closed)
		if !again {
			return nil
		}
		reply = next
	}
}

// How long attach waits for a session to be started again by itself, after
// its program has replaced itself, and after it has failed within refusesFor of
// a launch that continued a conversation.
const (
	refusesFor   = time.Minute
	replacedWait = 15 * time.Second
	failedWait   = 3 * time.Second
	againPoll    = 150 * time.Millisecond
)

// startedAgain waits for a session whose end may be no end: an agent that has
// replaced its own program, or has refused to continue its conversation, is
// started again at its old address. Only a person at a terminal goes along.
func (o *attachOptions) startedAgain(ctx context.Context, caller api.Caller, was api.ResolveReply, c *hostproto.Closed) (api.ResolveReply, bool) {
	wait := time.Duration(0)
	switch {
	case c == nil || !o.app.faceFits():
	case c.Replaced:
		wait = replacedWait
	case was.Resumed && c.ExitCode != nil && *c.ExitCode != 0 && time.Since(was.Launched) < refusesFor:
		wait = failedWait
	}
	for end := time.Now().Add(wait); time.Now().Before(end); {
		select {
		case <-ctx.Done():
			return api.ResolveReply{}, false
		case <-time.After(againPoll):
		}
		var now api.ResolveReply
		err := o.app.call(ctx, api.VerbResolve, api.TargetRequest{Caller: caller, Target: was.Target}, &now)
		if err == nil && !now.Launched.Equal(was.Launched) {
			o.app.warn("it was started again; attaching to it")
			return now, true
		}
	}
	return api.ResolveReply{}, false
}

// hasConversation tells a session over ACP. A host that does not answer is met
// again by whoever attaches.
func hasConversation(ctx context.Context, socket string) bool {
	c, err := hostproto.Dial(ctx, socket, hostproto.Hello{Role: hostproto.RoleControl, Client: "termio " + version.Version})
	if err != nil {
		return false
	}
	defer c.Close()
	return c.Welcome().Info.Record.Kind == hostproto.KindACP
}
