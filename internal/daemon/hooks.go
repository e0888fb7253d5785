package daemon

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/config"
	"github.com/termio-sh/termio/internal/hooks"
	"github.com/termio-sh/termio/internal/orchestrate"
	"github.com/termio-sh/termio/internal/shellenv"
)

// hookDir is the folder, in a session's own, of the files that give the agent
// its hooks.
const hookDir = "hooks"

// tendEvery is how often the files with our hooks are looked at: agents and
// other tools write them too.
const tendEvery = 30 * time.Second

// reporter copies the hook reporter to its lasting place. Where that fails
// there are no hooks, and status comes from the other channels.
func (d *Daemon) reporter() string {
	self, err := os.Executable()
	if err == nil {
		if real, e := filepath.EvalSymlinks(self); e == nil {
			self = real
		}
		var path string
		if path, err = hooks.CopyReporter(d.o.Layout.Home, self); err == nil {
			return path
		}
	}
	d.log.Warn("sessions have no hooks", "why", err.Error())
	return ""
}

func (d *Daemon) hookStore(ctx context.Context, reporter string, s config.Settings) *hooks.Store {
	return hooks.NewStore(ctx, d.o.Layout, d.login, reporter, func(m *atp.Manifest) string { return commandOf(m, s) })
}

// inject plans how a session's agent is given its hooks; nothing where it has
// no way, where it has them in its own config, or where the user wants none.
func (d *Daemon) inject(ctx context.Context, o orchestrate.Order, program string, env []string, s config.Settings) hooks.Injection {
	m := o.Manifest
	if m.Hooks == nil || m.Hooks.Inject == nil || !s.InjectsHooks() || program == "" {
		return hooks.Injection{}
	}
	reporter := hooks.ReporterPath(d.o.Layout.Home)
	if _, err := os.Stat(reporter); err != nil {
		if reporter = d.reporter(); reporter == "" {
			return hooks.Injection{}
		}
	}
	login, _ := d.login.Env(ctx) // usable whatever the error
	if s.InstallsHooks() && d.hookStore(ctx, reporter, s).Has(m) {
		return hooks.Injection{}
	}
	version := hooks.AgentVersion(m, program, func() string { return d.agents.version(ctx, program, m.VersionArgs) })
	in, why, ok := hooks.Inject(hooks.Launch{
		Manifest: m, Dir: filepath.Join(d.o.Layout.SessionDir(o.ID), hookDir), Reporter: reporter, Version: version,
		Command: orchestrate.Launch(o).Record.Command, Env: append(login[:len(login):len(login)], shellenv.Scrub(env)...),
		Exists: func(path string) bool { _, err := os.Stat(path); return err == nil },
	})
	if !ok {
		d.log.Info("a session has no hooks at launch", "agent", m.ID, "why", why)
	}
	return in
}

// tendHooks keeps what the user switched on in agents' folders as it should
// be, and takes out what was switched off, until the coordinator's life ends.
func (d *Daemon) tendHooks() {
	reporter := d.reporter()
	tick := time.NewTicker(tendEvery)
	defer tick.Stop()
	for last := ""; ; {
		if now := d.hookStamp(); now != last {
			d.tend(reporter)
			last = d.hookStamp()
		}
		select {
		case <-tick.C:
		case <-d.ctx.Done():
			return
		}
	}
}

// hookStamp changes when the user's choice or one of the files does.
func (d *Daemon) hookStamp() string {
	s := d.settings.get()
	stamp := fmt.Sprintln(s.InjectsHooks(), s.InstallsHooks(), s.InstallsSkill(), s.KeepsLink(), stampOf(d.o.Layout.Settings()))
	for _, path := range hooks.Files(hooks.Dir(d.o.Layout)) {
		stamp += fmt.Sprintln(path, stampOf(path))
	}
	return stamp
}

// wishes are what the settings want of agents' folders.
func wishes(s config.Settings) [4]bool {
	return [4]bool{s.InstallsHooks(), s.RemovesHooks(), s.InstallsSkill(), s.RemovesSkill()}
}

func (d *Daemon) tend(reporter string) {
	s := d.settings.get()
	d.tendLink(s)
	if !s.InstallsHooks() && !s.RemovesHooks() && !s.InstallsSkill() && !s.RemovesSkill() {
		return // nothing was chosen
	}
	store := d.hookStore(d.ctx, reporter, s)
	// A command that changes the settings acts on them itself, at once.
	store.Wanted = func() bool { return wishes(d.settings.get()) == wishes(s) }
	note := func(what string, o hooks.Outcome) {
		switch {
		case o.State == hooks.Refused:
			d.log.Warn(what+": left as it is", "agent", o.Agent, "why", o.Why)
		case len(o.Changed) > 0:
			d.log.Info(what+": put right", "agent", o.Agent, "files", o.Changed, "state", o.State)
		}
	}
	catalog := d.agents.catalog.get()
	for _, gone := range []struct {
		removes, skills bool
	}{{s.RemovesHooks(), false}, {s.RemovesSkill(), true}} {
		if gone.removes {
			for _, o := range store.RemoveForgotten(d.ctx, catalog.IDs(), gone.skills) {
				note("of an agent whose manifest is gone", o)
			}
		}
	}
	for _, m := range catalog.All() {
		switch {
		case d.ctx.Err() != nil:
			return
		case s.InstallsHooks() && reporter != "":
			note("hooks", store.Install(d.ctx, m))
		case s.RemovesHooks():
			note("hooks", store.Remove(d.ctx, m))
		}
		switch {
		case s.InstallsSkill():
			note("skill", store.InstallSkill(d.ctx, m))
		case s.RemovesSkill():
			note("skill", store.RemoveSkill(d.ctx, m))
		}
	}
}
