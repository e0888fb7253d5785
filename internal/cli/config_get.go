package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

type configGetOptions struct{ app *App }

func newConfigGet(app *App) *cobra.Command {
	o := &configGetOptions{app: app}
	cmd := &cobra.Command{
		Use:   "get [<key>]",
		Short: "Print a setting, or all",
		Long: `Print the value of a setting, the default where you chose none. All of them
without <key>, as list does.`,
		Example: `  termio config get detachKey`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef(api.CodeBadRequest, "one setting at a time: %s is one too many", quoted(args[1]))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return o.run(strings.Join(args, "")) },
	}
	app.jsonFlag(cmd)
	return cmd
}

func (o *configGetOptions) run(key string) error {
	if key == "" {
		return (&configListOptions{app: o.app}).run()
	}
	_, s, err := o.app.settings()
	if err != nil {
		return err
	}
	found, err := findSetting(key)
	if err != nil {
		return err
	}
	if o.app.json {
		return o.app.printSettings(s, found)
	}
	return o.app.print(found.get(s) + "\n")
}
