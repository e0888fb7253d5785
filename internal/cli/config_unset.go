package cli

import (
	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

func newConfigUnset(app *App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "unset <key>...",
		Short: "Give settings their defaults back",
		Long: `Forget what you chose for settings, so that their defaults count. A switch that
had written into other programs' folders takes that out again.`,
		Example: `  termio config unset detachKey
  termio config unset notifications.command notifications.after`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef(api.CodeBadRequest, "give the settings to forget")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return app.changeSettings(cmd.Context(), args, "") },
	}
	app.jsonFlag(cmd)
	return cmd
}
