package cli

import "github.com/spf13/cobra"

const daemonLong = `The coordinator knows every session and answers every command. The first
command that needs it starts it; there is one for each Termio home. Sessions
do not depend on it: stop it, kill it, upgrade it, and they go on.`

// newDaemon is `termio daemon`, alone the same as status.
func newDaemon(app *App) *cobra.Command {
	status := &daemonStatusOptions{app: app}
	cmd := group(&cobra.Command{
		Use:   "daemon <verb>",
		Short: "Look after the coordinator",
		Long:  daemonLong,
	}, func(cmd *cobra.Command) error { return status.run(cmd.Context()) })
	app.jsonFlag(cmd)
	cmd.AddCommand(
		newDaemonRun(app),
		newDaemonStatus(app),
		newDaemonStart(app),
		newDaemonStop(app),
		newDaemonRestart(app),
		newDaemonLogs(app),
	)
	return cmd
}
