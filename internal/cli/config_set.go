package cli

import (
	"context"
	"maps"
	"strings"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/api"
)

type configSetOptions struct{ app *App }

func newConfigSet(app *App) *cobra.Command {
	o := &configSetOptions{app: app}
	cmd := &cobra.Command{
		Use:   "set <key> <value>",
		Short: "Change a setting",
		Long: `Change a setting. An empty value gives the default back, as unset does. A value
that begins with - goes after --. A switch that writes into other programs'
folders does so, or takes it out again, before the command ends.`,
		Example: `  termio config set detachKey ctrl-]
  termio config set liveStatus true
  termio config set agents.claudeCode.bypassPermissions true`,
		Args: exactArgs(2, api.CodeBadRequest, "give the setting and its value"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0], args[1]) },
	}
	app.jsonFlag(cmd)
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return usagef(api.CodeBadRequest, "%v; a value that begins with - goes after --: `termio config set <key> -- <value>`", err)
	})
	return cmd
}

// knownAgent checks the agent that a setting names, unless it is about to be
// given back.
func (a *App) knownAgent(key, value string) error {
	id := value
	if rest, of := strings.CutPrefix(key, "agents."); of {
		id, _, _ = strings.Cut(rest, ".")
	} else if key != "defaultAgent" {
		return nil
	}
	if value == "" {
		return nil
	}
	layout, err := a.layout()
	if err != nil {
		return err
	}
	catalog, _ := atp.Load(layout.AgentsDir())
	if _, known := catalog.ByID(id); !known {
		return api.Errorf(api.CodeBadAgent, "%s: there is no agent %s; there are: %s", key, quoted(id), strings.Join(catalog.IDs(), ", "))
	}
	return nil
}

func (o *configSetOptions) run(ctx context.Context, key, value string) error {
	return o.app.changeSettings(ctx, []string{key}, value)
}

// changeSettings gives the keys a value, "" for their defaults, and does what
// that means for what switches have written.
func (a *App) changeSettings(ctx context.Context, keys []string, value string) error {
	var found []setting
	for _, key := range keys {
		one, err := findSetting(key)
		if err != nil {
			return err
		}
		found = append(found, one)
		if err := validText("value", value); err != nil {
			return err
		}
		if err := a.knownAgent(key, value); err != nil {
			return err
		}
	}
	path, before, err := a.settings()
	if err != nil {
		return err
	}
	after := before
	after.Agents = maps.Clone(before.Agents)
	for _, one := range found {
		if err := one.set(&after, value); err != nil {
			return api.Errorf(api.CodeBadRequest, "%s: %v", one.key, err)
		}
	}
	if err := saveSettings(path, after); err != nil {
		return err
	}
	done, err := a.applySwitches(ctx, before, after)
	if err != nil {
		return err
	}
	if a.json {
		err = a.printSettings(after, found...)
	} else {
		err = a.print(a.appliedText(done))
	}
	if err == nil && done.refused() {
		return errReported
	}
	return err
}
