package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

func newACPProbe(app *App) *cobra.Command {
	f := acpFlags{}
	cmd := &cobra.Command{
		Use:   "probe <agent>",
		Short: "Start an agent, ask what it is and can do, and end it",
		Long: `Start an agent's server of the Agent Client Protocol, ask what it is and what it
can do, and end it. No session is made, so an agent that is not signed in may
pass. Whether it is signed in is asked of the agent's own program, where there is
a way (Claude Code, Codex); of others it is unknown.`,
		Example: `  termio acp probe claudeCode
  termio acp probe codex --json`,
		Args: exactArgs(1, api.CodeBadAgent, "say which agent: `termio agents list` prints the ids"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.agent = args[0]
			return app.acpProbe(cmd.Context(), f)
		},
	}
	app.jsonFlag(cmd)
	cmd.ValidArgsFunction = app.completeAgents
	cmd.Flags().StringVar(&f.dir, "dir", "", "the `directory` to start it in (this one)")
	return cmd
}

func (a *App) acpProbe(ctx context.Context, f acpFlags) error {
	var reply api.ACPProbeReply
	if err := a.askACP(ctx, f, api.VerbACPProbe, api.ACPRequest{}, &reply); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(reply)
	}
	text := fmt.Sprintf("%s %s, protocol %d, authentication: %s\n", oneLine(reply.Name), oneLine(reply.Version), reply.ProtocolVersion, reply.Authentication)
	for _, m := range reply.AuthMethods {
		text += fmt.Sprintf("  sign in by %s (%s)\n", oneLine(m.ID), oneLine(m.Name))
	}
	return a.print(text)
}
