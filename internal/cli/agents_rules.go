package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/vt"
)

// agentsRulesOptions is `termio agents test`; a file of that name would be
// taken for a test of Go's.
type agentsRulesOptions struct {
	app    *App
	title  string
	screen string
	hasTop bool // a title was given, perhaps an empty one
	cols   int
	rows   int
}

func newAgentsRules(app *App) *cobra.Command {
	o := &agentsRulesOptions{app: app}
	cmd := &cobra.Command{
		ValidArgsFunction: app.completeAgents,
		Use:               "test <id>",
		Short:             "Say what an agent's rules make of a title or a screen",
		Long: `Say what the rules of an agent's manifest make of a title, of a screen, or of
both: the state, the rule, what it matched, and whether the agent would be
ready for its first prompt.

A screen is text, such as sessions read prints. What has escape sequences in
it is drawn first, in a terminal of --cols and --rows. "-" is standard input.
Which channel has the last word in a session is in docs/status.md.`,
		Example: `  termio agents test codex --title '⠋ fix the bug | proj'
  termio sessions read 1a2b3c4d | termio agents test opencode --screen -
  termio agents test ./mine.json --screen saved.txt --json`,
		Args: exactArgs(1, api.CodeBadRequest, "say which agent: `termio agents list` prints the ids"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.hasTop = cmd.Flags().Changed("title")
			return o.run(args[0])
		},
	}
	app.jsonFlag(cmd)
	cmd.Flags().StringVar(&o.title, "title", "", "a terminal title")
	cmd.Flags().StringVar(&o.screen, "screen", "", "a file with a screen; - is standard input")
	cmd.Flags().IntVar(&o.cols, "cols", 120, "the width of a screen that is drawn")
	cmd.Flags().IntVar(&o.rows, "rows", 40, "its height")
	return cmd
}

func verdictOf(v atp.Verdict, has bool) *api.RuleVerdict {
	out := &api.RuleVerdict{Status: "none", Rule: v.Rule, Matched: v.Matched}
	switch {
	case !has:
	case v.State == atp.StateAttention:
		out.Status = "needs-you"
	case v.State == atp.StateWorking:
		out.Status = "working"
	default:
		out.Status = "idle"
	}
	return out
}

func (o *agentsRulesOptions) run(name string) error {
	if !o.hasTop && o.screen == "" {
		return api.Errorf(api.CodeBadRequest, "give a title (--title) or a screen (--screen FILE) to test the rules with")
	}
	manifest, err := o.manifest(name)
	if err != nil {
		return err
	}
	rules := atp.NewRules(manifest)
	reply := api.RulesReply{Head: api.OKHead(), Agent: manifest.ID}
	if o.hasTop {
		reply.Title = verdictOf(rules.ClassifyTitle(o.title), rules.HasTitle())
	}
	if o.screen != "" {
		text, err := o.text()
		if err != nil {
			return err
		}
		reply.Screen = verdictOf(rules.ClassifyScreen(text), rules.HasScreen())
		ready := rules.ScreenReady(text)
		reply.Ready = &ready
	}
	if o.app.json {
		return o.app.printJSON(reply)
	}
	return o.app.print(o.show(reply))
}

// manifest is that of an agent's id, or of a file that is not installed yet.
func (o *agentsRulesOptions) manifest(name string) (*atp.Manifest, error) {
	if strings.HasSuffix(name, ".json") {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read the manifest: %w", err)
		}
		m, problems := atp.Decode(name, data)
		if m == nil {
			return nil, api.Errorf(api.CodeBadAgent, "the manifest cannot be used: %v", problems)
		}
		return m, nil
	}
	layout, err := o.app.layout()
	if err != nil {
		return nil, err
	}
	catalog, _ := atp.Load(layout.AgentsDir())
	m, ok := catalog.Lookup(name)
	if !ok {
		return nil, api.Errorf(api.CodeBadAgent, "no agent %s; there are: %s", quoted(name), strings.Join(catalog.IDs(), ", "))
	}
	return m, nil
}

// text is the screen as a host would see it.
func (o *agentsRulesOptions) text() (string, error) {
	var data []byte
	var err error
	if o.screen == "-" {
		data, err = io.ReadAll(io.LimitReader(o.app.In, maxPayload))
	} else {
		data, err = os.ReadFile(o.screen)
	}
	if err != nil {
		return "", fmt.Errorf("read the screen: %w", err)
	}
	text := string(data)
	if !strings.Contains(text, "\x1b") {
		return text, nil
	}
	if o.cols < 1 || o.cols > vt.MaxCols || o.rows < 1 || o.rows > vt.MaxRows {
		return "", api.Errorf(api.CodeBadRequest, "a terminal of %d×%d cannot be", o.cols, o.rows)
	}
	t := vt.New(vt.Options{Cols: o.cols, Rows: o.rows})
	if !strings.Contains(text, "\r") {
		text = strings.ReplaceAll(text, "\n", "\r\n") // saved as lines
	}
	t.Write([]byte(text))
	return t.ScreenText(), nil
}

func (o *agentsRulesOptions) show(r api.RulesReply) string {
	var rows [][]field
	add := func(what string, v *api.RuleVerdict) {
		if v == nil {
			return
		}
		why := "no rule matched"
		switch {
		case v.Rule != "":
			why = v.Rule + "  " + quoted(oneLine(v.Matched))
		case v.Status == "none":
			why = "the manifest has no rules for it"
		}
		rows = append(rows, []field{{what, plain}, {v.Status, glyphs[v.Status].look}, {why, dim}})
	}
	add("title", r.Title)
	add("screen", r.Screen)
	if r.Ready != nil {
		is := "no"
		if *r.Ready {
			is = "yes"
		}
		rows = append(rows, []field{{"ready", plain}, {is, plain}, {"for a first prompt, by its screen", dim}})
	}
	return o.app.table(rows)
}
