package transcript_test

import (
	"database/sql"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/termio-sh/termio/internal/testkit/fakemodel"
	"github.com/termio-sh/termio/internal/transcript"
)

var update = flag.Bool("update", false, "write the golden files of what is read from testdata")

// captured are the formats whose files were captured from the real CLIs.
func captured() []string {
	return []string{
		"claude-jsonl", "codex-rollout", "copilot-events", "gemini-jsonl",
		"opencode-sqlite", "pi-jsonl", "qwen-jsonl",
	}
}

// place gives the path of a captured transcript, as Read takes it.
func place(t testing.TB, format string) string {
	t.Helper()
	if !transcript.IsDatabase(format) {
		return filepath.Join("testdata", format, "transcript.jsonl")
	}
	text, err := os.ReadFile(filepath.Join("testdata", format, "store.sql"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "store.db")
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(string(text)); err != nil {
		t.Fatal(err)
	}
	var id string
	if err := db.QueryRow("SELECT id FROM session").Scan(&id); err != nil {
		t.Fatal(err)
	}
	return file + "#" + id
}

// checkConversation checks what every agent was asked and answered: a
// greeting, then a command with its result.
func checkConversation(t *testing.T, said []transcript.Message) {
	t.Helper()
	var spoken []string
	used := 0
	call := map[string]string{} // by id
	for i, m := range said {
		if i > 0 && m.Line < said[i-1].Line {
			t.Errorf("message %d is in line %d, after one in line %d", i, m.Line, said[i-1].Line)
		}
		if m.Role != transcript.System && m.At.IsZero() {
			t.Errorf("message %d has no time", i)
		}
		if m.Usage != nil {
			if m.Role != transcript.Assistant || m.Usage.Input != 12 || m.Usage.Output != 20 {
				t.Errorf("message %d of %s used %+v", i, m.Role, *m.Usage)
			}
			used++
		}
		switch {
		case m.Role == transcript.System:
		case m.Role == transcript.ToolRole:
			if call[m.Tool.ID] == "" || m.Tool.Failed || !strings.Contains(m.Text, "tool-ran-ok") {
				t.Errorf("the tool %+v answered %q", *m.Tool, m.Text)
			}
			spoken = append(spoken, "(result)")
		case m.Tool != nil:
			call[m.Tool.ID] = m.Tool.Name
			if m.Role != transcript.Assistant || m.Tool.Name == "" || !strings.Contains(m.Tool.Input, "touch tool-ran.txt && echo tool-ran-ok") {
				t.Errorf("%s called %+v", m.Role, *m.Tool)
			}
			spoken = append(spoken, "(call)")
		case strings.HasPrefix(m.Text, "I will use "):
			spoken = append(spoken, string(m.Role)+": I will use")
		case strings.HasPrefix(m.Text, "The tool finished. Its result was: "):
			spoken = append(spoken, string(m.Role)+": finished")
		default:
			spoken = append(spoken, string(m.Role)+": "+m.Text)
		}
	}
	want := []string{
		"user: say hello", "assistant: " + fakemodel.Greeting + " You said: say hello",
		"user: please TOOL now", "assistant: I will use", "(call)", "(result)", "assistant: finished",
	}
	if diff := cmp.Diff(want, spoken); diff != "" {
		t.Errorf("-was said +is read:\n%s", diff)
	}
	if used != 3 {
		t.Errorf("%d answers say what they used, want 3", used)
	}
}

func TestCaptured(t *testing.T) {
	for _, format := range captured() {
		t.Run(format, func(t *testing.T) {
			path := place(t, format)
			said, err := transcript.Read(format, path, 0, transcript.ToEnd)
			if err != nil {
				t.Fatal(err)
			}
			checkConversation(t, said)
			golden(t, filepath.Join("testdata", format, "messages.json"), said)
			a, err := transcript.Head(format, path)
			if err != nil || a.ID == "" || a.Sub || format != "gemini-jsonl" && a.Dir != "/home/dev/proj" {
				t.Errorf("it is about %+v, %v", a, err)
			}
			var heard []transcript.Message
			about, mark, anew, err := transcript.Scan(t.Context(), format, path, transcript.Mark{}, func(m transcript.Message) error {
				heard = append(heard, m)
				return nil
			})
			if err != nil || anew || about.Prompts != 2 || about.ID != a.ID || about.Updated.IsZero() || len(heard) < len(said) {
				t.Errorf("scanned %+v, %d messages, anew %v, %v", about, len(heard), anew, err)
			}
			n, err := transcript.NewCounter(format).Lines(path)
			if err != nil || n != mark.Lines {
				t.Errorf("%d lines are counted (%v), and %d were scanned", n, err, mark.Lines)
			}
			ranges(t, format, path, said, n)
		})
	}
}

// ranges checks that every cut of a transcript in two gives the whole.
func ranges(t *testing.T, format, path string, whole []transcript.Message, lines int) {
	t.Helper()
	for at := range lines + 2 {
		before, err := transcript.Read(format, path, 0, at)
		if err != nil {
			t.Fatal(err)
		}
		after, err := transcript.Read(format, path, at, transcript.ToEnd)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range before {
			if m.Line >= at {
				t.Errorf("up to %d there is a message of line %d", at, m.Line)
			}
		}
		for _, m := range after {
			if m.Line < at {
				t.Errorf("from %d there is a message of line %d", at, m.Line)
			}
		}
		// A message that is written again is in both parts.
		if n := len(before) + len(after); n < len(whole) || n > len(whole)+2 {
			t.Errorf("cut at %d: %d and %d messages, %d in all", at, len(before), len(after), len(whole))
		}
	}
}

func golden(t *testing.T, file string, said []transcript.Message) {
	t.Helper()
	if *update {
		raw, err := json.MarshalIndent(said, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, append(raw, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var want []transcript.Message
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, said, cmpopts.IgnoreUnexported(transcript.Message{})); diff != "" {
		t.Errorf("-golden +read:\n%s", diff)
	}
}
