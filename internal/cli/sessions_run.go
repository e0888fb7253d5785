package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

type runOptions struct {
	app   *App
	scope scope
	title string
	dir   string

	waiting waiting
}

func newRun(app *App) *cobra.Command {
	o := &runOptions{app: app}
	cmd := &cobra.Command{
		Use:   "run <command>",
		Short: "Start a terminal, type a shell command into it, print its link",
		Long: `Start a plain terminal session with your login shell, type the shell command
into it, and print the session's link: a dev server, a test watcher, a build.
The reply comes as soon as the session exists. The terminal stays when the
command is done; its screen is the result: ` + "`termio sessions read <link>`" + `.

Words are joined to one command; quote it to keep the shell you type in from
reading it first.` + waitHelp,
		Example: `  termio sessions run "pnpm test"
  termio sessions run "make test" --wait --timeout 600000
  termio sessions run "make -j8 && ./server" --title server --json`,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	app.jsonFlag(cmd)
	o.scope.flags(cmd)
	cmd.Flags().StringVar(&o.title, "title", "", "the session's title")
	cmd.Flags().StringVar(&o.dir, "dir", "", "the `directory` to start in (this one)")
	o.waiting.flags(cmd)
	return cmd
}

func (o *runOptions) run(ctx context.Context, args []string) error {
	a := o.app
	command, err := a.payload("command", args)
	if err != nil {
		return err
	}
	if command == "" {
		return usagef(api.CodeNoText, "give the command: `termio sessions run \"<command>\"`")
	}
	if err := validText("title", o.title); err != nil {
		return err
	}
	caller, err := a.caller(o.scope)
	if err != nil {
		return err
	}
	request := api.RunRequest{Caller: caller, Command: command, Title: o.title, Env: a.Environ()}
	if request.Dir, err = optionalDir(caller.Cwd, o.dir); err != nil {
		return err
	}
	request.Cols, request.Rows = a.Size()
	if request.Waiting, err = o.waiting.request(); err != nil {
		return err
	}
	if request.Wait {
		var reply api.WaitReply
		if err := a.call(ctx, api.VerbRun, request, &reply); err != nil {
			return err
		}
		return a.waited(&reply)
	}
	var reply api.SpawnReply
	if err := a.call(ctx, api.VerbRun, request, &reply); err != nil {
		return err
	}
	return a.started(&reply)
}
