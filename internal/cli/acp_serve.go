package cli

import (
	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/acphost"
	"github.com/termio-sh/termio/internal/acpserver"
	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/version"
)

type acpServeOptions struct {
	app         *App
	agent       string
	permissions string
}

func newACPServe(app *App) *cobra.Command {
	o := &acpServeOptions{app: app}
	cmd := &cobra.Command{
		Use:   "serve [--agent <id>]",
		Short: "Be an agent of the Agent Client Protocol, for editors",
		Long: `Speak the Agent Client Protocol on standard input and output as an agent, so that
an editor can open the sessions that are hosted over ACP: list them, load one
with all that was said, prompt and cancel it, and answer what its agent asks.
Several editors, and people, can look at one session at once. Who answers a
question first counts; the others' is withdrawn.

A new session of the editor's is one of --agent in the editor's directory. Its
MCP servers are handed on. Sessions go on when the editor leaves; one that was
closed is reopened when it is loaded.`,
		Example: `  termio acp serve --agent claudeCode
  termio acp serve --agent codex --permissions auto`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return o.run() },
	}
	cmd.Flags().StringVar(&o.agent, "agent", "", "the `id` of the agent of new sessions")
	// It fails only for a flag that is not there.
	_ = cmd.RegisterFlagCompletionFunc("agent", app.completeAgents)
	cmd.Flags().StringVar(&o.permissions, "permissions", "", "how new sessions are answered when they ask, the `mode` (ask)")
	return cmd
}

func (o *acpServeOptions) run() error {
	a := o.app
	if _, err := acphost.ParseMode(o.permissions); err != nil {
		return usagef(api.CodeBadRequest, "%v", err)
	}
	layout, err := a.layout()
	if err != nil {
		return err
	}
	if o.agent != "" {
		list, err := a.manifests([]string{o.agent})
		if err != nil {
			return err
		}
		if list[0].ACP == nil {
			return api.Errorf(api.CodeBadAgent, "%s declares no server of the Agent Client Protocol (acp in its manifest)", list[0].Name)
		}
	}
	caller, err := a.caller(scope{})
	if err != nil {
		return err
	}
	coordinator, err := a.Connect(true)
	if err != nil {
		return err
	}
	return acpserver.Serve(a.In, a.Out, acpserver.Options{
		Coordinator: coordinator, Socket: layout.HostSocket, Caller: caller, Env: a.Environ(),
		Agent: o.agent, Permissions: o.permissions, Version: version.Version,
	})
}
