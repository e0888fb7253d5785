package acphost

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/acp"
	"github.com/termio-sh/termio/internal/testkit/acpagent"
)

// Rows 140–143: pages are followed to their end or to one of three caps; what
// was found is kept, and where it goes on is told.
func TestRow142ListCaps(t *testing.T) {
	const dir = "/w"
	row := func(id, cwd string) acp.SessionInfo { return acp.SessionInfo{SessionID: acp.SessionId(id), Cwd: cwd} }
	pages := func(n, rows int) (out []acpagent.Page) {
		for p := range n {
			one := acpagent.Page{Next: fmt.Sprint(p + 1)}
			for i := range rows {
				one.Sessions = append(one.Sessions, row(fmt.Sprintf("%d-%d", p, i), dir))
			}
			out = append(out, one)
		}
		return out
	}
	slow := func(d time.Duration) map[string]time.Duration { return map[string]time.Duration{"session/list": d} }
	list := []string{"list"}
	for _, c := range []struct {
		name  string
		agent acpagent.Config
		rows  int
		next  string
		asked int
		took  time.Duration
		err   string
	}{
		{"to the end", acpagent.Config{Caps: list, Pages: append(pages(3, 2), acpagent.Page{Sessions: []acp.SessionInfo{row("0-1", dir), row("last", dir+"/sub/x")}})}, 7, "", 4, 0, ""},
		{"not of other directories", acpagent.Config{Caps: list, Pages: []acpagent.Page{{Sessions: []acp.SessionInfo{row("a", dir), row("b", dir+"2"), row("c", "/"), row("d", dir+"/")}}}}, 2, "", 1, 0, ""},
		{"a cursor that stays", acpagent.Config{Caps: list, Pages: pages(1, 1)}, 1, "", 2, 0, ""},
		{"200 pages", acpagent.Config{Caps: list, Pages: pages(300, 0)}, 0, "200", 200, 0, ""},
		{"500 rows, this page again", acpagent.Config{Caps: list, Pages: pages(5, 300)}, 500, "1", 2, 0, ""},
		{"500 rows exactly", acpagent.Config{Caps: list, Pages: pages(5, 250)}, 500, "2", 2, 0, ""},
		{"5 seconds", acpagent.Config{Caps: list, Pages: pages(9, 1), Delay: slow(2 * time.Second)}, 2, "2", 3, 5 * time.Second, ""},
		{"a slow first page", acpagent.Config{Caps: list, Pages: pages(9, 1), Delay: slow(14 * time.Second)}, 1, "1", 1, 14 * time.Second, ""},
		{"no first page", acpagent.Config{Caps: list, Pages: pages(1, 1), Delay: slow(time.Minute)}, 0, "", 1, 15 * time.Second, "session/list: timed out after 15s"},
		{"a later page breaks", acpagent.Config{Caps: list, Pages: append(pages(2, 1), acpagent.Page{Fail: acp.Errorf(-32603, "no")})}, 2, "2", 3, 0, ""},
		{"the first page breaks", acpagent.Config{Caps: list, Pages: []acpagent.Page{{Fail: acp.Errorf(-32603, "not now")}}}, 0, "", 1, 0, "not now"},
	} {
		bubble(t, c.name, func(t *testing.T) {
			r := newRig(t, c.agent, func(o *Options) { o.Dir = dir })
			began := time.Now()
			found, err := r.s.Run(t.Context(), Errand{Kind: ErrandSessions})
			took := time.Since(began)
			if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Fatalf("%v, want %q", err, c.err)
			}
			if c.err == "" && (!found.Supported || len(found.Sessions) != c.rows || found.NextCursor != c.next) {
				t.Errorf("%v, %d rows, cursor %q", found.Supported, len(found.Sessions), found.NextCursor)
			}
			if n := r.heard("session/list"); n != c.asked || took != c.took {
				t.Errorf("asked %d times in %v, want %d in %v", n, took, c.asked, c.took)
			}
		})
	}
	bubble(t, "an agent that cannot", func(t *testing.T) {
		r := newRig(t, acpagent.Config{}, nil)
		found, err := r.s.Run(t.Context(), Errand{Kind: ErrandSessions})
		if err != nil || found.Supported || found.Sessions == nil || r.heard("session/list") != 0 {
			t.Errorf("%+v, %v", found, err)
		}
	})
	bubble(t, "it goes on at a cursor", func(t *testing.T) {
		r := newRig(t, acpagent.Config{Caps: list, Pages: []acpagent.Page{{Sessions: []acp.SessionInfo{row("a", dir)}}}}, func(o *Options) { o.Dir = dir })
		if _, err := r.s.Run(t.Context(), Errand{Kind: ErrandSessions, Cursor: "7"}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(acpagent.Heard(r.heardLog), "\n"); !strings.Contains(got, `"cursor":"7"`) || !strings.Contains(got, `"cwd":"/w"`) {
			t.Error(got)
		}
	})
}

// §3.9: messages of a replay that have ids of their own are not one: users'
// become lines, the agent's become parts, so that a placeholder is a whole one.
func TestReplayTellsMessagesApart(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		chunk := func(kind, id, text string) string {
			return fmt.Sprintf(`update {"sessionUpdate":%q,"messageId":%q,"content":{"type":"text","text":%q}}`, kind, id, text)
		}
		r := newRig(t, acpagent.Config{Caps: []string{"load"}, Replay: []string{
			chunk(acp.UpdateUser, "u1", "one "), chunk(acp.UpdateUser, "u1", "and"), chunk(acp.UpdateUser, "u2", "two"),
			chunk(acp.UpdateMessage, "m1", "No response requested."), chunk(acp.UpdateMessage, "m2", "Hello "), chunk(acp.UpdateMessage, "m2", "there"),
			chunk(acp.UpdateThought, "t1", "a"), chunk(acp.UpdateThought, "t2", "b"),
		}}, nil)
		found, err := r.s.Run(t.Context(), Errand{Kind: ErrandLoad, Session: "s"})
		if err != nil || len(found.Lines) != 3 {
			t.Fatalf("%+v, %v", found.Lines, err)
		}
		if l := found.Lines; l[0].Text != "one and" || l[1].Text != "two" || l[2].Text != "Hello there" || l[2].Reasoning != "a\n\nb" {
			t.Errorf("%+v", l)
		}
	})
}
