package status_test

import (
	"cmp"
	"compress/gzip"
	"flag"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/status"
	"github.com/termio-sh/termio/vt"
)

var update = flag.Bool("update", false, "rewrite the timelines in testdata")

// TestReplay plays what real agents wrote to their terminal through the
// engine, their bundled manifest and the reducer, as a host does, and compares
// the whole timeline: each state at its time, with its cause, and nothing in
// between.
//
// A recording is either NAME.raw.gz, every byte, with NAME.at, lines of
// "offset seconds" which tell that the bytes before the offset had come by
// then; or NAME.osc, lines of "seconds payload", where the bytes were not kept
// whole. The terminals had 110 columns and 36 rows.
func TestReplay(t *testing.T) {
	for _, r := range []struct {
		name, agent, recording string
		// mute drops OSC 7501, as from a version that does not report.
		mute bool
	}{
		{name: "claude", agent: "claudeCode"},
		{name: "claude-2.1.197", agent: "claudeCode"},
		{name: "claude-unanswered", agent: "claudeCode"},
		{name: "claude-failure", agent: "claudeCode"},
		{name: "codex", agent: "codex"},
		{name: "codex-question", agent: "codex"},
		{name: "codex-muted", agent: "codex", recording: "codex", mute: true},
		{name: "pi", agent: "pi"},
		{name: "pi-muted", agent: "pi", recording: "pi", mute: true},
		{name: "opencode", agent: "opencode"},
		{name: "copilot", agent: "copilot"},
		{name: "gemini", agent: "gemini"},
		{name: "qwen", agent: "qwen"},
		{name: "qwen-reject", agent: "qwen"},
	} {
		t.Run(r.name, func(t *testing.T) {
			p := newPlayer(t, r.agent)
			p.mute = r.mute
			p.play(cmp.Or(r.recording, r.name))
			golden := filepath.Join("testdata", "replay", r.name+".want")
			got := p.out.String()
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(string(want), got); diff != "" {
				t.Errorf("timeline (-want +got)\n%s", diff)
			}
		})
	}
}

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func seconds(t testing.TB, s string) time.Time {
	t.Helper()
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return start.Add(time.Duration(f*1000+0.5) * time.Millisecond)
}

// player stands for the host: it classifies what the terminal says and looks
// at the screen now and then.
type player struct {
	t       *testing.T
	rules   *atp.Rules
	machine *status.Machine
	term    *vt.Terminal
	mute    bool
	out     strings.Builder

	now     time.Time
	looked  time.Time
	pending bool // output since the last look
	screen  uint64
	seed    maphash.Seed
}

func newPlayer(t *testing.T, agent string) *player {
	t.Helper()
	catalog, problems := atp.LoadBundled()
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	manifest, ok := catalog.ByID(agent)
	if !ok {
		t.Fatalf("no agent %q", agent)
	}
	p := &player{t: t, rules: atp.NewRules(manifest), now: start, seed: maphash.MakeSeed()}
	p.term = vt.New(vt.Options{Cols: 110, Rows: 36, Event: p.event})
	p.machine = status.New(status.Config{
		TitleRules: p.rules.HasTitle(), ScreenRules: p.rules.HasScreen(),
		ProgressRules: p.rules.Progress(), Hooks: manifest.Hooks != nil,
		WorkAfter: time.Duration(manifest.WorkAfterMs) * time.Millisecond,
	}, start)
	return p
}

func (p *player) play(name string) {
	p.t.Helper()
	base := filepath.Join("testdata", "replay", name)
	if lines, err := os.ReadFile(base + ".osc"); err == nil {
		for line := range strings.Lines(string(lines)) {
			at, payload, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			bytes := "\x1b]" + payload + "\x1b\\"
			if payload == "BEL" {
				bytes = "\a"
			}
			p.write([]byte(bytes), seconds(p.t, at))
		}
	} else {
		p.playBytes(base)
	}
	p.quiet(p.now.Add(time.Second))
	p.apply(status.Event{Kind: status.KindExit})
}

