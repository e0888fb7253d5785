package acphost

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/termio-sh/termio/internal/acp"
	"github.com/termio-sh/termio/internal/testkit/acpagent"
)

// mortal runs the scripted agent on pipes; kill is its sudden end.
func mortal(c acpagent.Config) (link *Link, kill func()) {
	agentIn, in := io.Pipe()
	out, agentOut := io.Pipe()
	errs, agentErr := io.Pipe()
	p := &fakeProcess{exited: make(chan struct{})}
	var once sync.Once
	end := func(code int) {
		once.Do(func() {
			p.code = code
			agentIn.CloseWithError(io.ErrClosedPipe)
			agentOut.Close()
			agentErr.Close()
			close(p.exited)
		})
	}
	go func() {
		end(acpagent.Serve(agentIn, agentOut, agentErr, c))
	}()
	return &Link{In: in, Out: out, Err: errs, Process: p, End: func() {
		in.Close()
		out.Close()
		errs.Close()
	}}, func() { end(-1) }
}

// mortals gives a rig's session one agent after the other, of these tempers,
// the last one again and again.
func mortals(r **rig, tempers ...acpagent.Config) (change func(*Options), killAll func()) {
	var kills []func()
	return func(o *Options) {
			o.Connect = func() (*Link, error) {
				r := *r
				r.mu.Lock()
				defer r.mu.Unlock()
				c := tempers[min(r.starts, len(tempers)-1)]
				c.Log = r.heardLog
				r.starts++
				link, kill := mortal(c)
				kills = append(kills, kill)
				return link, nil
			}
		}, func() {
			for _, k := range kills {
				k()
			}
		}
}

// mortalRig is newRig with mortals; nothing runs before the first prompt, so
// the rig is there when they are asked for.
func mortalRig(t *testing.T, change func(*Options), tempers ...acpagent.Config) (r *rig, kill func()) {
	var made *rig
	connect, kill := mortals(&made, tempers...)
	made = newRig(t, acpagent.Config{}, func(o *Options) {
		connect(o)
		if change != nil {
			change(o)
		}
	})
	return made, kill
}

const twoModels = `[{"id":"m","name":"Model","category":"model","type":"select","currentValue":"one","options":[{"value":"one","name":"One"},{"value":"two","name":"Two"}]}]`

// Row 133: an agent that had gone before it got the prompt is replaced, once,
// and the same session goes on; the prompt is heard once and the turn has one
// end.
func TestRow133StaleConnection(t *testing.T) {
	for _, cap := range []string{"resume", "load"} {
		for _, noticed := range []bool{false, true} {
			bubble(t, fmt.Sprintf("%s, noticed %v", cap, noticed), func(t *testing.T) {
				r, kill := mortalRig(t, nil, acpagent.Config{Caps: []string{cap}})
				first := r.prompt("say one")
				kill()
				if noticed {
					synctest.Wait()
				}
				second := r.prompt("say two")
				if second.Type != EventCompleted || content(second) != "two" || second.ProviderSessionID != first.ProviderSessionID {
					t.Errorf("%+v", second)
				}
				if r.starts != 2 || r.heard("session/prompt") != 2 || r.heard("session/new") != 1 || r.heard("session/"+cap) != 1 {
					t.Errorf("%d starts; heard:\n%s", r.starts, strings.Join(acpagent.Heard(r.heardLog), "\n"))
				}
				if n := len(r.all(EventCompleted)) + len(r.all(EventFailed)); n != 2 {
					t.Errorf("%d ends of two turns", n)
				}
			})
		}
	}
	bubble(t, "what it started holds its pipes", func(t *testing.T) {
		exited := make(chan struct{})
		r, _ := mortalRig(t, func(o *Options) {
			inner := o.Connect
			o.Connect = func() (*Link, error) {
				link, err := inner()
				if exited != nil {
					link.Process, exited = &fakeProcess{exited: exited}, nil
				}
				return link, err
			}
		}, acpagent.Config{Caps: []string{"load"}})
		gone := exited
		r.prompt("say one")
		close(gone)
		if end := r.prompt("say two"); content(end) != "two" || r.starts != 2 {
			t.Errorf("%+v, %d starts", end, r.starts)
		}
	})
}

