package daemon

import (
	"testing"

	"github.com/termio-sh/termio/internal/hostproto"
)

func TestTitlesTurnNothing(t *testing.T) {
	rec := hostproto.Record{LiveTitle: "a\u202eb\u2066c\u200ed"}
	if got := shownTitle(&rec); got != "abcd" {
		t.Errorf("%q", got)
	}
	r := newRoster()
	r.add(rec)
	r.event(rec.ID, &hostproto.Event{Type: hostproto.EventTitle, Title: "x\u2069y"})
	if s, _ := r.get(rec.ID); s.title != "xy" {
		t.Errorf("from an event: %q", s.title)
	}
}

func TestDescriptions(t *testing.T) {
	for _, tt := range []struct {
		agent, state, channel, said, want string
	}{
		{"terminal", "idle", "", "", "terminal"},
		{"terminal", "done", "mark", "", "finished"},
		{"terminal", "needs-you", "bell", "", "rang the bell"},
		{"codex", "idle", "", "", "ready for input"},
		{"codex", "needs-you", "bell", "", "rang the bell"},
		{"codex", "needs-you", "hook", "", "waiting for an answer"},
		{"codex", "needs-you", "bell", "permission", "permission"},
		{"codex", "done", "bell", "", "finished its turn"},
	} {
		s := session{
			record: hostproto.Record{ID: "1a2b3c4d-0000-4000-8000-000000000001", Agent: tt.agent},
			status: hostproto.Status{State: tt.state, Description: tt.said, Cause: hostproto.Cause{Channel: tt.channel}},
		}
		if got := row(&s).Description; got != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}
