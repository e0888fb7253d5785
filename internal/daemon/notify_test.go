//go:build unix

package daemon

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/config"
	"github.com/termio-sh/termio/internal/hostproto"
)

// noted is what the user's command was given.
type noted struct {
	Event, Kind, Title, Text, Link string
}

func (h *home) notes() []noted {
	h.Helper()
	data, err := os.ReadFile(filepath.Join(h.user, "notes"))
	if err != nil && !os.IsNotExist(err) {
		h.Fatal(err)
	}
	var out []noted
	for line := range strings.Lines(string(data)) {
		var n noted
		if err := json.Unmarshal([]byte(line), &n); err != nil {
			h.Fatal(err)
		}
		out = append(out, n)
	}
	return out
}

// viewer attaches to a session and gives the notices that come.
func (h *home) viewer(target string) (notices chan hostproto.Notice, leave func()) {
	h.Helper()
	c, err := hostproto.Dial(h.Context(), h.record(target).Socket, hostproto.Hello{Role: hostproto.RoleInteract, Size: &hostproto.Size{Cols: 80, Rows: 24}})
	if err != nil {
		h.Fatal(err)
	}
	notices = make(chan hostproto.Notice, 16)
	go func() {
		for {
			m, err := c.Next(h.Context())
			if err != nil {
				return
			}
			if m.Event != nil && m.Event.Type == hostproto.EventNotice {
				notices <- *m.Event.Notice
			}
		}
	}()
	return notices, func() { c.Close() }
}

