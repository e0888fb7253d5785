package cli

import "github.com/spf13/cobra"

type configListOptions struct{ app *App }

func newConfigList(app *App) *cobra.Command {
	o := &configListOptions{app: app}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "Print all settings, and which you chose",
		Long: `Print all settings with their values; those that you did not choose are marked
as defaults. --json names those that you chose in chosen.`,
		Example: `  termio config list
  termio config list --json`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return o.run() },
	}
	app.jsonFlag(cmd)
	return cmd
}

func (o *configListOptions) run() error {
	_, s, err := o.app.settings()
	if err != nil {
		return err
	}
	list := settingsOf(s)
	if o.app.json {
		return o.app.printSettings(s, list...)
	}
	rows := make([][]field, len(list))
	for i, one := range list {
		value, note := field{oneLine(one.get(s)), plain}, field{"default", dim}
		if one.chosen(s) {
			value.look, note.text = bold, ""
		}
		rows[i] = []field{{one.key, plain}, value, note}
	}
	return o.app.print(o.app.table(rows))
}
