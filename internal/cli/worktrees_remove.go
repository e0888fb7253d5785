package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

func newWorktreesRemove(app *App) *cobra.Command {
	o := &worktreesOptions{app: app}
	cmd := &cobra.Command{
		Use:   "remove <name>",
		Short: "Remove a worktree in which nothing would be lost",
		Long: `Remove a worktree, named by its name, directory or branch. It is refused while
a session runs in it, while it has changed or untracked files, a merge or rebase
in progress, or commits that are on no branch. Files that git ignores go with
it; its branch stays.`,
		Example: `  termio worktrees remove fix-login`,
		Args:    exactArgs(1, api.CodeNoTarget, "say which worktree: `termio worktrees list` shows their names"),
		RunE:    func(cmd *cobra.Command, args []string) error { return o.remove(cmd.Context(), args[0]) },
	}
	o.flags(cmd)
	return cmd
}

func (o *worktreesOptions) remove(ctx context.Context, name string) error {
	a := o.app
	if err := validText("name", name); err != nil {
		return err
	}
	caller, err := a.caller(o.scope)
	if err != nil {
		return err
	}
	var reply api.RemoveWorktreeReply
	if err := a.call(ctx, api.VerbRemoveWorktree, api.RemoveWorktreeRequest{Caller: caller, Worktree: name}, &reply); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(reply)
	}
	text := "removed " + oneLine(reply.Removed)
	if reply.Branch != "" {
		text += "; its branch " + oneLine(reply.Branch) + " stays"
	}
	return a.print(text + "\n")
}
