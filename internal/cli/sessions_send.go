package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/vt"
)

// maxPayload bounds the text of one command, in bytes.
const maxPayload = 4 << 20

type sendOptions struct {
	app     *App
	scope   scope
	keys    []string
	noEnter bool
	answers string
	now     bool
	also    []string
	waiting waiting
}

func newSend(app *App) *cobra.Command {
	o := &sendOptions{app: app}
	cmd := &cobra.Command{
		Use:   "send <link> <text>",
		Short: "Type text into a session and submit it with Enter",
		Long: `Type text into a session, check that it arrived, and submit it with a real
Enter: a prompt, or the answer to a question ("1", "yes"). Text of several
lines is pasted where the program asks for pastes. The reply comes when the
text was delivered; what the program did not take is the error not_delivered,
with the number of bytes that it did.

Words are joined with spaces; "-" reads the text from standard input, without
its last line break. --key presses keys after the text, in order, and turns
the Enter at the end off; so does --no-enter. Name keys, do not write escape
bytes: what a key sends depends on what the program asked for.

A prompt that is sent to an agent while it works waits until its turn has ended,
and begins one of its own; the reply says queued, ` + "`termio sessions queue`" + ` lists
and withdraws. A person's unsent draft in the prompt is waited for in the same
way. --now types at once, whatever runs or stands there.

--also sends the same to further sessions, all at once: one reply each as it
comes, and exit code 1 if any failed, else 3 if any wait timed out.

--answers types only if the question of that prompt_id (from a wait or a watch)
is still the one that is asked; otherwise it is the error prompt_changed.

Keys: enter, escape, tab, space, backspace, delete, insert, up, down, left,
right, home, end, pageup, pagedown, f1 to f12, and any single character, with
ctrl-, shift-, alt- before it: ctrl-c, shift-tab, ctrl-- (ctrl and minus).` + waitHelp,
		Example: `  termio sessions send 1a2b3c4d "run the tests"
  termio sessions send 1a2b3c4d "run the tests" --wait --json
  termio sessions send 1a2b3c4d --answers 1a2b3c4d-9ix-2 1
  termio sessions send 1a2b3c4d "rebase on main" --also 5e6f7a8b --wait
  termio sessions send 1a2b3c4d --key ctrl-c
  termio sessions send 1a2b3c4d --key down --key enter
  git diff | termio sessions send 1a2b3c4d -
  termio sessions send 1a2b3c4d -- "--not a flag"`,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	app.jsonFlag(cmd)
	o.scope.flags(cmd)
	cmd.ValidArgsFunction = app.completeSessions(&o.scope, false)
	cmd.Flags().StringArrayVar(&o.keys, "key", nil, "press the key of that `name` after the text; may be repeated")
	cmd.Flags().BoolVar(&o.noEnter, "no-enter", false, "leave the text unsubmitted")
	cmd.Flags().StringVar(&o.answers, "answers", "", "type only if the question of that `id` is still asked")
	cmd.Flags().BoolVar(&o.now, "now", false, "type at once, also while the agent works or a draft stands")
	cmd.Flags().StringArrayVar(&o.also, "also", nil, "send to this `link` too; may be repeated")
	o.waiting.flags(cmd)
	return cmd
}

func (o *sendOptions) run(ctx context.Context, args []string) error {
	a := o.app
	if len(args) == 0 {
		return usagef(api.CodeNoTarget, noTarget)
	}
	text, err := a.payload("text", args[1:])
	if err != nil {
		return err
	}
	if text == "" && len(o.keys) == 0 {
		return usagef(api.CodeNoText, "give the text to type, or keys with --key")
	}
	if err := validText("prompt_id", o.answers); err != nil {
		return err
	}
	for _, key := range o.keys {
		if _, err := vt.ParseKey(key); err != nil {
			return api.Errorf(api.CodeBadKey, "%v; see `termio sessions send --help`", err)
		}
	}
	if err := validText("link", args[0]); err != nil {
		return err
	}
	caller, err := a.caller(o.scope)
	if err != nil {
		return err
	}
	request := api.SendRequest{
		Caller: caller, Target: args[0], Text: text, Keys: o.keys,
		Enter: !o.noEnter && len(o.keys) == 0, Answers: o.answers, Now: o.now,
	}
	if request.Waiting, err = o.waiting.request(); err != nil {
		return err
	}
	if len(o.also) > 0 {
		return o.several(ctx, request)
	}
	return o.send(ctx, a.call, request)
}

// send sends to one session and prints what came of it.
func (o *sendOptions) send(ctx context.Context, call func(context.Context, string, any, any) error, request api.SendRequest) error {
	a := o.app
	if request.Wait {
		var reply api.WaitReply
		if err := call(ctx, api.VerbSend, request, &reply); err != nil {
			return err
		}
		return a.waited(&reply)
	}
	var reply api.SendReply
	if err := call(ctx, api.VerbSend, request, &reply); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(reply)
	}
	if reply.Queued {
		return a.print(fmt.Sprintf("queued as number %d for %s\n", reply.N, name(reply.Target, reply.Title)))
	}
	return a.print(fmt.Sprintf("sent to %s\n", name(reply.Target, reply.Title)))
}

// payload is the text that the words of a command line make: joined with
// spaces, or with the one word "-" what standard input brings, without its
// last line break.
func (a *App) payload(what string, words []string) (string, error) {
	text := strings.Join(words, " ")
	if len(words) == 1 && words[0] == "-" {
		b, err := io.ReadAll(io.LimitReader(a.In, maxPayload+3))
		if err != nil {
			return "", fmt.Errorf("read the %s from standard input: %w", what, err)
		}
		text = strings.TrimSuffix(string(b), "\n")
		text = strings.TrimSuffix(text, "\r")
	}
	if len(text) > maxPayload {
		return "", api.Errorf(api.CodeBadRequest, "the %s is larger than %d MiB; put it in a file and name that", what, maxPayload>>20)
	}
	return text, validText(what, text)
}

// name is how a session is named in a sentence.
func name(link, title string) string {
	if title = oneLine(title); title != "" {
		return shortID(link) + " (" + title + ")"
	}
	return shortID(link)
}
