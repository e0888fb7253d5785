package daemon

import (
	"errors"
	"io/fs"
	"os"

	"github.com/termio-sh/termio/internal/hostproto"
)

// takeTerminal takes in a terminal that the agent of a session over ACP runs.
func (d *Daemon) takeTerminal(parent string, rec hostproto.Record) {
	if rec.Kind != hostproto.KindAgentTerminal || rec.Parent != parent || !isSessionID(rec.ID) || rec.Socket != d.o.Layout.HostSocket(rec.ID) {
		d.log.Warn("a host tells of a terminal that cannot be its own", "session", parent, "terminal", rec.ID)
		return
	}
	if _, known := d.roster.get(rec.ID); known {
		return
	}
	d.roster.add(rec)
	d.startFollowing(rec.ID, nil)
}

// forgetTerminal forgets such a terminal, which leaves nothing behind: its host
// has removed its folder, unless it was killed.
func (d *Daemon) forgetTerminal(rec hostproto.Record) {
	d.roster.remove(rec.ID)
	if !hostproto.Gone(rec.HostPID, rec.HostBoot) {
		return
	}
	if err := os.RemoveAll(d.o.Layout.SessionDir(rec.ID)); err != nil {
		d.log.Warn("the folder of an agent's terminal cannot be removed", "session", rec.ID, "why", err.Error())
	}
	if err := os.Remove(d.o.Layout.HostSocket(rec.ID)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.log.Warn("the socket of an agent's terminal cannot be removed", "session", rec.ID, "why", err.Error())
	}
}
