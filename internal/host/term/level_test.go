//go:build unix

package term

import (
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
)

func TestBudget(t *testing.T) {
	var b budget
	count := func(now time.Time, tries int) int {
		n := 0
		for range tries {
			if b.allow(now) {
				n++
			}
		}
		return n
	}
	now := epoch
	if n := count(now, 1000); n != levelBurst {
		t.Errorf("%d at once, want %d", n, levelBurst)
	}
	now = now.Add(3*levelEvery + levelEvery/2)
	if n := count(now, 1000); n != 3 {
		t.Errorf("%d after three intervals", n)
	}
	now = now.Add(levelEvery / 2)
	if n := count(now, 1000); n != 1 {
		t.Errorf("%d after half an interval more", n)
	}
	now = now.Add(time.Hour)
	if n := count(now, 1000); n != levelBurst {
		t.Errorf("%d after a long silence, want %d", n, levelBurst)
	}
}

// TestFloodOfEvents: a program that does nothing but ring, rename itself and
// change its state is heard, and its last word is the one that stays.
func TestFloodOfEvents(t *testing.T) {
	spec := testSpec(t, `printf READY; read x; i=0; while [ $i -lt 20000 ]; do printf '\007\033]0;title %d\007\033]9;4;3;\007\033]9;4;0;\007\033]7;file:///d%d\007' $i $i; i=$((i+1)); done; printf END; read x`)
	spec.Record.Agent, spec.Manifest = "probe", []byte(`{"id":"probe","name":"Probe","command":"probe","progressStatus":true}`)
	h := startHost(t, spec)
	c := h.control()
	waitScreen(t, c, "READY", contains("READY"))
	if _, err := c.Subscribe(testContext(t)); err != nil {
		t.Fatal(err)
	}
	if err := c.Send(testContext(t), hostproto.OpSend, hostproto.SendRequest{Enter: true}); err != nil {
		t.Fatal(err)
	}
	events := map[string]int{}
	title, cwd := "", ""
	begin := time.Now()
	for title != "title 19999" || cwd != "/d19999" {
		m, err := c.Next(testContext(t))
		if err != nil {
			t.Fatalf("after %v: %v", events, err)
		}
		events[m.Event.Type]++
		switch m.Event.Type {
		case hostproto.EventTitle:
			title = m.Event.Title
		case hostproto.EventCwd:
			cwd = m.Event.Cwd
		}
	}
	most := levelBurst + int(time.Since(begin)/levelEvery) + 2
	for kind, n := range events {
		if n > most {
			t.Errorf("%d events %q in %v", n, kind, time.Since(begin))
		}
	}
	if events[hostproto.EventStatus] == 0 || events[hostproto.EventSignal] == 0 {
		t.Errorf("events %v", events)
	}
}
