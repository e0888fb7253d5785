package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/version"
)

// Times of a connection to a host.
const (
	dialTimeout = 2 * time.Second
	firstPause  = 25 * time.Millisecond // before a host is tried again
	lastPause   = 5 * time.Second
)

// Bounds of the connections to hosts.
const (
	maxLines   = 1 << 20
	spareFiles = 48 // for callers, and for starting hosts
)

// linesOf is how many hosts can be connected at once where files files may be
// open: hosts must not take the last one, or nobody could call any more.
func linesOf(files int) int { return max(files-spareFiles, files/4, 1) }

var errNoLine = errors.New("too few files may be open to reach every session: raise the limit (ulimit -n), and `termio daemon restart`")

// start begins to follow a session's host. looked, which may be nil, is called
// once, when the host was reached or could not be.
func (d *Daemon) startFollowing(id string, looked func()) {
	if !d.roster.followed(id) {
		return // the one who followed its last host goes on
	}
	d.follows.Add(1)
	go func() {
		defer d.follows.Done()
		d.follow(id, looked)
		if s, ok := d.roster.get(id); ok && s.isTerminal() && !s.live {
			d.forgetTerminal(s.record)
		}
	}()
}

// follow keeps a connection to a session's host until the session is over, so
// that the roster changes when something happens and never by asking.
func (d *Daemon) follow(id string, looked func()) {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		reached, err := d.visit(id, func() {
			if looked != nil {
				looked()
				looked = nil
			}
		})
		if reached {
			pause = firstPause
		}
		over := d.life.Err() != nil || d.concluded(id)
		if looked != nil {
			looked() // only now is it known whether the session lives
			looked = nil
		}
		if over && d.roster.unfollowed(id, d.life.Err() != nil) {
			return
		}
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
			d.summon(id)
		}
		d.log.Info("a host cannot be reached and is tried again", "session", id, "why", fmt.Sprint(err), "in", pause.String())
		select {
		case <-time.After(pause):
		case <-d.life.Done():
			return
		}
	}
}

// summon makes a session's host look after its socket: it opens it anew when
// its file is gone, as when a user's runtime directory is cleared at logout. It
// reports whether the host was told. What ends other processes is nothing to a
// host, of any version.
func (d *Daemon) summon(id string) bool {
	s, ok := d.roster.get(id)
	if !ok || !s.live || s.record.HostBoot == "" {
		return false
	}
	stamp, err := hostproto.ProcessStamp(s.record.HostPID)
	if err != nil || stamp != s.record.HostBoot {
		return false
	}
	if err := hangUp(s.record.HostPID); err != nil {
		d.log.Warn("a host cannot be told that its socket is gone", "session", id, "why", err.Error())
		return false
	}
	return true
}

// summonLost summons the hosts whose sockets are gone, also those that are
// connected: everybody else needs the sockets to reach them.
func (d *Daemon) summonLost() {
	for _, s := range d.roster.all(everything, true) {
		if _, err := os.Lstat(s.record.Socket); errors.Is(err, fs.ErrNotExist) && d.summon(s.record.ID) {
			d.log.Warn("a host's socket is gone", "session", s.record.ID)
		}
	}
}

// visit connects to a session's host and takes its events until the connection
// ends. It reports whether it was reached.
func (d *Daemon) visit(id string, looked func()) (reached bool, err error) {
	s, ok := d.roster.get(id)
	if !ok {
		return false, errors.New("it was forgotten")
	}
	select {
	case d.lines <- struct{}{}:
		defer func() { <-d.lines }()
	default:
		return false, errNoLine
	}
	c, info, err := d.greet(id, s.record.Socket)
	if err != nil {
		return false, err
	}
	defer c.Close()
	d.roster.connected(id, c, info)
	defer d.roster.disconnected(id, c)
	for i := range info.Terminals {
		d.takeTerminal(id, info.Terminals[i])
	}
	looked()
	for {
		m, err := c.Next(d.life)
		if err != nil {
			return true, err
		}
		if m.Event != nil {
			d.roster.event(id, m.Event)
			if r := m.Event.Terminal; r != nil {
				d.takeTerminal(id, *r)
			}
			d.converses(id, m.Event)
			d.worked(s.record, m.Event)
			if m.Event.Type == hostproto.EventDelivery && m.Event.Delivery != nil && m.Event.Delivery.Error != nil {
				d.log.Warn("a payload was not delivered", "session", id, "why", m.Event.Delivery.Error.Error())
			}
		}
	}
}

// greet opens a connection to the host at socket, makes sure that it is the
// host of this session (of any, when id is empty), and subscribes to its
// events.
func (d *Daemon) greet(id, socket string) (*hostproto.Client, hostproto.Info, error) {
	ctx, cancel := context.WithTimeout(d.life, dialTimeout)
	defer cancel()
	c, err := hostproto.Dial(ctx, socket, hostproto.Hello{
		Role: hostproto.RoleControl, Client: "termio " + version.Version + " coordinator",
	})
	if err != nil {
		return nil, hostproto.Info{}, err
	}
	info, err := c.Subscribe(ctx)
	if err == nil && id != "" && info.Record.ID != id {
		err = fmt.Errorf("the host at %s is that of session %s", socket, info.Record.ID)
	}
	if err != nil {
		c.Close()
		return nil, hostproto.Info{}, err
	}
	return c, info, nil
}

// concluded reports whether a session is over: its host said so, or it has
// certainly ended. In doubt it is not.
func (d *Daemon) concluded(id string) bool {
	s, ok := d.roster.get(id)
	if !ok || !s.live {
		return true
	}
	if s.isTerminal() {
		if _, err := os.Lstat(s.record.Socket); errors.Is(err, fs.ErrNotExist) {
			d.roster.bury(id, hostproto.Closed{At: time.Now().UTC(), Reason: hostproto.ReasonExited})
			return true
		}
	}
	if !hostproto.Gone(s.record.HostPID, s.record.HostBoot) {
		return false
	}
	if socket := s.record.Socket; filepath.Dir(socket) == filepath.Dir(d.o.Layout.HostSocket(id)) {
		os.Remove(socket) // nobody listens there any more
	}
	if s.isTerminal() {
		d.roster.bury(id, hostproto.Closed{At: time.Now().UTC(), Reason: hostproto.ReasonHostLost})
		return true
	}
	// The host is the record's only writer, and it writes no more.
	if rec, err := readRecord(d.o.Layout.Record(id)); err == nil && rec.Closed != nil {
		d.roster.bury(id, *rec.Closed)
		return true
	}
	lost := hostproto.Closed{At: time.Now().UTC(), Reason: hostproto.ReasonHostLost}
	d.log.Warn("a session's host is gone", "session", id, "pid", s.record.HostPID)
	if rec, err := readRecord(d.o.Layout.Record(id)); err == nil {
		d.endLeftovers(rec) // before it can be reopened: a conversation has one writer
	}
	// Before anybody can hear of it, so that the next coordinator says the same.
	if err := writeTombstone(d.o.Layout.SessionDir(id), lost); err != nil {
		d.log.Error("a tombstone could not be written", "session", id, "why", err.Error())
	}
	d.roster.bury(id, lost)
	return true
}
