package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/orchestrate"
)

// heartbeatEvery is how long a watch may be silent (session-control document).
const heartbeatEvery = 30 * time.Second

// serveWatch answers a call with a stream of status changes.
func (d *Daemon) serveWatch(w http.ResponseWriter, r *http.Request, v api.Verb) {
	body, err := d.accept(w, r, v)
	if err != nil {
		d.reply(w, nil, err)
		return
	}
	var q api.WatchRequest
	if err := json.Unmarshal(body, &q); err != nil {
		d.reply(w, nil, api.Errorf(api.CodeBadRequest, "the request cannot be read: %v", err))
		return
	}
	stamp(r.Context(), &q)
	if err := d.admit(r.Context(), v); err != nil {
		d.reply(w, nil, err)
		return
	}
	// It ends with the coordinator, which is what tells its client.
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(d.ctx, cancel)()
	out := http.NewResponseController(w)
	begun := false
	err = d.watchSessions(ctx, q, func(line []byte) error {
		if !begun {
			begun = true
			w.Header().Set("Content-Type", "application/x-ndjson")
			w.WriteHeader(http.StatusOK)
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
		return out.Flush()
	})
	if err != nil && !begun {
		d.reply(w, nil, err)
	}
}

// watchSessions writes what a caller wants to hear of, line by line, until ctx
// ends or write fails. The first write is empty: the watch has begun.
func (d *Daemon) watchSessions(ctx context.Context, q api.WatchRequest, write func(line []byte) error) error {
	who, err := d.caller(q.Caller)
	if err != nil {
		return err
	}
	wanted, err := watchStates(q.States)
	if err != nil {
		return err
	}
	f, known, end := d.roster.subscribe(interest{scope: who.scope, steps: true, stalled: wanted[orchestrate.Stalled]})
	defer end()
	if wanted[orchestrate.Stalled] {
		defer d.stalls.want()()
	}
	if err := write(nil); err != nil {
		return nil
	}
	if q.NoSnapshot {
		known = nil
	}
	watcher{feed: f, wanted: wanted, write: write, line: d.watchLine, snapshot: func(s *session) []byte {
		return d.encodeEvent(d.snapshotEvent(s))
	}, known: func() []session { return d.roster.all(who.scope, true) }}.run(ctx, known)
	return nil
}

// watchStates checks the names of states.
func watchStates(names []string) (map[string]bool, error) {
	if len(names) == 0 {
		names = orchestrate.DefaultWatch()
	}
	wanted := map[string]bool{}
	for _, name := range names {
		if !slices.Contains(orchestrate.WatchStates(), name) {
			return nil, api.Errorf(api.CodeBadRequest, "there is no state %q to watch for; there are: %s", name, strings.Join(orchestrate.WatchStates(), ", "))
		}
		wanted[name] = true
	}
	return wanted, nil
}

// watcher is one watch at work.
type watcher struct {
	feed     *feed
	wanted   map[string]bool
	write    func([]byte) error
	line     func(*change) []byte
	snapshot func(*session) []byte
	known    func() []session // for a snapshot anew
}

// run writes the snapshot and then what happens. It ends with ctx, or when a
// write fails. A silence of heartbeatEvery is broken by a heartbeat.
func (w watcher) run(ctx context.Context, known []session) {
	silence := time.NewTimer(heartbeatEvery)
	defer silence.Stop()
	say := func(line []byte) bool {
		if w.write(line) != nil {
			return false
		}
		silence.Reset(heartbeatEvery)
		return true
	}
	tell := func(sessions []session) bool {
		var all []byte
		for i := range sessions {
			all = append(all, w.snapshot(&sessions[i])...)
		}
		return len(all) == 0 || say(all)
	}
	if !tell(known) {
		return
	}
	heartbeat, _ := api.Encode(api.Heartbeat{Heartbeat: true})
	lostLine, _ := api.Encode(api.Lost{SchemaVersion: api.SchemaVersion, Lost: true})
	var batch []*change
	for {
		select {
		case <-ctx.Done():
			return
		case <-silence.C:
			if !say(heartbeat) {
				return
			}
		case <-w.feed.wake:
			var lost bool
			batch, lost = w.feed.take(batch)
			if lost && !(say(lostLine) && tell(w.known())) {
				return
			}
			if lost {
				continue // what waits is older than the snapshot
			}
			for _, c := range batch {
				if w.wanted[c.step.Status] && !say(w.line(c)) {
					return
				}
			}
		}
	}
}

// watchLine is the event of a step, made once for all who hear of it.
func (d *Daemon) watchLine(c *change) []byte {
	c.once.Do(func() {
		e := event(&c.session, c.step.Status)
		switch c.step.Status {
		case orchestrate.NeedsYou:
			e.Prompt, e.Options = c.step.Prompt, c.step.Options
			if now, ok := d.roster.get(c.session.record.ID); ok && now.status.State == orchestrate.NeedsYou && now.status.Asked == c.step.Asked {
				e.Prompt = d.prompt(d.life, &now, c.step.Prompt)
			}
			e.PromptID = promptID(&c.session.record, c.step.Asked)
		case orchestrate.Done:
			e.Error = c.session.status.Error
			e.Transcript, e.CursorEnd = d.answered(&c.session)
		case orchestrate.Stalled:
			e.Evidence = c.evidence
		case orchestrate.Closed:
			e.Closed = closedOf(&c.session)
		}
		c.line = d.encodeEvent(e)
	})
	return c.line
}

// snapshotEvent tells what a session is now.
func (d *Daemon) snapshotEvent(s *session) api.WatchEvent {
	e := event(s, s.status.State)
	e.Snapshot = true
	switch s.status.State {
	case orchestrate.NeedsYou:
		e.Prompt, e.Options = d.prompt(d.life, s, s.status.Question), s.status.Options
		e.PromptID = promptID(&s.record, s.status.Asked)
	case orchestrate.Done:
		e.Error = s.status.Error
		e.Transcript, e.CursorEnd = d.cursor(s)
	}
	return e
}

func event(s *session, status string) api.WatchEvent {
	return api.WatchEvent{
		SchemaVersion: api.SchemaVersion, Link: s.link(), Status: status, Title: s.title, Cwd: s.record.Cwd,
	}
}

func (d *Daemon) encodeEvent(e api.WatchEvent) []byte {
	line, err := api.Encode(e)
	if err != nil {
		d.log.Error("an event cannot be encoded", "why", fmt.Sprint(err))
		return nil
	}
	return line
}

// promptID names a question: the session, its launch, and the question's number
// in it. It is empty for a host that does not count them.
func promptID(r *hostproto.Record, asked int) string {
	if asked == 0 {
		return ""
	}
	return orchestrate.ShortID(r.ID) + "-" + strconv.FormatInt(int64(r.HostPID), 36) + "-" + strconv.Itoa(asked)
}

// questionOf is the number in a prompt id, when it is one of this launch of the
// session.
func questionOf(r *hostproto.Record, id string) (asked int, ok bool) {
	i := strings.LastIndexByte(id, '-')
	if i < 0 {
		return 0, false
	}
	asked, err := strconv.Atoi(id[i+1:])
	return asked, err == nil && asked > 0 && promptID(r, asked) == id
}
