package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

type daemonStatusOptions struct{ app *App }

func newDaemonStatus(app *App) *cobra.Command {
	o := &daemonStatusOptions{app: app}
	cmd := &cobra.Command{
		Use:     "status",
		Short:   "Say whether the coordinator runs",
		Long:    "Say whether the coordinator runs, since when, and where, and which files it\ncannot use. It is not started.",
		Example: `  termio daemon status --json`,
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	app.jsonFlag(cmd)
	return cmd
}

// daemonState asks the coordinator that runs, if one does.
func (a *App) daemonState(ctx context.Context) (api.DaemonReply, error) {
	coordinator, err := a.Connect(false)
	if err != nil {
		return api.DaemonReply{}, err
	}
	return coordinator.Daemon(ctx)
}

func (o *daemonStatusOptions) run(ctx context.Context) error {
	a := o.app
	reply, err := a.daemonState(ctx)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(reply)
	}
	if !reply.Running {
		return a.print(fmt.Sprintf("not running; the next command starts it\nhome    %s\n", reply.Home))
	}
	since := ""
	if reply.Started != nil {
		since = ", up " + age(a.Now(), *reply.Started)
	}
	return a.print(fmt.Sprintf("running, pid %d, version %s%s, %s\nhome    %s\nsocket  %s\n",
		reply.PID, reply.Version, since, plural(reply.Sessions, "session"), reply.Home, reply.Socket) + a.problems(reply.Problems))
}
