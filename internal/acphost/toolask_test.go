package acphost

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/termio-sh/termio/internal/testkit/acpagent"
)

// Row 167: which tool calls ask, and what.
func TestRow167ToolPages(t *testing.T) {
	for _, c := range []struct{ input, want string }{
		{`{"questions":[{"question":"Which?","header":"h","options":[{"label":"A","description":"a"},{"label":"B"}]}]}`, "Which?|A,B|free"},
		{`{"variant":"AskUserQuestion","questions":[{"question":"Which?","options":[{"label":"A"}]}]}`, "Which?|A|"},
		{`{"variant":"AskUserQuestion","questions":[{"question":"Which?","options":[{"label":"A"},{"label":"Other (type it)"}]}]}`, "Which?|A|free"},
		{`{"variant":"Edit","questions":[{"question":"Which?","options":[{"label":"A"}]}]}`, ""},
		{`{"questions":[{"question":"Which?","options":[{"label":"A"}],"custom":false,"multiple":true}]}`, "Which?|A|multi"},
		{`{"questions":[{"question":"Which?","options":[{"label":"A"}],"custom":true}]}`, "Which?|A|free"},
		{`"{\"questions\":[{\"question\":\"Why?\",\"options\":[]}]}"`, "Why?||free"},
		{`{"questions":[{"question":" ","options":[{"label":"A"}]},{"question":"Two?","options":[{"label":"B"}],"multi_select":true}]}`, "Two?|B|free multi"},
		{`{"questions":[{"question":"Which?","options":[{"label":"A"}],"custom":false},{"question":"Type your own answer","options":[]}]}`, "Which?|A|free"},
		{`{"questions":[{"question":"Which?","options":[{"label":"A"}]},{"question":"Anything else?","options":[]}]}`, "Which?|A|free; Anything else?||free"},
		{`{"command":"grep","questions":[{"question":"Which?","options":[{"label":"A"}]}]}`, ""},
		{`{"questions":"none"}`, ""},
		{`[1]`, ""},
		{`{"questions":[]}`, ""},
		{``, ""},
		{`"questions"`, ""},
	} {
		var got []string
		for _, p := range toolPages([]byte(c.input)) {
			var names, flags []string
			for _, o := range p.Choices {
				names = append(names, o.Name)
			}
			if p.Free {
				flags = append(flags, "free")
			}
			if p.Multi {
				flags = append(flags, "multi")
			}
			got = append(got, p.Text+"|"+strings.Join(names, ",")+"|"+strings.Join(flags, " "))
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("%s: %q, want %q", c.input, s, c.want)
		}
	}
}

const askingTool = `update {"sessionUpdate":"tool_call","toolCallId":"q1","title":"question","kind":"other","status":"pending","rawInput":{"questions":[{"question":"Which way?","options":[{"label":"Left"},{"label":"Right"}]},{"question":"Why?","options":[]}]}}`

// Row 168: the turn that a tool's question holds up is ended by its answer,
// which is a turn of its own, before those that wait.
func TestRow168AnswerByTurn(t *testing.T) {
	attended := func(o *Options) { o.Attended = true }
	bubble(t, "", func(t *testing.T) {
		r := newRig(t, acpagent.Config{}, attended)
		r.s.Prompt(askingTool + "\nhang")
		r.s.Prompt("say queued")
		synctest.Wait()
		if q := r.all(EventQuestion); len(q) != 1 || !strings.Contains(q[0].Text, "Which way?") || q[0].Kind != "ask" {
			t.Fatalf("%+v", q)
		}
		if err := r.s.Answer("2"); err != nil {
			t.Fatal(err)
		}
		if err := r.s.Answer("because"); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			<-r.ended
		}
		ends := r.all(EventCompleted)
		if len(ends) != 3 || ends[0].StopReason != "cancelled" || !ends[0].Next || ends[1].Next ||
			!strings.Contains(content(ends[1]), "Answer: because") || content(ends[2]) != "queued" {
			t.Errorf("%+v", ends)
		}
		prompts := r.all(EventPrompt)
		if want := "Question: Which way?\nAnswer: Right\n\nQuestion: Why?\nAnswer: because"; len(prompts) != 3 || prompts[1].Text != want {
			t.Errorf("%+v", prompts)
		}
	})
	for name, more := range map[string]string{
		"the tool goes on":      "sleep 1s\nupdate {\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"q1\",\"status\":\"completed\"}\nsleep 1s",
		"the turn ends":         "sleep 1s",
		"the agent asks itself": "sleep 1s\n" + `grok [{"question":"Which way?","options":[{"label":"Left"}]}]`,
	} {
		bubble(t, name, func(t *testing.T) {
			r := newRig(t, acpagent.Config{}, attended)
			r.s.Prompt(askingTool + "\n" + more)
			time.Sleep(1500 * time.Millisecond)
			stands, asked := r.s.Asking()
			if own := strings.HasPrefix(name, "the agent"); stands != own || own && asked != 2 {
				t.Errorf("stands %v, asked %d", stands, asked)
			}
			if stands {
				r.s.Answer("1")
			}
			<-r.ended
			if e := r.all(EventCompleted); len(e) != 1 || e[0].StopReason != "end_turn" {
				t.Errorf("%+v", e)
			}
		})
	}
	bubble(t, "nobody is there", func(t *testing.T) {
		r := newRig(t, acpagent.Config{}, nil)
		if r.prompt(askingTool); len(r.all(EventQuestion)) != 0 {
			t.Error("it was asked")
		}
	})
	bubble(t, "a cancel", func(t *testing.T) {
		r := newRig(t, acpagent.Config{}, attended)
		r.s.Prompt(askingTool + "\nhang")
		synctest.Wait()
		r.s.Cancel()
		<-r.ended
		if n := len(r.all(EventPrompt)); n != 1 {
			t.Errorf("%d prompts", n)
		}
	})
}
