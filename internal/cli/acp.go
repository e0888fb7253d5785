package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/acp"
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
		newACPWarm(app),
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
	acp                  bool
	permissions, session string
	acpSettings
}

// acpSettings are what a new session over ACP is set to.
type acpSettings struct {
	model, effort string
	set           []string
	mcp, mcpFiles []string
}

func (o *acpSettings) flags(cmd *cobra.Command, when string) {
	cmd.Flags().StringVar(&o.model, "model", "", when+"set the session to that model's `id`")
	cmd.Flags().StringVar(&o.effort, "effort", "", when+"set the session to that `level` of effort, or highest")
	cmd.Flags().StringArrayVar(&o.set, "set", nil, when+"set another option of the session, as `name=value`")
	cmd.Flags().StringArrayVar(&o.mcp, "mcp", nil, when+"give the agent an MCP server, as `NAME=COMMAND` or NAME=URL; termio: the sessions verbs; none: not those of the settings")
	cmd.Flags().StringArrayVar(&o.mcpFiles, "mcp-config", nil, when+"give it those of a `file` of MCP servers")
}

// into puts them into a request.
func (o *acpSettings) into(a *App, r *api.ACPOptions) error {
	set, shown, err := assignments(o.set)
	if err != nil {
		return err
	}
	if shown != "" {
		return usagef(api.CodeBadRequest, "%s is no <name>=<value>", quoted(shown))
	}
	r.Model, r.Effort, r.Set = o.model, o.effort, set
	return o.servers(a, r)
}

// servers puts the MCP servers into a request: first those of files.
func (o *acpSettings) servers(a *App, r *api.ACPOptions) error {
	var all acphost.Servers
	for _, name := range o.mcpFiles {
		cwd, err := a.Getwd()
		if err != nil {
			return api.Errorf(api.CodeNoScope, "this directory is gone: %v", err)
		}
		if name, err = absolute(cwd, name); err != nil {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return usagef(api.CodeBadRequest, "the MCP servers cannot be read: %v", err)
		}
		s, err := acphost.ReadServers(data)
		if err != nil {
			return usagef(api.CodeBadRequest, "%s: %v", name, err)
		}
		all = all.With(s)
	}
	for _, word := range o.mcp {
		if word == "none" {
			r.NoMCP = true
			continue
		}
		s, err := acphost.ServerOf(word)
		if err != nil {
			return usagef(api.CodeBadRequest, "%v", err)
		}
		all = all.With(s)
	}
	r.OwnMCP = all.Own
	if len(all.List) == 0 {
		return nil
	}
	raw, err := acp.Encode(all.List)
	if err != nil {
		return fmt.Errorf("encode the MCP servers: %w", err)
	}
	r.MCP = json.RawMessage(raw)
	return nil
}

func (o *acpSpawn) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.acp, "acp", false, "speak to the agent over the Agent Client Protocol, without a terminal")
	cmd.Flags().StringVar(&o.permissions, "permissions", "", "with --acp: how it is answered when it asks, the `mode` (ask)")
	cmd.Flags().StringVar(&o.session, "session", "", "with --acp: continue the agent's session of that `id`")
	o.acpSettings.flags(cmd, "with --acp: ")
}

// options are those of the request; nil without --acp.
func (o *acpSpawn) options(a *App) (*api.ACPOptions, error) {
	if !o.acp {
		if o.permissions+o.session+o.model+o.effort != "" || len(o.set)+len(o.mcp)+len(o.mcpFiles) > 0 {
			return nil, usagef(api.CodeBadRequest, "--permissions, --session, --model, --effort, --set, --mcp and --mcp-config go with --acp")
		}
		return nil, nil
	}
	if _, err := acphost.ParseMode(o.permissions); err != nil {
		return nil, usagef(api.CodeBadRequest, "%v", err)
	}
	r := &api.ACPOptions{Permissions: o.permissions, Session: o.session}
	return r, o.into(a, r)
}
