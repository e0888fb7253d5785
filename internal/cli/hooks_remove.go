package cli

import (
	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/config"
	"github.com/termio-sh/termio/internal/hooks"
)

func newHooksRemove(app *App) *cobra.Command {
	return (&integration{
		app: app, do: (*hooks.Store).Remove, forgotten: forgottenHooks,
		choose: func(s *config.Settings) error { off := false; s.LiveStatus = &off; return nil },
	}).command(&cobra.Command{
		Use:        "remove [<agent>]...",
		SuggestFor: []string{"uninstall", "delete"},
		Short:      "Take the hooks out of agents' own config",
		Long: `Take the hooks out again, from every agent or from those named; what is not
Termio's stays as it is. Without names live status is switched off, at launch
too.`,
		Example: `  termio hooks remove
  termio hooks remove cursor`,
	})
}
