package e2e

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/testkit/fakemodel"
)

// resumeAgents are the real agents and how they are told to begin another
// conversation. One that is not exact has nothing that tells two sessions in
// one directory apart: there a fresh start that says why is right.
var resumeAgents = []struct {
	kit, id, rotate string
	exact           bool
}{
	{"claude", "claudeCode", "/clear", true},
	{"codex", "codex", "/new", true},
	{"opencode", "opencode", "/new", false},
	{"pi", "pi", "/new", true},
	{"gemini", "gemini", "/clear", true},
	{"qwen", "qwen", "/clear", true},
	{"copilot", "copilot", "/clear", true},
}

// resumption is one real agent whose sessions end and come back. Which
// conversation came back is asked of the agent itself: what it sends to the
// model with its next prompt holds what was said before.
type resumption struct {
	*journey
	agent string
	user  string // the home of the agent's user
	words atomic.Int64
}

func newResumption(t *testing.T, kit, id string) *resumption {
	j := newJourney(t, kit)
	return &resumption{journey: j, agent: id, user: filepath.Join(filepath.Dir(j.home), "user")}
}

// word is one that was never said before.
func (r *resumption) word() string {
	return fmt.Sprintf("word%dx%d", r.words.Add(1), time.Now().UnixNano()%1e6)
}

func (r *resumption) spawn(args ...string) string {
	r.t.Helper()
	return must[api.SpawnReply](r.fleet, append([]string{"sessions", "spawn", "--agent", r.agent, "--json"}, args...)...).Target
}

// say prompts the session with a new word, and gives the word and all that the
// agent sent to the model with it.
func (r *resumption) say(link string) (word, sent string) {
	r.t.Helper()
	word = r.word()
	must[api.SendReply](r.fleet, "sessions", "send", link, "remember "+word, "--json")
	return word, r.heardIn(link, word)
}

// heardIn waits until the model has heard a word and the agent's turn is over,
// and gives all that was sent with it.
func (r *resumption) heardIn(link, word string) (sent string) {
	r.t.Helper()
	req, err := r.model.Wait(r.ctx, func(q fakemodel.Request) bool { return !q.Side() && strings.Contains(q.Prompt, word) })
	if err != nil {
		r.t.Fatalf("the model never heard %s: %v%s", word, err, r.state())
	}
	r.is(link, "done", "idle")
	r.written(link, word)
	return string(req.Body)
}

// written waits until the agent has put the word on disk: some write a moment
// after the answer is on the screen, and what was never written is lost with
// the agent, whoever hosts it. In its conversation, where that is known: they
// note prompts in other files, too.
func (r *resumption) written(link, word string) {
	r.t.Helper()
	if r.termio("sessions", "transcript", link, "--json").code == 0 {
		until(r.t, 20*time.Second, "the conversation holds "+word, func() (string, bool) {
			said := r.termio("sessions", "transcript", link, "--json").out
			return said, strings.Contains(said, word)
		})
		return
	}
	user := r.user
	until(r.t, 20*time.Second, "the agent has written "+word, func() (string, bool) {
		found := false
		filepath.WalkDir(user, func(path string, e fs.DirEntry, err error) error {
			if found || err != nil || e.IsDir() && (e.Name() == "node_modules" || e.Name() == "cache") {
				return filepath.SkipDir
			}
			if e.Type().IsRegular() && !strings.HasSuffix(path, ".log") {
				b, err := os.ReadFile(path)
				found = err == nil && strings.Contains(string(b), word)
			}
			return nil
		})
		return "in no file below " + user, found
	})
}

// closed waits until the session has ended.
func (r *resumption) closed(link string) {
	r.t.Helper()
	until(r.t, 30*time.Second, link+" has ended", func() (string, bool) {
		for _, s := range must[api.ListReply](r.fleet, "sessions", "list", "--all", "--closed", "--json").Sessions {
			if s.Link == link {
				return s.Status, s.Closed != nil
			}
		}
		return "not listed", false
	})
}

func (r *resumption) reopen(link string) api.Reopened {
	r.t.Helper()
	reply := must[api.ReopenReply](r.fleet, "sessions", "reopen", link, "--json")
	if reply.Reopened == nil || reply.Target != link {
		r.t.Fatalf("reopened %+v, want %s", reply, link)
	}
	r.at(fmt.Sprintf("reopened: resumed %v, fresh %q", reply.Resumed, reply.Fresh))
	return *reply.Reopened
}

// remembers prompts the session again: the agent must send these words with
// it, and none of the others.
func (r *resumption) remembers(link string, words, others []string) {
	r.t.Helper()
	_, sent := r.say(link)
	for _, w := range words {
		if !strings.Contains(sent, w) {
			r.t.Errorf("the conversation that came back does not hold %s", w)
		}
	}
	for _, w := range others {
		if strings.Contains(sent, w) {
			r.t.Errorf("a wrong conversation came back: it holds %s", w)
		}
	}
}

// record reads what is on disk of a session.
func (f *fleet) record(link string) hostproto.Record {
	f.t.Helper()
	var rec hostproto.Record
	b, err := os.ReadFile(filepath.Join(f.home, "state/sessions", strings.TrimPrefix(link, "termio://session/"), "record.json"))
	if err == nil {
		err = json.Unmarshal(b, &rec)
	}
	if err != nil {
		f.t.Fatal(err)
	}
	return rec
}

