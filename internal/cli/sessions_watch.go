package cli

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

// A streamer is a coordinator that can reply with a stream; *api.Client is one.
type streamer interface {
	Stream(ctx context.Context, verb string, request any, each func(line []byte) error) error
}

type watchOptions struct {
	app        *App
	scope      scope
	states     []string
	noSnapshot bool
}

func newWatch(app *App) *cobra.Command {
	o := &watchOptions{app: app}
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Print every status change, one a line, until you stop it",
		Long: `Print a line for each session as it is now, then one for each status change, as
it happens. A script waits here instead of asking list again and again.

Changes to done and needs-you are printed; --state names others: working, idle,
done, needs-you, closed (the session ended) and stalled: it has been working for
20 minutes without a change in its repository, with a transcript that hardly
grows and little output. stalled is a signal only; nothing is ended.

With --json each line is an object: {schema_version, link, status, title, cwd?,
snapshot?, prompt?, prompt_id?, options?, transcript?, cursor_end?, evidence?,
error?, closed?}. prompt is the question on the screen; answer it with
` + "`termio sessions send <link> --answers <prompt_id> <text>`" + `. After a silence
of 30 seconds comes {"heartbeat":true}. A reader so slow that events had to be
dropped gets {"schema_version":1,"lost":true} and a snapshot anew.

Exit codes: 0 after Ctrl-C, 2 when the coordinator went away, 1 for an error.`,
		Example: `  termio sessions watch
  termio sessions watch --json --state done,needs-you,closed
  termio sessions watch --no-snapshot --state stalled`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	app.jsonFlag(cmd)
	o.scope.flags(cmd)
	cmd.Flags().StringSliceVar(&o.states, "state", nil, "the `states` to print, with commas between them (done,needs-you)")
	cmd.Flags().BoolVar(&o.noSnapshot, "no-snapshot", false, "leave out what is now")
	return cmd
}

// exitCode is a failure that was reported, with the exit code that it has.
type exitCode struct {
	error
	code int
}

func (e exitCode) Unwrap() error { return e.error }

func (o *watchOptions) run(ctx context.Context) error {
	a := o.app
	caller, err := a.caller(o.scope)
	if err != nil {
		return err
	}
	request := api.WatchRequest{Caller: caller, NoSnapshot: o.noSnapshot}
	for _, s := range o.states {
		if s = strings.TrimSpace(s); s != "" {
			request.States = append(request.States, s)
		}
	}
	coordinator, err := a.Connect(true)
	if err != nil {
		return err
	}
	stream, ok := coordinator.(streamer)
	if !ok {
		return api.Errorf(api.CodeBadOp, "a watch cannot be run inside the coordinator")
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	err = stream.Stream(ctx, api.VerbWatch, request, o.line)
	switch {
	case ctx.Err() != nil:
		return nil
	case errors.Is(err, api.ErrEnded):
		a.warn("the coordinator went away; what happened since is not known: see `termio sessions list`")
		return exitCode{errReported, api.ExitStream}
	}
	return err
}

// line prints one line of the stream.
func (o *watchOptions) line(line []byte) error {
	a := o.app
	if a.json {
		_, err := a.Out.Write(append(line, '\n'))
		return err
	}
	var e struct {
		api.WatchEvent
		Heartbeat bool `json:"heartbeat"`
		Lost      bool `json:"lost"`
	}
	if err := json.Unmarshal(line, &e); err != nil {
		return api.Errorf(api.CodeUnavailable, "the coordinator's event cannot be read: %v", err)
	}
	switch {
	case e.Lost:
		a.warn("some changes were not read in time and are missing here")
		return nil
	case e.Link == "":
		return nil
	}
	text := e.Link + "  " + a.style(glyphs[e.Status].look, "["+e.Status+"]") + "  " + oneLine(e.Title)
	if e.Evidence != "" {
		text += "  (" + oneLine(e.Evidence) + ")"
	}
	if e.Closed != nil {
		text += "  (" + closedText(e.Closed) + ")"
	}
	return a.print(text + "\n")
}
