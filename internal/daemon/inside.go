package daemon

import (
	"context"
	"net"
	"reflect"
	"slices"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/orchestrate"
	"github.com/termio-sh/termio/internal/peercred"
)

// processKey is where a call's context has the process that made it.
type processKey struct{}

// withProcess notes who is at the other end of a connection.
func withProcess(ctx context.Context, conn net.Conn) context.Context {
	pid := 0
	if c, ok := conn.(*visitor); ok {
		pid = c.pid
	}
	return context.WithValue(ctx, processKey{}, pid)
}

// stamp says in a request's caller, if it has one, which process made the call.
func stamp(ctx context.Context, request any) {
	pid, _ := ctx.Value(processKey{}).(int)
	if f := reflect.ValueOf(request).Elem().FieldByName("Caller"); f.IsValid() {
		if c, ok := f.Addr().Interface().(*api.Caller); ok {
			c.Process = pid
		}
	}
}

// around is the session that a process runs in, as the system sees it: its
// host is the nearest of all hosts above the process. A process cannot leave it
// by what it says of itself, nor by starting others that outlive it.
func (d *Daemon) around(pid int) (session, bool) {
	if pid <= 0 {
		return session{}, false
	}
	line := peercred.Ancestors(pid)
	nearest, found := len(line), session{}
	d.roster.mu.Lock()
	for _, s := range d.roster.byID {
		if at := slices.Index(line[:nearest], s.record.HostPID); at >= 0 && s.live && !s.isTerminal() {
			nearest, found = at, *s
		}
	}
	d.roster.mu.Unlock()
	if nearest == len(line) {
		return session{}, false
	}
	stampNow, err := hostproto.ProcessStamp(found.record.HostPID)
	return found, err == nil && stampNow == found.record.HostBoot
}

// inside is the session that the caller is in, by its word and token or by
// where its process stands; nil for a caller from outside.
func (d *Daemon) inside(c api.Caller) (*session, error) {
	stands, within := d.around(c.Process)
	if c.Session == "" {
		if within {
			return &stands, nil
		}
		return nil, nil
	}
	said, err := d.named(c)
	if err == nil && within && stands.record.ID != said.record.ID {
		err = orchestrate.Refuse(orchestrate.NoScope, "TERMIO_SESSION names %s, and this process runs in %s; leave the variables of a session as they are", said.link(), stands.link())
	}
	if err != nil {
		return nil, err
	}
	return &said, nil
}
