package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/vt"
)

type listOptions struct {
	app    *App
	scope  scope
	closed bool
	tree   bool
}

func (o *listOptions) flags(cmd *cobra.Command) {
	o.app.jsonFlag(cmd)
	o.scope.flags(cmd)
	cmd.Flags().BoolVar(&o.closed, "closed", false, "also those that have ended, with how")
	cmd.Flags().BoolVar(&o.tree, "tree", false, "each below the session that started it")
}

func newList(app *App) *cobra.Command {
	o := &listOptions{app: app}
	cmd := &cobra.Command{
		Use:        "list",
		SuggestFor: []string{"ls", "ps"},
		Short:      "List the sessions of this project and what each is doing",
		Long: `List the sessions of this project and what each is doing: working, needs-you
(it stopped to ask), done, or idle, and since when.

The reply of --json is {project, sessions: [{link, id, title, agent, status,
description?, transcript?, …}]}.`,
		Example: `  termio sessions list
  termio sessions list --all --json
  termio sessions list --closed
  termio sessions list --tree`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	o.flags(cmd)
	return cmd
}

func (o *listOptions) run(ctx context.Context) error {
	a := o.app
	caller, err := a.caller(o.scope)
	if err != nil {
		return err
	}
	request := api.ListRequest{Caller: caller, Closed: o.closed, Lost: a.Terminal() && !a.json}
	if a.json && !o.tree {
		if done, err := a.printList(ctx, request); done {
			return err
		}
	}
	var reply api.ListReply
	if err := a.call(ctx, api.VerbList, request, &reply); err != nil {
		return err
	}
	if reply.Sessions == nil {
		reply.Sessions = []api.Session{}
	}
	var lines []string
	if o.tree {
		reply.Sessions, lines = treeOf(reply.Sessions)
	}
	if a.json {
		return a.printJSON(reply)
	}
	if err := a.print(a.roster(reply.Project, reply.Sessions, lines, o.scope.all)); err != nil {
		return err
	}
	a.tellLost(reply.Lost)
	if slices.ContainsFunc(reply.Sessions, func(s api.Session) bool { return s.Closed != nil }) {
		a.hint("Open one again, in its conversation: termio sessions reopen <id>")
	}
	return nil
}

// tellLost tells a person what can be reopened.
func (a *App) tellLost(n int) {
	if n > 0 {
		a.hint(plural(n, "session") + " ended unasked; open again, each in its conversation: termio sessions reopen --all")
	}
}

// printList prints the reply of list as the coordinator gives it, where it is
// one that does: the one that runs this command.
func (a *App) printList(ctx context.Context, request api.ListRequest) (done bool, err error) {
	coordinator, err := a.Connect(true)
	if err != nil {
		return true, err
	}
	lists, ok := coordinator.(interface {
		ListJSON(context.Context, api.ListRequest) ([]byte, error)
	})
	if !ok {
		return false, nil
	}
	line, err := lists.ListJSON(ctx, request)
	if err != nil {
		return true, err
	}
	a.called = true
	_, err = a.Out.Write(line)
	return true, err
}

// roster is a list of sessions for people; with each one's project where they
// are not all of one, and lines before each that is in a tree.
func (a *App) roster(project string, sessions []api.Session, lines []string, projects bool) string {
	var b strings.Builder
	closed := 0
	for i := range sessions {
		if sessions[i].Closed != nil {
			closed++
		}
	}
	count := plural(len(sessions)-closed, "session")
	if closed > 0 {
		count += ", " + strconv.Itoa(closed) + " closed"
	}
	fmt.Fprintf(&b, "%s — %s\n", a.style(bold, oneLine(project)), count)
	if len(sessions) == 0 {
		b.WriteString("\nStart an agent:     termio sessions spawn \"<prompt>\" --agent <id>\n" +
			"Run a command:      termio sessions run \"<command>\"\n" +
			"See the agents:     termio agents list\n" +
			"Bring back lost:    termio sessions reopen --all\n")
		return b.String()
	}
	now := a.Now()
	rows := make([][]field, len(sessions))
	for i := range sessions {
		rows[i] = a.rosterRow(now, &sessions[i])
		if lines != nil {
			rows[i][0].text = lines[i] + rows[i][0].text
		}
		if projects {
			title := len(rows[i]) - 1
			rows[i] = slices.Insert(rows[i], title, field{a.projectName(sessions[i].Project), plain})
		}
	}
	b.WriteString(a.table(rows))
	return b.String()
}

// projectName is the last part of a project's directory, at a terminal in at
// most a fifth of its width.
func (a *App) projectName(dir string) string {
	if dir == "" {
		return "–"
	}
	name := oneLine(filepath.Base(dir))
	if width := a.width(); width > 0 {
		name = vt.Truncate(name, max(width/5, 4), "…")
	}
	return name
}

// glyphs show a status to people, each with a shape of its own, so that they
// differ without colour too.
var glyphs = map[string]field{
	"working":   {"●", blue},
	"needs-you": {"▲", yellow},
	"done":      {"✓", green},
	"idle":      {"○", dim},
	"closed":    {"×", dim},
}

func (a *App) rosterRow(now time.Time, s *api.Session) []field {
	status, since, note := s.Status, s.Since, s.Description
	if s.Closed != nil {
		status, since, note = "closed", &s.Closed.At, closedText(s.Closed)
	}
	if note == api.Phrase(status, s.AgentID) {
		note = "" // the status says it already
	}
	glyph, known := glyphs[status]
	if !known {
		glyph = field{"?", plain}
	}
	ago := ""
	if since != nil {
		ago = age(now, *since)
	}
	text := oneLine(s.Title)
	if s.Error != "" {
		note = "failed: " + s.Error
	}
	if note = oneLine(note); note != "" {
		text += " — " + note
	}
	return []field{
		{glyph.text + " " + status, glyph.look},
		{s.ID, plain},
		{oneLine(s.Agent), plain},
		{ago, dim},
		{text, plain},
	}
}

// closedText says how a session ended, in a few words.
func closedText(c *api.Closed) string {
	switch {
	case c.Reason == "user-closed":
		return "closed by you" // and how its program took that says nothing
	case c.Reason == "host-lost":
		return "lost: the machine or its host went down"
	case c.Reason == "boot-failed" && c.LastLines != "":
		lines := strings.Split(strings.TrimSpace(c.LastLines), "\n")
		return c.Reason + ": " + strings.TrimSpace(lines[len(lines)-1])
	case c.Signal != "":
		return c.Reason + " by " + c.Signal
	case c.ExitCode != nil:
		return c.Reason + ", exit code " + strconv.Itoa(*c.ExitCode)
	}
	return c.Reason
}
