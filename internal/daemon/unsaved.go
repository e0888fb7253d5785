package daemon

import (
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
)

// keepEvery is how often a tombstone is tried to be written on a disk that is
// full.
const keepEvery = 2 * time.Second

// keepClosed sees to it that the end of a session whose host could not write it
// is on disk, however long the disk is full: else the next coordinator would
// take it for lost, and might start it again. It ends with the coordinator.
func (d *Daemon) keepClosed(id string, c hostproto.Closed) {
	for tries := 0; ; tries++ {
		if s, ok := d.roster.get(id); !ok || s.live {
			return // forgotten, or open again
		}
		if rec, err := readRecord(d.o.Layout.Record(id)); err == nil && rec.Closed != nil {
			return // its host could
		}
		err := writeTombstone(d.o.Layout.SessionDir(id), c)
		if err == nil {
			return
		}
		if tries == 0 {
			d.log.Warn("a session's end cannot be written yet", "session", id, "why", err.Error())
		}
		select {
		case <-d.life.Done():
			return
		case <-time.After(keepEvery):
		}
	}
}
