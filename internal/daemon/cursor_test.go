//go:build unix

package daemon

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/orchestrate"
	"github.com/termio-sh/termio/internal/shellenv"
)

// The cursors name the lines of the answer, also of a transcript that was cut
// or written anew under the wait.
func TestCursorsOfATranscriptThatShrinks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.jsonl")
	line := func(role, text string) string {
		return `{"type":"` + role + `","message":{"role":"` + role + `","content":"` + text + `"}}` + "\n"
	}
	log := slog.New(slog.DiscardHandler)
	d := &Daemon{log: log, agents: newAgents(t.TempDir(), shellenv.NewLogin("/bin/sh", nil), &problems{log: log})}
	s := &session{live: true, record: hostproto.Record{
		ID: "x", Agent: "claudeCode", Conversation: &hostproto.Conversation{ID: "c", Transcript: path},
	}}
	for name, c := range map[string]struct {
		before, after string
		from, to      int
	}{
		"grown":          {line("user", "a") + line("assistant", "b"), line("user", "a") + line("assistant", "b") + line("user", "c") + line("assistant", "d"), 2, 4},
		"written anew":   {strings.Repeat(line("user", "a"), 9), line("user", "c") + line("assistant", "d"), 0, 2},
		"cut to nothing": {strings.Repeat(line("user", "a"), 9), "", 0, 0},
	} {
		if err := os.WriteFile(path, []byte(c.before), 0o600); err != nil {
			t.Fatal(err)
		}
		_, lines := d.cursor(s)
		if lines == nil {
			t.Fatalf("%s: the lines before are not known", name)
		}
		before := &hostproto.Before{Transcript: path, Lines: lines}
		if err := os.WriteFile(path, []byte(c.after), 0o600); err != nil {
			t.Fatal(err)
		}
		var out api.WaitReply
		d.cursors(&out, s, before, orchestrate.Outcome{Status: orchestrate.Done})
		if out.Cursor == nil || out.CursorEnd == nil || *out.Cursor != c.from || *out.CursorEnd != c.to {
			t.Errorf("%s: %+v, want lines %d to %d", name, out, c.from, c.to)
		}
	}
}
