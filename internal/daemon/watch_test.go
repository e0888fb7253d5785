//go:build unix

package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/orchestrate"
	"github.com/termio-sh/termio/internal/project"
)

// rosterOf is a roster of n sessions that nobody hosts, in the project /p.
func rosterOf(n int) (*roster, []string) {
	r := newRoster()
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("%08x-0000-4000-8000-000000000000", i)
		r.add(hostproto.Record{ID: ids[i], Agent: "codex", AgentName: fmt.Sprintf("session %d", i), Project: "/p", Dir: "/p", State: orchestrate.Idle})
	}
	return r, ids
}

func statusEvent(state string, turn int) *hostproto.Event {
	return &hostproto.Event{Type: hostproto.EventStatus, Status: &hostproto.Status{State: state, Turn: turn}}
}

// aWatch is a watch of a roster whose lines are "status title".
func aWatch(r *roster, write func(string) error, states ...string) (w watcher, known []session, end func()) {
	wanted, _ := watchStates(states)
	f, known, end := r.subscribe(interest{scope: project.In("/p"), steps: true, stalled: wanted[orchestrate.Stalled]})
	return watcher{
		feed: f, wanted: wanted, write: func(b []byte) error { return write(string(b)) },
		line:     func(c *change) []byte { return []byte(c.step.Status + " " + c.session.title + "\n") },
		snapshot: func(s *session) []byte { return []byte("now " + s.status.State + " " + s.title + "\n") },
		known:    func() []session { return r.all(project.In("/p"), true) },
	}, known, end
}

// TestHeartbeat: one comes exactly when nothing was said for 30 seconds.
func TestHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, ids := rosterOf(1)
		began := time.Now()
		var said []string
		w, known, end := aWatch(r, func(line string) error {
			said = append(said, fmt.Sprintf("%v %s", time.Since(began), strings.TrimSpace(line)))
			return nil
		})
		defer end()
		ctx, cancel := context.WithCancel(t.Context())
		over := make(chan struct{})
		go func() { w.run(ctx, known); close(over) }()
		time.Sleep(40 * time.Second)
		r.event(ids[0], statusEvent(orchestrate.Working, 1)) // is filtered out, so that it breaks no silence
		time.Sleep(5 * time.Second)
		r.event(ids[0], statusEvent(orchestrate.Done, 1))
		time.Sleep(31 * time.Second)
		cancel()
		<-over
		want := "0s now idle session 0; 30s {\"heartbeat\":true}; 45s done session 0; 1m15s {\"heartbeat\":true}"
		if got := strings.Join(said, "; "); got != want {
			t.Errorf("said\n%s\nwant\n%s", got, want)
		}
	})
}

// TestSlowReader: who does not read delays nobody, loses what is too much, is
// told, and finds its place again.
func TestSlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, ids := rosterOf(1)
		var said []string
		stuck := make(chan struct{})
		w, _, end := aWatch(r, func(line string) error {
			said = append(said, strings.TrimSpace(line))
			if len(said) == 1 {
				<-stuck // the first line fills the pipe
			}
			return nil
		})
		defer end()
		var quick atomic.Int64
		w2, _, end2 := aWatch(r, func(string) error { quick.Add(1); return nil })
		defer end2()
		ctx, cancel := context.WithCancel(t.Context())
		over := make(chan struct{}, 2)
		go func() { w.run(ctx, nil); over <- struct{}{} }()
		go func() { w2.run(ctx, nil); over <- struct{}{} }()
		const turns = 3 * maxFeed
		began := time.Now()
		for turn := range turns {
			r.event(ids[0], statusEvent(orchestrate.Working, turn+1))
			r.event(ids[0], statusEvent(orchestrate.Done, turn+1))
			synctest.Wait() // the quick one keeps up
		}
		if quick.Load() != turns || time.Since(began) != 0 {
			t.Errorf("the quick reader has heard %d of %d, after %v", quick.Load(), turns, time.Since(began))
		}
		close(stuck)
		synctest.Wait()
		if len(said) != 3 || said[1] != `{"schema_version":1,"lost":true}` || said[2] != "now done session 0" {
			t.Errorf("the slow reader has heard %d lines: %.200q", len(said), said)
		}
		r.event(ids[0], statusEvent(orchestrate.Working, turns+1))
		r.event(ids[0], statusEvent(orchestrate.Done, turns+1))
		synctest.Wait()
		if len(said) != 4 || said[3] != "done session 0" {
			t.Errorf("afterwards it hears %q", said[3:])
		}
		cancel()
		<-over
		<-over
	})
}

// TestWatchEndsWithItsReader: a write that fails ends it.
func TestWatchEndsWithItsReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, ids := rosterOf(1)
		w, _, end := aWatch(r, func(string) error { return errors.New("gone") })
		defer end()
		over := make(chan struct{})
		go func() { w.run(t.Context(), nil); close(over) }()
		r.event(ids[0], statusEvent(orchestrate.Done, 1))
		<-over
	})
}

