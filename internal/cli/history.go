package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/vt"
)

const historyLong = `Find past conversations of all agents on this machine, those that were held
outside termio too, and go on with one of them in a new session.

Alone it lists the newest; search finds those in which all the words were said.
A word is found whole, in capitals or not, with accents or not; an identifier
also by its parts (parseHTTPRequest by "http"); Chinese, Japanese, Korean and
Thai also inside a sentence; "pars*" is every word that begins so.

The first time, the agents' files are read into an index, which takes a while;
after that only what has changed.`

// historyOptions are those of history and of history search.
type historyOptions struct {
	app     *App
	agent   string
	project string
	limit   string
}

func newHistory(app *App) *cobra.Command {
	o := &historyOptions{app: app}
	cmd := group(&cobra.Command{
		Use:   "history",
		Short: "Find past conversations of all agents, and resume one",
		Long:  historyLong,
		Example: `  termio history
  termio history search failing test parser
  termio history resume k3j2h5aq`,
	}, func(cmd *cobra.Command) error { return o.run(cmd.Context(), nil) })
	o.flags(cmd)
	cmd.AddCommand(newHistorySearch(app), newHistoryResume(app), newHistoryStatus(app), newHistoryRebuild(app))
	return cmd
}

func newHistorySearch(app *App) *cobra.Command {
	o := &historyOptions{app: app}
	cmd := &cobra.Command{
		Use:   "search <words>",
		Short: "Find past conversations in which these words were said",
		Long: `Find past conversations in which all of these words were said, by a person or an
agent, the newest first, with a place where one of them was. A word is found
whole; "pars*" is every word that begins so. An identifier is also found by its
parts, and scripts without spaces inside a sentence.

With --json: {conversations: [{row, agent_id, agent, conversation?, title?, dir?,
created?, updated, prompts, messages, transcript, link?, excerpt?, line?}],
index: {state, …}}; link is the live session that is in the conversation.`,
		Example: `  termio history search failing test parser
  termio history search parseHTTPRequest --agent codex
  termio history search "pars*" --project . --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef(api.CodeNoText, "say what to search for: `termio history search <words>`")
			}
			return o.run(cmd.Context(), args)
		},
	}
	o.flags(cmd)
	return cmd
}

func (o *historyOptions) flags(cmd *cobra.Command) {
	o.app.jsonFlag(cmd)
	o.app.agentFlag(cmd, &o.agent, "only those of the agent with this `id`")
	cmd.Flags().StringVar(&o.project, "project", "", "only those held in the project of `DIR`")
	cmd.Flags().StringVar(&o.limit, "limit", "", "at most `N` (20)")
}

func (o *historyOptions) run(ctx context.Context, words []string) error {
	a := o.app
	request := api.HistoryRequest{Text: strings.Join(words, " "), Agent: o.agent}
	for _, text := range []string{request.Text, o.agent, o.project} {
		if err := validText("argument", text); err != nil {
			return err
		}
	}
	if o.limit != "" {
		n, err := strconv.Atoi(o.limit)
		if err != nil || n <= 0 {
			return usagef(api.CodeBadRequest, "--limit is %s: give a number, as in 50", quoted(o.limit))
		}
		request.Limit = n
	}
	var err error
	if request.Caller, err = a.historyCaller(o.project); err != nil {
		return err
	}
	var reply api.HistoryReply
	for first := true; ; first = false {
		reply = api.HistoryReply{}
		if err := a.call(ctx, api.VerbHistory, request, &reply); err != nil {
			return err
		}
		if !first || reply.Index.State != "building" {
			break
		}
		if err := a.awaitIndex(ctx, request.Caller); err != nil {
			return err
		}
	}
	if reply.Conversations == nil {
		reply.Conversations = []api.PastConversation{}
	}
	if a.json {
		return a.printJSON(reply)
	}
	if p := reply.Index.Problem; p != "" {
		a.warn("not all conversations could be read: " + oneLine(p))
	}
	if len(reply.Conversations) == 0 {
		return a.print("no past conversation\n")
	}
	if err := a.print(a.pastConversations(a.Now(), reply.Conversations)); err != nil {
		return err
	}
	a.hint("go on with one:  termio history resume " + reply.Conversations[0].Row)
	return nil
}

// historyCaller says who asks. A directory counts only where it is named.
func (a *App) historyCaller(dir string) (api.Caller, error) {
	return a.caller(scope{project: dir})
}

// awaitIndex waits until the index is made, and shows how far it is.
func (a *App) awaitIndex(ctx context.Context, caller api.Caller) error {
	shown := false
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		var reply api.HistoryIndexReply
		if err := a.call(ctx, api.VerbHistoryStatus, api.HistoryIndexRequest{Caller: caller}, &reply); err != nil {
			return err
		}
		x := reply.Index
		switch {
		case a.Terminal():
			fmt.Fprintf(a.Err, "\r\x1b[K%s", a.style(dim, progressText(x)))
		case !shown:
			fmt.Fprintln(a.Err, "reading the agents' past conversations, the first time")
		}
		shown = true
		if x.State != "building" {
			break
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if a.Terminal() {
		fmt.Fprint(a.Err, "\r\x1b[K")
	}
	return nil
}

// progressText is how far an index is that is being made.
func progressText(x api.HistoryIndex) string {
	if x.Total == 0 {
		return "looking for past conversations…"
	}
	text := fmt.Sprintf("reading past conversations: %d of %d", x.Done, x.Total)
	if x.TotalBytes > 0 {
		text += fmt.Sprintf(", %s of %s", bytesText(x.DoneBytes), bytesText(x.TotalBytes))
	}
	return text
}

// bytesText is a number of bytes for people.
func bytesText(n int) string {
	switch {
	case n < 10_000:
		return strconv.Itoa(n) + " B"
	case n < 10_000_000:
		return strconv.Itoa(n/1000) + " kB"
	case n < 10_000_000_000:
		return strconv.Itoa(n/1_000_000) + " MB"
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}

// pastConversations lists rows, each with the place where it was found.
func (a *App) pastConversations(now time.Time, rows []api.PastConversation) string {
	const (
		agentCells = 12
		dirCells   = 18
	)
	var table [][]field
	for i := range rows {
		r := &rows[i]
		title := oneLine(r.Title)
		if r.Link != "" {
			title = "● " + shortID(r.Link) + "  " + title
		}
		table = append(table, []field{
			{r.Row, bold},
			{age(now, r.Updated), dim},
			{vt.Truncate(oneLine(r.Agent), agentCells, "…"), plain},
			{vt.Truncate(oneLine(filepath.Base(r.Dir)), dirCells, "…"), blue},
			{title, plain},
		})
	}
	lines := strings.SplitAfter(a.table(table), "\n")
	var b strings.Builder
	for i := range rows {
		b.WriteString(lines[i])
		if rows[i].Excerpt == "" {
			continue
		}
		const indent = "          "
		excerpt := oneLine(rows[i].Excerpt)
		if w := a.width(); w > 0 {
			excerpt = vt.Truncate(excerpt, max(w-len(indent), 1), "…")
		}
		b.WriteString(indent + a.style(dim, excerpt) + "\n")
	}
	return b.String()
}
