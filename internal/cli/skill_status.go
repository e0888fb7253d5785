package cli

import (
	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/hooks"
)

func newSkillStatus(app *App) *cobra.Command {
	return (&integration{app: app, do: (*hooks.Store).StatusSkill}).command(&cobra.Command{
		Use:     "status [<agent>]...",
		Short:   "Say which agents have the skill",
		Long:    `Say for each agent whether it has the skill. Nothing is changed.`,
		Example: `  termio skill status --json`,
	})
}
