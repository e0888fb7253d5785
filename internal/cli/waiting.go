package cli

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

// waitHelp is what send, spawn and run say of waiting.
const waitHelp = `

--wait waits for the outcome of the turn that this starts, at most --timeout
milliseconds (300000; between 1000 and 600000; --timeout alone waits too), and
prints the status it ended with: done, or needs-you at once when the session
asks, with the question. With --json: {target, title, status, timed_out,
created?, transcript?, cursor?, cursor_end?, prompt?, prompt_id?, options?,
exit_code?, …}; what the agent answered is in the lines of the transcript from
cursor to cursor_end. A plain terminal's outcome is a screen that has settled,
or the end of the command where the shell tells it.

It fails at once when no outcome can come: prompt_stalled (nothing came of it in
5 seconds), session_closed, agent_gone, boot_failed.
Exit codes: 0 there is an outcome, 1 an error, 3 the time was over first.`

// waiting are the flags of verbs that can wait for an outcome.
type waiting struct {
	wait    bool
	timeout string
}

func (w *waiting) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&w.wait, "wait", false, "wait for the outcome of the turn that this starts")
	cmd.Flags().StringVar(&w.timeout, "timeout", "", "wait at most so many `milliseconds` (300000)")
}

// request is what the coordinator is asked for.
func (w *waiting) request() (api.Waiting, error) {
	out := api.Waiting{Wait: w.wait || w.timeout != ""}
	if w.timeout == "" {
		return out, nil
	}
	n, err := strconv.Atoi(w.timeout) // the nearest number, of one that is too long
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return out, usagef(api.CodeBadRequest, "--timeout is %s: give milliseconds, as in 120000", quoted(w.timeout))
	}
	out.TimeoutMs = min(max(n, 1), math.MaxInt32) // what is too little or too much is clamped
	return out, nil
}

// waited prints the outcome of a wait.
func (a *App) waited(r *api.WaitReply) error {
	err := a.printWaited(r)
	if err == nil && r.TimedOut {
		return exitCode{errReported, api.ExitTimeout}
	}
	return err
}

func (a *App) printWaited(r *api.WaitReply) error {
	if a.json {
		return a.printJSON(r)
	}
	glyph := glyphs[r.Status]
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s", a.style(glyph.look, glyph.text+" "+r.Status), name(r.Target, r.Title))
	if r.ExitCode != nil {
		fmt.Fprintf(&b, "  exit code %d", *r.ExitCode)
	}
	if r.Error != "" {
		b.WriteString("  failed: " + oneLine(r.Error))
	}
	b.WriteByte('\n')
	if r.Created {
		b.WriteString(r.Target + "\n")
	}
	if r.CursorEnd != nil && r.Cursor != nil {
		fmt.Fprintf(&b, "transcript: %s, lines %d to %d\n", oneLine(r.Transcript), *r.Cursor+1, *r.CursorEnd)
	}
	if r.Prompt != "" {
		b.WriteByte('\n')
		for line := range strings.Lines(r.Prompt) {
			b.WriteString(oneLine(line) + "\n")
		}
	}
	if err := a.print(b.String()); err != nil {
		return err
	}
	if r.TimedOut {
		a.warn("the time was over first; the session goes on")
	}
	return nil
}
