package cli

import (
	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

// permissionMode is one way to answer an agent that asks for permission.
type permissionMode struct {
	Mode  string `json:"mode"`
	Means string `json:"means"`
}

// permissionsReply is what `termio acp permissions --json` prints.
type permissionsReply struct {
	api.Head
	Modes []permissionMode `json:"modes"`
	// Defaults of `termio acp run` and `termio sessions spawn --acp`.
	Run   string `json:"run"`
	Spawn string `json:"spawn"`
}

func permissionModes() []permissionMode {
	return []permissionMode{
		{"restricted", "reads, searches and thoughts are allowed once each time, the rest is rejected"},
		{"ask", "every request is a question to people, and waits until one answers"},
		{"auto", "every request is allowed once, never for always"},
		{"strict", "every request is answered that it is cancelled"},
	}
}

func newACPPermissions(app *App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "permissions",
		Short: "Say how an agent is answered when it asks for permission",
		Long: `List the permission modes, one of which --permissions names: who answers an agent
over ACP when it asks whether it may act. In restricted and strict the agent
may not write files or run programs through Termio either. What an agent does
without asking no mode can keep it from.

` + "`termio acp run`" + ` uses restricted unless told otherwise, a session ask.`,
		Example: `  termio acp permissions
  termio acp run "fix the typo" --agent codex --permissions auto`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return app.acpPermissions() },
	}
	app.jsonFlag(cmd)
	return cmd
}

func (a *App) acpPermissions() error {
	if a.json {
		return a.printJSON(permissionsReply{api.OKHead(), permissionModes(), "restricted", "ask"})
	}
	var rows [][]field
	for _, m := range permissionModes() {
		rows = append(rows, []field{{m.Mode, bold}, {m.Means, plain}})
	}
	return a.print(a.table(rows))
}
