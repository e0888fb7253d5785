package cli

import (
	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/atp"
)

func newAgentsSchema(app *App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of manifests",
		Long: `Print the JSON Schema of manifests: an editor completes and checks them by it.
With --json, on one line.`,
		Example: `  termio agents schema > manifest.schema.json`,
		Args:    noArgs,
		RunE:    func(*cobra.Command, []string) error { return app.printDocument(atp.Schema()) },
	}
	app.jsonFlag(cmd)
	return cmd
}
