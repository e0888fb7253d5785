package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/testkit/fakemodel"
)

// bound is how long after its cause a state may come (on a quiet machine).
const bound = 300 * time.Millisecond

// thinking is how long the model takes before it answers: real ones do, and an
// agent's title or screen cannot show what took no time.
const thinking = 400 * time.Millisecond

// after is how long after the last expected state another one would still be
// seen: longer than any wait of the reducer but that for silence.
const after = 900 * time.Millisecond

// cause is what a state follows from: when and what.
type cause struct {
	at   time.Time
	what string
}

// later is the cause that came last: a state cannot follow from what had not
// happened yet.
func later(causes ...cause) cause {
	return slices.MaxFunc(causes, func(a, b cause) int { return a.at.Compare(b.at) })
}

// timeline drives one session through the acts of its script.
type timeline struct {
	*journey
	*eye
	judged *tally
	script script
	rules  *atp.Rules
	// manifest is the agent's.
	manifest *atp.Manifest
	link     string
	control  *hostproto.Client
	seen     int // changes of the trace that were compared
	said     int // requests that the model had before the act
	prompts  int
	typing   time.Time // when the newest prompt's first key was pressed
}

// TestTimeline drives each real agent through every state, in three ways:
// with hooks given at launch, with hooks in its own config, and with neither,
// and compares what termio told, change by change, with what was done.
func TestTimeline(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: real agents take long, and this is a short run")
	}
	var runs []run
	var judged tally
	for _, s := range scripts() {
		for _, m := range []mode{injected, installed, neither} {
			runs = append(runs, run{s, m, &judged})
		}
	}
	// A subtest mostly waits for what an agent does not do. Several at once
	// disturb each other only while an agent starts, which the strain shows.
	queue := make(chan run)
	var each sync.WaitGroup
	for range abreast() {
		each.Go(func() {
			for r := range queue {
				t.Run(r.script.kit+"/"+string(r.mode), r.play)
			}
		})
	}
	for _, r := range runs {
		queue <- r
	}
	close(queue)
	each.Wait()
	t.Logf("the bound was judged in %d acts, and not in %d, when the machine was busy", judged.acts.Load(), judged.busy.Load())
}

// tally counts the acts whose bound was judged, and those when the machine was
// too busy for it.
type tally struct{ acts, busy atomic.Int32 }

// run is one agent in one mode.
type run struct {
	script script
	mode   mode
	judged *tally
}

func (r run) play(t *testing.T) {
	if why := r.script.not[r.mode]; why != "" {
		t.Skipf("not this way: %s", why)
	}
	tl := newTimeline(t, r.script, r.mode)
	tl.judged = r.judged
	for _, a := range r.script.acts {
		tl.play(a.in(r.mode))
	}
}

// abreast is how many agents are driven at once. One at a time
// (TERMIO_TIMELINE_ABREAST=1) takes three times as long and judges the bound in
// more acts.
func abreast() int {
	if n, err := strconv.Atoi(os.Getenv("TERMIO_TIMELINE_ABREAST")); err == nil && n > 0 {
		return n
	}
	return 2 * runtime.NumCPU()
}

