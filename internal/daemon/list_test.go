//go:build unix

package daemon

import (
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/project"
)

// A list that is put together of encoded rows is the one that would be encoded
// whole, whatever has happened since.
func TestEncodedList(t *testing.T) {
	r := newRoster()
	same := func(what string, in project.Scope) {
		t.Helper()
		reply := api.ListReply{Head: api.OKHead(), Project: in.Name, Sessions: r.rows(in, isShown)}
		relate(reply.Sessions)
		want, err := api.Encode(reply)
		if err != nil {
			t.Fatal(err)
		}
		none, _ := api.Encode(api.ListReply{Head: api.OKHead(), Project: in.Name, Sessions: []api.Session{}})
		for range 2 { // the second is of what the first kept
			got, err := r.encoded(in, none[:len(none)-len("]}\n")], "]}\n")
			if err != nil || string(got) != string(want) {
				t.Errorf("%s:\n%s\nwant\n%s, %v", what, got, want, err)
			}
		}
	}
	everywhere, one := everything, project.In("/src/one")
	same("nothing", everywhere)
	add := func(id, dir, parent string, seconds int) {
		r.add(hostproto.Record{
			ID: id, Agent: "claudeCode", AgentName: "Claude Code", Project: dir, Dir: dir, Parent: parent, State: "idle",
			Created: time.Unix(int64(seconds), 0), Socket: "/s",
		})
	}
	add("00000000-0000-4000-8000-000000000002", "/src/one", "", 2)
	add("00000000-0000-4000-8000-000000000001", "/src/two", "", 1)
	same("two", everywhere)
	same("one of them", one)
	add("00000000-0000-4000-8000-000000000003", "/src/one", "00000000-0000-4000-8000-000000000002", 3)
	same("a child", everywhere)
	for what, ev := range map[string]hostproto.Event{
		"a title":  {Type: hostproto.EventTitle, Title: "<b> & \"q\" \u2028"},
		"a status": {Type: hostproto.EventStatus, Status: &hostproto.Status{State: "needs-you", Description: "asks"}},
		"a place":  {Type: hostproto.EventCwd, Cwd: "/src/one/sub"},
	} {
		r.event("00000000-0000-4000-8000-000000000003", &ev)
		r.event("00000000-0000-4000-8000-000000000001", &ev)
		same(what, everywhere)
	}
	r.bury("00000000-0000-4000-8000-000000000003", hostproto.Closed{Reason: hostproto.ReasonUser})
	same("a child that has ended", one)
	r.remove("00000000-0000-4000-8000-000000000001")
	same("one that is forgotten", everywhere)
	if rows := r.rows(everywhere, isShown); len(rows) != 1 || rows[0].ID != "00000000" {
		t.Errorf("%+v", rows)
	}
}
