package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/vt"
)

type transcriptOptions struct {
	app      *App
	scope    scope
	from, to string
}

func newTranscript(app *App) *cobra.Command {
	o := &transcriptOptions{app: app}
	cmd := &cobra.Command{
		Use:   "transcript <link> [--from N] [--to M]",
		Short: "Print what was said in a session's conversation",
		Long: `Print what was said in a session's conversation, as the agent itself keeps it on
disk: prompts, answers, tools and their results. A closed session's can be read
as long as the agent keeps it.

--from and --to are lines of the transcript as the cursors of send and --wait
count them: how many lines are before. --from cursor --to cursor_end prints the
answer to one prompt. A line can hold several messages or none; where an agent
keeps a database its messages are counted instead. A session over ACP is read
from its own journal, whose lines are messages of the protocol.

The text leaves out what is long; --json has all of it: {target, title,
transcript, from, cursor_end, messages: [{line, role, text?, tool?, usage?,
at?}]}.`,
		Example: `  termio sessions transcript 1a2b3c4d
  termio sessions transcript 1a2b3c4d --from 40 --to 52
  termio sessions transcript 1a2b3c4d --from 40 --json`,
		Args: exactArgs(1, api.CodeNoTarget, noTarget),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	app.jsonFlag(cmd)
	o.scope.flags(cmd)
	cmd.ValidArgsFunction = app.completeSessions(&o.scope, false)
	cmd.Flags().StringVar(&o.from, "from", "", "the first line, counted from `N` 0")
	cmd.Flags().StringVar(&o.to, "to", "", "the line `M` before which to stop")
	return cmd
}

// lineNumber reads the value of --from or --to.
func lineNumber(flag, value string) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 {
		return 0, usagef(api.CodeBadRequest, "--%s is %s: give a line's number, as in 40", flag, quoted(value))
	}
	return n, nil
}

func (o *transcriptOptions) request(target string) (r api.TranscriptRequest, err error) {
	r.Target = target
	if o.from != "" {
		if r.From, err = lineNumber("from", o.from); err != nil {
			return r, err
		}
	}
	if o.to != "" {
		to, err := lineNumber("to", o.to)
		if err != nil {
			return r, err
		}
		r.To = &to
	}
	r.Caller, err = o.app.targetCaller(o.scope, target)
	return r, err
}

func (o *transcriptOptions) run(ctx context.Context, target string) error {
	a := o.app
	request, err := o.request(target)
	if err != nil {
		return err
	}
	var whole api.TranscriptReply
	for first := true; ; first = false {
		var part api.TranscriptReply
		if err := a.call(ctx, api.VerbTranscript, request, &part); err != nil {
			return err
		}
		if first {
			whole = part
			if whole.Messages == nil {
				whole.Messages = []api.Message{}
			}
		} else {
			whole.Messages, whole.CursorEnd = append(whole.Messages, part.Messages...), part.CursorEnd
		}
		if whole.Next = nil; part.Next == nil || *part.Next <= request.From {
			break
		}
		if !a.json {
			if err := a.print(a.conversation(whole.Messages)); err != nil {
				return err
			}
			whole.Messages = nil
		}
		request.From = *part.Next
	}
	if a.json {
		return a.printJSON(whole)
	}
	if len(whole.Messages) == 0 && whole.CursorEnd <= whole.From {
		a.hint("nothing was said there yet")
	}
	return a.print(a.conversation(whole.Messages))
}

// Bounds of the text for people.
const (
	textWidth  = 80 // where the terminal's width is not known
	maxWidth   = 110
	resultRows = 8
	systemRows = 2
)

// conversation lays messages out for reading.
func (a *App) conversation(messages []api.Message) string {
	width := textWidth
	if w := a.width(); w > 0 {
		width = min(w, maxWidth)
	}
	var b strings.Builder
	for i := range messages {
		m := &messages[i]
		again := i > 0 && messages[i-1].Role == m.Role && m.Role != "user"
		a.message(&b, m, again, width)
	}
	return b.String()
}

// message writes one message: a line that says who, then the text, indented.
func (a *App) message(b *strings.Builder, m *api.Message, again bool, width int) {
	const indent = "  "
	if m.Role != "tool" && !again {
		head := a.style(bold, m.Role)
		if m.At != nil {
			head += "  " + a.style(dim, m.At.Local().Format("2006-01-02 15:04:05"))
		}
		if u := m.Usage; u != nil {
			head += a.style(dim, fmt.Sprintf("  %d in, %d out", u.Input+u.CacheRead+u.CacheWrite, u.Output))
		}
		fmt.Fprintf(b, "%s  %s\n", head, a.style(dim, "#"+strconv.Itoa(m.Line)))
	}
	rows, look := 0, plain
	prefix := indent
	switch {
	case m.Role == "tool":
		rows, look, prefix = resultRows, dim, indent+"  "
		if m.Tool != nil && m.Tool.Failed {
			look = red
		}
	case m.Role == "system":
		rows, look = systemRows, dim
	case m.Tool != nil:
		call := oneLine(m.Tool.Name + "  " + m.Tool.Input)
		fmt.Fprintf(b, "%s%s\n", indent, a.style(blue, "▸ "+vt.Truncate(call, width-len(indent)-2, "…")))
	}
	lines := wrapText(m.Text, width-len(prefix))
	more := 0
	if rows > 0 && len(lines) > rows {
		more = len(lines) - rows + 1
		lines = lines[:rows-1]
	}
	for _, l := range lines {
		b.WriteString(strings.TrimRight(prefix+a.style(look, l), " ") + "\n")
	}
	if more > 0 {
		fmt.Fprintf(b, "%s%s\n", prefix, a.style(dim, "… "+plural(more, "more line")))
	}
	b.WriteByte('\n')
}

// wrapText breaks text into lines of at most so many cells, at blanks where
// there are some. What is no text is left out.
func wrapText(text string, width int) (out []string) {
	for line := range strings.Lines(strings.TrimSpace(text)) {
		line = strings.TrimRight(printable(line), " ")
		for vt.StringWidth(line) > width {
			cut := len(vt.Truncate(line, width, ""))
			if cut == 0 {
				break // narrower than one character
			}
			if i := strings.LastIndexByte(line[:cut], ' '); i > cut/2 {
				cut = i
			}
			out = append(out, strings.TrimRight(line[:cut], " "))
			line = strings.TrimLeft(line[cut:], " ")
		}
		out = append(out, line)
	}
	return out
}

// printable is a line without what a terminal would act on; blanks stay.
func printable(line string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case r < 0x20 || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029':
			return -1
		}
		return r
	}, api.WithoutBidi(line))
}
