package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/api"
)

// completeTimeout bounds what a Tab may take.
const completeTimeout = time.Second

// completeSessions offers the ids of the sessions in scope, with their titles;
// only as a first argument where more is false. It starts nothing.
func (a *App) completeSessions(s *scope, more bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		const none = cobra.ShellCompDirectiveNoFileComp
		if len(args) > 0 && !more {
			return nil, none
		}
		caller, err := a.caller(*s)
		if err != nil {
			return nil, none
		}
		coordinator, err := a.Connect(false)
		if err != nil {
			return nil, none
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), completeTimeout)
		defer cancel()
		var reply api.ListReply
		if err := coordinator.Call(ctx, api.VerbList, api.ListRequest{Caller: caller}, &reply); err != nil {
			return nil, none
		}
		var out []cobra.Completion
		for _, s := range reply.Sessions {
			out = append(out, cobra.CompletionWithDesc(s.ID, strings.TrimSpace(oneLine(s.Status+" "+s.Title))))
		}
		return out, none
	}
}

// agentFlag is --agent, completed by Tab.
func (a *App) agentFlag(cmd *cobra.Command, id *string, usage string) {
	cmd.Flags().StringVar(id, "agent", "", usage)
	if a.manyTrees {
		return
	}
	// It fails only for a flag that is not there.
	_ = cmd.RegisterFlagCompletionFunc("agent", a.completeAgents)
}

// completeAgents offers the ids of the agents.
func (a *App) completeAgents(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	const none = cobra.ShellCompDirectiveNoFileComp
	layout, err := a.layout()
	if err != nil {
		return nil, none
	}
	catalog, _ := atp.Load(layout.AgentsDir())
	var out []cobra.Completion
	for _, m := range catalog.All() {
		out = append(out, cobra.CompletionWithDesc(m.ID, m.Name))
	}
	return out, none
}
