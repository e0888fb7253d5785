package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/api"
)

type agentsShowOptions struct{ app *App }

func newAgentsShow(app *App) *cobra.Command {
	o := &agentsShowOptions{app: app}
	cmd := &cobra.Command{
		ValidArgsFunction: app.completeAgents,
		Use:               "show <id>",
		Short:             "Print an agent's manifest",
		Long: `Print the manifest of an agent as JSON: a good start for one of your own. Save
it in config/agents/<id>.json below Termio's home. With --json, on one line.`,
		Example: `  termio agents show claudeCode
  termio agents show pi > ~/.termio/config/agents/mine.json`,
		Args: exactArgs(1, api.CodeBadRequest, "say which agent: `termio agents list` prints the ids"),
		RunE: func(_ *cobra.Command, args []string) error { return o.run(args[0]) },
	}
	app.jsonFlag(cmd)
	return cmd
}

func (o *agentsShowOptions) run(name string) error {
	layout, err := o.app.layout()
	if err != nil {
		return err
	}
	catalog, problems := atp.Load(layout.AgentsDir())
	manifest, ok := catalog.Lookup(name)
	if !ok {
		text := fmt.Sprintf("no agent %s; there are: %s", quoted(name), strings.Join(catalog.IDs(), ", "))
		if broken := problems.Errors(); len(broken) > 0 {
			text += fmt.Sprintf("; and a file that cannot be read: %v", broken[0])
		}
		return api.Errorf(api.CodeBadAgent, "%s", text)
	}
	return o.app.printDocument(manifest.JSON())
}
