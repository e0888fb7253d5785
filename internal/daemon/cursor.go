package daemon

import (
	"sync"
	"time"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/orchestrate"
	"github.com/termio-sh/termio/internal/transcript"
)

// answerTime is how long after the end of a turn its answer may still be on the
// way into the transcript.
const answerTime = time.Second

// startingTime is how long at most it is waited for sessions of the same agent
// that are being started.
const startingTime = 5 * time.Second

// counters count the lines of transcripts, one for each format.
type counters struct {
	mu       sync.Mutex
	byFormat map[string]*transcript.Counter
}

func (c *counters) of(format string) *transcript.Counter {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byFormat[format] == nil {
		if c.byFormat == nil {
			c.byFormat = map[string]*transcript.Counter{}
		}
		c.byFormat[format] = transcript.NewCounter(format)
	}
	return c.byFormat[format]
}

// formatOf is the layout of a session's transcript, "" when it is not known.
func (d *Daemon) formatOf(s *session) string {
	if s.record.Kind == hostproto.KindACP {
		return transcript.Journal
	}
	if m, ok := d.agents.catalog.get().ByID(s.record.Agent); ok && m.Transcript != nil {
		return m.Transcript.Format
	}
	return ""
}

// cursor is a session's transcript and how many lines it has; nil when that is
// not known.
func (d *Daemon) cursor(s *session) (path string, lines *int) {
	if path = d.transcriptPath(s); path == "" {
		return "", nil
	}
	n, err := d.counters.of(d.formatOf(s)).Lines(path)
	if err != nil {
		return path, nil
	}
	return path, &n
}

// transcriptPath is where a session's conversation is written to: what the agent
// said, else what is found by its id. The host is told of what is found, so that
// it counts the lines before a prompt itself.
func (d *Daemon) transcriptPath(s *session) string {
	if s.record.Kind == hostproto.KindACP {
		return d.journalOf(&s.record)
	}
	path, c := s.record.Transcript(), s.record.Conversation
	if path != "" || c == nil {
		return path
	}
	_, path, err := d.transcriptOf(d.life, s)
	if err != nil {
		return "" // not there yet
	}
	found := *c
	found.Transcript = path
	if s.live {
		told := *s
		go func() {
			err := d.ask(d.life, told, askTime, hostproto.OpConverse, hostproto.ConverseRequest{Was: c.ID, Conversation: &found}, nil)
			if err != nil {
				d.log.Info("a host was not told of its transcript", "session", told.record.ID, "why", err.Error())
			}
		}()
	}
	return path
}

// linesBefore is cursor's number, for a host that cannot count.
func (d *Daemon) linesBefore(s *session) *int {
	_, lines := d.cursor(s)
	return lines
}

// answered is cursor for a turn that has just ended, once what the agent
// answered is there: some write it a moment after they say that they are done.
func (d *Daemon) answered(s *session) (path string, lines *int) {
	return d.answeredFrom(s, -1)
}

// answeredFrom looks for the answer from that line on; -1 is near the end.
func (d *Daemon) answeredFrom(s *session, from int) (path string, lines *int) {
	now := *s
	s = &now
	d.awaitConversation(s)
	format, seen := d.formatOf(s), -1
	for began, pause := time.Now(), 2*time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		path, lines = d.cursor(s)
		if lines == nil || format == "" || s.status.Error != "" || time.Since(began) > answerTime {
			return path, lines
		}
		if *lines != seen {
			if seen = *lines; hasAnswer(format, path, from, seen) {
				return path, lines
			}
		}
		time.Sleep(pause)
	}
}

// awaitConversation waits until the conversation of a session is known whose
// agent makes its own ids: a short turn can be over before anybody has looked
// into the agent's store. While another session of the agent is being started
// nothing can be told from the store, which is waited for, too.
func (d *Daemon) awaitConversation(s *session) {
	m := d.finder.seeks(*s)
	if m == nil {
		return
	}
	began := time.Now()
	unknown := func() bool { return s.live && s.record.Conversation == nil && s.record.Unknown == "" }
	for unknown() {
		if took := time.Since(began); took > startingTime || took > answerTime && !d.finder.startingBefore(m.ID, time.Now()) {
			return
		}
		d.finder.hurry()
		select {
		case <-time.After(50 * time.Millisecond):
		case <-d.life.Done():
			return
		}
		later, ok := d.roster.get(s.record.ID)
		if !ok {
			return
		}
		s.record.Conversation, s.record.Unknown, s.live = later.record.Conversation, later.record.Unknown, later.live
	}
}

// nearEnd is how many lines before the end an answer is looked for when it is
// not known where its turn began.
const nearEnd = 50

// hasAnswer tells whether the last thing said in those lines is the agent's.
func hasAnswer(format, path string, from, to int) bool {
	if from < 0 {
		from = max(0, to-nearEnd)
	}
	said, err := transcript.Read(format, path, from, to)
	if err != nil {
		return true // it cannot be told
	}
	for i := len(said) - 1; i >= 0; i-- {
		switch m := said[i]; {
		case m.Role == transcript.Assistant && m.Text != "":
			return true
		case m.Role == transcript.User, m.Tool != nil:
			return false
		}
	}
	return false
}

// cursors puts the lines that answer into the reply of a wait.
func (d *Daemon) cursors(out *api.WaitReply, s *session, before *hostproto.Before, o orchestrate.Outcome) {
	from := 0
	if before != nil && before.Transcript != "" && before.Transcript == d.transcriptPath(s) {
		if before.Lines == nil {
			out.Transcript = before.Transcript
			return
		}
		// A file that has fewer lines now was written anew.
		if _, now := d.cursor(s); now == nil || *now >= *before.Lines {
			from = *before.Lines
		}
	}
	if !o.TimedOut && o.Status == orchestrate.Done {
		out.Transcript, out.CursorEnd = d.answeredFrom(s, from)
	} else {
		out.Transcript, out.CursorEnd = d.cursor(s)
	}
	if out.CursorEnd != nil {
		if from > *out.CursorEnd {
			from = 0
		}
		out.Cursor = &from
	}
}
