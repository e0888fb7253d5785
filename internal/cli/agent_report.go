package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/hooks/report"
)

const agentReportLong = `Report what the agent of this session does: the command that hooks run. It goes
to the host of its own session (TERMIO_SOCK) whether the coordinator runs or
not, takes at most 150 ms, and succeeds in silence whatever is broken; outside
of a session it does nothing. Only a command line that it does not understand
is an error.

The options that end in -from name a top-level field of the JSON object on
standard input (at most 1 MiB; never read from a terminal).

  --transcript            send the field transcript_path
  --conversation ID       the agent's own session id
  --conversation-from F   the field that holds it
  --tool-from F           the field with the running tool's name
  --prompt-title-from F   the field with the prompt, used once as a title
  --subagent-from F       the field that names the sub-agent it comes from
  --pending-from F        the field with the list of tasks that still run
  --event NAME            what the agent calls the event, for sessions trace
  --reply                 print {}, for agents that read a reply

bin/termio-hook below Termio's home is the same as a program of its own that
takes a few milliseconds; hooks run that.`

func newAgentReport(app *App) *cobra.Command {
	return &cobra.Command{
		Use:   "report <state> [options]",
		Short: "Report working, attention, done or idle from a hook",
		Long:  agentReportLong,
		Example: `  termio agent report working
  termio agent report done --conversation-from session_id < payload.json`,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if slices.ContainsFunc(args, func(a string) bool { return a == "-h" || a == "--help" }) {
				return app.print(helpText(cmd))
			}
			o, err := report.Parse(args)
			if err != nil {
				fmt.Fprintf(app.Err, "error: %v\nusage: termio agent report %s\n", err, report.Usage)
				return errReported
			}
			report.Run(o)
			return nil
		},
	}
}
