package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/api"
)

// movable are the real agents with the folder of their files below the home,
// and how they are told to make another conversation of one that there is.
var movable = []struct {
	kit, id string
	place   string
	fork    []string // arguments; {id} is the conversation
	// anywhere tells that the agent finds its conversations again when its
	// whole home has another name; one that keeps absolute paths may not.
	anywhere bool
}{
	{"claude", "claudeCode", ".claude", []string{"--resume", "{id}", "--fork-session"}, true},
	// Codex keeps the whole path of each conversation's file.
	{"codex", "codex", ".codex", []string{"fork", "{id}"}, false},
	{"opencode", "opencode", ".local/share/opencode", []string{"--session", "{id}", "--fork"}, true},
	{"pi", "pi", ".pi", []string{"--fork", "{id}"}, true},
}

// TestResumeMoved: the directory is a symbolic link, the agent's files move
// and a link is left, and then the whole home has another name.
func TestResumeMoved(t *testing.T) {
	if os.Getenv(everyCell) == "" {
		t.Skip("skipped: three minutes with real agents; " + everyCell + "=1 asks for it")
	}
	for _, a := range movable {
		t.Run(a.kit, func(t *testing.T) {
			r := newResumption(t, a.kit, a.id)
			link := r.dir + "-link"
			if err := os.Symlink(r.dir, link); err != nil {
				t.Fatal(err)
			}
			session := r.spawn("--dir", link)
			first, _ := r.say(session)
			r.reboot()
			r.leads(a.place)
			r.at("its files have moved, and a link is left")
			if got := r.reopen(session); !got.Resumed || got.Fresh != "" {
				t.Fatalf("%+v%s", got, r.state())
			}
			second, sent := r.say(session)
			if !strings.Contains(sent, first) {
				t.Errorf("the conversation that came back does not hold %s", first)
			}
			r.reboot()
			r.move()
			r.at("the home has another name")
			r.reopen(session)
			// Codex refuses after it has said that it is at rest, and is started again.
			until(t, time.Minute, "the agent is ready", func() (string, bool) {
				screen := r.termio("sessions", "read", session).out
				return screen, strings.Contains(screen, r.signs.Ready)
			})
			got := r.record(session)
			switch {
			case got.Resumed:
				r.remembers(session, []string{first, second}, nil)
			case a.anywhere || got.Fresh == "":
				t.Errorf("%+v%s", got, r.state())
			default:
				r.remembers(session, nil, []string{first, second})
			}
		})
	}
}

// leads moves a folder of the home to another place of it, and leaves a link.
func (r *resumption) leads(place string) {
	r.t.Helper()
	old, now := filepath.Join(r.user, place), filepath.Join(r.user, "moved", filepath.Base(place))
	err := os.MkdirAll(filepath.Dir(now), 0o700)
	if err == nil {
		err = os.Rename(old, now)
	}
	if err == nil {
		err = os.Symlink(now, old)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

// move gives the whole home another name.
func (r *resumption) move() {
	r.t.Helper()
	old, now := r.user, r.user+"-moved"
	if err := os.Rename(old, now); err != nil {
		r.t.Fatal(err)
	}
	// Its own links and profiles lead there too.
	links, _ := filepath.Glob(filepath.Join(now, ".*"))
	share, _ := filepath.Glob(filepath.Join(now, ".local/share/*"))
	for _, path := range append(links, share...) {
		if to, err := os.Readlink(path); err == nil && strings.HasPrefix(to, old+"/") {
			os.Remove(path)
			if err := os.Symlink(now+strings.TrimPrefix(to, old), path); err != nil {
				r.t.Fatal(err)
			}
		}
	}
	for _, name := range []string{".profile", ".bash_profile", ".zprofile"} {
		path := filepath.Join(now, name)
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, []byte(strings.ReplaceAll(string(text), old, now)), 0o600)
		}
		if err != nil {
			r.t.Fatal(err)
		}
	}
	for i := range r.env {
		r.env[i] = strings.ReplaceAll(r.env[i], old, now)
	}
	r.user = now
}

// TestResumeForks: a second session is started in a fork of the first one's
// conversation. Both go on, all is killed, and each comes back with its own.
func TestResumeForks(t *testing.T) {
	if os.Getenv(everyCell) == "" {
		t.Skip("skipped: three minutes with real agents; " + everyCell + "=1 asks for it")
	}
	for _, a := range movable {
		t.Run(a.kit, func(t *testing.T) {
			r := newResumption(t, a.kit, a.id)
			one := r.spawn()
			common, _ := r.say(one)
			first := r.record(one).Conversation
			if first == nil {
				t.Fatalf("the first is in no conversation%s", r.state())
			}
			args := []string{"", "--"}
			for _, w := range a.fork {
				args = append(args, strings.ReplaceAll(w, "{id}", first.ID))
			}
			two := r.spawn(args...)
			r.shows(two, common) // it is there; what is typed before goes elsewhere in OpenCode
			forked, sent := r.say(two)
			if !strings.Contains(sent, common) {
				t.Fatalf("it is no fork: %s%s", sent, r.state())
			}
			own, _ := r.say(one)
			c, d := r.record(one).Conversation, r.record(two).Conversation
			if c == nil || c.ID != first.ID {
				t.Errorf("the first is in %+v", c)
			}
			if d == nil || d.ID == first.ID {
				t.Errorf("the fork is in %+v%s", d, r.state())
			}
			r.reboot()
			for _, s := range must[api.ReopenReply](r.fleet, "sessions", "reopen", "--all", "--json").Sessions {
				if !s.Resumed {
					t.Errorf("%+v", s)
				}
			}
			r.remembers(one, []string{common, own}, []string{forked})
			r.remembers(two, []string{common, forked}, []string{own})
		})
	}
}
