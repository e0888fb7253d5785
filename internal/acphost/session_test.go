package acphost

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/termio-sh/termio/internal/acp"
	"github.com/termio-sh/termio/internal/testkit/acpagent"
)

// bubble runs f under a fake clock.
func bubble(t *testing.T, name string, f func(t *testing.T)) {
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}

// Rows 1, 105, 165: initialize first with what we can do, then new, then the
// prompt; one last event, which carries the whole text and the id.
func TestRow105OneTurn(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		r := newRig(t, acpagent.Config{}, nil)
		end := r.prompt("say Hello\nthink hm\nsay , world\nstop max_tokens")
		if end.Type != EventCompleted || end.StopReason != "max_tokens" || end.ProviderSessionID != "sess-1" || content(end) != "Hello, world" {
			t.Errorf("%+v %q", end, content(end))
		}
		var types []string
		for _, ev := range r.all("") {
			types = append(types, ev.Type)
		}
		if got := strings.Join(types, " "); got != "prompt starting session turn stream stream stream completed" {
			t.Errorf("events: %s", got)
		}
		heard := acpagent.Heard(r.heardLog)
		if !strings.HasPrefix(heard[0], "initialize ") || !strings.Contains(heard[0], `"protocolVersion":1`) ||
			!strings.Contains(heard[0], `"form":{}`) || strings.Contains(heard[0], `"terminal":true`) || strings.Contains(heard[0], `"writeTextFile":true`) {
			t.Errorf("initialize: %s", heard[0])
		}
		if !strings.Contains(heard[1], `"cwd":"`+r.dir+`"`) || !strings.Contains(heard[1], `"mcpServers":[]`) { // row 16
			t.Errorf("new: %s", heard[1])
		}
		if end := r.prompt("say again"); content(end) != "again" || r.starts != 1 || r.heard("session/new") != 1 {
			t.Errorf("the second turn: %+v, %d starts", end, r.starts)
		}
	})
}

// Rows 4, 6, 7, 8, 9, 12: each step has its own budget, and the prompt none.
func TestRow004to012Budgets(t *testing.T) {
	id := func(o *Options) { o.Continue = "sess-9" }
	for _, c := range []struct {
		method string
		after  time.Duration
		ok     bool
		want   string
		caps   []string
		change func(*Options)
	}{
		{method: "initialize", after: 29 * time.Second, ok: true},
		{method: "initialize", after: 31 * time.Second, want: "initialize: timed out after 30s"},
		{method: "session/new", after: 14 * time.Second, ok: true},
		{method: "session/new", after: 16 * time.Second, want: "session/new: timed out after 15s"},
		{method: "session/load", after: 59 * time.Second, ok: true, caps: []string{"load"}, change: id},
		{method: "session/load", after: 61 * time.Second, want: "session/load: timed out after 1m0s", caps: []string{"load"}, change: id},
		{method: "session/resume", after: 14 * time.Second, ok: true, caps: []string{"resume"}, change: id},
		{method: "session/resume", after: 16 * time.Second, want: "session/resume: timed out after 15s", caps: []string{"resume"}, change: id},
		{method: "session/prompt", after: time.Hour, ok: true},
	} {
		bubble(t, fmt.Sprintf("%s after %v", c.method, c.after), func(t *testing.T) {
			r := newRig(t, acpagent.Config{Caps: c.caps, Delay: map[string]time.Duration{c.method: c.after}}, c.change)
			end := r.prompt("hello")
			switch {
			case c.ok && end.Type != EventCompleted:
				t.Errorf("%+v", end)
			case !c.ok && (end.Type != EventFailed || end.Error != FailTimeout || !strings.Contains(end.Message, c.want)):
				t.Errorf("%+v", end)
			}
		})
	}
	bubble(t, "initialize and settling do not count for load", func(t *testing.T) {
		r := newRig(t, acpagent.Config{
			Caps: []string{"load"}, Delay: map[string]time.Duration{"initialize": 29 * time.Second, "session/load": 59 * time.Second},
		}, id)
		if end := r.prompt("hello"); end.Type != EventCompleted {
			t.Errorf("%+v", end)
		}
	})
}

