package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// adoptStrays takes in the sessions that have no directory any more, as when
// somebody removed the home around them: their hosts run on and open their
// sockets anew. known are those with a directory.
func (d *Daemon) adoptStrays(known []string, looked *sync.WaitGroup) {
	theirs := map[string]bool{}
	for _, id := range known {
		theirs[d.o.Layout.HostSocket(id)] = true
	}
	dir := filepath.Dir(d.o.Layout.HostSocket(""))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // nobody listens there
	}
	for _, e := range entries {
		socket := filepath.Join(dir, e.Name())
		if strings.HasSuffix(socket, ".sock") && !theirs[socket] {
			looked.Add(1)
			d.follows.Go(func() { d.adoptStray(socket, looked.Done) })
		}
	}
}

func (d *Daemon) adoptStray(socket string, looked func()) {
	c, info, err := d.greet("", socket)
	if err != nil {
		looked()
		return // what a host that was killed left
	}
	c.Close()
	id := info.Record.ID
	if !isSessionID(id) || d.o.Layout.HostSocket(id) != socket {
		looked()
		d.log.Warn("a stranger listens among the hosts", "socket", socket)
		return
	}
	// For the host to write its record again.
	if err := os.Mkdir(d.o.Layout.SessionDir(id), 0o700); err != nil && !os.IsExist(err) {
		d.log.Warn("a session's directory cannot be made anew", "session", id, "why", err.Error())
	}
	d.roster.add(info.Record)
	d.startFollowing(id, looked)
}