// The ways in which a session ends.
var ends = map[string]func(r *resumption, link string){
	"closed": func(r *resumption, link string) {
		must[api.CloseReply](r.fleet, "sessions", "close", link, "--json")
	},
	"agent killed": func(r *resumption, link string) {
		syscall.Kill(r.record(link).ChildPID, syscall.SIGKILL)
		r.closed(link)
	},
	"host killed": func(r *resumption, link string) {
		syscall.Kill(r.record(link).HostPID, syscall.SIGKILL)
		r.closed(link)
	},
	"coordinator killed": func(r *resumption, link string) {
		r.killDaemon()
		must[api.CloseReply](r.fleet, "sessions", "close", link, "--json")
	},
	"everything killed": func(r *resumption, link string) { r.reboot() },
}

// reboot kills all that runs at once.
func (r *resumption) reboot() {
	r.t.Helper()
	r.killAll()
}

// killAll kills the coordinator, the hosts and their programs, and waits until
// they are gone, as they are after a machine has started again.
func (f *fleet) killAll() {
	f.t.Helper()
	pids := []int{f.daemonPID()}
	var records []hostproto.Record
	for _, s := range f.list() {
		rec := f.record(s.Link)
		records = append(records, rec)
		pids = append(pids, rec.HostPID, rec.ChildPID)
	}
	for _, pid := range pids {
		syscall.Kill(pid, syscall.SIGKILL)
	}
	until(f.t, 30*time.Second, "all that was killed is gone", func() (string, bool) {
		for _, rec := range records {
			if !hostproto.Gone(rec.HostPID, rec.HostBoot) || !hostproto.Gone(rec.ChildPID, rec.ChildBoot) {
				return rec.ID, false
			}
		}
		return "", true
	})
}

// TestResume ends sessions with real agents in every way, and brings them back.
func TestResume(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: real agents take long, and this is a short run")
	}
	for _, a := range resumeAgents {
		t.Run(a.kit, func(t *testing.T) {
			t.Parallel() // an agent mostly waits
			t.Run("prompted", func(t *testing.T) {
				r := newResumption(t, a.kit, a.id)
				link := r.spawn()
				var said []string
				for i, end := range []string{"closed", "agent killed", "host killed", "coordinator killed", "everything killed"} {
					if i > 0 && testing.Short() {
						break
					}
					w, _ := r.say(link)
					said = append(said, w)
					ends[end](r, link)
					r.at(end)
					if got := r.reopen(link); !got.Resumed || got.Fresh != "" {
						t.Fatalf("%s: %+v%s", end, got, r.state())
					}
					r.remembers(link, said, nil)
				}
			})
			t.Run("never prompted", func(t *testing.T) {
				r := newResumption(t, a.kit, a.id)
				link := r.spawn()
				for _, end := range []string{"closed", "host killed", "everything killed"} {
					r.ready(link)
					ends[end](r, link)
					if got := r.reopen(link); got.Fresh != "" {
						t.Errorf("%s: nothing was said, and it tells of a loss: %+v", end, got)
					}
				}
				w, _ := r.say(link)
				ends["closed"](r, link)
				if got := r.reopen(link); !got.Resumed {
					t.Fatalf("%+v%s", got, r.state())
				}
				r.remembers(link, []string{w}, nil)
			})
			t.Run("rotated", func(t *testing.T) {
				r := newResumption(t, a.kit, a.id)
				link := r.spawn()
				old, _ := r.say(link)
				r.rotate(link, a.rotate)
				ends["host killed"](r, link) // before anything was said in the new one
				if got := r.reopen(link); got.Fresh != "" {
					t.Errorf("an empty conversation was lost: %+v", got)
				}
				w, sent := r.say(link)
				if strings.Contains(sent, old) {
					t.Errorf("the conversation that was left came back\n%s\n%s", r.termio("sessions", "trace", link).out, r.screen(link))
				}
				ends["everything killed"](r, link)
				r.reopen(link)
				r.remembers(link, []string{w}, []string{old})
			})
			t.Run("two at once", func(t *testing.T) {
				r := newResumption(t, a.kit, a.id)
				one, two := r.spawn(), r.spawn()
				first, _ := r.say(one)
				second, _ := r.say(two)
				if c, d := r.record(one).Conversation, r.record(two).Conversation; c != nil && d != nil && c.ID == d.ID {
					t.Fatalf("two sessions are in one conversation: %+v", c)
				}
				before := map[string]hostproto.Record{one: r.record(one), two: r.record(two)}
				ends["everything killed"](r, one)
				all := must[api.ReopenReply](r.fleet, "sessions", "reopen", "--all", "--json").Sessions
				if len(all) != 2 {
					t.Fatalf("reopened %+v", all)
				}
				said := map[string][]string{one: {first}, two: {second}}
				for _, s := range all {
					if !s.Resumed {
						if a.exact || s.Fresh == "" {
							t.Errorf("%+v\nbefore: %+v, %+v", s, before[one], before[two])
						}
						said[s.Target] = nil
					}
				}
				r.refused(api.CodeAlreadyOpen, "sessions", "reopen", one)
				r.remembers(one, said[one], []string{second})
				r.remembers(two, said[two], []string{first})
			})
		})
	}
}

// ready waits until the agent takes input.
func (r *resumption) ready(link string) {
	r.t.Helper()
	r.shows(link, r.signs.Ready)
}

// rotate makes the agent begin another conversation.
func (r *resumption) rotate(link, command string) {
	r.t.Helper()
	before := r.record(link).Conversation
	must[api.SendReply](r.fleet, "sessions", "send", link, command, "--json")
	if before == nil {
		return
	}
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if now := r.record(link).Conversation; now == nil || now.ID != before.ID {
			r.at("rotated at once")
			return
		}
	}
	r.at("rotated, and not told yet; left: " + fmt.Sprint(len(slices.Clone(r.record(link).Left))))
}
