package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/atomicfile"
	"github.com/termio-sh/termio/internal/config"
	"github.com/termio-sh/termio/internal/hooks"
	"github.com/termio-sh/termio/internal/paint/tty"
)

// setupQuestions is the version of the questions; who has answered it is not
// asked again.
const setupQuestions = 1

type setupOptions struct {
	app   *App
	yes   bool
	again bool
	// given are the answers on the command line, by flag: on, off or leave.
	given map[string]*string
}

func newSetup(app *App) *cobra.Command {
	o := &setupOptions{app: app, given: map[string]*string{}}
	cmd := &cobra.Command{
		Use:   "setup",
		Short: "Choose what Termio may write outside of its own folder",
		Long: `Ask once, at a terminal, which of three switches to turn on: live status,
session control with its skill, and the command on your PATH. Each question
says what would be written and where. "No" writes nothing. All can be changed
later with ` + "`termio config`" + `; a switch that is turned off takes out what it
wrote and nothing else.

Elsewhere than at a terminal nothing is asked: say --yes, or an answer for each
switch (on, off, or leave, which changes nothing). With --json and no answers
the state is printed and nothing is changed.`,
		Example: `  termio setup
  termio setup --yes
  termio setup --live-status on --session-control on --link leave
  termio setup --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	app.jsonFlag(cmd)
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "turn all three on without asking")
	cmd.Flags().BoolVar(&o.again, "again", false, "ask again what was answered before")
	for _, q := range switchList {
		o.given[q.flag] = cmd.Flags().String(q.flag, "", q.title+": `on|off|leave`")
	}
	return cmd
}

// question is a switch, as setup asks about it.
type question struct {
	flag, key, title string
	about            string // what it does, in lines of at most 74 cells
	set              func(*config.Settings) **bool
	on               func(config.Settings) bool
	// writes are the files that it would write.
	writes func(context.Context, *App, config.Settings) ([]string, error)
}

var switchList = []question{
	{
		flag: "live-status", key: "liveStatus", title: "Live status",
		about: `Agents tell through their own hooks whether they work, ask or are done.
Sessions get the hooks at launch, in no file of yours. On also puts them
into the config of the agents you have, for those that you start by hand
and those that take none at launch. Nothing else in these files changes:`,
		set: func(s *config.Settings) **bool { return &s.LiveStatus }, on: config.Settings.InstallsHooks,
		writes: func(ctx context.Context, a *App, s config.Settings) ([]string, error) {
			return a.filesOf(ctx, s, (*hooks.Store).Status)
		},
	},
	{
		flag: "session-control", key: "sessionControl", title: "Session control",
		about: "Agents can see and drive the other sessions of their project with the\n" +
			"`termio sessions` commands. On puts the skill that teaches them into the\nskills folders of the agents you have:",
		set: func(s *config.Settings) **bool { return &s.SessionControl }, on: config.Settings.InstallsSkill,
		writes: func(ctx context.Context, a *App, s config.Settings) ([]string, error) {
			return a.filesOf(ctx, s, (*hooks.Store).StatusSkill)
		},
	},
	{
		flag: "link", key: "link", title: "The command on your PATH",
		about: "On makes a link to this program, so that `termio` is found everywhere:",
		set:   func(s *config.Settings) **bool { return &s.Link }, on: config.Settings.KeepsLink,
		writes: func(_ context.Context, a *App, _ config.Settings) ([]string, error) {
			path, err := a.linkPath()
			return []string{path}, err
		},
	},
}

// filesOf are the files that an installer would write for the agents here.
func (a *App) filesOf(ctx context.Context, s config.Settings, status integrationAct) ([]string, error) {
	manifests, err := a.manifests(nil)
	if err != nil {
		return nil, err
	}
	store, err := a.store(ctx, s)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, m := range manifests {
		out := status(store, ctx, m)
		switch {
		case out.State == hooks.NoAgent:
		case len(out.Files) > 1:
			files = append(files, filepath.Dir(out.Files[0])+string(filepath.Separator))
		default:
			files = append(files, out.Files...)
		}
	}
	return files, nil
}

// setupReply is what --json prints.
type setupReply struct {
	api.Head
	Answered bool          `json:"answered"`
	Switches []setupSwitch `json:"switches"`
	Done     applied       `json:"done"`
}

type setupSwitch struct {
	Key    string   `json:"key"`
	On     bool     `json:"on"`
	Chosen bool     `json:"chosen"`
	Writes []string `json:"writes"`
}

// answers gives what the command line says, and whether it says something of
// every switch.
func (o *setupOptions) answers() (map[string]string, bool, error) {
	out := map[string]string{}
	for _, q := range switchList {
		v := *o.given[q.flag]
		switch v {
		case "on", "off", "leave":
			out[q.flag] = v
		case "":
			if o.yes {
				out[q.flag] = "on"
			}
		default:
			return nil, false, usagef(api.CodeBadRequest, "--%s is on, off or leave, not %s", q.flag, quoted(v))
		}
	}
	return out, len(out) == len(switchList), nil
}

func (o *setupOptions) run(ctx context.Context) error {
	a := o.app
	given, whole, err := o.answers()
	if err != nil {
		return err
	}
	path, before, err := a.settings()
	if err != nil {
		return err
	}
	after := before
	asks := a.asks() && !a.json
	switch {
	case len(given) == 0 && a.json:
		return o.reply(ctx, before, applied{})
	case len(given) == 0 && before.Asked >= setupQuestions && !o.again:
		return a.print(a.switchesText(before) + "\nThis was answered before: `termio setup --again` asks again, and\n`termio config set <key> <value>` changes one.\n")
	case !whole && !asks && len(given) == 0:
		return usagef(api.CodeBadRequest, "setup asks only at a terminal; elsewhere say --yes, or --live-status, --session-control and --link with on, off or leave")
	}
	lines := bufio.NewReader(a.In)
	for i, q := range switchList {
		answer, ok := given[q.flag]
		if !ok && asks {
			if answer, err = a.ask(ctx, lines, i+1, q, before); err != nil {
				return err
			}
		}
		switch answer {
		case "on", "off":
			on := answer == "on"
			*q.set(&after) = &on
		}
	}
	after.Asked = setupQuestions
	if err := saveSettings(path, after); err != nil {
		return err
	}
	done, err := a.applySwitches(ctx, before, after)
	if err != nil {
		return err
	}
	if a.json {
		err = o.reply(ctx, after, done)
	} else {
		err = a.print("\n" + a.appliedText(done) + a.switchesText(after) + "\nChange one: `termio config set <key> true` (or false); see `termio config list`.\n")
	}
	if err == nil && after.KeepsLink() && done.Link != "" && !a.json {
		if path, e := a.linkPath(); e == nil {
			if on, known := a.onPath(ctx, filepath.Dir(path)); known && !on {
				a.warnOffPath(path)
			}
		}
	}
	if err == nil && done.refused() {
		return errReported
	}
	return err
}

// ask puts one question to a person. An end of the input leaves things as they
// are, and nothing of the answers before is kept.
func (a *App) ask(ctx context.Context, in *bufio.Reader, number int, q question, s config.Settings) (string, error) {
	var b strings.Builder
	if number == 1 {
		b.WriteString("Termio asks this once. \"No\" writes nothing, and each can be changed later.\n")
	}
	fmt.Fprintf(&b, "\n%s\n", a.style(bold, fmt.Sprintf("%d  %s", number, q.title)))
	for line := range strings.Lines(q.about) {
		b.WriteString("   " + strings.TrimRight(line, "\n") + "\n")
	}
	files, err := q.writes(ctx, a, s)
	if err != nil {
		return "", err
	}
	if len(files) == 0 {
		b.WriteString("     none now: no agent with such a folder is here\n")
	}
	for _, f := range files {
		b.WriteString("     " + oneLine(a.short(f)) + "\n")
	}
	what := "Turn it on"
	if q.on(s) {
		what = "Keep it on"
	}
	for {
		fmt.Fprintf(&b, "   %s? [Y/n] ", what)
		if err := a.print(b.String()); err != nil {
			return "", err
		}
		b.Reset()
		line, err := in.ReadString('\n')
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return "on", nil
		case "n", "no":
			if q.on(s) {
				return "off", nil
			}
			return "leave", nil
		case "":
			if err == nil {
				return "on", nil
			}
		}
		if errors.Is(err, io.EOF) {
			return "", api.Errorf(api.CodeBadRequest, "the answers ended; nothing was changed")
		}
		if err != nil {
			return "", fmt.Errorf("read the answer: %w", err)
		}
		b.WriteString("   Please answer y or n.\n")
	}
}

// short is a path with the home folder as ~.
func (a *App) short(path string) string {
	if rest, ok := strings.CutPrefix(path, a.Getenv("HOME")+string(filepath.Separator)); ok {
		return "~" + string(filepath.Separator) + rest
	}
	return path
}

func (a *App) switchesText(s config.Settings) string {
	rows := make([][]field, 0, len(switchList))
	for _, q := range switchList {
		is := "not turned on"
		if chosen := *q.set(&s); q.on(s) {
			is = "on"
		} else if chosen != nil {
			is = "off"
		}
		rows = append(rows, []field{{q.title, plain}, {is, bold}, {q.key, dim}})
	}
	return a.table(rows)
}

func (o *setupOptions) reply(ctx context.Context, s config.Settings, done applied) error {
	reply := setupReply{Head: api.OKHead(), Answered: s.Asked >= setupQuestions, Done: done}
	for _, q := range switchList {
		files, err := q.writes(ctx, o.app, s)
		if err != nil {
			return err
		}
		if files == nil {
			files = []string{}
		}
		reply.Switches = append(reply.Switches, setupSwitch{Key: q.key, On: q.on(s), Chosen: *q.set(&s) != nil, Writes: files})
	}
	return o.app.printJSON(reply)
}

// asks tells whether somebody sits at this command who can be asked.
func (a *App) asks() bool {
	if a.Asks != nil {
		return a.Asks()
	}
	in, ok := a.In.(*os.File)
	return ok && tty.Is(in) && a.Terminal() && a.Getenv("CI") == ""
}

// offerSetup tells of setup, once, after the first command of a person that
// reached the coordinator. Scripts, sessions and agents never see it.
func (a *App) offerSetup() {
	if !a.called || a.json || a.Getenv("TERMIO_SESSION") != "" || !a.asks() {
		return
	}
	layout, err := a.layout()
	if err != nil {
		return
	}
	told := filepath.Join(layout.StateDir(), "setup-offered")
	if _, err := os.Stat(told); err == nil || !errors.Is(err, os.ErrNotExist) {
		return
	}
	s, _ := config.Load(layout.Settings(), a.Now())
	if s.Asked > 0 || s.Unread() != nil {
		return
	}
	// Noted first: an offer that cannot be noted would come every time.
	if atomicfile.Write(told, []byte(a.Now().UTC().Format("2006-01-02")+"\n"), 0o600) == nil {
		fmt.Fprintln(a.Err, a.style(dim, "New here? `termio setup` asks once about live status, session control and the PATH."))
	}
}
