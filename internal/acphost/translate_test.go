package acphost

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/termio-sh/termio/internal/acp"
)

var start = time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)

// feed is a turn by hand: entries at times, and the events they make.
type feed struct {
	t   Translator
	seq uint64
	out []Event
}

func newFeed() *feed {
	f := &feed{t: Translator{Whole: true}}
	f.note(0, Event{Type: EventTurn, ProviderSessionID: "s"})
	f.out = nil
	return f
}

func (f *feed) add(after time.Duration, e Entry) {
	f.seq++
	e.Seq, e.At = f.seq, start.Add(after)
	f.out = append(f.out, f.t.Add(e)...)
}

func (f *feed) note(after time.Duration, ev Event) { f.add(after, Entry{From: FromHost, Note: &ev}) }

func (f *feed) update(after time.Duration, update string) {
	f.add(after, Entry{From: FromAgent, Msg: jsontext.Value(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` + update + `}}`)})
}

func (f *feed) text(after time.Duration, kind, text string) {
	quoted, _ := json.Marshal(text)
	f.update(after, `{"sessionUpdate":"`+kind+`","content":{"type":"text","text":`+string(quoted)+`}}`)
}

func (f *feed) end(after time.Duration) Event {
	f.note(after, Event{Type: EventCompleted, StopReason: "end_turn"})
	return f.out[len(f.out)-1]
}

func shape(events []Event) (out []string) {
	for _, ev := range events {
		out = append(out, strings.TrimSpace(ev.Type+" "+ev.Kind+" "+ev.Text))
	}
	return out
}

// Row 106: same-kind text within 40 ms is one event, and nothing is lost.
func TestRow106Coalescing(t *testing.T) {
	f := newFeed()
	var want strings.Builder
	for i := range 200 {
		text := fmt.Sprintf("%d ", i)
		want.WriteString(text)
		f.text(time.Duration(i)*10*time.Millisecond, acp.UpdateMessage, text)
	}
	end := f.end(3 * time.Second)
	n, got := 0, ""
	for _, ev := range f.out {
		if ev.Type == EventStream {
			n++
			got += ev.Text
		}
	}
	if got != want.String() || *end.Content != got || n < 40 || n > 60 {
		t.Errorf("%d events, %d bytes of %d", n, len(got), want.Len())
	}
	f = newFeed()
	f.text(0, acp.UpdateMessage, "tail")
	if ev := f.t.Flush(start.Add(39 * time.Millisecond)); ev != nil {
		t.Errorf("too early: %+v", ev)
	}
	if ev := f.t.Flush(start.Add(40 * time.Millisecond)); len(ev) != 1 || ev[0].Text != "tail" || f.t.Waiting() {
		t.Errorf("%+v", ev)
	}
}

// Row 107: a change of kind, every other update and the end flush first.
func TestRow107FlushOrder(t *testing.T) {
	f := newFeed()
	f.text(0, acp.UpdateThought, "t")
	f.text(0, acp.UpdateMessage, "m1")
	f.update(0, `{"sessionUpdate":"tool_call","toolCallId":"c","title":"T","kind":"read"}`)
	f.text(0, acp.UpdateMessage, "m2")
	f.update(0, `{"sessionUpdate":"usage_update","used":1,"size":2}`)
	f.text(0, acp.UpdateMessage, "m3")
	f.end(0)
	want := []string{"stream thought t", "stream message m1", "tool read", "stream message m2", "usage", "stream message m3", "completed"}
	if d := cmp.Diff(want, shape(f.out)); d != "" {
		t.Error(d)
	}
}

// Row 108: 32 KiB of a tool's input and output, cut at a character.
func TestRow108ToolTruncation(t *testing.T) {
	for name, raw := range map[string]string{
		"text":   `"` + strings.Repeat("é", 20_000) + `"`,
		"object": `{"a":"` + strings.Repeat("漢", 20_000) + `"}`,
	} {
		f := newFeed()
		f.update(0, `{"sessionUpdate":"tool_call_update","toolCallId":"c","rawOutput":`+raw+`,"rawInput":{"small":1}}`)
		out := acp.Text(f.out[0].Output)
		if !utf8.ValidString(out) || len(out) > maxTool+60 || !strings.Contains(out, "… [truncated ") || string(f.out[0].Input) != `{"small":1}` {
			t.Errorf("%s: %d bytes: …%s", name, len(out), out[max(0, len(out)-60):])
		}
	}
}

// Row 84: pi's banner is no answer; an answer that speaks of skills is one.
func TestRow084Banner(t *testing.T) {
	for text, banner := range map[string]bool{
		"pi v0.9.1\n\n## Context\n- x\n": true,
		"pi v1\n---\n## Skills":          true,
		"pi very good\n## Skills":        false,
		"## Skills are here":             false,
		"pi v1 is out":                   false,
	} {
		f := newFeed()
		f.text(0, acp.UpdateMessage, text)
		f.text(0, acp.UpdateMessage, "answer")
		if got := *f.end(0).Content; got != map[bool]string{true: "answer", false: text + "answer"}[banner] {
			t.Errorf("%q: content %q", text, got)
		}
	}
}

func TestThinkTagsAreThoughts(t *testing.T) {
	f := newFeed()
	for _, text := range []string{"a<th", "ink>b", "</thi", "nk>c < d <b>e", "<Thinking>", "x</think>y</thinking>z<"} {
		f.text(0, acp.UpdateMessage, text)
	}
	if got := *f.end(0).Content; got != "ac < d <b>ez<" {
		t.Errorf("%q", got)
	}
	thoughts := ""
	for _, ev := range f.out {
		if ev.Kind == "thought" {
			thoughts += ev.Text
		}
	}
	if thoughts != "bx</think>y" {
		t.Errorf("thoughts %q", thoughts)
	}
}

// Row 139: placeholders vanish, but only as a whole text.
func TestRow139Placeholders(t *testing.T) {
	r := &Replay{}
	add := func(kind, text string) { r.Add(Event{Type: EventStream, Kind: kind, Text: text}) }
	r.Add(Event{Type: EventUser, Text: "<environment_context>x</environment_context>User request:\nhello\n## Active local skills\nlong"})
	add("message", " No response requested. \n")
	r.Add(Event{Type: EventUser, Text: "again"})
	add("thought", "t1")
	add("message", "It said: No response requested.")
	add("thought", "t2")
	lines := r.Lines()
	if len(lines) != 3 || lines[0].Text != "hello" || lines[2].Text != "It said: No response requested." || lines[2].Reasoning != "t1\n\nt2" || lines[2].ID != "line-3" {
		t.Errorf("%+v", lines)
	}
}

func TestConversationIsReadable(t *testing.T) {
	c := &Conversation{}
	for _, ev := range []Event{
		{Type: EventPrompt, Text: "do\nit"},
		{Type: EventStream, Kind: "thought", Text: "hm"},
		{Type: EventStream, Kind: "message", Text: "Hel"},
		{Type: EventStream, Kind: "message", Text: "lo\x1b[2J"},
		{Type: EventTool, ToolCallID: "1", Title: "Read a", Status: "in_progress"},
		{Type: EventTool, ToolCallID: "2", Title: "Read b"},
		{Type: EventTool, ToolCallID: "1", Status: "completed"},
		{Type: EventPlan, Entries: jsontext.Value(`[{"content":"one","status":"completed","priority":"low"},{"content":"two","status":"pending","priority":"low"}]`)},
		{Type: EventPlan, Entries: jsontext.Value(`[{"content":"two","status":"in_progress","priority":"low"}]`)},
		{Type: EventCompleted, StopReason: "refusal"},
	} {
		c.Apply(ev)
	}
	want := "> do\n  it\n\n~ hm\n\nHello[2J\n\n* Read a [completed]\n* Read b [not finished]\n\n[>] two\n\n- the turn ended: refusal"
	if d := cmp.Diff(want, c.Text()); d != "" {
		t.Error(d)
	}
	if got := c.Lines(1); got != "- the turn ended: refusal" {
		t.Errorf("%q", got)
	}
	for range 300 {
		c.Apply(Event{Type: EventStream, Kind: "message", Text: strings.Repeat("x", 32<<10)})
	}
	if n := len(c.Text()); n > maxConversation+1000 {
		t.Errorf("%d bytes are kept", n)
	}
}