func newTimeline(t *testing.T, s script, m mode) *timeline {
	t.Helper()
	catalog, _ := atp.LoadBundled()
	manifest, ok := catalog.ByID(s.agent)
	if !ok {
		t.Fatalf("no agent %s", s.agent)
	}
	tl := &timeline{rules: atp.NewRules(manifest), manifest: manifest, journey: newJourneyWith(t, fakemodel.Config{StartDelay: thinking}, s.kit), script: s}
	tl.model.On("REFUSED", fakemodel.Reply{Fail: &fakemodel.Failure{Status: 400, Type: "invalid_request_error", Message: "fake refusal"}})
	ctx, cancel := context.WithTimeoutCause(context.Background(), 8*time.Minute, errors.New("the timeline's time is over"))
	t.Cleanup(cancel)
	tl.ctx = ctx
	switch m {
	case installed:
		if r := tl.termio("hooks", "install", s.agent, "--json"); r.code != 0 {
			t.Fatalf("install the hooks: %s%s", r.out, r.err)
		}
		must[any](tl.fleet, "config", "set", "liveStatus", "true", "--json")
	case neither:
		must[any](tl.fleet, "config", "set", "liveStatus", "false", "--json")
	}
	args := []string{"sessions", "spawn", "--agent", s.agent, "--json"}
	tl.link = must[api.SpawnReply](tl.fleet, args...).Target
	socket := tl.recordOf(tl.link).Socket
	var err error
	if tl.control, err = hostproto.Dial(tl.ctx, socket, hostproto.Hello{Role: hostproto.RoleControl}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tl.control.Close() })
	tl.eye = newEye(t, tl.ctx, socket)
	if m == installed && s.dialog != "" {
		tl.await(tl.expect(shown(s.dialog)), "its dialog")
		time.Sleep(after)
		left := tl.expect(gone(s.dialog))
		tl.presses(s.dialogKeys, "the dialog's answer", vanished(left))
	}
	tl.await(tl.expect(func(text string) bool {
		return shown(tl.signs.Ready)(text) && (tl.signs.Busy == "" || gone(tl.signs.Busy)(text))
	}), "its prompt")
	tl.quiet(tl.ctx, 500*time.Millisecond)
	tl.at("ready")
	return tl
}

func (tl *timeline) await(l *look, what string) cause {
	tl.t.Helper()
	select {
	case <-l.done:
		return cause{l.at, what + " on the screen"}
	case <-time.After(time.Minute):
	case <-tl.ctx.Done():
	}
	tl.t.Fatalf("%s never came; the screen:\n%s\n%s", what, tl.screen(), tl.told(0))
	panic("not reached")
}

func (tl *timeline) screen() string { return tl.eye.screen() }

// trace is what the host tells right now.
func (tl *timeline) trace() []hostproto.Change {
	tl.t.Helper()
	var reply hostproto.TraceReply
	if err := tl.control.Call(tl.ctx, hostproto.OpTrace, nil, &reply); err != nil {
		tl.t.Fatal(err)
	}
	// What changes no state is told there too.
	return slices.DeleteFunc(reply.Changes, func(c hostproto.Change) bool { return c.From == c.To })
}

func (tl *timeline) told(from int) string {
	var b strings.Builder
	for _, c := range tl.trace()[from:] {
		fmt.Fprintf(&b, "  %s %s → %s  %s %s %q\n", c.At.Format("05.000"), c.From, c.To, c.Cause.Channel, c.Cause.Rule, c.Cause.Text)
	}
	return b.String()
}

// state waits until the newest change leads to the state.
func (tl *timeline) reaches(n int, state string) {
	tl.t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		tr := tl.trace()
		if len(tr) >= tl.seen+n && tr[tl.seen+n-1].To == state {
			return
		}
		if time.Now().After(end) || tl.ctx.Err() != nil {
			tl.t.Fatalf("change %d is not %s; the changes:\n%sthe screen:\n%s", n, state, tl.told(tl.seen), tl.screen())
		}
	}
}

// rests waits until the session does not work, if it does.
func (tl *timeline) rests() {
	tl.t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		var info hostproto.Info
		if err := tl.control.Call(tl.ctx, hostproto.OpInfo, nil, &info); err != nil {
			tl.t.Fatal(err)
		}
		if info.Status.State != "working" {
			return
		}
		if time.Now().After(end) {
			tl.t.Fatalf("it works and works; the screen:\n%s", tl.screen())
		}
	}
}

