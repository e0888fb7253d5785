package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/config"
	"github.com/termio-sh/termio/internal/hooks"
)

func newHooksInstall(app *App) *cobra.Command {
	return (&integration{
		app: app, installs: true, do: (*hooks.Store).Install,
		choose: func(s *config.Settings) error { on := true; s.LiveStatus = &on; return nil },
		note: func(list []hooks.Outcome) string {
			if slices.ContainsFunc(list, func(o hooks.Outcome) bool { return o.Agent == "codex" && len(o.Changed) > 0 }) {
				return "Codex asks once whether you trust the new hooks: choose so in its dialog.\n"
			}
			return ""
		},
	}).command(&cobra.Command{
		Use:   "install [<agent>]...",
		Short: "Put the hooks into agents' own config",
		Long: `Put the hooks into the config of every agent that is installed, or of those
named, and put right what was changed since. Without names live status is
switched on: the coordinator then looks after the hooks at every start.`,
		Example: `  termio hooks install
  termio hooks install claudeCode codex`,
	})
}
