package cli

import (
	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/hooks"
)

func newHooksStatus(app *App) *cobra.Command {
	return (&integration{app: app, do: (*hooks.Store).Status}).command(&cobra.Command{
		Use:   "status [<agent>]...",
		Short: "Say which agents have the hooks",
		Long: `Say for each agent whether the hooks are in its config, whether they are as they
should be, and whether sessions get them at launch. Nothing is changed.`,
		Example: `  termio hooks status
  termio hooks status --json`,
	})
}