// Rows 130–132: resume first, load where it is not, never another session.
func TestRow131Ladder(t *testing.T) {
	noMethod := map[string]*acp.Error{"session/resume": acp.Errorf(acp.CodeNoMethod, "Method not found")}
	for _, c := range []struct {
		name   string
		c      acpagent.Config
		heard  string
		failed string
	}{
		{"both", acpagent.Config{Caps: []string{"resume", "load"}}, "session/resume", ""},
		{"load only", acpagent.Config{Caps: []string{"load"}}, "session/load", ""},
		{"resume declared, not there", acpagent.Config{Caps: []string{"resume", "load"}, Fail: noMethod}, "session/resume session/load", ""},
		{"resume declared, not there, no load", acpagent.Config{Caps: []string{"resume"}, Fail: noMethod}, "session/resume", "session/resume"},
		{"neither", acpagent.Config{}, "", "session/load"},
		{"null result of load", acpagent.Config{Caps: []string{"load"}, Null: []string{"session/load"}}, "session/load", ""},
		{"null result of resume", acpagent.Config{Caps: []string{"resume"}, Null: []string{"session/resume"}}, "session/resume", ""},
		{"gone", acpagent.Config{Caps: []string{"load"}, Fail: map[string]*acp.Error{"session/load": acp.Errorf(acp.CodeNotFound, "no such session")}}, "session/load", "no such session"},
	} {
		bubble(t, c.name, func(t *testing.T) {
			r := newRig(t, c.c, func(o *Options) { o.Continue = "old-1" })
			r.wild = len(c.c.Null) > 0
			end := r.prompt("say x")
			if c.failed == "" && (end.Type != EventCompleted || content(end) != "x" || end.ProviderSessionID != "old-1") {
				t.Errorf("%+v", end)
			}
			if c.failed != "" && (end.Type != EventFailed || !strings.Contains(end.Message, c.failed) || !strings.Contains(end.Message, "old-1")) {
				t.Errorf("%+v", end)
			}
			var got []string
			for _, line := range acpagent.Heard(r.heardLog) {
				method, _, _ := strings.Cut(line, " ")
				if method != "initialize" && method != "session/prompt" {
					got = append(got, method)
				}
			}
			if strings.Join(got, " ") != c.heard {
				t.Errorf("asked %v, want %s", got, c.heard)
			}
		})
	}
}

// Rows 137, 138: history is no part of the turn, wherever it comes.
func TestRow137ReplayIsGated(t *testing.T) {
	for name, c := range map[string]acpagent.Config{
		"load":   {Caps: []string{"load"}, Replay: []string{"user old question", "say old answer", "tool t read old"}, ReplayLate: []string{"sleep 150ms", "say late history"}},
		"resume": {Caps: []string{"resume"}, Replay: []string{"say old answer"}, ReplayOnResume: true},
	} {
		bubble(t, name, func(t *testing.T) {
			r := newRig(t, c, func(o *Options) { o.Continue = "old" })
			end := r.prompt("say new")
			if content(end) != "new" {
				t.Errorf("content %q", content(end))
			}
			for _, ev := range append(r.all(EventStream), r.all(EventTool)...) {
				if !ev.Replay && ev.Text != "new" {
					t.Errorf("history in the turn: %+v", ev)
				}
			}
		})
	}
}

