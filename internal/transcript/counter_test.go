package transcript_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/termio-sh/termio/internal/transcript"
)

func write(t testing.TB, path, text string, flag int) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|flag, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

func TestCounterFollowsAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.jsonl")
	c := transcript.NewCounter("claude-jsonl")
	lines := func(want int) {
		t.Helper()
		if n, err := c.Lines(path); err != nil || n != want {
			t.Errorf("%d lines (%v), want %d", n, err, want)
		}
	}
	lines(0) // not there yet
	write(t, path, "", 0)
	lines(0)
	write(t, path, "one\n", os.O_APPEND)
	lines(1)
	write(t, path, "half", os.O_APPEND)
	lines(1)
	write(t, path, " a line\nthree\n\n", os.O_APPEND)
	lines(4)
	lines(4)
	write(t, path, "short\n", os.O_TRUNC)
	lines(1)
	write(t, path, strings.Repeat("x\n", 1000), os.O_TRUNC) // longer, in place
	lines(1000)
	other := path + ".new"
	write(t, other, "a\nb\n"+strings.Repeat("x\n", 2000), 0)
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	lines(2002)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	lines(0)
	write(t, path, "back\n", 0)
	lines(1)
}

// However a file grows, is cut or written anew, a counter that has followed it
// agrees with one that sees it for the first time.
func TestCounterIsNeverWrong(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		path := filepath.Join(dir, "t.jsonl")
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		c := transcript.NewCounter("pi-jsonl")
		serial := 0
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			text := strings.ReplaceAll(rapid.StringMatching(`(a{0,40}\n?){0,8}`).Draw(t, "text"), "a", fmt.Sprint(serial%10))
			serial++
			flag := rapid.SampledFrom([]int{os.O_APPEND, os.O_APPEND, os.O_APPEND, os.O_TRUNC}).Draw(t, "how")
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|flag, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			f.WriteString(text)
			f.Close()
			got, err := c.Lines(path)
			if err != nil {
				t.Fatal(err)
			}
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.Count(string(raw), "\n"); got != want {
				t.Fatalf("%d lines are counted of %d", got, want)
			}
		}
	})
}

func TestCounterForgetsTheOldest(t *testing.T) {
	dir := t.TempDir()
	c := transcript.NewCounter("pi-jsonl")
	for i := range 1100 {
		path := filepath.Join(dir, fmt.Sprint(i))
		write(t, path, "x\n", 0)
		if n, err := c.Lines(path); err != nil || n != 1 {
			t.Fatal(n, err)
		}
	}
	if n, err := c.Lines(filepath.Join(dir, "0")); err != nil || n != 1 {
		t.Error(n, err)
	}
}

// In a database an answer that is being written does not count.
func TestDatabaseCountsWhatIsComplete(t *testing.T) {
	path := place(t, "opencode-sqlite")
	c := transcript.NewCounter("opencode-sqlite")
	lines := func(want int) {
		t.Helper()
		if n, err := c.Lines(path); err != nil || n != want {
			t.Errorf("%d messages (%v), want %d", n, err, want)
		}
	}
	lines(5)
	file, id := transcript.SplitPath(path)
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := db.Exec(query, args...); err != nil {
			t.Fatal(err)
		}
	}
	const insert = "INSERT INTO message (id, session_id, time_created, time_updated, data) VALUES (?, ?, ?, ?, ?)"
	exec(insert, "msg_z1", id, 1896082983543, 0, `{"role":"user","time":{"created":1896082983543}}`)
	lines(6)
	exec(insert, "msg_z2", id, 1896082983544, 0, `{"role":"assistant","time":{"created":1896082983544}}`)
	lines(6)
	said, err := transcript.Read("opencode-sqlite", path, 5, transcript.ToEnd)
	if err != nil || len(said) != 0 { // a prompt without parts
		t.Errorf("%+v, %v", said, err)
	}
	exec(`UPDATE message SET data = '{"role":"assistant","time":{"created":1,"completed":2}}' WHERE id = 'msg_z2'`)
	exec(`INSERT INTO part (id, message_id, session_id, time_created, time_updated, data) VALUES ('prt_1', 'msg_z2', ?, 0, 0, '{"type":"text","text":"done"}')`, id)
	lines(7)
	if said, err = transcript.Read("opencode-sqlite", path, 6, 7); err != nil || len(said) != 1 || said[0].Text != "done" || said[0].Line != 6 {
		t.Errorf("%+v, %v", said, err)
	}
	if n, err := c.Lines(file + "#ses_other"); err != nil || n != 0 {
		t.Errorf("a conversation that is not there has %d messages, %v", n, err)
	}
	if n, err := c.Lines(filepath.Join(t.TempDir(), "no.db") + "#ses_1"); err != nil || n != 0 {
		t.Errorf("a database that is not there has %d messages, %v", n, err)
	}
	if _, err := c.Lines(file); err == nil {
		t.Error("a database without a conversation can be counted")
	}
}
