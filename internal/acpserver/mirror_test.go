package acpserver

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/termio-sh/termio/internal/acp"
	"github.com/termio-sh/termio/internal/acphost"
)

func update(session, kind, text string) acphost.Entry {
	return acphost.Entry{From: acphost.FromAgent, Msg: []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"` + session +
		`","update":{"sessionUpdate":"` + kind + `","content":{"type":"text","text":"` + text + `"}}}}`)}
}

func note(ev acphost.Event) acphost.Entry {
	return acphost.Entry{From: acphost.FromHost, Note: &ev}
}

// What a client gets of a journal: every word once, and none that is not the
// session's.
func TestMirror(t *testing.T) {
	ready, turn := note(acphost.Event{Type: acphost.EventReady, ProviderSessionID: "s"}), note(acphost.Event{Type: acphost.EventTurn})
	over := note(acphost.Event{Type: acphost.EventCompleted, ID: 1, StopReason: "end_turn"})
	replay := note(acphost.Event{Type: acphost.EventReplay})
	asks := acphost.Entry{From: acphost.FromAgent, Msg: []byte(`{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}}`)}
	question := note(acphost.Event{Type: acphost.EventQuestion, ID: 4, Question: &acphost.Question{Kind: "permission", Tool: "t", Pages: []acphost.Page{{Text: "May I?"}}}})
	var m mirror
	var got []string
	for _, e := range []acphost.Entry{
		replay, update("s", "user_message_chunk", "old"), update("s", "agent_message_chunk", "history"), ready, // there was none here yet
		note(acphost.Event{Type: acphost.EventPrompt, ID: 1, Text: "hi"}), turn,
		update("s", "user_message_chunk", "hi"), update("s", "agent_message_chunk", "hello"), update("other", "agent_message_chunk", "no"),
		{From: acphost.FromClient, Msg: update("s", "agent_message_chunk", "ours").Msg},
		asks, question, note(acphost.Event{Type: acphost.EventAnswered, ID: 4}),
		over, update("s", "agent_message_chunk", "late"), update("s", "usage_update", "u"),
		replay, update("s", "agent_message_chunk", "hello"), ready,
		note(acphost.Event{Type: acphost.EventWithdrawn, ID: 2}),
	} {
		for _, a := range m.add(e) {
			switch {
			case a.update != nil:
				c := acp.UpdateOf([]byte(`{"update":` + string(a.update) + `}`))
				text, _ := c.Text()
				got = append(got, strings.TrimSuffix(c.Kind, "_chunk")+" "+text)
			case a.prompted != 0:
				got = append(got, "prompt "+a.prompt)
			case a.over != nil:
				got = append(got, "over "+a.over.Type)
			case a.ask != nil:
				got = append(got, "asks "+string(a.request[:16]))
			case a.answered != nil:
				got = append(got, "answered")
			}
		}
	}
	want := []string{"user_message old", "agent_message history", "prompt hi", "agent_message hello", `asks {"sessionId":"s"`, "answered", "over completed", "usage_update u", "over withdrawn"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// A question becomes a request for permission where its page has choices.
func TestPermissionOf(t *testing.T) {
	page := func(p acphost.Page) act {
		return act{ask: &acphost.Event{ID: 3, Question: &acphost.Question{Kind: "url", Pages: []acphost.Page{p}}}}
	}
	q, ok := permissionOf(page(acphost.Page{Text: "Open it", Choices: []acphost.Choice{{ID: "accept", Name: "Opened"}, {ID: "decline", Name: "Decline"}}}))
	if !ok || q.ToolCall.ToolCallID != "question-3-1" || q.ToolCall.Title != "Open it" || len(q.Options) != 2 ||
		q.Options[0].Kind != acp.PermissionOptionKindAllowOnce || q.Options[1].Kind != acp.PermissionOptionKindRejectOnce {
		t.Errorf("%v %+v", ok, q)
	}
	for _, p := range []acphost.Page{{Text: "How many?", Free: true}, {Text: "Which?", Multi: true, Choices: []acphost.Choice{{ID: "a"}}}} {
		if _, ok := permissionOf(page(p)); ok {
			t.Errorf("%+v is asked for one choice", p)
		}
	}
}

// A prompt's blocks as one text.
func TestTextOf(t *testing.T) {
	text := acp.TextBlock
	link := acp.ContentBlock{Type: "resource_link", Name: "a.go", URI: "file:///a.go"}
	embedded := acp.ContentBlock{Type: "resource", Resource: &acp.EmbeddedResourceResource{URI: "file:///b", Text: "body"}}
	for _, c := range []struct {
		blocks []acp.ContentBlock
		want   string
	}{
		{[]acp.ContentBlock{text("see "), link, text(" now")}, "see [a.go](file:///a.go) now"},
		{[]acp.ContentBlock{text("one"), text("two")}, "one\ntwo"},
		{[]acp.ContentBlock{text("read"), embedded, text("please")}, "read\nfile:///b:\n```\nbody\n```\nplease"},
		{[]acp.ContentBlock{text(" ")}, ""},
		{nil, ""},
		{[]acp.ContentBlock{{Type: "image", Data: "x"}}, ""},
	} {
		got, err := textOf(c.blocks)
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%+v: %q, %v; want %q", c.blocks, got, err, c.want)
		}
	}
}
