package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

func newACPModels(app *App) *cobra.Command {
	f := acpFlags{}
	cmd := &cobra.Command{
		Use:   "models --agent <id>",
		Short: "List the models that an agent offers",
		Long: `List the models that an agent offers in this directory. The protocol tells of
them only with a session, so one is made, and deleted where the agent can.`,
		Example: `  termio acp models --agent opencode
  termio acp models --agent codex --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return app.acpModels(cmd.Context(), f) },
	}
	app.jsonFlag(cmd)
	f.flags(app, cmd)
	return cmd
}

func (a *App) acpModels(ctx context.Context, f acpFlags) error {
	var reply api.ACPModelsReply
	if err := a.askACP(ctx, f, api.VerbACPModels, api.ACPRequest{}, &reply); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(reply)
	}
	var rows [][]field
	for _, m := range reply.Models {
		mark := " "
		if m.ID == reply.Current {
			mark = "*"
		}
		rows = append(rows, []field{{mark, green}, {oneLine(m.ID), plain}, {oneLine(m.Name), dim}})
	}
	return a.print(a.table(rows))
}
