package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

type historyIndexOptions struct{ app *App }

func newHistoryStatus(app *App) *cobra.Command {
	o := &historyIndexOptions{app}
	cmd := &cobra.Command{
		Use:     "status",
		Short:   "Say what the index of past conversations holds",
		Long:    `Say how many past conversations the index holds, how large it is, whether it is being brought up to date, and where each agent keeps its conversations.`,
		Example: `  termio history status`,
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), api.VerbHistoryStatus) },
	}
	app.jsonFlag(cmd)
	return cmd
}

func newHistoryRebuild(app *App) *cobra.Command {
	o := &historyIndexOptions{app}
	cmd := &cobra.Command{
		Use:     "rebuild",
		Short:   "Make the index of past conversations anew",
		Long:    `Throw the index of past conversations away and make it anew from the agents' files, which are only read. It goes on if you interrupt the command.`,
		Example: `  termio history rebuild`,
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), api.VerbHistoryRebuild) },
	}
	app.jsonFlag(cmd)
	return cmd
}

func (o *historyIndexOptions) run(ctx context.Context, verb string) error {
	a := o.app
	caller, err := a.historyCaller("")
	if err != nil {
		return err
	}
	request := api.HistoryIndexRequest{Caller: caller}
	var reply api.HistoryIndexReply
	if err := a.call(ctx, verb, request, &reply); err != nil {
		return err
	}
	if verb == api.VerbHistoryRebuild {
		if err := a.awaitIndex(ctx, caller); err != nil {
			return err
		}
		reply = api.HistoryIndexReply{}
		if err := a.call(ctx, api.VerbHistoryStatus, request, &reply); err != nil {
			return err
		}
	}
	if reply.Stores == nil {
		reply.Stores = []api.Store{}
	}
	if a.json {
		return a.printJSON(reply)
	}
	return a.print(a.indexText(&reply))
}

func (a *App) indexText(r *api.HistoryIndexReply) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, of %s\n", plural(r.Conversations, "conversation"), plural(r.Messages, "message"), bytesText(r.ReadBytes))
	fmt.Fprintf(&b, "index: %s, %s\n", r.Path, bytesText(r.Bytes))
	switch x := r.Index; x.State {
	case "building", "updating":
		fmt.Fprintln(&b, progressText(x))
	case "failed":
		b.WriteString(a.style(red, "it could not be made: "+oneLine(x.Problem)) + "\n")
	default:
		if x.Problem != "" {
			b.WriteString(a.style(yellow, "not all could be read: "+oneLine(x.Problem)) + "\n")
		}
	}
	var rows [][]field
	for _, s := range r.Stores {
		mark, look := "●", plain
		if !s.Found {
			mark, look = "○", dim
		}
		rows = append(rows, []field{{mark, look}, {s.AgentID, look}, {s.Path, look}})
	}
	b.WriteString(a.table(rows))
	return b.String()
}