// Row 133, the other half: nothing is tried again that the agent may have got,
// nor what failed on an agent that was just started.
func TestRow133NeverOtherwise(t *testing.T) {
	for _, text := range []string{"die 3", "fail -32603 no model"} {
		bubble(t, text, func(t *testing.T) {
			r, _ := mortalRig(t, nil, acpagent.Config{Caps: []string{"load"}})
			r.prompt("say one")
			if end := r.prompt(text); end.Type != EventFailed || r.starts != 1 || r.heard("session/prompt") != 2 {
				t.Errorf("%+v, %d starts", end, r.starts)
			}
		})
	}
	for _, method := range []string{"initialize", "session/new"} {
		bubble(t, "a new one dies in "+method, func(t *testing.T) {
			r, _ := mortalRig(t, nil, acpagent.Config{Die: map[string]int{method: 3}})
			if end := r.prompt("say one"); end.Type != EventFailed || end.Error != FailGone || r.starts != 1 {
				t.Errorf("%+v, %d starts", end, r.starts)
			}
		})
	}
	bubble(t, "the second one dies too", func(t *testing.T) {
		r, kill := mortalRig(t, nil, acpagent.Config{Caps: []string{"load"}}, acpagent.Config{Caps: []string{"load"}, Die: map[string]int{"session/load": 3}})
		r.prompt("say one")
		kill()
		if end := r.prompt("say two"); end.Type != EventFailed || r.starts != 2 || len(r.all(EventFailed)) != 1 {
			t.Errorf("%+v, %d starts", end, r.starts)
		}
	})
}

// A warm connection that dies while it is set as wished was not given the
// prompt: it is replaced by a new session, once.
func TestRow133PreferenceFails(t *testing.T) {
	caps := []string{"load", "delete"}
	bubble(t, "", func(t *testing.T) {
		r, _ := mortalRig(t, nil,
			acpagent.Config{Caps: caps, Options: []byte(twoModels), Die: map[string]int{"session/set_config_option": 3}},
			acpagent.Config{Caps: caps, Options: []byte(twoModels), FirstID: 10})
		r.warm()
		r.adopt(Adoption{Mode: Restricted, Prefer: Preferences{Model: "two"}})
		end := r.prompt("say hello")
		if end.Type != EventCompleted || content(end) != "hello" || end.ProviderSessionID != "sess-11" || r.starts != 2 || r.heard("session/prompt") != 1 || r.heard("session/load") != 0 {
			t.Errorf("%+v, %d starts, heard:\n%s", end, r.starts, strings.Join(acpagent.Heard(r.heardLog), "\n"))
		}
	})
}

func (r *rig) warm() Found {
	r.t.Helper()
	f, err := r.s.WarmUp(context.Background())
	if err != nil {
		r.t.Fatal(err)
	}
	return f
}

func (r *rig) adopt(a Adoption) {
	r.t.Helper()
	if err := r.s.Adopt(a); err != nil {
		r.t.Fatal(err)
	}
}