// A question is told once on every channel: the user's command, and the
// terminals that show another session. Looking at it takes the note back, and
// while somebody looks nothing is told.
func TestNotifications(t *testing.T) {
	h := newHome(t)
	h.settings(func(s *config.Settings) {
		s.Notifications.Command = `cat >>"$HOME/notes"`
		off, long := false, time.Hour // so that no turn of a slow machine is told
		s.Notifications.Desktop, s.Notifications.After = &off, &long
	})
	h.manifest("asker", `{"id":"asker","name":"Asker","command":"asker"}`)
	h.script("asker", `say() { printf '\033]7501;%s\033\\' "$1"; }
say state=working; read a
say state=blocked:kind=question:msg=TWF5IEk/; read b
say state=working; say state=blocked:kind=question:msg=QWdhaW4/; read c
say state=working; read d; say state=done; read e`)
	other := h.run("true")
	notices, leave := h.viewer(other)
	defer leave()
	r, err := h.client.Spawn(t.Context(), api.SpawnRequest{Caller: h.caller(), Agent: "asker", Title: "the fix", Env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	is := func(status string) {
		t.Helper()
		h.eventually(status, func() bool { s, ok := h.find(r.Target); return ok && s.Status == status })
	}
	enter := func() {
		t.Helper()
		if _, err := h.client.Send(t.Context(), api.SendRequest{Caller: h.caller(), Target: r.Target, Keys: []string{"enter"}}); err != nil {
			t.Fatal(err)
		}
	}
	is("working")
	enter()
	is("needs-you")
	h.eventually("the command is told", func() bool { return len(h.notes()) == 1 })
	if n := h.notes()[0]; n.Event != "notify" || n.Kind != "needs-you" || n.Text != "May I?" || n.Title != "the fix needs you (Asker)" || n.Link != r.Target {
		t.Errorf("told %+v", n)
	}
	if n := <-notices; n.Title != "the fix needs you (Asker)" || n.Text != "May I?" || !n.Bell || n.Withdraw || n.Session == "" {
		t.Errorf("the terminal of the other session: %+v", n)
	}
	// Somebody looks: it is taken back, once, and the next question is not told.
	_, stop := h.viewer(r.Target)
	h.eventually("it is taken back", func() bool { return len(h.notes()) == 2 })
	if n := h.notes()[1]; n.Event != "withdraw" || n.Link != r.Target {
		t.Errorf("told %+v", n)
	}
	if n := <-notices; !n.Withdraw {
		t.Errorf("the terminal of the other session: %+v", n)
	}
	enter()
	h.eventually("the second question", func() bool {
		tr, err := h.client.Trace(t.Context(), api.TargetRequest{Caller: h.caller(), Target: r.Target})
		return err == nil && len(tr.Changes) > 0 && strings.Contains(tr.Changes[len(tr.Changes)-1].Text, "Again") || h.status(r.Target) == "needs-you"
	})
	enter()
	is("working")
	stop()
	// A short turn's end is no news.
	enter()
	is("done")
	// Its own wish is told, and it asks to be looked at.
	reply, err := h.client.Notify(t.Context(), api.NotifyRequest{Caller: h.caller(), Title: "Deploy", Text: "go on?"})
	if err != nil || reply.Target != "" || len(reply.Told) != 2 {
		t.Errorf("from outside: %+v, %v", reply, err)
	}
	h.eventually("it is told", func() bool { return len(h.notes()) == 3 })
	if n := h.notes()[2]; n.Kind != "message" || n.Title != "Deploy" || n.Text != "go on?" {
		t.Errorf("told %+v", n)
	}
	if n := <-notices; n.Title != "Deploy" {
		t.Errorf("%+v after everything else", n)
	}
	if _, err := h.client.Notify(t.Context(), api.NotifyRequest{Caller: h.caller()}); code(err) != api.CodeNoText {
		t.Errorf("nothing to say: %v", err)
	}
}

func (h *home) status(target string) string {
	h.Helper()
	s, _ := h.find(target)
	return s.Status
}

// What a program in a session wants to say is told in that session's name, and
// the session asks to be looked at.
func TestNotifyFromInside(t *testing.T) {
	h := newHome(t)
	h.settings(func(s *config.Settings) { s.Notifications.Command = `cat >>"$HOME/notes"` })
	target := h.run("clear")
	token := h.variable(target, "TERMIO_TOKEN")
	inside := api.Caller{Session: strings.TrimPrefix(target, "termio://session/"), Token: token, Cwd: h.dir}
	r, err := h.client.Notify(t.Context(), api.NotifyRequest{Caller: inside, Text: "the build is done"})
	if err != nil || r.Target != target || r.Seen {
		t.Fatalf("%+v, %v", r, err)
	}
	h.eventually("it is told", func() bool { return len(h.notes()) > 0 })
	t.Log(h.notes())
	if n := h.notes()[0]; n.Kind != "message" || n.Text != "the build is done" || n.Link != target {
		t.Errorf("told %+v", n)
	}
	h.eventually("the session asks to be looked at", func() bool { return h.status(target) == "needs-you" })
	_, leave := h.viewer(target)
	defer leave()
	h.eventually("it was looked at", func() bool { return h.status(target) != "needs-you" })
	h.eventually("and the note is taken back", func() bool { n := h.notes(); return len(n) == 2 && n[1].Event == "withdraw" })
	r, err = h.client.Notify(t.Context(), api.NotifyRequest{Caller: inside, Text: "again"})
	if err != nil || !r.Seen || len(r.Told) != 0 {
		t.Errorf("while somebody looks: %+v, %v", r, err)
	}
}

// Settings that cannot be read allow nothing that they could forbid, and what
// was known before stands.
func TestUnreadSettingsWidenNothing(t *testing.T) {
	h := newHome(t)
	if err := os.MkdirAll(h.layout.Settings(), 0o700); err != nil { // a folder in its place
		t.Fatal(err)
	}
	_, err := h.client.List(t.Context(), api.ListRequest{Caller: h.caller()})
	refused(t, err, api.CodeDisabled)
	r, err := h.client.Daemon(t.Context())
	if err != nil || len(r.Problems) != 1 || !strings.Contains(r.Problems[0].Message, "no regular file") {
		t.Errorf("%+v, %v", r.Problems, err)
	}
	if err := os.Remove(h.layout.Settings()); err != nil {
		t.Fatal(err)
	}
	h.list(false) // and it is good again
	off := false
	h.settings(func(s *config.Settings) { s.SessionControl = &off })
	h.eventually("off", func() bool {
		_, err := h.client.List(t.Context(), api.ListRequest{Caller: h.caller()})
		return code(err) == api.CodeDisabled
	})
	if err := os.WriteFile(h.layout.Settings(), []byte("\x00\x00\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		_, err = h.client.List(t.Context(), api.ListRequest{Caller: h.caller()})
		refused(t, err, api.CodeDisabled)
	}
}
