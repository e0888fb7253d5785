package cli

import (
	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/version"
)

// versionReply is what --json prints.
type versionReply struct {
	api.Head
	Version string `json:"version"`
}

func newVersion(app *App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program",
		Long: `Print the version of this program, as --version does. The coordinator's is in
` + "`termio daemon status`" + `.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if app.json {
				return app.printJSON(versionReply{api.OKHead(), version.Version})
			}
			return app.print("termio " + version.Version + "\n")
		},
	}
	app.jsonFlag(cmd)
	return cmd
}
