package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

const worktreesLong = `See and remove the git worktrees of this project. ` + "`termio sessions spawn\n--worktree NAME`" + ` makes them, below Termio's home (worktrees/), each on a branch
of its name; those that you made yourself are listed too.

A new one gets the files that .worktreeinclude lists (patterns as in .gitignore;
only files that git does not track), and the project's setup command runs in the
session's terminal before the agent:
termio config set projects./path/to/project.setup "npm ci".`

// newWorktrees is `termio worktrees`, alone the same as list.
func newWorktrees(app *App) *cobra.Command {
	o := &worktreesOptions{app: app}
	cmd := group(&cobra.Command{
		Use:   "worktrees <verb>",
		Short: "See and remove the project's git worktrees",
		Long:  worktreesLong,
	}, func(cmd *cobra.Command) error { return o.run(cmd.Context()) })
	o.flags(cmd)
	cmd.AddCommand(newWorktreesList(app), newWorktreesRemove(app))
	return cmd
}

type worktreesOptions struct {
	app   *App
	scope scope
}

func (o *worktreesOptions) flags(cmd *cobra.Command) {
	o.app.jsonFlag(cmd)
	cmd.Flags().StringVar(&o.scope.project, "project", "", "look into the project of `DIR` instead of this directory's")
}

func newWorktreesList(app *App) *cobra.Command {
	o := &worktreesOptions{app: app}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the worktrees, with what would be lost with each",
		Long: `List the project's worktrees: name, branch, live sessions, and what would be
lost if it were removed. The reply of --json is {project, worktrees: [{name,
dir, branch?, main?, changes?, sessions?}]}.`,
		Example: `  termio worktrees
  termio worktrees list --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	o.flags(cmd)
	return cmd
}

func (o *worktreesOptions) run(ctx context.Context) error {
	a := o.app
	caller, err := a.caller(o.scope)
	if err != nil {
		return err
	}
	var reply api.WorktreesReply
	if err := a.call(ctx, api.VerbWorktrees, api.WorktreesRequest{Caller: caller}, &reply); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(reply)
	}
	rows := make([][]field, len(reply.Worktrees))
	for i, w := range reply.Worktrees {
		note := w.Changes
		if n := len(w.Sessions); n > 0 {
			if note != "" {
				note += ", "
			}
			note += plural(n, "session")
		}
		if w.Main {
			note = "the project itself"
		}
		branch := w.Branch
		if branch == "" {
			branch = "–"
		}
		rows[i] = []field{{oneLine(w.Name), bold}, {oneLine(branch), plain}, {oneLine(note), dim}, {oneLine(w.Dir), plain}}
	}
	return a.print(a.table(rows))
}
