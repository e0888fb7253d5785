package cli

import "github.com/spf13/cobra"

// newAgent is `termio agent`: what agents say of themselves.
func newAgent(app *App) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "agent <verb>",
		Short: "What an agent says of itself",
		Long:  `What agents, and programs that want to be seen as one, call in a session.`,
	}, func(cmd *cobra.Command) error { return app.print(helpText(cmd)) })
	cmd.AddCommand(newAgentReport(app))
	return cmd
}