// Rows 6, 116: a warm session is there before the prompt, which then needs
// nothing else; its models are known.
func TestRow116WarmUp(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		r, _ := mortalRig(t, nil, acpagent.Config{
			Options: []byte(twoModels), Delay: map[string]time.Duration{"initialize": 29 * time.Second, "session/new": 29 * time.Second},
			AfterNew: []string{"permit edit ok:Allow:allow_once"},
		})
		if f := r.warm(); f.Current != "one" || len(f.Models) != 2 || f.Name != "acpagent" {
			t.Errorf("%+v", f)
		}
		synctest.Wait()
		if log := strings.Join(acpagent.Heard(r.heardLog), "\n"); !strings.Contains(log, `answer {"outcome":{"outcome":"cancelled"}}`) {
			t.Errorf("what it asked while nobody spoke to it: %s", log)
		}
		r.adopt(Adoption{Mode: Strict, Prefer: Preferences{Model: "two"}})
		start := time.Now()
		end := r.prompt("permit read ok:Allow:allow_once\nsay done")
		if end.Type != EventCompleted || end.ProviderSessionID != "sess-1" || time.Since(start) > time.Second || r.starts != 1 || r.heard("session/new") != 1 || r.heard("session/set_config_option") != 1 {
			t.Errorf("%+v after %v", end, time.Since(start))
		}
		if d := r.all(EventDecided); len(d) != 1 || d[0].Answer != "cancelled" { // strict, as adopted
			t.Errorf("decided %+v", d)
		}
	})
	for method, want := range map[string]string{"initialize": "30s", "session/new": "30s"} {
		bubble(t, method+" takes too long", func(t *testing.T) {
			r, _ := mortalRig(t, nil, acpagent.Config{Delay: map[string]time.Duration{method: 31 * time.Second}})
			_, err := r.s.WarmUp(context.Background())
			if f := failure(err); f.Word != FailTimeout || !strings.Contains(f.Error(), method+": timed out after "+want) {
				t.Errorf("%v", err)
			}
			if err := r.s.Adopt(Adoption{}); !errors.Is(err, ErrGone) {
				t.Errorf("adopted all the same: %v", err)
			}
		})
	}
}

// Row 122: a session in which nothing was said is deleted where the agent can,
// in a second at most, however the end comes.
func TestRow122EmptySessions(t *testing.T) {
	can := acpagent.Config{Caps: []string{"delete"}}
	slow := func(method string, d time.Duration) acpagent.Config {
		c := can
		c.Delay = map[string]time.Duration{method: d}
		return c
	}
	for _, c := range []struct {
		name    string
		temper  acpagent.Config
		cancel  time.Duration // of the set-up; 0 waits for it
		deletes int
		within  time.Duration
	}{
		{"it can", can, 0, 1, 0},
		{"it cannot", acpagent.Config{}, 0, 0, 0},
		{"it does not answer", slow("session/delete", time.Hour), 0, 1, DeleteTime},
		{"given up while it is made", slow("session/new", 10*time.Second), 9500 * time.Millisecond, 1, 500 * time.Millisecond},
		{"given up while it is made, and not deleted", acpagent.Config{Caps: can.Caps, Delay: map[string]time.Duration{
			"session/new": 10 * time.Second, "session/delete": time.Hour,
		}}, 9500 * time.Millisecond, 1, DeleteTime},
		{"given up long before", slow("session/new", 10*time.Second), time.Second, 0, DeleteTime},
		{"given up in initialize", slow("initialize", 10*time.Second), time.Second, 0, 0},
	} {
		bubble(t, c.name, func(t *testing.T) {
			r, _ := mortalRig(t, nil, c.temper)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			why := errors.New("another one is wanted")
			var start time.Time
			if c.cancel > 0 {
				time.AfterFunc(c.cancel, func() { start = time.Now(); cancel(why) })
			}
			if _, err := r.s.WarmUp(ctx); (err != nil) != (c.cancel > 0) || err != nil && !errors.Is(err, why) {
				t.Errorf("%v", err)
			}
			if c.cancel == 0 {
				start = time.Now()
			}
			r.s.Close()
			if took := time.Since(start); took != c.within {
				t.Errorf("it took %v", took)
			}
			if n := r.heard("session/delete"); n != c.deletes {
				t.Errorf("%d were deleted", n)
			}
		})
	}
	bubble(t, "closed in the set-up", func(t *testing.T) {
		r, _ := mortalRig(t, nil, slow("session/new", 500*time.Millisecond))
		failed := make(chan error, 1)
		go func() { _, err := r.s.WarmUp(context.Background()); failed <- err }()
		synctest.Wait()
		r.s.Close()
		if err := <-failed; !errors.Is(err, ErrClosed) || r.heard("session/delete") != 1 {
			t.Errorf("%v, %d were deleted", err, r.heard("session/delete"))
		}
	})
	bubble(t, "something was said", func(t *testing.T) {
		r, _ := mortalRig(t, nil, can)
		r.warm()
		r.adopt(Adoption{})
		r.prompt("say x")
		r.s.Close()
		if r.heard("session/delete") != 0 {
			t.Error("a session was deleted in which something was said")
		}
	})
}