// Rows 10, 135: a cancel counts at any point, and the id is kept.
func TestRow135Cancel(t *testing.T) {
	for _, c := range []struct {
		name   string
		c      acpagent.Config
		id     string
		prompt string
		want   string // provider's id
		within time.Duration
	}{
		{"in initialize", acpagent.Config{Hang: []string{"initialize"}}, "", "x", "", 0},
		{"in new", acpagent.Config{Hang: []string{"session/new"}}, "", "x", "", 0},
		{"in load", acpagent.Config{Caps: []string{"load"}, Hang: []string{"session/load"}}, "old", "x", "old", 0},
		{"in the turn", acpagent.Config{}, "", "say part\nhang", "sess-1", 0},
		{"in the turn, ignored", acpagent.Config{IgnoreCancel: true, Delay: map[string]time.Duration{"session/prompt": time.Hour}}, "", "hang", "sess-1", cancelTime},
		{"in the turn, refused", acpagent.Config{}, "", "hang\nfail -32603 aborted", "sess-1", 0},
	} {
		bubble(t, c.name, func(t *testing.T) {
			r := newRig(t, c.c, func(o *Options) { o.Continue = c.id })
			r.s.Prompt(c.prompt)
			time.Sleep(time.Second)
			start := time.Now()
			if !r.s.Cancel() {
				t.Fatal("there was no turn")
			}
			<-r.ended
			end := r.last()
			if end.Type != EventCompleted || end.StopReason != "cancelled" || end.ProviderSessionID != c.want || time.Since(start) != c.within {
				t.Errorf("%+v after %v", end, time.Since(start))
			}
			if strings.HasPrefix(c.prompt, "say part") && content(end) != "part" {
				t.Errorf("content %q", content(end))
			}
			if sent := r.heard("session/cancel"); (sent == 1) != strings.Contains(c.name, "turn") {
				t.Errorf("session/cancel was sent %d times", sent)
			}
			if r.s.Cancel() {
				t.Error("there is still a turn")
			}
		})
	}
}

// A pending question is answered cancelled when its turn is cancelled (C10).
func TestCancelAnswersQuestions(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		r := newRig(t, acpagent.Config{}, func(o *Options) { o.Mode = Ask })
		r.s.Prompt("permit execute yes:Allow:allow_once no:Reject:reject_once")
		synctest.Wait()
		if q := r.all(EventQuestion); len(q) != 1 || q[0].Text != "use execute\n1. Allow\n2. Reject" {
			t.Fatalf("%+v", q)
		}
		time.Sleep(24 * time.Hour) // it stays
		r.s.Cancel()
		<-r.ended
		if r.last().StopReason != "cancelled" || r.heard("answer") != 1 {
			t.Errorf("%+v", r.last())
		}
		if heard := acpagent.Heard(r.heardLog); !strings.Contains(strings.Join(heard, "\n"), `answer {"outcome":{"outcome":"cancelled"}}`) {
			t.Errorf("%v", heard)
		}
	})
}

// Rows 161–164 and the deny of C10: which option is taken, and by what.
func TestRow162Modes(t *testing.T) {
	const three = "no:Reject:reject_once always:Always:allow_always once:Once:allow_once"
	for _, c := range []struct {
		mode    Mode
		request string
		want    string
	}{
		{Restricted, "read " + three, "once"},
		{Restricted, "think " + three, "once"},
		{Restricted, "search " + three, "once"},
		{Restricted, "edit " + three, "no"},
		{Restricted, "execute " + three, "no"},
		{Restricted, "fetch " + three, "no"},
		{Restricted, "unheard_of " + three, "no"},
		{Restricted, "execute once:Once:allow_once", "cancelled"},
		{Restricted, "read always:Always:allow_always no:Reject:reject_once", "no"},
		{Auto, "execute " + three, "once"},
		{Auto, "execute always:Always:allow_always no:Reject:reject_once", "no"},
		{Auto, "execute always:Always:allow_always", "cancelled"},
		{Auto, "execute a:A: b:B:other", "cancelled"}, // without a known kind
		{Strict, "read " + three, "cancelled"},
	} {
		bubble(t, fmt.Sprintf("%s %s", c.mode, c.request), func(t *testing.T) {
			r := newRig(t, acpagent.Config{}, func(o *Options) { o.Mode = c.mode })
			r.wild = true // among others
			end := r.prompt("permit " + c.request)
			want := `{"outcome":{"outcome":"selected","optionId":"` + c.want + `"}}`
			if c.want == "cancelled" {
				want = `{"outcome":{"outcome":"cancelled"}}`
			}
			var got, wanted any
			text := strings.TrimSpace(strings.TrimPrefix(content(end), "permit → "))
			if json.Unmarshal([]byte(text), &got) != nil || json.Unmarshal([]byte(want), &wanted) != nil || fmt.Sprint(got) != fmt.Sprint(wanted) {
				t.Errorf("%s, want %s", text, want)
			}
			if d := r.all(EventDecided); len(d) != 1 || d[0].Title == "" {
				t.Errorf("not told: %+v", d)
			}
		})
	}
}

