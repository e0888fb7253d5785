package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/config"
	"github.com/termio-sh/termio/internal/hooks"
	"github.com/termio-sh/termio/internal/quick"
	"github.com/termio-sh/termio/internal/shellenv"
)

// integration is a verb that looks at, installs or removes something of ours
// in agents' own folders: hooks or the skill.
type integration struct {
	app *App
	// do works on one agent.
	do integrationAct
	// choose notes the user's choice when every agent is meant; nil for a verb
	// that only looks.
	choose func(*config.Settings) error
	// forgotten removes what is there of agents whose manifests are gone; nil
	// for a verb that removes nothing.
	forgotten func(s *hooks.Store, ctx context.Context, known []string) []hooks.Outcome
	// installs tells that an agent named is to have it afterwards: one that
	// cannot is an error.
	installs bool
	// note is said after the table.
	note func([]hooks.Outcome) string
}

// integrationAct works on one agent.
type integrationAct func(*hooks.Store, context.Context, *atp.Manifest) hooks.Outcome

// integrationReply is what --json prints.
type integrationReply struct {
	OK            bool            `json:"ok"`
	SchemaVersion int             `json:"schema_version"`
	Agents        []hooks.Outcome `json:"agents"`
}

func (o *integration) command(cmd *cobra.Command) *cobra.Command {
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) }
	o.app.jsonFlag(cmd)
	return cmd
}

func (o *integration) run(ctx context.Context, names []string) error {
	a := o.app
	path, settings, err := a.settings()
	if err != nil {
		return err
	}
	manifests, err := a.manifests(names)
	if err != nil {
		return err
	}
	if o.choose != nil && len(names) == 0 {
		if err := o.choose(&settings); err != nil {
			return err
		}
		// Before anything is done, or the coordinator would undo it.
		if err := saveSettings(path, settings); err != nil {
			return err
		}
	}
	store, err := a.store(ctx, settings)
	if err != nil {
		return err
	}
	reply := integrationReply{OK: true, SchemaVersion: api.SchemaVersion, Agents: []hooks.Outcome{}}
	for _, m := range manifests {
		out := o.do(store, ctx, m)
		if out.State == hooks.Undeclared && len(names) == 0 {
			continue
		}
		reply.OK = reply.OK && !o.failed(out, len(names) > 0)
		reply.Agents = append(reply.Agents, out)
	}
	if o.forgotten != nil && len(names) == 0 {
		for _, out := range o.forgotten(store, ctx, idsOf(manifests)) {
			reply.OK = reply.OK && out.State != hooks.Refused
			reply.Agents = append(reply.Agents, out)
		}
	}
	if a.json {
		err = a.printJSON(reply)
	} else {
		err = a.print(o.text(reply.Agents))
	}
	if err == nil && !reply.OK {
		return errReported
	}
	return err
}

// failed tells whether what was asked for did not come about for an agent.
func (o *integration) failed(out hooks.Outcome, named bool) bool {
	none := out.State == hooks.NoAgent || out.State == hooks.Undeclared
	return out.State == hooks.Refused || o.installs && named && none
}

func idsOf(manifests []*atp.Manifest) (ids []string) {
	for _, m := range manifests {
		ids = append(ids, m.ID)
	}
	return ids
}

// forgottenHooks and forgottenSkills remove what is there of agents whose
// manifests are gone.
func forgottenHooks(s *hooks.Store, ctx context.Context, known []string) []hooks.Outcome {
	return s.RemoveForgotten(ctx, known, false)
}

func forgottenSkills(s *hooks.Store, ctx context.Context, known []string) []hooks.Outcome {
	return s.RemoveForgotten(ctx, known, true)
}

// manifests are those of the named agents, all without names.
func (a *App) manifests(names []string) ([]*atp.Manifest, error) {
	layout, err := a.layout()
	if err != nil {
		return nil, err
	}
	catalog, _ := atp.Load(layout.AgentsDir())
	if len(names) == 0 {
		return catalog.All(), nil
	}
	var out []*atp.Manifest
	for _, name := range names {
		m, ok := catalog.Lookup(name)
		if !ok {
			return nil, api.Errorf(api.CodeBadAgent, "there is no agent %s; the agents are: %s", quoted(name), strings.Join(catalog.IDs(), ", "))
		}
		out = append(out, m)
	}
	return out, nil
}

// store is where hooks and skills are written, as the agents' login shell
// sees it.
func (a *App) store(ctx context.Context, s config.Settings) (*hooks.Store, error) {
	layout, err := a.layout()
	if err != nil {
		return nil, err
	}
	self, err := executable()
	if err != nil {
		return nil, err
	}
	reporter, err := hooks.CopyReporter(layout.Home, self)
	if err != nil {
		return nil, err
	}
	login := shellenv.NewLogin(shellenv.LoginShell(a.Getenv), a.Environ())
	return hooks.NewStore(ctx, layout, login, reporter, func(m *atp.Manifest) string {
		return atp.LaunchCommand(m, atp.LaunchOptions{CommandOverride: s.Agents[m.ID].Command})
	}), nil
}

// executable is the real path of the program that people call: this one, or
// the quick one that runs it (docs/decisions/0012-quick-verbs.md).
func executable() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	if front := filepath.Join(filepath.Dir(self), "termio"); filepath.Base(self) == quick.CoreName {
		if _, err := os.Stat(front); err == nil {
			self = front
		}
	}
	return self, nil
}

func (o *integration) text(list []hooks.Outcome) string {
	a := o.app
	rows := make([][]field, 0, len(list))
	for _, out := range list {
		mark, words := field{"–", dim}, ""
		switch out.State {
		case hooks.Installed:
			mark, words = field{"✓", green}, "installed"
		case hooks.Outdated:
			mark, words = field{"!", yellow}, "changed since; install puts it right"
		case hooks.Refused:
			mark, words = field{"✗", red}, out.Why
		case hooks.NotInstalled:
			words = "not installed"
		case hooks.NoAgent:
			words = "the agent is not here"
		case hooks.Undeclared:
			words = "its manifest declares none"
		}
		if out.Injected && out.State != hooks.NoAgent {
			words += "; sessions get them at launch"
		}
		file := ""
		if out.State == hooks.Refused {
			// It begins with the file.
		} else if len(out.Files) == 1 {
			file = out.Files[0]
		} else if len(out.Files) > 1 {
			file = filepath.Dir(out.Files[0])
		}
		rows = append(rows, []field{mark, {out.Agent, plain}, {oneLine(words), plain}, {oneLine(file), dim}})
	}
	text := a.table(rows)
	if o.note != nil {
		text += o.note(list)
	}
	return text
}
