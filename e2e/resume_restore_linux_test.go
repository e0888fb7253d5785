package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/testkit/console"
	"github.com/termio-sh/termio/internal/testkit/scriptagent"
)

// anotherBoot makes a session that has ended one of the boot before this.
func (f *fleet) anotherBoot(link string) {
	f.t.Helper()
	path := filepath.Join(f.home, "state/sessions", strings.TrimPrefix(link, "termio://session/"), "record.json")
	var rec map[string]any
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, &rec)
	}
	if err == nil {
		_, since, _ := strings.Cut(rec["host_boot"].(string), "/")
		rec["host_boot"] = "00000000-0000-4000-8000-000000000000/" + since
		b, err = json.Marshal(rec)
	}
	if err == nil {
		err = os.WriteFile(path, b, 0o600)
	}
	if err != nil {
		f.t.Fatal(err)
	}
}

// lives waits until a session is open again.
func (f *fleet) lives(link string) {
	f.t.Helper()
	until(f.t, 30*time.Second, link+" is open again", func() (string, bool) {
		all := f.list()
		return "", slices.ContainsFunc(all, func(s api.Session) bool { return s.Link == link })
	})
	f.shows(link, "is ready")
}

// recalls asks an agent what was said.
func (m *matrix) recalls(link string, want ...string) {
	m.t.Helper()
	m.say(link, "recall", "recalled:")
	if got := recalled(m.screen(link)); !slices.Equal(got, want) {
		m.t.Errorf("the conversation of %s holds %v, want %v\n%s", link, got, want, m.termio("sessions", "trace", link).out)
	}
}

// TestRestore ends everything, as a machine's restart does, under each value of
// the setting.
func TestRestore(t *testing.T) {
	agent := scriptagent.Build(t)
	for _, setting := range []string{"always", "ask", "never"} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			m := newMatrix(t, agent, families[0])
			if r := m.termio("config", "set", "restore", setting); r.code != 0 {
				t.Fatalf("%+v", r)
			}
			kept, closed := m.spawn(m.dir, ""), m.spawn(m.dir, "")
			m.say(kept, "word1", "You said: word1")
			must[api.CloseReply](m.fleet, "sessions", "close", closed, "--json")
			m.killAll()
			m.anotherBoot(kept)
			m.anotherBoot(closed)
			if setting == "always" {
				m.lives(kept)
				m.recalls(kept, "word1")
			}
			r := m.termio("sessions", "list", "--json")
			if r.err != "" {
				t.Errorf("a script is told %q", r.err)
			}
			live := decode[api.ListReply](m.fleet, r.out).Sessions
			if want := map[string]int{"always": 1}[setting]; len(live) != want {
				t.Fatalf("open are %+v, want %d", live, want)
			}
			for _, args := range [][]string{{"sessions", "list"}, {"open"}} {
				cmd := exec.Command(filepath.Join(bin, "termio"), args...)
				cmd.Dir, cmd.Env = m.dir, m.env
				c, err := console.Start(cmd, console.Options{Rows: 24, Cols: 100, Start: m.start})
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close(shortly(t))
				if _, err := c.WaitExit(shortly(t)); err != nil {
					t.Fatal(err)
				}
				if told := c.View().Contains("1 session ended unasked"); told != (setting == "ask") {
					t.Errorf("%v: told %v:\n%s", args, told, c.View().Text)
				}
			}
			// It is asked for: what was closed stays closed.
			all := must[api.ReopenReply](m.fleet, "sessions", "reopen", "--all", "--json").Sessions
			if setting == "always" {
				if len(all) != 0 {
					t.Errorf("reopened %+v", all)
				}
				return
			}
			if len(all) != 1 || all[0].Target != kept || !all[0].Resumed {
				t.Fatalf("reopened %+v", all)
			}
			m.shows(kept, "is ready")
			m.recalls(kept, "word1")
		})
	}
}