func (p *player) playBytes(base string) {
	p.t.Helper()
	f, err := os.Open(base + ".raw.gz")
	if err != nil {
		p.t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		p.t.Fatal(err)
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		p.t.Fatal(err)
	}
	index, err := os.ReadFile(base + ".at")
	if err != nil {
		p.t.Fatal(err)
	}
	from := 0
	for line := range strings.Lines(string(index)) {
		offset, at, _ := strings.Cut(strings.TrimSpace(line), " ")
		to, err := strconv.Atoi(offset)
		if err != nil {
			p.t.Fatal(err)
		}
		p.write(raw[from:to], seconds(p.t, at))
		from = to
	}
}

// How often a host looks at the screen: every lookEvery while output flows,
// and when output has been quiet for lookRest, lookLeast apart.
const (
	lookEvery = 150 * time.Millisecond
	lookLeast = 100 * time.Millisecond
	lookRest  = 50 * time.Millisecond
)

// typing is when somebody first types in each recording, between the agent's
// start and the first prompt.
const typing = 3 * time.Second

func (p *player) write(b []byte, at time.Time) {
	p.quiet(at)
	p.now = at
	p.term.Write(b)
	p.pending = true
	if p.now.Sub(p.looked) >= lookEvery && !p.term.Synchronized() {
		p.look()
	}
}

// quiet lets time pass without output.
func (p *player) quiet(until time.Time) {
	due := p.now.Add(lookRest)
	if least := p.looked.Add(lookLeast); least.After(due) {
		due = least
	}
	if p.pending && !due.After(until) {
		p.now = due
		p.look()
	}
	if first := start.Add(typing); p.now.Before(first) && !until.Before(first) {
		p.now = first
		p.apply(status.Event{Kind: status.KindInput})
	}
	p.now = until
}

func (p *player) look() {
	p.looked, p.pending = p.now, false
	text := p.term.ScreenText()
	v := p.rules.ClassifyScreen(text)
	sum := maphash.String(p.seed, text)
	p.apply(status.Event{
		Kind: status.KindScreen, Class: class(v.State), Rule: v.Rule, Text: v.Matched,
		Changed: sum != p.screen, Question: text[max(0, len(text)-1200):],
	})
	p.screen = sum
}

func (p *player) event(e vt.Event) {
	switch e.Kind {
	case vt.EventTitle:
		v := p.rules.ClassifyTitle(e.Text)
		p.apply(status.Event{Kind: status.KindTitle, Class: class(v.State), Rule: v.Rule, Text: e.Text})
	case vt.EventProgress:
		p.apply(status.Event{Kind: status.KindProgress, Progress: int(e.Progress.State)})
	case vt.EventBell:
		p.apply(status.Event{Kind: status.KindBell})
	case vt.EventNotification:
		p.apply(status.Event{Kind: status.KindNotification, Text: e.Text})
	case vt.EventPromptMark:
		p.apply(status.Event{Kind: status.KindPromptMark, Mark: e.Mark, ExitCode: e.ExitCode})
	case vt.EventReset:
		p.apply(status.Event{Kind: status.KindReset})
	case vt.EventProgramStatus:
		s := e.Status
		if s.Query || p.mute {
			return
		}
		p.apply(status.Event{Kind: status.KindProgramStatus, Program: status.Program{
			ID: s.ID, App: s.App, State: string(s.State), Kind: string(s.Kind),
			Progress: s.Progress, Title: s.Title, Msg: s.Msg,
		}})
	}
}

func (p *player) apply(ev status.Event) {
	ev.At = p.now
	for _, c := range p.machine.Apply(ev) {
		line := fmt.Sprintf("%7.2f %-9s %s %s", c.At.Sub(start).Seconds(), c.To, c.Cause.Channel, c.Cause.Rule)
		fmt.Fprintln(&p.out, strings.TrimSpace(line))
	}
}

func class(s atp.State) status.Class {
	switch s {
	case atp.StateWorking:
		return status.ClassWorking
	case atp.StateAttention:
		return status.ClassAttention
	case atp.StateIdle:
		return status.ClassIdle
	}
	return status.ClassNone
}
