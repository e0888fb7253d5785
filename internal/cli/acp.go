package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/acphost"
	"github.com/termio-sh/termio/internal/api"
)

const acpLong = `Speak to agents over the Agent Client Protocol, in place of a terminal.

An agent whose manifest has an acp entry can be a session like any other
(` + "`termio sessions spawn --acp`" + `), or do one turn here (` + "`termio acp run`" + `).
The other commands ask an agent for something and end it again.`

// newACP is `termio acp`.
func newACP(app *App) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "acp <verb>",
		Short: "Run and ask agents over the Agent Client Protocol",
		Long:  acpLong,
	}, func(cmd *cobra.Command) error { return app.print(helpText(cmd)) })
	cmd.AddCommand(
		newACPRun(app),
		newACPProbe(app),
		newACPModels(app),
		newACPSessions(app),
		newACPLoad(app),
		newACPPermissions(app),
		newACPServe(app),
	)
	return cmd
}

// acpFlags are those of the commands that ask an agent for something.
type acpFlags struct {
	agent string
	dir   string
}

func (f *acpFlags) flags(app *App, cmd *cobra.Command) {
	app.agentFlag(cmd, &f.agent, "the agent's `id`")
	cmd.Flags().StringVar(&f.dir, "dir", "", "the `directory` to ask about (this one)")
}

// ask calls one of the verbs of `termio acp`.
func (a *App) askACP(ctx context.Context, f acpFlags, verb string, r api.ACPRequest, reply any) error {
	if f.agent == "" {
		return usagef(api.CodeBadAgent, "say which agent with --agent: `termio agents list` prints the ids")
	}
	caller, err := a.caller(scope{})
	if err != nil {
		return err
	}
	r.Caller, r.Agent, r.Env = caller, f.agent, a.Environ()
	if f.dir != "" {
		if r.Dir, err = absolute(caller.Cwd, f.dir); err != nil {
			return err
		}
	}
	return a.call(ctx, verb, r, reply)
}

// acpSpawn are the flags of a session over ACP.
type acpSpawn struct {
	acp                         bool
	permissions, session, model string
}

func (o *acpSpawn) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.acp, "acp", false, "speak to the agent over the Agent Client Protocol, without a terminal")
	cmd.Flags().StringVar(&o.permissions, "permissions", "", "with --acp: how it is answered when it asks, the `mode` (ask)")
	cmd.Flags().StringVar(&o.session, "session", "", "with --acp: continue the agent's session of that `id`")
	cmd.Flags().StringVar(&o.model, "model", "", "with --acp: set the session to that model's `id`")
}

// options are those of the request; nil without --acp.
func (o *acpSpawn) options() (*api.ACPOptions, error) {
	if !o.acp {
		if o.permissions+o.session+o.model != "" {
			return nil, usagef(api.CodeBadRequest, "--permissions, --session and --model go with --acp")
		}
		return nil, nil
	}
	if _, err := acphost.ParseMode(o.permissions); err != nil {
		return nil, usagef(api.CodeBadRequest, "%v", err)
	}
	return &api.ACPOptions{Permissions: o.permissions, Session: o.session, Model: o.model}, nil
}
