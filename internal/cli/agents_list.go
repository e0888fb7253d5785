package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

type agentsListOptions struct {
	app     *App
	missing bool
}

func (o *agentsListOptions) flags(cmd *cobra.Command) {
	o.app.jsonFlag(cmd)
	cmd.Flags().BoolVar(&o.missing, "missing", false, "only those whose command is not found")
}

func newAgentsList(app *App) *cobra.Command {
	o := &agentsListOptions{app: app}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the agents, where each one's command is, and its version",
		Long: `List the agents: whether each one's command is found on your login shell's PATH,
its version, and for one that is not there, how to install it.`,
		Example: `  termio agents list
  termio agents list --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	o.flags(cmd)
	return cmd
}

func (o *agentsListOptions) run(ctx context.Context) error {
	a := o.app
	caller, err := a.caller(scope{all: true})
	if err != nil {
		return err
	}
	var reply api.AgentsReply
	if err := a.call(ctx, api.VerbAgents, api.AgentsRequest{Caller: caller, Versions: true}, &reply); err != nil {
		return err
	}
	if o.missing {
		found := reply.Agents
		reply.Agents = nil
		for _, agent := range found {
			if !agent.Found {
				reply.Agents = append(reply.Agents, agent)
			}
		}
	}
	if reply.Agents == nil {
		reply.Agents = []api.Agent{}
	}
	if a.json {
		return a.printJSON(reply)
	}
	return a.print(o.text(&reply))
}

func (o *agentsListOptions) text(reply *api.AgentsReply) string {
	a := o.app
	rows := make([][]field, 0, len(reply.Agents))
	for _, agent := range reply.Agents {
		mark, note := field{"✓", green}, agent.Version
		switch {
		case !agent.Found:
			mark = field{"–", dim}
			note = "not installed"
			if agent.Install != "" {
				note += ": " + agent.Install
			}
		case note == "":
			note = agent.Path
		}
		rows = append(rows, []field{mark, {agent.ID, plain}, {oneLine(agent.Name), plain}, {oneLine(note), dim}})
	}
	var b strings.Builder
	b.WriteString(a.table(rows))
	for _, p := range reply.Problems {
		kind := a.style(red, "error")
		if p.Warning {
			kind = a.style(yellow, "warning")
		}
		fmt.Fprintf(&b, "%s: %s: %s\n", kind, oneLine(p.File), oneLine(strings.TrimPrefix(p.Key+": "+p.Rule, ": ")))
	}
	return b.String()
}