// Whoever takes a warm session and says nothing does not hold its agent for
// ever, and the next prompt has a session all the same.
func TestAdoptedAndSilent(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		r, _ := mortalRig(t, nil, acpagent.Config{Caps: []string{"delete", "load"}}, acpagent.Config{FirstID: 10})
		r.warm()
		r.adopt(Adoption{})
		time.Sleep(restTime - time.Second)
		if len(r.all(EventReleased)) != 0 {
			t.Error("it was let go too early")
		}
		time.Sleep(2 * time.Second)
		if len(r.all(EventReleased)) != 1 || r.heard("session/delete") != 1 {
			t.Errorf("released %d times, deleted %d", len(r.all(EventReleased)), r.heard("session/delete"))
		}
		if end := r.prompt("say x"); content(end) != "x" || end.ProviderSessionID != "sess-11" || r.heard("session/load") != 0 {
			t.Errorf("%+v", end)
		}
	})
	bubble(t, "the agent has gone", func(t *testing.T) {
		r, kill := mortalRig(t, nil, acpagent.Config{})
		r.warm()
		kill()
		if err := r.s.Adopt(Adoption{}); !errors.Is(err, ErrGone) {
			t.Errorf("%v", err)
		}
	})
}

// Row 13: a load has a record of its begin and one of its end.
func TestRow013LoadRecord(t *testing.T) {
	for _, c := range []struct {
		name   string
		temper acpagent.Config
		cancel bool
		state  string
		ms     int64
		err    string
	}{
		{"success", acpagent.Config{Delay: map[string]time.Duration{"initialize": 20 * time.Second, "session/load": 40 * time.Second}}, false, LoadSuccess, 40_000, ""},
		{"failed", acpagent.Config{Fail: map[string]*acp.Error{"session/load": acp.Errorf(acp.CodeNotFound, "no such session")}}, false, LoadFailed, 0, "no such session"},
		{"too late", acpagent.Config{Hang: []string{"session/load"}}, false, LoadFailed, 60_000, "timed out after 1m0s"},
		{"cancelled", acpagent.Config{Hang: []string{"session/load"}}, true, LoadCancelled, 2_000, ""},
	} {
		bubble(t, c.name, func(t *testing.T) {
			var mu sync.Mutex
			var told []LoadRecord
			c.temper.Caps = []string{"load"}
			r, _ := mortalRig(t, func(o *Options) {
				o.Continue = "old-1"
				o.Loading = func(l LoadRecord) { mu.Lock(); defer mu.Unlock(); told = append(told, l) }
			}, c.temper)
			if c.cancel {
				time.AfterFunc(2*time.Second, func() { r.s.Cancel() })
			}
			r.prompt("say x")
			mu.Lock()
			defer mu.Unlock()
			if len(told) != 2 {
				t.Fatalf("%d records: %+v", len(told), told)
			}
			for i, want := range []string{LoadStarted, c.state} {
				if l := told[i]; l.State != want || l.Agent != "acpagent" || l.Session != "old-1" || l.BudgetMs != 60_000 || (l.ElapsedMs != nil) != (i == 1) {
					t.Errorf("record %d: %+v", i, l)
				}
			}
			if l := told[1]; *l.ElapsedMs != c.ms || !strings.Contains(l.Error, c.err) || (l.Error != "") != (c.err != "") {
				t.Errorf("%+v after %d ms", l, *l.ElapsedMs)
			}
		})
	}
}
