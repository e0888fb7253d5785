package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

type acpSessionsOptions struct {
	acpFlags
	app    *App
	cursor string
}

func newACPSessions(app *App) *cobra.Command {
	o := &acpSessionsOptions{app: app}
	cmd := &cobra.Command{
		Use:   "sessions --agent <id>",
		Short: "List the sessions that an agent knows of this directory",
		Long: `List the sessions that an agent itself knows of this directory and those below
it, whoever made them. Where the list was cut short it ends with a cursor, from
which --cursor goes on.`,
		Example: `  termio acp sessions --agent claudeCode
  termio acp sessions --agent codex --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	app.jsonFlag(cmd)
	o.flags(app, cmd)
	cmd.Flags().StringVar(&o.cursor, "cursor", "", "go on at the `cursor` that a list ended with")
	return cmd
}

func (o *acpSessionsOptions) run(ctx context.Context) error {
	a := o.app
	var reply api.ACPSessionsReply
	if err := a.askACP(ctx, o.acpFlags, api.VerbACPSessions, api.ACPRequest{Cursor: o.cursor}, &reply); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(reply)
	}
	if !reply.Supported {
		return a.print(o.agent + " cannot list its sessions\n")
	}
	var rows [][]field
	for _, s := range reply.Sessions {
		rows = append(rows, []field{{oneLine(s.SessionID), plain}, {oneLine(s.UpdatedAt), dim}, {oneLine(s.Title), plain}})
	}
	if err := a.print(a.table(rows)); err != nil {
		return err
	}
	if reply.NextCursor != "" {
		a.warn("there are more: --cursor " + oneLine(reply.NextCursor))
	}
	return nil
}