// request waits for the first request of the act that fits, and gives it.
func (tl *timeline) request(fits func(fakemodel.Request) bool, what string) fakemodel.Request {
	tl.t.Helper()
	ctx, cancel := context.WithTimeout(tl.ctx, time.Minute)
	defer cancel()
	r, err := tl.model.Wait(ctx, func(r fakemodel.Request) bool { return r.ID > tl.said && !r.Side() && fits(r) })
	if err != nil {
		tl.t.Fatalf("%s: %v; the screen:\n%s\n%s", what, err, tl.screen(), tl.told(tl.seen))
	}
	return r
}

// asks is when the model heard of the act's prompt.
func (tl *timeline) asks() cause {
	tl.t.Helper()
	return cause{tl.request(func(fakemodel.Request) bool { return true }, "the model is asked").Time, "the model was asked"}
}

// ends is when the model's last answer of the act was over.
func (tl *timeline) answers(fits func(fakemodel.Request) bool) cause {
	tl.t.Helper()
	return cause{tl.request(func(r fakemodel.Request) bool { return !r.Ended.IsZero() && fits(r) }, "the model answers").Ended, "the model had answered"}
}

// submit types a prompt as a person does, and gives when Enter was pressed.
func (tl *timeline) submit(prompt string) cause {
	tl.t.Helper()
	// Ctrl-U first: an interrupted prompt may stand there again.
	tl.typing = tl.keys("\x15")
	tl.quiet(tl.ctx, 150*time.Millisecond)
	tl.keys(prompt[:1])
	tl.quiet(tl.ctx, 150*time.Millisecond)
	tl.keys(prompt[1:])
	tl.await(tl.expect(shown(prompt)), "what was typed")
	// Some agents take a fast Enter for a part of a paste; people are slow.
	tl.quiet(tl.ctx, 250*time.Millisecond)
	return cause{tl.keys("\r"), "Enter"}
}

// press presses keys one after the other, as that agent takes them, and gives
// when the last was.
func (tl *timeline) press(keys []string, what string) cause {
	tl.t.Helper()
	var at time.Time
	for i, k := range keys {
		if i > 0 {
			time.Sleep(300 * time.Millisecond) // what a person needs, and the agent
		}
		at = tl.keys(k)
	}
	return cause{at, what}
}

// again is how long a key's effect is waited for before it is pressed again:
// a busy agent misses some.
const again = 4 * time.Second

// presses presses keys until they have an effect, and gives when they had it.
func (tl *timeline) presses(keys []string, what string, effect func() bool) cause {
	tl.t.Helper()
	for range 6 {
		pressed := tl.press(keys, what)
		for end := time.Now().Add(again); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			if effect() {
				return pressed
			}
		}
		tl.t.Logf("%s had to be pressed again", what)
	}
	tl.t.Fatalf("%s has no effect; the screen:\n%s\n%s", what, tl.screen(), tl.told(tl.seen))
	panic("not reached")
}

// came tells whether the act has come to the n-th state.
func (tl *timeline) came(n int) func() bool {
	return func() bool { return len(tl.trace()) >= tl.seen+n }
}

// vanished tells whether what was looked for has happened.
func vanished(l *look) func() bool {
	return func() bool {
		select {
		case <-l.done:
			return true
		default:
			return false
		}
	}
}

// resting looks for the first screen that shows rest by the rules of the
// agent's manifest, or neither work nor a question where it has no rule for
// rest: an agent takes a moment to stop, which is its own.
func (tl *timeline) resting() *look {
	return tl.expectScreen(func(screen string) bool {
		v := tl.rules.ClassifyScreen(screen)
		if tl.manifest.Status != nil && len(tl.manifest.Status.Idle) > 0 {
			return v.State == atp.StateIdle && v.Rule != ""
		}
		return v.State != atp.StateWorking && v.State != atp.StateAttention
	})
}

// rested is when that was seen; not at all for an agent whose screen does not
// tell.
func (tl *timeline) rested(l *look) cause {
	select {
	case <-l.done:
		return cause{l.at, "no work on the screen"}
	case <-time.After(after):
		return cause{}
	}
}

