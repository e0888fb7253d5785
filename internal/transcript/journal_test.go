package transcript

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// journalFile writes a journal: a line is the agent's update, or a note.
func journalFile(t *testing.T, lines ...string) string {
	t.Helper()
	var b strings.Builder
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for i, l := range lines {
		from, member := "agent", `"msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":`+l+`}}`
		if strings.Contains(l, `"type":"note:`) {
			from, member = "host", `"note":`+strings.Replace(l, `note:`, ``, 1)
		}
		fmt.Fprintf(&b, `{"seq":%d,"at":%q,"from":%q,%s}`+"\n", i+1, at.Add(time.Duration(i)*time.Second).Format(time.RFC3339Nano), from, member)
	}
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func chunk(kind, text string) string {
	return fmt.Sprintf(`{"sessionUpdate":%q,"content":{"type":"text","text":%q}}`, kind, text)
}

// A journal is what was said: pieces are one message, a tool's call and its
// result are said once, history that is replayed is not said again.
func TestJournal(t *testing.T) {
	path := journalFile(
		t,
		`{"type":"note:prompt","text":"first"}`, // 0
		`{"type":"note:session","providerSessionId":"s1"}`,
		`{"type":"note:turn","providerSessionId":"s1"}`,
		chunk("agent_thought_chunk", "hm"), // 3
		chunk("agent_message_chunk", "one "),
		chunk("agent_message_chunk", "answer"), // 5
		`{"sessionUpdate":"tool_call","toolCallId":"t","title":"List","kind":"execute","status":"pending"}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"t","rawInput":{"command":"ls"}}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed","content":[{"type":"content","content":{"type":"text","text":"a b"}}]}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"}`, // 9
		chunk("agent_message_chunk", "done"),
		`{"type":"note:completed","stopReason":"end_turn"}`, // 11
		`{"type":"note:prompt","text":"second"}`,
		`{"type":"note:replay"}`, // 13
		chunk("user_message_chunk", "first"),
		chunk("agent_message_chunk", "one answer"),
		`{"type":"note:session","providerSessionId":"s1"}`,
		`{"type":"note:turn","providerSessionId":"s1"}`, // 17
		`{"type":"note:question","text":"May I?","question":{}}`,
		`{"type":"note:answered","answer":"Yes"}`,
		chunk("agent_message_chunk", "more"), // 20
	)
	call := &Tool{Name: "List", ID: "t", Input: `{"command":"ls"}`}
	all := []Message{
		{Line: 0, Role: User, Text: "first"},
		{Line: 4, Role: Assistant, Text: "one answer"},
		{Line: 6, Role: Assistant, Tool: call},
		{Line: 8, Role: ToolRole, Text: "a b", Tool: &Tool{ID: "t"}},
		{Line: 10, Role: Assistant, Text: "done"},
		{Line: 12, Role: User, Text: "second"},
		{Line: 18, Role: System, Text: "asked: May I?"},
		{Line: 19, Role: System, Text: "answered: Yes"},
		{Line: 20, Role: Assistant, Text: "more"},
	}
	for _, c := range []struct {
		from, to int
		want     []Message
	}{
		{0, ToEnd, all},
		{0, 12, all[:5]},
		{12, 21, all[5:]},
		{9, 11, []Message{{Line: 9, Role: Assistant, Tool: &Tool{Name: "", ID: "t"}}, {Line: 9, Role: ToolRole, Tool: &Tool{ID: "t"}}, all[4]}},
		{20, ToEnd, all[8:]}, // in the middle of a turn
		{21, ToEnd, nil},
	} {
		got, err := Read(Journal, path, c.from, c.to)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.want, got, cmpopts.IgnoreFields(Message{}, "At"), cmpopts.IgnoreUnexported(Message{}), cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%d to %d: %s", c.from, c.to, d)
		}
	}
	if n, err := NewCounter(Journal).Lines(path); n != 21 || err != nil {
		t.Errorf("%d lines, %v", n, err)
	}
	said := 0
	about, _, _, err := Scan(t.Context(), Journal, path, Mark{}, func(Message) error { said++; return nil })
	if err != nil || about.ID != "s1" || about.Prompts != 2 || said < len(all) {
		t.Errorf("%+v %d, %v", about, said, err)
	}
}
