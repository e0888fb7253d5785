package cli

import "github.com/spf13/cobra"

const skillLong = `The skill teaches agents to use ` + "`termio sessions`" + `: a SKILL.md in each
agent's own folder of skills. Agents load it when a task needs it.`

// newSkill is `termio skill`, alone the same as status.
func newSkill(app *App) *cobra.Command {
	status := newSkillStatus(app)
	cmd := group(&cobra.Command{
		Use:   "skill <verb>",
		Short: "Session control: the skill that teaches it to agents",
		Long:  skillLong,
	}, func(cmd *cobra.Command) error { return status.RunE(cmd, nil) })
	app.jsonFlag(cmd)
	cmd.AddCommand(newSkillInstall(app), newSkillRemove(app), status)
	return cmd
}
