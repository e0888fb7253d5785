package discover

import (
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/termio-sh/termio/atp"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// ids are the conversations that began since from, as the store tells now.
func ids(t *testing.T, s *Store, from time.Time) string {
	t.Helper()
	records, err := s.Since(t.Context(), from, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, r := range records {
		id := r.ID
		if r.Child {
			id += "(child)"
		}
		out = append(out, id)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func TestFiles(t *testing.T) {
	root := t.TempDir()
	how := atp.Discover{Format: atp.FormatJSONL, ID: "payload.id", Cwd: "payload.cwd", Parent: "payload.parent"}
	s := Open(root, how)
	began := time.Now()
	old := filepath.Join(root, "2026/11/29/old.jsonl")
	write(t, old, `{"payload":{"id":"old","cwd":"/p"}}`+"\n")
	if err := s.Mark(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	half := filepath.Join(root, "2026/11/30/half.jsonl")
	write(t, half, `{"payload":{"id":"half","cwd":"/p`)
	write(t, filepath.Join(root, "2026/11/30/new.jsonl"), `{"payload":{"id":"new","cwd":"/p"}}`+"\nmore")
	write(t, filepath.Join(root, "2026/11/30/sub.jsonl"), `{"payload":{"id":"sub","cwd":"/p","parent":"new"}}`+"\n")
	write(t, filepath.Join(root, "2026/11/30/no.jsonl"), `{"payload":{"id":"../x","cwd":"/p"}}`+"\n")
	write(t, filepath.Join(root, "2026/11/30/new.json"), `{"payload":{"id":"other","cwd":"/p"}}`+"\n")
	if got := ids(t, s, began); got != "new old sub(child)" {
		t.Errorf("records: %s", got)
	}
	// A line is a record when it is whole.
	write(t, half, `{"payload":{"id":"half","cwd":"/p"}}`+"\n")
	if got := ids(t, s, began); got != "half new old sub(child)" {
		t.Errorf("records: %s", got)
	}
	if got := ids(t, s, time.Now().Add(time.Hour)); got != "" {
		t.Errorf("from tomorrow: %s", got)
	}
	for id, there := range map[string]bool{"old": true, "new": true, "nobody": false} {
		if _, ok, err := s.Find(t.Context(), id); ok != there || err != nil {
			t.Errorf("%s: %v, %v", id, ok, err)
		}
	}
}

// TestBirthIsNotTheLastChange: an old conversation that goes on is no new one,
// whatever its file's times and its own stamp say.
func TestBirthIsNotTheLastChange(t *testing.T) {
	root := t.TempDir()
	s := Open(root, atp.Discover{Format: atp.FormatJSON, ID: "id", Cwd: "dir", Created: "at"})
	path := filepath.Join(root, "x/one.json")
	write(t, path, `{"id":"one","dir":"/p","at":"2020-01-01T00:00:00Z"}`)
	if err := s.Mark(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	launched := time.Now()
	// It is written anew, as a whole: the file system calls that a birth.
	write(t, path+".new", `{"id":"one","dir":"/p","at":"2020-01-01T00:00:00Z","n":2}`)
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	records, err := s.Since(t.Context(), launched, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if !r.Seen.Before(launched) {
			t.Errorf("it is taken for new: %+v", r)
		}
	}
}

func TestLinkedRootAndDirectories(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	real, link, dir := filepath.Join(base, "real"), filepath.Join(base, "link"), filepath.Join(base, "dir")
	for name, target := range map[string]string{link: real, dir + "-link": dir} {
		if err := os.Symlink(target, name); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(real, "a.json"), `{"id":"a","dir":"`+dir+`-link"}`)
	s := Open(link, atp.Discover{Format: atp.FormatJSON, ID: "id", Cwd: "dir"})
	records, err := s.Since(t.Context(), time.Now().Add(-time.Minute), time.Now())
	if err != nil || len(records) != 1 || records[0].Dir != dir {
		t.Errorf("records %+v, %v; want the directory %s", records, err, dir)
	}
}

func TestStoreThatIsNotThere(t *testing.T) {
	for _, format := range []string{atp.FormatJSONL, atp.FormatJSON, atp.FormatSQLite} {
		s := Open(filepath.Join(t.TempDir(), "none"), atp.Discover{Format: format, Table: "t", ID: "id", Cwd: "dir"})
		if got := ids(t, s, time.Time{}); got != "" {
			t.Errorf("%s: %s", format, got)
		}
		if _, ok, err := s.Find(t.Context(), "a"); ok || err != nil {
			t.Errorf("%s: %v, %v", format, ok, err)
		}
	}
}

// TestDatabaseBesideItsWriter reads a database that another connection writes,
// in the middle of a transaction of it, and leaves nothing changed.
func TestDatabaseBesideItsWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b?.db")
	writer, err := sql.Open("sqlite", "file:"+strings.ReplaceAll(strings.ReplaceAll(path, " ", "%20"), "?", "%3f"))
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	writer.SetMaxOpenConns(1)
	do := func(q string, args ...any) {
		t.Helper()
		if _, err := writer.Exec(q, args...); err != nil {
			t.Fatal(err)
		}
	}
	do(`PRAGMA journal_mode=WAL`)
	do(`CREATE TABLE "session" (id TEXT PRIMARY KEY, directory TEXT, time_created INTEGER, parent_id TEXT)`)
	now := time.Now()
	add := func(id string, at time.Time, parent any) {
		do(`INSERT INTO session VALUES (?, '/p', ?, ?)`, id, at.UnixMilli(), parent)
	}
	add("old", now.Add(-time.Hour), nil)
	add("new", now.Add(time.Second), nil)
	add("sub", now.Add(time.Second), "new")
	s := Open(path, atp.Discover{Format: atp.FormatSQLite, Table: "session", ID: "id", Cwd: "directory", Created: "time_created", Parent: "parent_id"})
	do(`BEGIN IMMEDIATE`)
	add("unsaid", now.Add(2*time.Second), nil)
	if got := ids(t, s, now); got != "new sub(child)" {
		t.Errorf("in the middle of a transaction: %s", got)
	}
	do(`COMMIT`)
	if got := ids(t, s, now); got != "new sub(child) unsaid" {
		t.Errorf("afterwards: %s", got)
	}
	for id, there := range map[string]bool{"old": true, "nobody": false} {
		if _, ok, err := s.Find(t.Context(), id); ok != there || err != nil {
			t.Errorf("%s: %v, %v", id, ok, err)
		}
	}
	db, err := s.open()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`DELETE FROM session`); err == nil {
		t.Error("it could be written to")
	}
}

// TestRowsWithoutATime count from the look that first saw them, when there was
// one before.
func TestRowsWithoutATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	writer, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	if _, err := writer.Exec(`CREATE TABLE s (id TEXT, dir TEXT); INSERT INTO s VALUES ('old', '/p')`); err != nil {
		t.Fatal(err)
	}
	s := Open(path, atp.Discover{Format: atp.FormatSQLite, Table: "s", ID: "id", Cwd: "dir"})
	began := time.Now()
	if got := ids(t, s, began); got != "" {
		t.Errorf("at first sight: %s", got)
	}
	if _, err := writer.Exec(`INSERT INTO s VALUES ('new', '/p')`); err != nil {
		t.Fatal(err)
	}
	if got := ids(t, s, began); got != "new" {
		t.Errorf("at the next: %s", got)
	}
}
