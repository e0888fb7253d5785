package orchestrate

import (
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
)

func TestRest(t *testing.T) {
	now := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	status := func(state string, since time.Duration) hostproto.Status {
		return hostproto.Status{State: state, Since: ago(since)}
	}
	submitted := func(d time.Duration) (r hostproto.Record) {
		r.Submits = []time.Time{ago(time.Hour), ago(d)}
		return r
	}
	asks := status(NeedsYou, time.Second)
	asks.Question, asks.Options = "Run it?", []string{"yes", "no"}
	for _, c := range []struct {
		name  string
		info  hostproto.Info
		rests bool
		again time.Duration // from now; 0 is none
	}{
		{"at work", hostproto.Info{Status: status(Working, time.Hour)}, false, 0},
		{"idle", hostproto.Info{Status: status(Idle, time.Hour)}, true, 0},
		{"done", hostproto.Info{Status: status(Done, time.Hour)}, true, 0},
		{"its prompt is on its way", hostproto.Info{Status: status(Idle, time.Hour), Pending: 3}, false, 0},
		{"a queued prompt follows", hostproto.Info{Status: status(Done, 0), Pending: 3}, false, 0},
		{"just submitted", hostproto.Info{Status: status(Idle, time.Hour), Record: submitted(time.Second)}, false, followTime - time.Second},
		{"submitted, and nothing came of it", hostproto.Info{Status: status(Idle, time.Hour), Record: submitted(followTime)}, true, 0},
		{"submitted, and over already", hostproto.Info{Status: status(Done, time.Millisecond), Record: submitted(time.Second)}, true, 0},
		{"its program has exited", hostproto.Info{Status: hostproto.Status{State: Done, Since: now, Cause: hostproto.Cause{Channel: "exit"}}}, false, followTime},
		{"asks", hostproto.Info{Status: asks, Pending: 3}, true, 0},
		{"asks, and its text is not whole yet", hostproto.Info{Status: status(NeedsYou, 0)}, false, -1},
	} {
		rests, again := Rest(c.info, new(Question), now)
		want := time.Time{}
		if c.again > 0 {
			want = now.Add(c.again)
		}
		if rests != c.rests || c.again >= 0 && !rests && !again.Equal(want) || c.again < 0 && !again.After(now) {
			t.Errorf("%s: %v, again at %v", c.name, rests, again)
		}
	}
}
