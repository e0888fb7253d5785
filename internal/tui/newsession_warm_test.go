package tui

import (
	"testing"

	"github.com/termio-sh/termio/internal/api"
)

// The form has an agent over ACP started while it is filled in, and lets it go
// when nothing comes of it.
func TestNewSessionWarms(t *testing.T) {
	d := full(t, 120, 40, func(s *Setup) { s.Kept.Agent = "codex" })
	take[Effect](d)
	d.press("n")
	calls := take[callEffect](d)
	d.say(calledMsg{Effect: calls[0], Reply: &api.AgentsReply{Agents: []api.Agent{{ID: "codex", Name: "Codex", Found: true}}}})
	d.m.overlay.(*newView).turnTo(fieldACP)
	asked := func(key string) api.ACPWarmRequest {
		t.Helper()
		d.press(key)
		calls := take[callEffect](d)
		if len(calls) != 1 || calls[0].Verb != api.VerbACPWarm {
			t.Fatalf("%q asked %+v", key, calls)
		}
		d.say(calledMsg{Effect: calls[0], Err: api.Errorf(api.CodeBadRequest, "never")}) // that is nobody's concern
		return calls[0].Request.(api.ACPWarmRequest)
	}
	if r := asked("space"); r.Agent != "codex" || r.End || r.Dir != "/home/u/shop" {
		t.Errorf("%+v", r)
	}
	if r := asked("space"); r.Agent != "codex" || !r.End {
		t.Errorf("%+v", r)
	}
	asked("space")
	if r := asked("esc"); r.Agent != "codex" || !r.End || d.m.overlay != nil {
		t.Errorf("%+v", r)
	}
	d.press("n")
	take[callEffect](d)
	if d.press("esc"); len(take[callEffect](d)) != 0 {
		t.Error("something was asked for nothing")
	}
}
