package cli

import "github.com/spf13/cobra"

const agentsLong = `See the agents that can be started. Each is described by a manifest
(JSON): the bundled ones, and yours in config/agents/<id>.json below Termio's
home, which replace a bundled one of the same id and are read again when they
change.`

// newAgents is `termio agents`, alone the same as list.
func newAgents(app *App) *cobra.Command {
	list := &agentsListOptions{app: app}
	cmd := group(&cobra.Command{
		Use:   "agents <verb>",
		Short: "See, check and describe agents",
		Long:  agentsLong,
	}, func(cmd *cobra.Command) error { return list.run(cmd.Context()) })
	list.flags(cmd)
	cmd.AddCommand(newAgentsList(app), newAgentsShow(app), newAgentsLint(app), newAgentsRules(app), newAgentsSchema(app))
	return cmd
}
