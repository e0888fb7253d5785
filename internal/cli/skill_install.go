package cli

import (
	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/config"
	"github.com/termio-sh/termio/internal/hooks"
)

func newSkillInstall(app *App) *cobra.Command {
	return (&integration{
		app: app, installs: true, do: (*hooks.Store).InstallSkill,
		choose: func(s *config.Settings) error {
			if !s.ControlsSessions() {
				return api.Errorf(api.CodeDisabled, "session control is off, and what the skill teaches would fail; `termio config set sessionControl true` turns both on")
			}
			on := true
			s.Skill = &on
			return nil
		},
	}).command(&cobra.Command{
		Use:   "install [<agent>]...",
		Short: "Put the skill into agents' folders",
		Long: `Put the skill into the folder of skills of every agent that is installed, or of
those named. Without names it is looked after from then on: the coordinator
renews it at every start.`,
		Example: `  termio skill install
  termio skill install claudeCode`,
	})
}
