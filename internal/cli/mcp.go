package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

type mcpOptions struct {
	app   *App
	scope scope
}

func newMCP(app *App) *cobra.Command {
	o := &mcpOptions{app: app}
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the sessions verbs as MCP tools on standard input and output",
		Long: `Serve the verbs of ` + "`termio sessions`" + ` as tools of the Model Context Protocol, on
standard input and output: for agents that cannot run a shell, and for editors.
The tools are sessions_list, sessions_spawn, sessions_run, sessions_send,
sessions_wait, sessions_watch, sessions_transcript, sessions_read,
sessions_close and a few more, with the same arguments and replies.

Inside a session they see that session's project, outside that of the directory
that the client starts them in. docs/mcp.md shows how clients are told.`,
		Example: `  termio mcp
  claude mcp add termio -- termio mcp
  codex mcp add termio -- termio mcp`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return o.run() },
	}
	o.scope.flags(cmd)
	return cmd
}

// run becomes the companion that has the protocol in it: a program of its own,
// since every other command would pay for its start.
func (o *mcpOptions) run() error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	companion := filepath.Join(filepath.Dir(self), "termio-mcp"+filepath.Ext(self))
	if st, err := os.Stat(companion); err != nil || !st.Mode().IsRegular() {
		return api.Errorf(api.CodeUnavailable, "termio-mcp is not beside this program (%s); install both, or `make build`", companion)
	}
	args := []string{companion}
	if o.scope.project != "" {
		cwd, err := o.app.Getwd()
		if err != nil {
			return api.Errorf(api.CodeNoScope, "this directory is gone: %v", err)
		}
		dir, err := absolute(cwd, o.scope.project)
		if err != nil {
			return err
		}
		args = append(args, "--project", dir)
	}
	if o.scope.all {
		args = append(args, "--all")
	}
	return become(companion, args, o.app.Environ())
}
