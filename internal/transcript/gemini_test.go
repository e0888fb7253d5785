package transcript_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/termio-sh/termio/internal/transcript"
)

// Gemini CLI writes the whole conversation once more when it is resumed, and
// leaves an empty file of the same id beside it.
func TestGeminiResumed(t *testing.T) {
	dir := t.TempDir()
	chats := filepath.Join(dir, ".gemini/tmp/p/chats")
	if err := os.MkdirAll(chats, 0o700); err != nil {
		t.Fatal(err)
	}
	const (
		id     = "209cfe98-c83f-4ab7-bf31-d4af70d95034"
		header = `{"sessionId":"` + id + `","startTime":"2026-12-01T00:50:29.471Z","kind":"main"}` + "\n"
		noted  = `{"id":"m0","timestamp":"2026-12-01T00:50:29Z","type":"user","content":[{"text":"<session_context>x"}]}`
		hello  = `{"id":"m1","timestamp":"2026-12-01T00:50:30Z","type":"user","content":[{"text":"say hello"}]}`
		answer = `{"id":"m2","timestamp":"2026-12-01T00:50:31Z","type":"gemini","content":"Hello","tokens":{"input":12,"output":20}}`
		second = `{"id":"m3","timestamp":"2026-12-01T00:51:26Z","type":"user","content":[{"text":"second"}]}`
	)
	path := filepath.Join(chats, "session-2026-12-01T00-50-209cfe98.jsonl")
	write(t, path, header+`{"$set":{"messages":[`+noted+"]}}\n"+hello+"\n"+answer+"\n"+
		`{"$set":{"sessionId":"`+id+`"}}`+"\n"+`{"$set":{"messages":[`+noted+","+hello+","+answer+"]}}\n"+second+"\n", 0)
	write(t, filepath.Join(chats, "session-2026-12-01T00-51-209cfe98.jsonl"), header+`{"$set":{"messages":[`+noted+"]}}\n", 0)
	if got, ok := transcript.Find(bundled(t, "gemini"), home(dir), "", id); !ok || got != path {
		t.Errorf("found %q, %v", got, ok)
	}
	lines := func(from, to int) string {
		t.Helper()
		said, err := transcript.Read("gemini-jsonl", path, from, to)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, m := range said {
			out = append(out, fmt.Sprint(m.Line, " ", m.Role, " ", m.Text))
		}
		return strings.Join(out, "; ")
	}
	const whole = "1 system <session_context>x; 2 user say hello; 3 assistant Hello; 6 user second"
	if got := lines(0, transcript.ToEnd); got != whole {
		t.Errorf("said: %s", got)
	}
	if got := lines(4, transcript.ToEnd); got != "6 user second" {
		t.Errorf("after the cursor: %s", got)
	}
	if got := lines(0, 6); got != strings.TrimSuffix(whole, "; 6 user second") {
		t.Errorf("before the cursor: %s", got)
	}
	about, _, _, err := transcript.Scan(t.Context(), "gemini-jsonl", path, transcript.Mark{}, func(transcript.Message) error { return nil })
	if err != nil || about.Prompts != 2 || about.Messages != 4 {
		t.Errorf("it has %d prompts and %d messages, %v", about.Prompts, about.Messages, err)
	}
}
