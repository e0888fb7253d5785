package cli

import "github.com/spf13/cobra"

func newDaemonRun(app *App) *cobra.Command {
	return &cobra.Command{
		Use:   "run",
		Short: "Be the coordinator, in the foreground",
		Long: `Be the coordinator, in the foreground: for a service manager, or to look at it.
It ends at once if another one runs for the same home.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return app.RunDaemon(cmd.Context()) },
	}
}
