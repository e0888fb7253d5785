package cli

import (
	"context"
	"fmt"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/commandlink"
	"github.com/termio-sh/termio/internal/config"
	"github.com/termio-sh/termio/internal/hooks"
)

// applied is what a change of the switches has done outside of Termio's home.
type applied struct {
	Hooks []hooks.Outcome `json:"hooks,omitempty"`
	Skill []hooks.Outcome `json:"skill,omitempty"`
	Link  string          `json:"link,omitempty"` // what became of it, in words
	// LinkRefused tells that something else is in the link's place.
	LinkRefused bool `json:"link_refused,omitempty"`
}

func (d applied) refused() bool {
	for _, list := range [][]hooks.Outcome{d.Hooks, d.Skill} {
		for _, o := range list {
			if o.State == hooks.Refused {
				return true
			}
		}
	}
	return d.LinkRefused
}

// wanted is what a switch wants of files that are not Termio's: 1 that they
// are there, -1 that they are not, 0 nothing.
func wanted(installs, removes bool) int {
	switch {
	case installs:
		return 1
	case removes:
		return -1
	}
	return 0
}

// turned tells what is to be done when a switch's wish was before and is now
// after: a wish that is given up takes out what it had put in.
func turned(before, after int) int {
	if after == 0 && before == 1 {
		return -1
	}
	if after == before {
		return 0
	}
	return after
}

// applySwitches does what a change of the settings means for agents' folders
// and the command on the PATH. The coordinator would do it too, when it next
// looks.
func (a *App) applySwitches(ctx context.Context, before, after config.Settings) (done applied, err error) {
	status := turned(wanted(before.InstallsHooks(), before.RemovesHooks()), wanted(after.InstallsHooks(), after.RemovesHooks()))
	skill := turned(wanted(before.InstallsSkill(), before.RemovesSkill()), wanted(after.InstallsSkill(), after.RemovesSkill()))
	if status != 0 || skill != 0 {
		manifests, err := a.manifests(nil)
		if err != nil {
			return done, err
		}
		store, err := a.store(ctx, after)
		if err != nil {
			return done, err
		}
		do := map[int][2]func(context.Context, *atp.Manifest) hooks.Outcome{
			1: {store.Install, store.InstallSkill}, -1: {store.Remove, store.RemoveSkill},
		}
		for _, m := range manifests {
			if status != 0 {
				done.Hooks = worthTelling(done.Hooks, do[status][0](ctx, m))
			}
			if skill != 0 {
				done.Skill = worthTelling(done.Skill, do[skill][1](ctx, m))
			}
		}
		if status < 0 {
			done.Hooks = append(done.Hooks, forgottenHooks(store, ctx, idsOf(manifests))...)
		}
		if skill < 0 {
			done.Skill = append(done.Skill, forgottenSkills(store, ctx, idsOf(manifests))...)
		}
	}
	link := turned(wanted(before.KeepsLink(), before.Link != nil && !*before.Link), wanted(after.KeepsLink(), after.Link != nil && !*after.Link))
	if link != 0 {
		a.applyLink(link > 0, &done)
	}
	return done, nil
}

// worthTelling adds an outcome in which something was, or could not be, done.
func worthTelling(list []hooks.Outcome, o hooks.Outcome) []hooks.Outcome {
	if o.State == hooks.Undeclared || o.State == hooks.NoAgent || o.State == hooks.NotInstalled && len(o.Changed) == 0 {
		return list
	}
	return append(list, o)
}

func (a *App) applyLink(on bool, done *applied) {
	path, err := a.linkPath()
	var self string
	if err == nil {
		self, err = executable()
	}
	switch {
	case err != nil:
	case on:
		_, err = commandlink.Make(self, path)
		done.Link = path + " → " + self
	default:
		var changed bool
		if changed, err = commandlink.Remove(self, path); changed {
			done.Link = "removed " + path
		}
	}
	if err != nil {
		done.Link, done.LinkRefused = fmt.Sprintf("%s: %v", path, err), true
	}
}

// appliedText is what was done, for a person.
func (a *App) appliedText(done applied) string {
	text := ""
	for _, part := range []struct {
		title string
		list  []hooks.Outcome
	}{{"hooks", done.Hooks}, {"skill", done.Skill}} {
		if len(part.list) > 0 {
			text += part.title + "\n" + (&integration{app: a}).text(part.list)
		}
	}
	if done.Link != "" {
		text += "command\n" + oneLine(done.Link) + "\n"
	}
	return text
}
