package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

type spawnOptions struct {
	app    *App
	scope  scope
	agent  string
	bypass bool
	title  string
	dir    string

	worktree, base string

	acp acpSpawn

	waiting waiting
}

func newSpawn(app *App) *cobra.Command {
	o := &spawnOptions{app: app}
	cmd := &cobra.Command{
		Use:        "spawn <prompt> [--agent <id>] [-- <agent's arguments>]",
		SuggestFor: []string{"new", "create", "start"},
		Short:      "Start an agent with a prompt and print its link",
		Long: `Start an agent in a new session and print its link. The reply comes as soon as
the session exists; the prompt is typed and submitted once the agent reads its
input.

--agent says which (` + "`termio agents list`" + ` prints the ids); without it, the
caller's own kind of agent, else the default one. Words are joined to the
prompt; "-" reads it from standard input. With --agent the prompt may be left
out: the agent waits for you. What follows -- after a prompt is given to the
agent's command as it stands; without a prompt before it, it is the prompt.

--worktree starts it in the git worktree of that name, made if need be on a
branch of its name at --base (else at HEAD); see ` + "`termio worktrees --help`" + `.` + waitHelp,
		Example: `  termio sessions spawn "fix the failing test" --agent claudeCode
  termio sessions spawn "summarise the log" --agent codex --json
  termio sessions spawn "fix the login" --worktree fix-login --base main
  termio sessions spawn "review this" --agent claudeCode -- --model opus`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args, cmd.ArgsLenAtDash())
		},
	}
	o.acp.flags(cmd)
	app.jsonFlag(cmd)
	o.scope.flags(cmd)
	app.agentFlag(cmd, &o.agent, "the agent's `id`")
	cmd.Flags().BoolVar(&o.bypass, "bypass-permissions", false, "let the agent act without asking, if it can")
	cmd.Flags().StringVar(&o.title, "title", "", "the session's title")
	cmd.Flags().StringVar(&o.dir, "dir", "", "the `directory` to start in (this one)")
	cmd.Flags().StringVar(&o.worktree, "worktree", "", "start in the git worktree of that `name`, made if need be")
	cmd.Flags().StringVar(&o.base, "base", "", "the `commit` at which a new worktree begins (HEAD)")
	o.waiting.flags(cmd)
	return cmd
}

// splitDash parts the words from the agent's own arguments: see the help.
func splitDash(args []string, dash int) (words, extra []string) {
	if dash <= 0 {
		return args, nil
	}
	return args[:dash], args[dash:]
}

func (o *spawnOptions) run(ctx context.Context, args []string, dash int) error {
	a := o.app
	words, extra := splitDash(args, dash)
	prompt, err := a.payload("prompt", words)
	if err != nil {
		return err
	}
	switch plainTerminal := o.agent == "terminal" || o.agent == "shell" || o.agent == "term"; {
	case plainTerminal && prompt != "":
		return usagef(api.CodeBadAgent, "a plain terminal takes a command: `termio sessions run \"<command>\"`")
	case prompt == "" && o.agent == "":
		return usagef(api.CodeNoText, "give the agent its prompt: `termio sessions spawn \"<prompt>\" --agent <id>`")
	}
	for _, text := range append([]string{o.agent, o.title, o.worktree, o.base}, extra...) {
		if err := validText("argument", text); err != nil {
			return err
		}
	}
	caller, err := a.caller(o.scope)
	if err != nil {
		return err
	}
	request := api.SpawnRequest{
		Caller: caller, Agent: o.agent, Prompt: prompt, Bypass: o.bypass,
		Title: o.title, Extra: extra, Env: a.Environ(), Worktree: o.worktree, Base: o.base,
	}
	if request.ACP, err = o.acp.options(a); err != nil {
		return err
	}
	if request.Dir, err = optionalDir(caller.Cwd, o.dir); err != nil {
		return err
	}
	request.Cols, request.Rows = a.Size()
	if request.Waiting, err = o.waiting.request(); err != nil {
		return err
	}
	if request.Wait {
		var reply api.WaitReply
		if err := a.call(ctx, api.VerbSpawn, request, &reply); err != nil {
			return err
		}
		return a.waited(&reply)
	}
	var reply api.SpawnReply
	if err := a.call(ctx, api.VerbSpawn, request, &reply); err != nil {
		return err
	}
	return a.started(&reply)
}

// optionalDir is --dir seen from here, "" where it was not given.
func optionalDir(cwd, dir string) (string, error) {
	if dir == "" {
		return "", nil
	}
	return absolute(cwd, dir)
}

// started prints the reply of spawn and run.
func (a *App) started(reply *api.SpawnReply) error {
	if a.json {
		return a.printJSON(reply)
	}
	if err := a.print(reply.Target + "\n"); err != nil {
		return err
	}
	a.hint("watch it:  termio sessions attach " + shortID(reply.Target))
	return nil
}

// shortID is the eight characters of a link that people type.
func shortID(link string) string {
	id := link[strings.LastIndexByte(link, '/')+1:]
	return id[:min(len(id), 8)]
}