// Several questions come one at a time, the oldest first; an answer goes by
// name, number or id.
func TestQuestionsOneAtATime(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		r := newRig(t, acpagent.Config{}, func(o *Options) { o.Attended = true; o.Mode = Ask })
		r.s.Prompt(`permit edit a:Allow_once:allow_once r:Reject:reject_once
form {"type":"object","properties":{"n":{"type":"integer","title":"How many"}},"required":["n"]}
form {"type":"object","properties":{"b":{"type":"boolean"},"s":{"type":"string","enum":["red","blue"]},"l":{"type":"array","items":{"type":"string","enum":["x","y"]}}},"required":["b","s"]}
grok [{"question":""},{"question":"Lang?","options":[{"label":"Go"},{"label":"Other"}]},{"question":"More?","multiSelect":true,"options":[{"label":"A"},{"label":"B"}]}]
url https://example.org/x`)
		step := func(text string, refused bool, shown string) {
			t.Helper()
			synctest.Wait()
			if err := r.s.Answer(text); (err != nil) != refused {
				t.Fatalf("%q: %v", text, err)
			}
			synctest.Wait()
			q := r.all(EventQuestion)
			if got := q[len(q)-1].Text; shown != "" && got != shown {
				t.Errorf("after %q it shows %q, want %q", text, got, shown)
			}
		}
		step("maybe", true, "use edit\n1. Allow once\n2. Reject")
		step("allow ONCE", false, "please\nHow many")
		step("many", true, "please\nHow many")
		step("7", false, "please\nb\n1. Yes\n2. No")
		step("1", false, "s\n1. red\n2. blue")
		step("blue", false, "l\n1. x\n2. y")
		step("x, y", false, "Lang?\n1. Go\n(or an answer in your own words)")
		step("Rust", false, "More?\n1. A\n2. B\n(or an answer in your own words)")
		step("A, zz", false, "open\nhttps://example.org/x\n1. Opened\n2. Decline\n3. Cancel")
		step("Decline", false, "")
		<-r.ended
		heard := strings.Join(acpagent.Heard(r.heardLog), "\n")
		for _, want := range []string{
			`"optionId":"a"`, `{"action":"accept","content":{"n":7}}`, `"b":true`, `"s":"blue"`, `"l":["x","y"]`,
			`"Lang?":["Other"]`, `"More?":["A","Other"]`, `{"notes":"Rust"}`, `{"notes":"zz"}`, `{"action":"decline"}`,
		} {
			if !strings.Contains(heard, want) {
				t.Errorf("the agent was not told %s in\n%s", want, heard)
			}
		}
		if err := r.s.Answer("x"); !errors.Is(err, ErrNoQuestion) {
			t.Errorf("%v", err)
		}
	})
}

// Questions nobody can answer are not left hanging.
func TestNobodyToAsk(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		r := newRig(t, acpagent.Config{}, func(o *Options) { o.Mode = Auto })
		end := r.prompt(`form {"type":"object","properties":{"n":{"type":"string"}}}
grok [{"question":"Q","options":[{"label":"A"}]}]
url https://example.org`)
		if got := content(end); strings.Count(got, `{"action":"cancel"}`) != 2 || !strings.Contains(got, `{"outcome":"cancelled"}`) {
			t.Errorf("%s", got)
		}
	})
}

