package cli

import (
	"context"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/acphost"
	"github.com/termio-sh/termio/internal/api"
)

type acpWarmOptions struct {
	app         *App
	agent       string
	permissions string
	dir         string
	list, end   bool
}

func newACPWarm(app *App) *cobra.Command {
	o := &acpWarmOptions{app: app}
	cmd := &cobra.Command{
		Use:   "warm --agent <id>",
		Short: "Start an agent for a session that is to come",
		Long: `Start an agent over the Agent Client Protocol, with an empty session, for the
next session or run of that agent in this directory: that one begins without
waiting for it. It must have the same environment and directory; permissions
restricted and strict are one kind, ask and auto the other. The command returns
when the agent is ready.

An agent takes some hundred megabytes. It waits for ten minutes, at most two
wait at once, and one of an agent replaces another one of it. What nobody took
is ended, and its empty session deleted where the agent can. The setting acp.warm
forbids it (never), or has one started after each new session (always).`,
		Example: `  termio acp warm --agent claudeCode
  termio acp warm --agent codex --permissions restricted    # for termio acp run
  termio acp warm --list --json
  termio acp warm --end`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	app.jsonFlag(cmd)
	app.agentFlag(cmd, &o.agent, "the agent's `id`")
	cmd.Flags().StringVar(&o.permissions, "permissions", "", "what the session will be started with, the `mode` (ask)")
	cmd.Flags().StringVar(&o.dir, "dir", "", "the `directory` of the session (this one)")
	cmd.Flags().BoolVar(&o.list, "list", false, "start nothing, only list those that wait")
	cmd.Flags().BoolVar(&o.end, "end", false, "end those that wait: of the agent, or all")
	return cmd
}

func (o *acpWarmOptions) run(ctx context.Context) error {
	a := o.app
	switch {
	case o.list && o.end:
		return usagef(api.CodeBadRequest, "--list and --end exclude each other")
	case o.agent == "" && !o.list && !o.end:
		return usagef(api.CodeBadAgent, "say which agent with --agent: `termio agents list` prints the ids")
	}
	if _, err := acphost.ParseMode(o.permissions); err != nil {
		return usagef(api.CodeBadRequest, "%v", err)
	}
	caller, err := a.caller(scope{})
	if err != nil {
		return err
	}
	r := api.ACPWarmRequest{Caller: caller, Agent: o.agent, Permissions: o.permissions, Env: a.Environ(), List: o.list, End: o.end}
	if o.dir != "" {
		if r.Dir, err = absolute(caller.Cwd, o.dir); err != nil {
			return err
		}
	}
	var reply api.ACPWarmReply
	if err := a.call(ctx, api.VerbACPWarm, r, &reply); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(reply)
	}
	var rows [][]field
	for _, w := range reply.Warm {
		left := "is being started"
		if w.Ready {
			left = "waits " + max(time.Until(w.Until), 0).Round(time.Second).String() + " more, pid " + strconv.Itoa(w.PID)
		}
		rows = append(rows, []field{{oneLine(w.Agent), plain}, {oneLine(w.Dir), plain}, {left, dim}})
	}
	return a.print(a.table(rows))
}
