package cli

import (
	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/config"
	"github.com/termio-sh/termio/internal/hooks"
)

func newSkillRemove(app *App) *cobra.Command {
	return (&integration{
		app: app, do: (*hooks.Store).RemoveSkill, forgotten: forgottenSkills,
		choose: func(s *config.Settings) error { off := false; s.Skill = &off; return nil },
	}).command(&cobra.Command{
		Use:        "remove [<agent>]...",
		SuggestFor: []string{"uninstall", "delete"},
		Short:      "Take the skill out of agents' folders",
		Long:       `Take the skill out again, from every agent or from those named.`,
		Example:    `  termio skill remove`,
	})
}