// What a failure says: the step, the ways to sign in, the agent's words, and
// its last lines on standard error.
func TestFailures(t *testing.T) {
	for _, c := range []struct {
		name   string
		c      acpagent.Config
		prompt string
		word   string
		want   []string
	}{
		{"auth", acpagent.Config{Auth: []string{"oauth"}, Fail: map[string]*acp.Error{"session/new": acp.Errorf(-32000, "Authentication required")}}, "x", FailAuth, []string{"session/new", "oauth (Sign in by oauth)"}},
		{"version", acpagent.Config{Version: 7}, "x", FailProtocol, []string{"initialize", "version 7"}},
		{"own error", acpagent.Config{Stderr: "line one\nlast words\n"}, "fail -32603 model is gone", FailAgent, []string{"session/prompt", "model is gone", `{"why":"scripted"}`, "last words"}},
		{"dies", acpagent.Config{Stderr: "panic: oh\n"}, "say a\ndie 3", FailGone, []string{"session/prompt", "exit code 3", "panic: oh"}},
		{"dies at once", acpagent.Config{Die: map[string]int{"initialize": 9}, Stderr: "cannot find module\n"}, "x", FailGone, []string{"initialize", "exit code 9", "cannot find module"}},
		{"reason", acpagent.Config{}, "stop whatever", FailAgent, []string{"session/prompt", "whatever"}},
		{"strange answer", acpagent.Config{Null: []string{"session/new"}}, "x", FailAgent, []string{"session/new", "no id"}},
	} {
		bubble(t, c.name, func(t *testing.T) {
			r := newRig(t, c.c, nil)
			r.wild = true // among others
			end := r.prompt(c.prompt)
			if end.Type != EventFailed || end.Error != c.word {
				t.Fatalf("%+v", end)
			}
			for _, w := range c.want {
				if !strings.Contains(end.Message, w) {
					t.Errorf("%q does not say %q", end.Message, w)
				}
			}
			r.mu.Lock()
			n := 0
			for _, ev := range r.events {
				if ev.Type == EventFailed || ev.Type == EventCompleted {
					n++
				}
			}
			r.mu.Unlock()
			if n != 1 {
				t.Errorf("%d ends", n)
			}
		})
	}
}

// An agent that died is started again by the next prompt, on the same session.
func TestNextPromptBringsItBack(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		r := newRig(t, acpagent.Config{Caps: []string{"load"}, Replay: []string{"say old"}}, nil)
		if end := r.prompt("die 1"); end.Type != EventFailed || end.ProviderSessionID != "sess-1" {
			t.Fatalf("%+v", end)
		}
		end := r.prompt("say back")
		if content(end) != "back" || end.ProviderSessionID != "sess-1" || r.starts != 2 || r.heard("session/new") != 1 || r.heard("session/load") != 1 {
			t.Errorf("%+v, %d starts", end, r.starts)
		}
		if len(r.all(EventExited)) != 0 {
			t.Error("its end was told twice")
		}
	})
}

// Invalid params on MCP servers are tried once without them.
func TestStrictMCP(t *testing.T) {
	servers := func(o *Options) {
		o.MCP = []acp.McpServer{{Name: "x", Command: "/bin/x", Args: []string{}, Env: []acp.EnvVariable{}}}
	}
	bubble(t, "", func(t *testing.T) {
		r := newRig(t, acpagent.Config{StrictMCP: true}, servers)
		if end := r.prompt("say x"); end.Type != EventCompleted || r.heard("session/new") != 2 {
			t.Errorf("%+v %d", end, r.heard("session/new"))
		}
	})
	bubble(t, "none given", func(t *testing.T) {
		r := newRig(t, acpagent.Config{Fail: map[string]*acp.Error{"session/new": acp.Errorf(acp.CodeBadParams, "no")}}, nil)
		if end := r.prompt("say x"); end.Type != EventFailed || r.heard("session/new") != 1 {
			t.Errorf("%+v", end)
		}
	})
}

