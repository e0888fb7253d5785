package status

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// anyConfig draws what can be known of a session.
func anyConfig(t *rapid.T) Config {
	return Config{
		Plain:         rapid.Bool().Draw(t, "plain"),
		TitleRules:    rapid.Bool().Draw(t, "titles"),
		ScreenRules:   rapid.Bool().Draw(t, "screens"),
		ProgressRules: rapid.Bool().Draw(t, "progress"),
		Hooks:         rapid.Bool().Draw(t, "hooks"),
	}
}

// anyEvents draws events in an order that makes no sense, at times from
// crowded to far apart, some of them before the event they follow.
func anyEvents(t *rapid.T) []Event {
	kinds := make([]Kind, 0, KindSeen)
	for k := KindLaunch; k <= KindSeen; k++ {
		kinds = append(kinds, k)
	}
	now := epoch
	gap := rapid.OneOf(rapid.Int64Range(-50, 900), rapid.Int64Range(0, 20_000))
	one := rapid.Custom(func(t *rapid.T) Event {
		now = now.Add(time.Duration(gap.Draw(t, "gap")) * time.Millisecond)
		ev := Event{At: now, Kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
		switch ev.Kind {
		case KindLaunch, KindExit:
			if rapid.IntRange(0, 3).Draw(t, "rare") > 0 {
				ev.Kind = KindTitle
			}
		}
		ev.Class = Class(rapid.IntRange(0, 3).Draw(t, "class"))
		ev.Text = rapid.SampledFrom([]string{"", "text"}).Draw(t, "text")
		ev.Changed = rapid.Bool().Draw(t, "changed")
		ev.Question = rapid.SampledFrom([]string{"", "Sure?"}).Draw(t, "question")
		ev.Progress = rapid.IntRange(0, 4).Draw(t, "bar")
		ev.Mark = rapid.SampledFrom([]byte("ABCD")).Draw(t, "mark")
		ev.ExitCode = rapid.IntRange(-1, 2).Draw(t, "exit")
		ev.Interrupt = rapid.Bool().Draw(t, "interrupt")
		states := []string{"idle", "working", "done", "blocked", "error", "clear", "nonsense"}
		ids := []string{"", "", "", "a", "a/b", "c", "bad//id"}
		ev.Program = Program{
			State: rapid.SampledFrom(states).Draw(t, "state"), ID: rapid.SampledFrom(ids).Draw(t, "id"),
			Msg: ev.Question, Progress: -1,
		}
		hooks := []HookState{HookWorking, HookAttention, HookDone, HookIdle, "nonsense"}
		ev.Hook = Hook{
			State: rapid.SampledFrom(hooks).Draw(t, "hook"), Tool: ev.Text, Subagent: ev.Changed,
			SubagentID: ev.Program.ID, Pending: max(0, ev.ExitCode), Seq: uint64(rapid.IntRange(0, 5).Draw(t, "seq")),
		}
		return ev
	})
	return rapid.SliceOfN(one, 1, 60).Draw(t, "events")
}

// TestChangesFollow: whatever happens in whatever order, every change has a
// cause, starts where the last one ended, moves, and comes in order of time;
// and what is told of a state fits the state.
func TestChangesFollow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := New(anyConfig(t), epoch)
		last, lastAt, turn := Idle, epoch, 0
		for _, ev := range anyEvents(t) {
			for _, c := range m.Apply(ev) {
				if c.From != last || c.To == c.From {
					t.Fatalf("change %s→%s after %s", c.From, c.To, last)
				}
				if c.At.Before(lastAt) {
					t.Fatalf("change at %v after one at %v", c.At, lastAt)
				}
				if c.Cause.Channel == "" {
					t.Fatalf("change to %s without a cause", c.To)
				}
				last, lastAt = c.To, c.At
			}
			s := m.Status()
			if s.State != last || !s.Since.Equal(lastAt) {
				t.Fatalf("status %s since %v, last change %s at %v", s.State, s.Since, last, lastAt)
			}
			if s.Turn < turn {
				t.Fatalf("turn fell from %d to %d", turn, s.Turn)
			}
			turn = s.Turn
			if s.State != NeedsYou && (s.Blocking || s.Question != "") {
				t.Fatalf("a question without needs-you: %+v", s)
			}
			if s.Unconfirmed && s.State != Done {
				t.Fatalf("unconfirmed %s", s.State)
			}
			if s.State == Working && s.Error != "" {
				t.Fatalf("working with error %q", s.Error)
			}
		}
	})
}

// TestTurnsAreSpans: a turn is counted once, when it begins, and every turn
// that was begun ends as done unless the program was launched anew. What
// silence had ended and goes on is the same turn.
func TestTurnsAreSpans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := anyConfig(t)
		cfg.Plain = false // a waiting program takes a command's turn over
		m := New(cfg, epoch)
		open, turns := false, 0
		var doubted bool
		for _, ev := range anyEvents(t) {
			if ev.Kind == KindSubmit {
				continue // a question after it begins a turn that was not seen
			}
			for _, c := range m.Apply(ev) {
				switch {
				case c.To == Working && !open:
					open = true
					if !doubted {
						turns++
					}
				case c.To == Done:
					if !open {
						turns++
					}
					open = false
				case c.To == Idle && open && c.Cause.Channel != ChannelLaunch:
					t.Fatalf("turn %d ended as idle: %+v", turns, c)
				case c.To == Idle:
					open = false
				}
				doubted = c.To == Done && c.Cause.Channel == ChannelStale
			}
			doubted = doubted && m.Status().Unconfirmed
			if got := m.Status().Turn; got != turns {
				t.Fatalf("turn %d, spans %d", got, turns)
			}
		}
	})
}

