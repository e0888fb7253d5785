package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/acphost"
	"github.com/termio-sh/termio/internal/api"
)

type acpRunOptions struct {
	app         *App
	agent       string
	permissions string
	session     string
	dir         string
	acpSettings
}

func newACPRun(app *App) *cobra.Command {
	o := &acpRunOptions{app: app}
	cmd := &cobra.Command{
		Use:   "run <text> --agent <id>",
		Short: "Have an agent do one turn here, and print what it says",
		Long: `Have an agent do one turn in this directory, over the Agent Client Protocol, and
print what it says; afterwards it is ended, with everything that it started.
Words are joined to the prompt; "-" reads it from standard input.

The exit code is 0 when the turn was completed, whatever the reason, and 1 when
it failed. Ctrl-C cancels the turn. With --permissions ask the run waits until
somebody answers, here or with ` + "`termio sessions send`" + `. It goes on to its end
even if the coordinator ends meanwhile.

--session continues a session of the agent, by the agent's own id for it
(providerSessionId), which the last line gives.

With --json each event is a line with a rising seq and a type. Text comes as
{"type":"stream","kind":"message"|"thought","text"}; the last line, and only
that, is completed {stopReason, providerSessionId, content} or failed {error,
message}. What this program does not know stands in raw events.`,
		Example: `  termio acp run "explain this repository" --agent claudeCode
  termio acp run "fix the failing test" --agent codex --permissions auto --json
  git diff | termio acp run - --agent opencode`,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	app.jsonFlag(cmd)
	app.agentFlag(cmd, &o.agent, "the agent's `id`")
	cmd.Flags().StringVar(&o.permissions, "permissions", string(acphost.Restricted), "how it is answered when it asks: restricted, ask, auto or strict, the `mode`")
	cmd.Flags().StringVar(&o.session, "session", "", "continue the agent's session of that `id`")
	cmd.Flags().StringVar(&o.dir, "dir", "", "the `directory` to run in (this one)")
	o.acpSettings.flags(cmd, "")
	return cmd
}

func (o *acpRunOptions) run(ctx context.Context, args []string) error {
	a := o.app
	prompt, err := a.payload("prompt", args)
	if err != nil {
		return err
	}
	if prompt == "" {
		return usagef(api.CodeNoText, "give the agent its prompt: `termio acp run \"<text>\" --agent <id>`")
	}
	if _, err := acphost.ParseMode(o.permissions); err != nil {
		return usagef(api.CodeBadRequest, "%v", err)
	}
	caller, err := a.caller(scope{})
	if err != nil {
		return err
	}
	request := api.SpawnRequest{
		Caller: caller, Agent: o.agent, Env: a.Environ(),
		ACP: &api.ACPOptions{Permissions: o.permissions, Session: o.session, Once: true},
	}
	if err := o.into(a, request.ACP); err != nil {
		return err
	}
	if o.dir != "" {
		if request.Dir, err = absolute(caller.Cwd, o.dir); err != nil {
			return err
		}
	}
	interrupts := make(chan os.Signal, 2)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(interrupts)
	r := &acpRun{app: a, out: acpOutput{app: a}, provider: o.session}
	return r.run(ctx, request, prompt, interrupts)
}
