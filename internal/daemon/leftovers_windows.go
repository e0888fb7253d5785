package daemon

import (
	"context"

	"github.com/termio-sh/termio/internal/hostproto"
)

func (d *Daemon) endLeftovers(hostproto.Record) {}

func (d *Daemon) endHost(_ context.Context, rec hostproto.Record) bool {
	return hostproto.Gone(rec.HostPID, rec.HostBoot)
}
