package daemon

import (
	"os"
	"slices"
	"strings"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/config"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/project"
)

// lost are the closed sessions that ended without anybody having wanted it, in
// the newest boot of the machine that has any, and in this one: those that
// `reopen --all` means. What was lost in the boots before was let go.
func lost(closed []session) (out []session) {
	newest := ""
	for _, s := range closed { // the oldest first
		if boot := bootOf(s); wasLost(s) && boot != thisBoot() {
			newest = boot
		}
	}
	for _, s := range closed {
		if boot := bootOf(s); wasLost(s) && (boot == newest || boot == thisBoot()) {
			out = append(out, s)
		}
	}
	return out
}

// askedFor counts the sessions that were lost, where the user wants to be told of
// them.
func (d *Daemon) askedFor(in project.Scope) int {
	if d.settings.get().WhenRestarted() != config.RestoreAsk {
		return 0
	}
	return len(lost(d.roster.all(in, false)))
}

// wasLost tells a session that was not closed, and whose program did not end by
// itself.
func wasLost(s session) bool {
	c := s.record.Closed
	return c != nil && (c.Reason == hostproto.ReasonHostLost || c.Reason == hostproto.ReasonKilled)
}

// thisBoot names this boot of the machine.
func thisBoot() string {
	stamp, _ := hostproto.ProcessStamp(os.Getpid()) // "" is no boot's
	boot, _, _ := strings.Cut(stamp, "/")
	return boot
}

// bootOf names the boot of the machine that a session ran in.
func bootOf(s session) string {
	boot, _, _ := strings.Cut(s.record.HostBoot, "/")
	return boot
}

// afterAdoption does what the coordinator's absence left undone: it looks for
// conversations, settles whose they are, and starts sessions again that the
// machine's end has ended, where the user wants that.
func (d *Daemon) afterAdoption() {
	d.settleClaims()
	for _, s := range d.roster.all(everything, false) {
		// An agent that replaced itself when nobody was there to start it again.
		if c := s.record.Closed; c.Replaced && d.started.Sub(c.At) < lateReject {
			d.afterExit(s.record.ID, *c)
		}
	}
	if d.settings.get().WhenRestarted() == config.RestoreAlways {
		back := slices.DeleteFunc(lost(d.allEnded(d.life, everything)), func(s session) bool { return bootOf(s) == thisBoot() })
		for _, one := range d.reopenAll(d.life, back, api.ReopenRequest{}) {
			if one.Error != nil {
				d.log.Warn("a session was not restored", "session", one.Target, "why", one.Error.Message)
			}
		}
	}
	d.finder.run()
}