// TestAgentThatReplacedItself is started again, into its conversation.
func TestAgentThatReplacedItself(t *testing.T) {
	m := newMatrix(t, scriptagent.Build(t), families[0])
	link := m.spawn(m.dir, "")
	m.say(link, "word1", "You said: word1")
	before := m.record(link).ChildPID
	cmd := exec.Command(filepath.Join(bin, "termio"), "sessions", "attach", link)
	cmd.Dir, cmd.Env = m.dir, m.env
	watched, err := console.Start(cmd, console.Options{Rows: 24, Cols: 100, Start: m.start})
	if err != nil {
		t.Fatal(err)
	}
	defer watched.Close(shortly(t))
	if _, err := watched.WaitText(shortly(t), "You said: word1"); err != nil {
		t.Fatal(err)
	}
	must[api.SendReply](m.fleet, "sessions", "send", link, "update", "--json")
	until(t, 30*time.Second, "another program", func() (string, bool) {
		r := m.record(link)
		return m.termio("sessions", "list", "--closed").out, r.ChildPID != before && r.Closed == nil
	})
	m.lives(link)
	m.recalls(link, "word1", "update")
	// Who looked at it goes on looking, and typing.
	if _, err := watched.WaitText(shortly(t), "recalled: word1, update"); err != nil {
		t.Error(err)
	}
	watched.Type("word2\r")
	if _, err := watched.WaitText(shortly(t), "You said: word2"); err != nil {
		t.Error(err)
	}
}

// TestConversationThatIsRefused ends in a new one, with the agent's own words.
// The agent refuses early, or after it has looked as if it had accepted.
func TestConversationThatIsRefused(t *testing.T) {
	agent := scriptagent.Build(t)
	for name, wait := range map[string]string{"early": "0", "late": "4"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMatrix(t, agent, families[0])
			refusing := filepath.Join(filepath.Dir(m.home), "scripted")
			if err := os.Rename(refusing, refusing+".real"); err != nil {
				t.Fatal(err)
			}
			script := "#!/bin/sh\nif [ \"$1\" = -resume ]; then echo reading; sleep " + wait + "; echo 'that format is too old'; exit 1; fi\nexec " + refusing + ".real \"$@\"\n"
			if err := os.WriteFile(refusing, []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			link := m.spawn(m.dir, "")
			m.say(link, "word1", "You said: word1")
			must[api.CloseReply](m.fleet, "sessions", "close", link, "--json")
			must[api.ReopenReply](m.fleet, "sessions", "reopen", link, "--json")
			until(t, 30*time.Second, "a new conversation, with the reason", func() (string, bool) {
				trace := m.termio("sessions", "trace", link).out
				return trace, strings.Contains(trace, "that format is too old")
			})
			m.lives(link)
			if title := m.session(link).Title; !strings.Contains(title, "that format is too old") {
				t.Errorf("its title is %q", title)
			}
			m.recalls(link)
		})
	}
}

// TestConversationOfTwo: an agent goes to the conversation of another session.
// The first keeps it, whichever is reopened first.
func TestConversationOfTwo(t *testing.T) {
	m := newMatrix(t, scriptagent.Build(t), families[0])
	one, two := m.spawn(m.dir, ""), m.spawn(m.dir, "")
	m.say(one, "word1", "You said: word1")
	m.say(two, "word2", "You said: word2")
	id := m.record(one).Conversation.ID
	must[api.SendReply](m.fleet, "sessions", "send", two, "exec -resume "+id, "--json")
	until(t, 30*time.Second, "the second session counts as in none", func() (string, bool) {
		r := m.record(two)
		return m.termio("sessions", "trace", two).out, r.Conversation == nil && r.Unknown != ""
	})
	if c := m.record(one).Conversation; c == nil || c.ID != id {
		t.Errorf("the first is in %+v", c)
	}
	for _, link := range []string{two, one} {
		syscall.Kill(m.record(link).HostPID, syscall.SIGKILL)
	}
	until(t, 30*time.Second, "both have ended", func() (string, bool) { return "", len(m.list()) == 0 })
	if again := must[api.ReopenReply](m.fleet, "sessions", "reopen", two, "--json"); again.Resumed || again.Fresh == "" {
		t.Errorf("%+v", again.Reopened)
	}
	if again := must[api.ReopenReply](m.fleet, "sessions", "reopen", one, "--json"); !again.Resumed {
		t.Errorf("%+v", again.Reopened)
	}
	m.shows(one, "is ready")
	m.shows(two, "is ready")
	m.recalls(two)
	m.recalls(one, "word1")
}
