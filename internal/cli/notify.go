package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
)

type notifyOptions struct {
	app   *App
	title string
}

func newNotify(app *App) *cobra.Command {
	o := &notifyOptions{app: app}
	cmd := &cobra.Command{
		Use:   "notify <text>...",
		Short: "Tell the person that you want them to look",
		Long: `Tell the person at this machine something, in the name of the session that this
is called in, which then asks to be looked at: on the desktop, in terminals that
are attached to other sessions, and by a command of theirs, as the settings
notifications.* say. Nobody is told who looks at the session already. It is for
programs and agents; outside of a session it tells as well.`,
		Example: `  termio notify "the build is done"
  termio notify --title "Deploy" "staging is up; may I go on?"`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 && o.title == "" {
				return usagef(api.CodeNoText, "say what the person is to be told")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), strings.Join(args, " ")) },
	}
	app.jsonFlag(cmd)
	cmd.Flags().StringVar(&o.title, "title", "", "the first line, else the session's title")
	return cmd
}

func (o *notifyOptions) run(ctx context.Context, text string) error {
	a := o.app
	for what, text := range map[string]string{"text": text, "title": o.title} {
		if err := validText(what, text); err != nil {
			return err
		}
	}
	caller, err := a.caller(scope{})
	if err != nil {
		return err
	}
	var reply api.NotifyReply
	if err := a.call(ctx, api.VerbNotify, api.NotifyRequest{Caller: caller, Title: o.title, Text: text}, &reply); err != nil {
		return err
	}
	if reply.Told == nil {
		reply.Told = []string{}
	}
	if a.json {
		return a.printJSON(reply)
	}
	switch {
	case reply.Seen:
		return a.print("somebody looks at this session already\n")
	case len(reply.Told) == 0:
		return a.print("nobody was told: every way is switched off (`termio config list`)\n")
	}
	return nil
}
