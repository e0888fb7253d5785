package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/termio-sh/termio/internal/atomicfile"
	"github.com/termio-sh/termio/internal/hostproto"
)

// maxRecord is the largest record that is read, in bytes.
const maxRecord = 1 << 20

// tombstoneName is the file in a session's directory in which the coordinator
// keeps the end of a session whose host could not write it.
const tombstoneName = "tombstone.json"

// errCorrupt is a file that is not what it should be.
var errCorrupt = errors.New("corrupt")

func readRecord(path string) (hostproto.Record, error) {
	var rec hostproto.Record
	if err := readJSON(path, &rec); err != nil {
		return rec, err
	}
	if rec.ID != filepath.Base(filepath.Dir(path)) || !filepath.IsAbs(rec.Socket) {
		return rec, fmt.Errorf("read %s: it is no record of this session: %w", path, errCorrupt)
	}
	return rec, nil
}

func readJSON(path string, into any) error {
	data, err := atomicfile.Read(path, maxRecord)
	if errors.Is(err, atomicfile.ErrTooLarge) || errors.Is(err, atomicfile.ErrNotRegular) {
		return fmt.Errorf("%w: %w", err, errCorrupt)
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("read %s: %w: %w", path, errCorrupt, err)
	}
	return nil
}

func writeTombstone(dir string, c hostproto.Closed) error {
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("write a tombstone: %w", err)
	}
	return atomicfile.Write(filepath.Join(dir, tombstoneName), append(data, '\n'), 0o600)
}

// adopt takes in every session on disk: the dead as tombstones, the living by
// following their hosts, all at once. It returns when each was looked at.
func (d *Daemon) adopt() {
	began := time.Now()
	entries, err := os.ReadDir(d.o.Layout.SessionsDir())
	if err != nil {
		d.problems.add("records", problem{file: d.o.Layout.SessionsDir(), rule: ruleRecord, message: err.Error()})
	}
	var looked sync.WaitGroup
	var known []string
	for _, e := range entries {
		if id := e.Name(); e.IsDir() && isSessionID(id) {
			known = append(known, id)
			d.adoptOne(id, &looked)
		}
	}
	d.adoptStrays(known, &looked)
	all := make(chan struct{})
	go func() { looked.Wait(); close(all) }()
	select {
	case <-all:
	case <-time.After(adoptionTime):
		d.log.Warn("not every host has answered yet")
	}
	close(d.adopted)
	d.log.Info("adopted", "live", d.roster.live(), "ms", time.Since(began).Milliseconds())
	d.prune()
}

func isSessionID(name string) bool {
	id, err := uuid.Parse(name)
	return err == nil && id.String() == name
}

func (d *Daemon) adoptOne(id string, looked *sync.WaitGroup) {
	path := d.o.Layout.Record(id)
	rec, err := readRecord(path)
	switch {
	case errors.Is(err, errCorrupt):
		why := err.Error()
		if aside, e := atomicfile.SetAside(path, time.Now()); e == nil {
			why += "; it was set aside as " + filepath.Base(aside)
		} else {
			why += "; " + e.Error()
		}
		d.problems.add("records", problem{file: path, rule: ruleRecord, message: why})
		d.adoptByHost(id, looked)
		return
	case errors.Is(err, os.ErrNotExist):
		d.adoptByHost(id, looked)
		return
	case err != nil:
		d.problems.add("records", problem{file: path, rule: ruleRecord, message: err.Error()})
		d.adoptByHost(id, looked)
		return
	}
	if rec.Closed == nil {
		var lost hostproto.Closed
		if readJSON(filepath.Join(d.o.Layout.SessionDir(id), tombstoneName), &lost) == nil {
			rec.Closed = &lost
		}
	}
	if rec.Kind == hostproto.KindAgentTerminal && hostproto.Gone(rec.HostPID, rec.HostBoot) {
		d.forgetTerminal(rec)
		return
	}
	d.roster.add(rec)
	if rec.Closed == nil {
		looked.Add(1)
		d.startFollowing(id, looked.Done)
	}
}

// adoptByHost takes in a session without a usable record, if its host answers
// where it would listen.
func (d *Daemon) adoptByHost(id string, looked *sync.WaitGroup) {
	socket := d.o.Layout.HostSocket(id)
	if _, err := os.Lstat(socket); err != nil {
		return
	}
	looked.Add(1)
	d.follows.Add(1)
	go func() {
		defer d.follows.Done()
		c, info, err := d.greet(id, socket)
		if err != nil {
			looked.Done()
			d.log.Warn("a session without a record has no host", "session", id, "why", err.Error())
			return
		}
		c.Close()
		d.roster.add(info.Record)
		d.startFollowing(id, looked.Done)
	}()
}

// Limits of tombstones.
const (
	maxTombstones = 500
	maxTombAge    = 30 * 24 * time.Hour
	maxOrphanAge  = 24 * time.Hour // of a directory without a record
)

// tombstone is a session that is over.
type tombstone struct {
	id string
	at time.Time // when it ended
}

// tooMany are the tombstones to be forgotten: those older than maxTombAge, and
// the oldest of more than maxTombstones.
func tooMany(tombs []tombstone, now time.Time) []string {
	tombs = slices.Clone(tombs)
	slices.SortFunc(tombs, func(a, b tombstone) int { // newest first
		if c := b.at.Compare(a.at); c != 0 {
			return c
		}
		return strings.Compare(a.id, b.id)
	})
	var out []string
	for i, t := range tombs {
		if i >= maxTombstones || now.Sub(t.at) > maxTombAge {
			out = append(out, t.id)
		}
	}
	return out
}

// prune forgets old tombstones and what is left of sessions that never were.
func (d *Daemon) prune() {
	var tombs []tombstone
	for _, s := range d.roster.all(everything, false) {
		tombs = append(tombs, tombstone{s.record.ID, s.record.Closed.At})
	}
	now := time.Now()
	for _, id := range tooMany(tombs, now) {
		if err := os.RemoveAll(d.o.Layout.SessionDir(id)); err != nil {
			d.log.Warn("an old session could not be removed", "session", id, "why", err.Error())
			continue
		}
		d.roster.remove(id)
	}
	entries, err := os.ReadDir(d.o.Layout.SessionsDir())
	if err != nil {
		return // adopt has reported it
	}
	for _, e := range entries {
		id := e.Name()
		if _, known := d.roster.get(id); known || !isSessionID(id) {
			continue
		}
		info, err := e.Info()
		if err != nil || now.Sub(info.ModTime()) < maxOrphanAge || hasRecord(d.o.Layout.SessionDir(id)) {
			continue
		}
		if err := os.RemoveAll(d.o.Layout.SessionDir(id)); err != nil {
			d.log.Warn("what is left of a session could not be removed", "session", id, "why", err.Error())
		}
	}
}

// hasRecord reports whether a session's directory holds its record, or one
// that was set aside.
func hasRecord(dir string) bool {
	found, err := filepath.Glob(filepath.Join(dir, "record.json*"))
	return err != nil || len(found) > 0
}