// TestFeeds: who hears of what.
func TestFeeds(t *testing.T) {
	r, ids := rosterOf(2)
	r.add(hostproto.Record{ID: "ffffffff-0000-4000-8000-000000000000", Project: "/other", Dir: "/other", State: orchestrate.Idle})
	steps, _, endSteps := r.subscribe(interest{scope: project.In("/p"), steps: true})
	every, _, endEvery := r.subscribe(interest{scope: project.In("/p")})
	one, known, endOne := r.subscribe(interest{id: ids[1]})
	later, none, endLater := r.subscribe(interest{id: "eeeeeeee-0000-4000-8000-000000000000"})
	if len(known) != 1 || known[0].record.ID != ids[1] || len(none) != 0 {
		t.Errorf("known are %d and %d sessions", len(known), len(none))
	}
	r.event(ids[0], &hostproto.Event{Type: hostproto.EventTitle, Title: "new"})
	r.event(ids[1], statusEvent(orchestrate.Working, 1))
	r.event("ffffffff-0000-4000-8000-000000000000", statusEvent(orchestrate.Working, 1))
	r.stalled(ids[1], "nothing moves")
	r.bury(ids[1], hostproto.Closed{Reason: hostproto.ReasonExited})
	r.add(hostproto.Record{ID: "eeeeeeee-0000-4000-8000-000000000000", Project: "/p", Dir: "/p", State: orchestrate.Idle})
	count := func(f *feed) (out string) {
		got, lost := f.take(nil)
		if lost {
			t.Error("something is lost")
		}
		for _, c := range got {
			switch {
			case c.step != nil:
				out += c.step.Status + " "
			case c.event != nil:
				out += "(" + c.event.Type + ") "
			default:
				out += "- "
			}
		}
		return strings.TrimSpace(out)
	}
	for _, c := range []struct {
		f          *feed
		name, want string
	}{
		{steps, "steps", "working closed idle"},
		{every, "every", "(title) working (status) closed idle"},
		{one, "one", "working (status) closed"},
		{later, "later", "idle"},
	} {
		if got := count(c.f); got != c.want {
			t.Errorf("%s hears %q, want %q", c.name, got, c.want)
		}
	}
	for _, end := range []func(){endSteps, endEvery, endOne, endLater} {
		end()
	}
	if f := r.feeds; len(f.every)+len(f.steps)+len(f.byID) != 0 {
		t.Error("a feed that ended is still there")
	}
}

// TestPromptID: it names one question of one launch.
func TestPromptID(t *testing.T) {
	rec := hostproto.Record{ID: "ab12cd34-0000-4000-8000-000000000000", HostPID: 12345}
	id := promptID(&rec, 3)
	if n, ok := questionOf(&rec, id); !ok || n != 3 {
		t.Errorf("%s names %d, %v", id, n, ok)
	}
	again := rec
	again.HostPID++
	for _, bad := range []string{"", "3", promptID(&again, 3), id + "x", strings.Replace(id, "ab", "ba", 1), promptID(&rec, 0)} {
		if n, ok := questionOf(&rec, bad); ok {
			t.Errorf("%q names question %d", bad, n)
		}
	}
}

// BenchmarkWatchers is what 1,000 watchers of 200 sessions cost: most of what
// hosts say is for none of them, and a session ends a turn now and then. It
// reports the part of a core that a second takes in which every session
// reports 20 times, and one in a minute ends its turn.
func BenchmarkWatchers(b *testing.B) {
	r, ids := rosterOf(200)
	ctx, cancel := context.WithCancel(b.Context())
	var heard atomic.Int64
	for range 1000 {
		w, _, end := aWatch(r, func(string) error { heard.Add(1); return nil })
		defer end()
		go w.run(ctx, nil)
	}
	defer cancel()
	before := cpuTime(b)
	turns, second := make([]int, len(ids)), 0
	for b.Loop() {
		for round := range 20 {
			for i, id := range ids {
				ev := statusEvent(orchestrate.Working, turns[i])
				ev.Status.Description = fmt.Sprint("tool ", round)
				if round == 19 && i%60 == second%60 {
					ev.Status.State = orchestrate.Done
					turns[i]++
				}
				r.event(id, ev)
			}
		}
		second++
	}
	runtime.Gosched()
	b.ReportMetric(100*(cpuTime(b)-before).Seconds()/float64(b.N), "%core")
	b.ReportMetric(float64(heard.Load())/float64(b.N), "lines/s")
}

func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestRepoState: what counts as a change, and that git takes no lock.
func TestRepoState(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here")
	}
	dir := t.TempDir()
	state := func() string {
		t.Helper()
		s, err := repoState(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := state(); s != "" {
		t.Errorf("a folder without a repository has a state: %s", s)
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.invalid"}, args...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q")
	seen := map[string]string{state(): "no commit"}
	step := func(name string, do func()) {
		t.Helper()
		do()
		s := state()
		if before, ok := seen[s]; ok {
			t.Errorf("%s has the state of: %s", name, before)
		}
		if seen[s] = name; state() != s {
			t.Errorf("%s has two states", name)
		}
	}
	step("a new file", func() { write("a", "1") })
	step("more in a new file", func() { write("a", "12") })
	step("a commit", func() { git("add", "."); git("commit", "-qm", "one") })
	step("a change", func() { write("a", "123") })
	step("a second change of the same file", func() { write("a", "1234") })
	index, err := os.Stat(filepath.Join(dir, ".git", "index"))
	if err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "a"), later, later); err != nil { // makes git want to write its index anew
		t.Fatal(err)
	}
	state()
	if now, err := os.Stat(filepath.Join(dir, ".git", "index")); err != nil || !now.ModTime().Equal(index.ModTime()) {
		t.Error("git wrote its index")
	}
}

// TestEndOf: the end of a screen, bounded.
func TestEndOf(t *testing.T) {
	if got := endOf("\n\n\nAllow?\n1. Yes"); got != "Allow?\n1. Yes" {
		t.Errorf("%q", got)
	}
	if got := endOf(strings.Repeat("row\n", 100) + "last"); strings.Count(got, "\n") != promptRows-1 || !strings.HasSuffix(got, "last") {
		t.Errorf("%d rows", strings.Count(got, "\n")+1)
	}
	if got := endOf(strings.Repeat("é", 5000)); len(got) > promptBytes || !strings.HasSuffix(got, "é") {
		t.Errorf("%d bytes", len(got))
	}
}
