package status

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

// epoch is the time 0 of every script.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func at(seconds float64) time.Time {
	return epoch.Add(time.Duration(seconds*1000+0.5) * time.Millisecond)
}

// event reads one line of a script: "<seconds> <kind> <words>", such as
//
//	1.5 7501 blocked id=a/b kind=permission msg=approve_it
//	2 title W          (W working, A attention, I at rest)
//	2 screen A changed q=Allow?
//	3 hook done event=Stop tool=Bash sub=x gen=1 seq=2
func event(t testing.TB, line string) Event {
	t.Helper()
	w := strings.Fields(line)
	sec, err := strconv.ParseFloat(w[0], 64)
	if err != nil || len(w) < 2 {
		t.Fatalf("bad line %q", line)
	}
	ev := Event{At: at(sec)}
	args := w[2:]
	kv := map[string]string{}
	for _, a := range args {
		k, v, _ := strings.Cut(a, "=")
		kv[k] = strings.ReplaceAll(v, "_", " ")
	}
	num := func(s string) int {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("bad number in %q", line)
		}
		return n
	}
	switch w[1] {
	case "launch":
		ev.Kind = KindLaunch
		if g := kv["gen"]; g != "" {
			ev.Hook.Generation = uint64(num(g))
		}
	case "7501":
		ev.Kind = KindProgramStatus
		ev.Program = Program{State: args[0], ID: kv["id"], Kind: kv["kind"], Msg: kv["msg"], Title: kv["title"], Progress: -1}
		if p := kv["progress"]; p != "" {
			ev.Program.Progress = num(p)
		}
	case "hook":
		ev.Kind = KindHook
		ev.Hook = Hook{State: HookState(args[0]), Event: kv["event"], Tool: kv["tool"], Question: kv["q"]}
		_, ev.Hook.Subagent = kv["sub"]
		ev.Hook.SubagentID = kv["sub"]
		if n := kv["pending"]; n != "" {
			ev.Hook.Pending = num(n)
		}
		if g := kv["gen"]; g != "" {
			ev.Hook.Generation = uint64(num(g))
		}
		if s := kv["seq"]; s != "" {
			ev.Hook.Seq = uint64(num(s))
		}
	case "title", "screen", "file":
		ev.Kind = map[string]Kind{"title": KindTitle, "screen": KindScreen, "file": KindFile}[w[1]]
		ev.Class = map[string]Class{"W": ClassWorking, "A": ClassAttention, "I": ClassIdle, "-": ClassNone}[args[0]]
		_, ev.Changed = kv["changed"]
		ev.Question, ev.Rule = kv["q"], kv["rule"]
	case "progress":
		ev.Kind, ev.Progress = KindProgress, num(args[0])
	case "bell":
		ev.Kind = KindBell
	case "notify":
		ev.Kind, ev.Text = KindNotification, strings.Join(args, " ")
	case "input":
		ev.Kind = KindInput
		_, ev.Interrupt = kv["esc"]
	case "submit":
		ev.Kind = KindSubmit
	case "mark":
		ev.Kind, ev.Mark, ev.ExitCode = KindPromptMark, args[0][0], -1
		if len(args) > 1 {
			ev.ExitCode = num(args[1])
		}
	case "reset":
		ev.Kind = KindReset
	case "exit":
		ev.Kind, ev.ExitCode = KindExit, num(args[0])
	case "seen":
		ev.Kind = KindSeen
	default:
		t.Fatalf("unknown kind in %q", line)
	}
	return ev
}

// play runs a script, a line each, and gives the machine and its timeline:
// "1.0 working, 2.5 done". A line "8 tick" only lets time pass. The session is
// one that somebody has typed into, unless the script begins with "untouched".
func play(t testing.TB, cfg Config, script string) (*Machine, string) {
	t.Helper()
	script = strings.TrimSpace(script)
	rest, untouched := strings.CutPrefix(script, "untouched\n")
	m := touched(cfg)
	if untouched {
		m, script = New(cfg, epoch), rest
	}
	return m, more(t, m, script)
}

// touched is a machine whose session somebody has typed into.
func touched(cfg Config) *Machine {
	m := New(cfg, epoch)
	m.Apply(Event{At: epoch, Kind: KindInput})
	return m
}

func more(t testing.TB, m *Machine, script string) string {
	t.Helper()
	var out []Change
	for line := range strings.SplitSeq(strings.TrimSpace(script), "\n") {
		line = strings.TrimSpace(line)
		if sec, ok := strings.CutSuffix(line, " tick"); ok {
			f, err := strconv.ParseFloat(sec, 64)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, m.Tick(at(f))...)
			continue
		}
		out = append(out, m.Apply(event(t, line))...)
	}
	return timeline(out)
}

func timeline(changes []Change) string {
	var b strings.Builder
	for i, c := range changes {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%.1f %s", c.At.Sub(epoch).Seconds(), c.To)
	}
	return b.String()
}

// rule is one named rule: a script and the timeline it must give.
type rule struct {
	name   string
	cfg    Config
	script string
	want   string
	// then looks at the machine afterwards; nil is nothing to look at.
	then func(t *testing.T, s Status)
}

func check(t *testing.T, rules []rule) {
	t.Helper()
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			m, got := play(t, r.cfg, r.script)
			if got != r.want {
				t.Errorf("timeline\n got %s\nwant %s", got, r.want)
			}
			if r.then != nil {
				r.then(t, m.Status())
			}
		})
	}
}
