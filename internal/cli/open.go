package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

type openOptions struct {
	app *App
	// face shows the project in the face, where there is a terminal for that.
	face bool
}

func newOpen(app *App) *cobra.Command {
	o := &openOptions{app: app}
	cmd := &cobra.Command{
		Use:   "open [DIR]",
		Short: "Open a directory as a project and show its sessions",
		Long: `Open a directory (this one without DIR) as a project: its sessions are listed,
and every command typed somewhere below it belongs to it. At a terminal,
` + "`termio [DIR]`" + ` shows it in the face instead: see docs/tui.md.`,
		Example: `  termio open
  termio open ~/code/myapp`,
		Args: exactOptional,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	app.jsonFlag(cmd)
	return cmd
}

func exactOptional(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usagef(api.CodeBadRequest, "open takes one directory: %s is one too many", quoted(args[1]))
	}
	return nil
}

// looksLikeDir tells a directory from a mistyped command.
func looksLikeDir(arg string) bool {
	if strings.ContainsAny(arg, `/\`) || strings.HasPrefix(arg, ".") || strings.HasPrefix(arg, "~") {
		return true
	}
	info, err := os.Stat(arg)
	return err == nil && info.IsDir()
}

func (o *openOptions) run(ctx context.Context, args []string) error {
	a := o.app
	cwd, err := a.Getwd()
	if err != nil && len(args) == 0 {
		return api.Errorf(api.CodeNotFound, "this directory is gone: %v", err)
	}
	dir := cwd
	if len(args) == 1 {
		if dir, err = absolute(cwd, args[0]); err != nil {
			return err
		}
	}
	if dir, err = resolveDir(dir); err != nil {
		return err
	}
	caller, err := a.caller(scope{})
	if err != nil {
		caller = api.Caller{Cwd: dir}
	}
	var reply api.OpenReply
	if err := a.call(ctx, api.VerbOpen, api.OpenRequest{Caller: caller, Dir: dir}, &reply); err != nil {
		return err
	}
	if reply.Sessions == nil {
		reply.Sessions = []api.Session{}
	}
	if a.json {
		return a.printJSON(reply)
	}
	if o.face && a.faceFits() {
		if shown, err := a.showFace(reply.Dir, dir); shown {
			return err
		}
	}
	if err := a.print(o.text(&reply)); err != nil {
		return err
	}
	a.tellLost(reply.Lost)
	return nil
}

// resolveDir is where dir leads, if it is a directory.
func resolveDir(dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	var info os.FileInfo
	if err == nil {
		info, err = os.Stat(real)
	}
	var where *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", api.Errorf(api.CodeNotFound, "there is no directory %s", quoted(dir))
	case errors.As(err, &where):
		return "", api.Errorf(api.CodeNotFound, "the directory %s cannot be opened: %v", quoted(dir), where.Err)
	case err != nil:
		return "", api.Errorf(api.CodeNotFound, "the directory %s cannot be opened: %v", quoted(dir), err)
	}
	if !info.IsDir() {
		return "", api.Errorf(api.CodeBadRequest, "%s is not a directory", quoted(dir))
	}
	return real, nil
}

func (o *openOptions) text(reply *api.OpenReply) string {
	a := o.app
	var b strings.Builder
	if reply.New {
		fmt.Fprintf(&b, "opened %s\n", oneLine(reply.Dir))
	}
	b.WriteString(a.roster(reply.Project, reply.Sessions, nil, false))
	if trees := reply.Worktrees; len(trees) > 1 {
		fmt.Fprintf(&b, "\n%s\n", plural(len(trees), "worktree"))
		rows := make([][]field, len(trees))
		for i, t := range trees {
			rows[i] = []field{{"  " + oneLine(t.Branch), plain}, {oneLine(t.Dir), dim}}
		}
		b.WriteString(a.table(rows))
	}
	if len(reply.Sessions) > 0 {
		id := reply.Sessions[0].ID
		fmt.Fprintf(&b, "\nAttach to one:      termio sessions attach %s\n", id)
		b.WriteString("Start an agent:     termio sessions spawn \"<prompt>\" --agent <id>\n" +
			"Run a command:      termio sessions run \"<command>\"\n")
	}
	return b.String()
}