// TestDeadline: Tick does nothing before the deadline, something is settled at
// it, and it makes no difference whether one ticks in time or not at all.
func TestDeadline(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := anyConfig(t)
		lazy, prompt := New(cfg, epoch), New(cfg, epoch)
		var fromLazy, fromPrompt []Change
		tickTo := func(now time.Time) {
			for n := 0; ; n++ {
				d, ok := prompt.Deadline()
				if !ok || d.After(now) {
					return
				}
				if n > 100 {
					t.Fatalf("deadline %v does not pass", d)
				}
				if early := prompt.Tick(d.Add(-1)); len(early) > 0 {
					t.Fatalf("%v before the deadline", early)
				}
				fromPrompt = append(fromPrompt, prompt.Tick(d)...)
			}
		}
		var now time.Time
		for _, ev := range anyEvents(t) {
			if ev.At.After(now) {
				now = ev.At
			}
			tickTo(now)
			fromPrompt = append(fromPrompt, prompt.Apply(ev)...)
			fromLazy = append(fromLazy, lazy.Apply(ev)...)
		}
		end := now.Add(time.Hour)
		tickTo(end)
		fromLazy = append(fromLazy, lazy.Tick(end)...)
		if !slices.Equal(fromLazy, fromPrompt) {
			t.Fatalf("lazy   %s\nprompt %s", timeline(fromLazy), timeline(fromPrompt))
		}
		if d, ok := lazy.Deadline(); ok && !d.After(end) {
			t.Fatalf("deadline %v is past", d)
		}
	})
}

// TestNoQuestionIsLost: a program that says it is blocked is needs-you, until
// it or its end takes that back, whatever else happens.
func TestNoQuestionIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := New(anyConfig(t), epoch)
		held := records{}
		gone := false
		for _, ev := range anyEvents(t) {
			m.Apply(ev)
			switch {
			case ev.Kind == KindLaunch:
				held, gone = records{}, false
			case gone:
			case ev.Kind == KindExit:
				held, gone = records{}, true
			case ev.Kind == KindProgramStatus:
				held.report(ev.Program)
			case ev.Kind == KindReset:
				held = records{}
			case ev.Kind == KindPromptMark && ev.Mark == 'A':
				held = records{}
			}
			if _, asks := held.newest("blocked"); asks {
				if s := m.Status(); s.State != NeedsYou || !s.Blocking {
					t.Fatalf("the question is lost: %+v", s)
				}
			}
		}
	})
}

// TestBlockedByHook: without program status, a hook's question stands until
// something was typed, or a hook, exit or launch ends it.
func TestBlockedByHook(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := anyConfig(t)
		cfg.Plain = false // there a shell's next command tells that the agent is gone
		m := New(cfg, epoch)
		m.Apply(Event{At: at(0), Kind: KindHook, Hook: Hook{State: HookWorking}})
		m.Apply(Event{At: at(1), Kind: KindHook, Hook: Hook{State: HookAttention}})
		for _, ev := range anyEvents(t) {
			ev.At = ev.At.Add(2 * time.Second)
			switch ev.Kind {
			case KindSeen, KindBell, KindNotification, KindTitle, KindProgress, KindScreen, KindFile, KindReset, KindPromptMark:
			default:
				continue
			}
			m.Apply(ev)
			if s := m.Status(); s.State != NeedsYou || !s.Blocking {
				t.Fatalf("%v ended the question: %+v", ev, s)
			}
		}
	})
}

// TestNoFlapping: for an agent that only its title tells of, each run of
// working frames with pauses under the debounce is one span, and rest is told
// only once it has lasted.
func TestNoFlapping(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := touched(titled)
		gaps := rapid.SliceOfN(rapid.IntRange(1, 2000), 1, 60).Draw(t, "gaps")
		works := rapid.SliceOfN(rapid.Bool(), len(gaps), len(gaps)).Draw(t, "frames")
		now := epoch
		var spans int
		var restSince time.Time
		resting := true
		var out []Change
		for i, gap := range gaps {
			now = now.Add(time.Duration(gap) * time.Millisecond)
			ev := Event{At: now, Kind: KindTitle, Class: ClassIdle}
			if works[i] {
				ev.Class = ClassWorking
				if resting && (spans == 0 || now.Sub(restSince) >= restDebounce) {
					spans++
				}
				resting = false
			} else if !resting {
				resting, restSince = true, now
			}
			out = append(out, m.Apply(ev)...)
		}
		out = append(out, m.Tick(now.Add(time.Hour))...)
		var begun int
		for _, c := range out {
			if c.To == Working {
				begun++
			}
		}
		if begun != spans {
			t.Fatalf("%d spans, told %s", spans, timeline(out))
		}
	})
}

// TestTasksHoldTheTurn: while any record works, the session is never at rest.
func TestTasksHoldTheTurn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := touched(Config{TitleRules: true, ScreenRules: true})
		held := records{}
		for _, ev := range anyEvents(t) {
			if ev.Kind != KindProgramStatus && ev.Kind != KindTitle && ev.Kind != KindScreen && ev.Kind != KindSeen {
				continue
			}
			m.Apply(ev)
			if ev.Kind == KindProgramStatus {
				held.report(ev.Program)
			}
			v := held.verdict()
			if s := m.Status(); v.state == "working" && s.State != Working {
				t.Fatalf("%s while %q works", s.State, v.lead.ID)
			}
		}
	})
}
