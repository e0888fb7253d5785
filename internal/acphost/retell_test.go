package acphost

import (
	"strings"
	"testing"

	"github.com/termio-sh/termio/internal/acp"
	"github.com/termio-sh/termio/internal/testkit/acpagent"
)

// talking makes a rig whose conversation its session can retell.
func talking(t *testing.T, c acpagent.Config, change func(*Options)) *rig {
	var r *rig
	r = newRig(t, c, func(o *Options) {
		o.Retell = func() string {
			var talk Conversation
			for _, ev := range r.all("") {
				talk.Apply(ev)
			}
			return talk.Retell()
		}
		if change != nil {
			change(o)
		}
	})
	return r
}

// prompts are the texts of the prompts that the agent got.
func (r *rig) prompts() (out []string) {
	for _, line := range acpagent.Heard(r.heardLog) {
		if params, ok := strings.CutPrefix(line, "session/prompt "); ok {
			var q acp.PromptRequest
			if err := acp.Decode([]byte(params), &q); err != nil {
				r.t.Fatal(err)
			}
			out = append(out, q.Prompt[0].Text)
		}
	}
	return out
}

// Row 134: where the agent cannot go on with a session, a new one is told what
// was said, once, and readers are told so. A session of somebody else's is never
// replaced.
func TestRow134Retell(t *testing.T) {
	bubble(t, "the agent cannot go on", func(t *testing.T) {
		r := talking(t, acpagent.Config{}, nil)
		r.prompt("say The answer is 42.\nthink secret")
		r.prompt("die 1")
		end := r.prompt("say again")
		if end.Type != EventCompleted || end.ProviderSessionID == "" {
			t.Fatalf("%+v", end)
		}
		r.prompt("say more")
		got := r.prompts()
		want := retoldFirst + "User: say The answer is 42.\nthink secret\n\nAssistant: The answer is 42.\n\nUser: die 1" + retoldLast + "say again"
		if len(got) != 4 || got[2] != want || got[3] != "say more" {
			t.Errorf("%q", got)
		}
		if n := r.all(EventNotice); len(n) != 1 || !strings.Contains(n[0].Message, "cannot continue") {
			t.Errorf("%+v", n)
		}
	})
	bubble(t, "a command is sent as it is, the next prompt tells", func(t *testing.T) {
		r := talking(t, acpagent.Config{}, nil)
		r.prompt("say one")
		r.prompt("die 1")
		r.prompt("/compact")
		r.prompt("say two")
		if got := r.prompts(); got[2] != "/compact" || !strings.HasPrefix(got[3], retoldFirst) {
			t.Errorf("%q", got)
		}
	})
	bubble(t, "another's session", func(t *testing.T) {
		r := talking(t, acpagent.Config{}, func(o *Options) { o.Continue = "theirs" })
		if end := r.prompt("say x"); end.Error != FailResume || r.heard("session/new") != 0 {
			t.Errorf("%+v", end)
		}
	})
}

// Row 190: a session whose reach has changed is not continued, though its agent
// could.
func TestRow190Fresh(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		r := newRig(t, acpagent.Config{Caps: []string{"load", "resume"}}, func(o *Options) {
			o.Fresh, o.Retell = "it has another reach", func() string { return "TOLD\n" }
		})
		r.prompt("say x")
		r.prompt("die 1")
		r.prompt("say y")
		if got := r.prompts(); got[0] != "TOLD\nsay x" || got[2] != "say y" || r.heard("session/new") != 1 || r.heard("session/resume") != 1 {
			t.Errorf("%q; new %d, resume %d", got, r.heard("session/new"), r.heard("session/resume"))
		}
	})
}

// What is retold is bounded, and begins with a whole character.
func TestRetellIsBounded(t *testing.T) {
	var c Conversation
	c.Apply(Event{Type: EventPrompt, Text: strings.Repeat("é", maxRetold)})
	c.Apply(Event{Type: EventStream, Kind: "message", Text: "x"})
	text := c.Retell()
	if len(text) > maxRetold+300 || !strings.Contains(text, retoldCut+"é") || !strings.HasSuffix(text, "Assistant: x"+retoldLast) {
		t.Errorf("%d bytes: %.80q … %q", len(text), text, text[len(text)-60:])
	}
}
