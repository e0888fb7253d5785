package cli

import (
	"github.com/spf13/cobra"
)

const hooksLong = `Live status: agents report through their own hooks what they do. A session that
Termio starts gets them at launch where the agent has a way, with nothing of
yours touched. For agents that you start by hand inside a plain terminal, and
for those without such a way, install puts them into the agents' own config.

Only entries of Termio's are written and removed; everything else in a file
stays as it is, byte for byte. A file that cannot be read is left alone, and
the first version of a file that is changed is kept (state/hooks/backup below
Termio's home).`

// newHooks is `termio hooks`, alone the same as status.
func newHooks(app *App) *cobra.Command {
	status := newHooksStatus(app)
	cmd := group(&cobra.Command{
		Use:   "hooks <verb>",
		Short: "Live status: agents' hooks",
		Long:  hooksLong,
	}, func(cmd *cobra.Command) error { return status.RunE(cmd, nil) })
	app.jsonFlag(cmd)
	cmd.AddCommand(newHooksInstall(app), newHooksRemove(app), status)
	return cmd
}
