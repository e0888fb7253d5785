package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

func newACPLoad(app *App) *cobra.Command {
	f := acpFlags{}
	cmd := &cobra.Command{
		Use:   "load <id> --agent <id>",
		Short: "Print a past conversation of an agent",
		Long: `Print a past conversation as the agent replays it: what its user said and what it
answered, with its reasoning and tools. <id> is the agent's own id of the
session, which ` + "`termio acp sessions`" + ` lists. An agent that cannot replay is not
asked.`,
		Example: `  termio acp load 5b1f9a3e-7c2d --agent claudeCode
  termio acp load 5b1f9a3e-7c2d --agent claudeCode --json`,
		Args: exactArgs(1, api.CodeNoTarget, "say which session: `termio acp sessions --agent <id>` lists them"),
		RunE: func(cmd *cobra.Command, args []string) error { return app.acpLoad(cmd.Context(), f, args[0]) },
	}
	app.jsonFlag(cmd)
	f.flags(app, cmd)
	return cmd
}

func (a *App) acpLoad(ctx context.Context, f acpFlags, id string) error {
	var reply api.ACPLoadReply
	if err := a.askACP(ctx, f, api.VerbACPLoad, api.ACPRequest{Session: id}, &reply); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(reply)
	}
	var b strings.Builder
	for _, l := range reply.Lines {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		mark := ""
		if l.Role == "user" {
			mark = "> "
		}
		b.WriteString(mark + readable(l.Text) + "\n")
		for _, t := range l.Tools {
			b.WriteString("* " + oneLine(t.Title) + " [" + oneLine(t.Status) + "]\n")
		}
	}
	return a.print(b.String())
}

// readable is text of several lines without what could move a terminal.
func readable(s string) string {
	var lines []string
	for line := range strings.SplitSeq(strings.TrimRight(s, "\n"), "\n") {
		lines = append(lines, strings.Map(func(r rune) rune {
			if r < 0x20 && r != '\t' || r >= 0x7f && r < 0xa0 {
				return -1
			}
			return r
		}, api.WithoutBidi(line)))
	}
	return strings.Join(lines, "\n")
}
