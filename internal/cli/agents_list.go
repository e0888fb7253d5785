package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/vt"
)

type agentsListOptions struct {
	app     *App
	found   bool
	missing bool
	ids     bool
}

func (o *agentsListOptions) flags(cmd *cobra.Command) {
	o.app.jsonFlag(cmd)
	cmd.Flags().BoolVar(&o.found, "found", false, "only those whose command is found")
	cmd.Flags().BoolVar(&o.missing, "missing", false, "only those whose command is not found")
	cmd.Flags().BoolVar(&o.ids, "ids", false, "print the ids alone, one a line, for scripts")
}

func newAgentsList(app *App) *cobra.Command {
	o := &agentsListOptions{app: app}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the agents, where each one's command is, and its version",
		Long: `List the agents: whether each one's command is found on your login shell's PATH,
its version, and for one that is not there, how to install it.`,
		Example: `  termio agents list
  termio agents list --found --ids
  termio agents list --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	o.flags(cmd)
	return cmd
}

func (o *agentsListOptions) run(ctx context.Context) error {
	a := o.app
	switch {
	case o.found && o.missing:
		return usagef(api.CodeBadRequest, "--found and --missing exclude each other")
	case o.ids && a.json:
		return usagef(api.CodeBadRequest, "--ids and --json exclude each other")
	}
	caller, err := a.caller(scope{all: true})
	if err != nil {
		return err
	}
	var reply api.AgentsReply
	if err := a.call(ctx, api.VerbAgents, api.AgentsRequest{Caller: caller, Versions: !o.ids}, &reply); err != nil {
		return err
	}
	agents := []api.Agent{}
	for _, agent := range reply.Agents {
		if !(o.found && !agent.Found || o.missing && agent.Found) {
			agents = append(agents, agent)
		}
	}
	reply.Agents = agents
	switch {
	case a.json:
		return a.printJSON(reply)
	case o.ids:
		var ids strings.Builder
		for _, agent := range agents {
			ids.WriteString(agent.ID + "\n")
		}
		return a.print(ids.String())
	}
	return a.print(o.text(&reply))
}

func (o *agentsListOptions) text(reply *api.AgentsReply) string {
	a := o.app
	rows := make([][]field, 0, len(reply.Agents))
	installs := make([]string, len(reply.Agents))
	for i, agent := range reply.Agents {
		mark, note := field{"✓", green}, agent.Version
		switch {
		case !agent.Found:
			mark = field{"–", dim}
			note, installs[i] = "not installed", oneLine(agent.Install)
		case note == "":
			note = agent.Path
		}
		rows = append(rows, []field{mark, {agent.ID, plain}, {oneLine(agent.Name), plain}, {oneLine(note), dim}})
	}
	var b strings.Builder
	for i, line := range strings.SplitAfter(a.table(rows), "\n") {
		if i == len(rows) {
			break
		}
		b.WriteString(a.withInstall(line, installs[i]))
	}
	b.WriteString(a.problems(reply.Problems))
	return b.String()
}

// problems are a line for each file that cannot be used.
func (a *App) problems(list []api.Problem) string {
	var b strings.Builder
	for _, p := range list {
		kind := a.style(red, "error")
		if p.Warning {
			kind = a.style(yellow, "warning")
		}
		fmt.Fprintf(&b, "%s: %s: %s\n", kind, oneLine(p.File), oneLine(strings.TrimPrefix(p.Key+": "+p.Message+" ["+p.Rule+"]", ": ")))
	}
	return b.String()
}

// withInstall adds where to get an agent to its line: behind it, or where that
// does not fit, whole on a line of its own. An address that is cut is none.
func (a *App) withInstall(line, install string) string {
	if install == "" {
		return line
	}
	line = strings.TrimSuffix(line, "\n")
	limit := a.width()
	if limit > 0 && vt.StringWidth(unstyled(line))+len(": ")+vt.StringWidth(install) > limit {
		return line + ":\n      " + a.style(dim, install) + "\n"
	}
	return line + a.style(dim, ": "+install) + "\n"
}

// unstyled is text without what style puts around it.
func unstyled(s string) string {
	for {
		before, rest, found := strings.Cut(s, "\x1b[")
		if !found {
			return s
		}
		_, after, _ := strings.Cut(rest, "m")
		s = before + after
	}
}