// What is another session's, late, unknown or noise stays out of the text and
// is told.
func TestWhatIsNotTheTurns(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		r := newRig(t, acpagent.Config{Noise: "npm warn deprecated\nready!\n"}, nil)
		r.wild = true // among others
		end := r.prompt(`say a
other THEIRS
noise {"level":"info"}
update {"sessionUpdate":"from_the_future","x":[1]}
update {"sessionUpdate":"agent_message_chunk","content":{"type":"hologram","beam":1}}
update {"sessionUpdate":"agent_message_chunk","content":{"type":"image","data":"aa","mimeType":"image/png"}}
ext _x/unknown
say b
late LATE`)
		if got := content(end); !strings.HasPrefix(got, "a") || !strings.HasSuffix(got, "b") || strings.Contains(got, "THEIRS") || strings.Contains(got, "LATE") ||
			!strings.Contains(got, "-32601") {
			t.Errorf("%q", got)
		}
		raw := r.all(EventRaw)
		if len(raw) != 2 || !strings.Contains(string(raw[0].Update), `"x":[1]`) || !strings.Contains(string(raw[1].Update), "hologram") {
			t.Errorf("raw: %+v", raw)
		}
		if n := r.all(EventNoise); len(n) != 1 || n[0].Count != 3 || n[0].Lines[0] != "npm warn deprecated" {
			t.Errorf("noise: %+v", n)
		}
		if c := r.all(EventContent); len(c) != 1 || c[0].Kind != "message" {
			t.Errorf("content: %+v", c)
		}
		seq := uint64(0)
		for _, ev := range r.all("") {
			if ev.Seq <= seq {
				t.Errorf("seq %d after %d: %+v", ev.Seq, seq, ev)
			}
			seq = ev.Seq
		}
	})
}

// A permission asked for while nothing runs is denied.
func TestIdleRequestsAreDenied(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		r := newRig(t, acpagent.Config{AfterNew: []string{"permit read once:Once:allow_once"}}, func(o *Options) { o.Mode = Auto })
		r.prompt("sleep 1s")
		if heard := strings.Join(acpagent.Heard(r.heardLog), "\n"); !strings.Contains(heard, `"outcome":"cancelled"`) && !strings.Contains(heard, `"optionId":"once"`) {
			t.Errorf("not answered:\n%s", heard)
		}
		if len(r.all(EventQuestion)) != 0 {
			t.Error("it was asked")
		}
	})
}

func TestQueueOfPrompts(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		r := newRig(t, acpagent.Config{}, nil)
		for i, text := range []string{"sleep 1s\nsay 1", "say 2", "say 3"} {
			if before, err := r.s.Prompt(text); err != nil || before != i {
				t.Errorf("%d %v", before, err)
			}
		}
		for range 3 {
			<-r.ended
		}
		var got []string
		for _, ev := range r.all(EventCompleted) {
			got = append(got, content(ev))
		}
		if strings.Join(got, "") != "123" || r.starts != 1 {
			t.Errorf("%v", got)
		}
		r.s.Close()
		if _, err := r.s.Prompt("x"); !errors.Is(err, ErrClosed) {
			t.Errorf("%v", err)
		}
	})
}

// An agent that had nothing to do for ten minutes goes; the next prompt brings
// it back on the same session. One that could not go on stays.
func TestIdleAgentIsReleased(t *testing.T) {
	for _, caps := range [][]string{{"resume"}, nil} {
		bubble(t, fmt.Sprint(caps), func(t *testing.T) {
			r := newRig(t, acpagent.Config{Caps: caps}, nil)
			r.prompt("say a")
			time.Sleep(restTime - time.Second)
			r.prompt("sleep 20m\nsay b") // a turn is no rest
			time.Sleep(restTime - time.Second)
			synctest.Wait()
			if n := len(r.all(EventReleased)); n != 0 {
				t.Fatal("it was let go too early")
			}
			time.Sleep(2 * time.Second)
			end := r.prompt("say c")
			starts, released := 1, 0
			if caps != nil {
				starts, released = 2, 1
			}
			if content(end) != "c" || end.ProviderSessionID != "sess-1" || r.starts != starts || len(r.all(EventReleased)) != released || len(r.all(EventExited)) != 0 {
				t.Errorf("%+v, %d starts, %d released", end, r.starts, len(r.all(EventReleased)))
			}
		})
	}
}