// play does an act and compares what was told with what was done.
func (tl *timeline) play(a act) {
	tl.t.Helper()
	if a.skip != "" {
		tl.t.Logf("%-10s not done: %s", a.name, a.skip)
		return
	}
	tl.said = len(tl.model.Requests())
	s := newStrain()
	var causes []cause
	want := strings.Fields(a.want)
	do := a.do
	causes = do(tl, a)
	if a.name == "exit" {
		tl.ended(a, causes[0])
		return
	}
	if n := len(want); n > 0 {
		tl.reaches(n, want[n-1])
	}
	time.Sleep(after) // nothing else may come
	late, share := s.end()
	got := tl.trace()[tl.seen:]
	tl.compare(a, want, got, causes, late, share)
	tl.seen += len(got)
}

func (tl *timeline) compare(a act, want []string, got []hostproto.Change, causes []cause, late time.Duration, share float64) {
	tl.t.Helper()
	var states []string
	for _, c := range got {
		states = append(states, c.To)
	}
	if alternative := strings.Fields(a.or); len(alternative) > 0 && slices.Equal(states, alternative) {
		want = alternative
		causes = make([]cause, len(want)) // which cause is whose is not told
	}
	if !slices.Equal(states, want) {
		tl.t.Errorf("%s: told %s, want %s; the changes:\n%sthe screen:\n%s", a.name, strings.Join(states, " "), a.want, tl.told(tl.seen), tl.screen())
		return
	}
	if len(causes) != len(want) {
		tl.t.Fatalf("%s: %d causes for %d states", a.name, len(causes), len(want))
	}
	quiet := late < 20*time.Millisecond && share < 0.5
	limit := bound + 4*late
	for i, c := range got {
		if causes[i].at.IsZero() {
			tl.t.Logf("%-10s %-9s %s %s", a.name, c.To, c.Cause.Channel, c.Cause.Rule)
			continue
		}
		lag := c.At.Sub(causes[i].at)
		mark := ""
		if lag > limit {
			mark = "  LATE"
			if quiet {
				tl.t.Errorf("%s: %s came %v after %s; the bound is %v (the machine was up to %v late)", a.name, c.To, lag.Round(time.Millisecond), causes[i].what, limit, late)
			}
		}
		tl.t.Logf("%-10s %-9s %5d ms after %-40s %s %s%s", a.name, c.To, lag.Milliseconds(), causes[i].what, c.Cause.Channel, c.Cause.Rule, mark)
	}
	if quiet {
		tl.judged.acts.Add(1)
	} else {
		tl.judged.busy.Add(1)
		tl.t.Logf("%-10s the machine was busy (%v late, %.0f%% waiting): the bound was not judged", a.name, late.Round(time.Millisecond), 100*share)
	}
}

// ended waits for the end of the session, which must bring no state but
// "closed" with it.
func (tl *timeline) ended(a act, c cause) {
	tl.t.Helper()
	var row api.Session
	until(tl.t, time.Minute, "the session is closed", func() (string, bool) {
		for _, s := range must[api.ListReply](tl.fleet, "sessions", "list", "--closed", "--all", "--json").Sessions {
			if s.Link == tl.link {
				row = s
			}
		}
		return row.Status + "\n" + tl.screen(), row.Status == "closed"
	})
	rec := tl.recordOf(tl.link)
	if rec.State != a.want {
		tl.t.Errorf("exit: the last state is %s, want %s", rec.State, a.want)
	}
	if rec.Closed != nil {
		tl.t.Logf("%-10s closed    %5d ms after %s", a.name, rec.Closed.At.Sub(c.at).Milliseconds(), c.what)
	}
}

// ran tells whether the command of the TOOL keyword ran, and forgets it.
func (tl *timeline) ran() bool {
	path := filepath.Join(tl.dir, "tool-ran.txt")
	_, err := os.Stat(path)
	os.Remove(path)
	return err == nil
}
