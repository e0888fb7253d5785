package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/transcript"
)

func TestMain(m *testing.M) {
	// database/sql opens its connections in a goroutine of each DB, which
	// ends with Close.
	goleak.VerifyTestMain(m)
}

// stage is a home with Claude Code's and OpenCode's stores, and an index.
type stage struct {
	t      *testing.T
	home   string
	index  *Index
	agents []*atp.Manifest
}

func newStage(t *testing.T) *stage {
	t.Helper()
	catalog, _ := atp.LoadBundled()
	s := &stage{t: t, home: t.TempDir(), agents: catalog.All()}
	s.index = s.open()
	return s
}

func (s *stage) file() string { return filepath.Join(s.home, "index.db") }

func (s *stage) open() *Index {
	s.t.Helper()
	x, remade, err := Open(s.t.Context(), s.file())
	if err != nil || remade != nil {
		s.t.Fatal(err, remade)
	}
	s.t.Cleanup(func() { x.Close() })
	return x
}

func (s *stage) env(k string) string { return map[string]string{"HOME": s.home}[k] }

func (s *stage) update() Progress {
	s.t.Helper()
	var last Progress
	if err := s.index.Update(s.t.Context(), s.agents, s.env, func(p Progress) { last = p }); err != nil {
		s.t.Fatal(err)
	}
	return last
}

// claude is the file of a conversation of Claude Code.
func (s *stage) claude(id string) string {
	return filepath.Join(s.home, ".claude/projects/-w", id+".jsonl")
}

// say adds prompts and answers to a conversation.
func (s *stage) say(id, dir string, at time.Time, words ...string) {
	s.t.Helper()
	path := s.claude(id)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	for i, text := range words {
		if _, err := f.Write(append(lineOf(id, dir, at.Add(time.Duration(i)*time.Second), []string{"user", "assistant"}[i%2], text), '\n')); err != nil {
			s.t.Fatal(err)
		}
	}
}

func lineOf(id, dir string, at time.Time, role, text string) []byte {
	raw, _ := json.Marshal(map[string]any{ // made of plain values only
		"type": role, "sessionId": id, "cwd": dir, "timestamp": at.UTC().Format(time.RFC3339Nano),
		"message": map[string]any{"role": role, "content": text},
	})
	return raw
}

// found are the conversations with these words, the newest first.
func (s *stage) found(words string) string {
	s.t.Helper()
	rows, err := s.index.Search(s.t.Context(), Query{Text: words, Limit: 100})
	if err != nil {
		s.t.Fatal(err)
	}
	var ids []string
	for _, r := range rows {
		ids = append(ids, r.Conversation)
	}
	return strings.Join(ids, " ")
}

func (s *stage) finds(words, want string) {
	s.t.Helper()
	if got := s.found(words); got != want {
		s.t.Errorf("%q finds %q, want %q", words, got, want)
	}
}

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func TestSearch(t *testing.T) {
	s := newStage(t)
	s.say("old", "/w/a", noon, "Fix the parser", "I will look at parseHTTPRequest in internal/net.go")
	s.say("new", "/w/a/b", noon.Add(time.Hour), "漢字変換のバグを直して", "はい、直します。The Parser is fine.")
	s.say("sub", "/w/ab", noon.Add(2*time.Hour), "unrelated", "snake_case_name and café")
	if p := s.update(); p.Done != 3 || p.Total != 3 || p.Skipped != 0 {
		t.Errorf("the update did %+v", p)
	}
	for words, want := range map[string]string{
		"":                 "sub new old",
		"parser":           "new old",
		"PARSER fix":       "old",
		"parsehttprequest": "old",
		"http":             "old",
		"parseHTTP*":       "old",
		"parseHTTP":        "",
		"net.go":           "old",
		"internal/net.go":  "old",
		"漢字":               "new",
		"字変換":              "new",
		"字":                "new",
		"換":                "new",
		"漢変":               "",
		"直し":               "new",
		"snake":            "sub",
		"snake_case_name":  "sub",
		"cafe":             "sub",
		"Café":             "sub",
		"par*":             "new old",
		"parser café":      "",
		`"parser" OR`:      "",
		"nowhere":          "",
	} {
		s.finds(words, want)
	}
	if _, err := s.index.Search(t.Context(), Query{Text: "…!", Limit: 1}); !errors.Is(err, ErrNoWords) {
		t.Errorf("a text without words: %v", err)
	}
	for dir, want := range map[string]int{"/w": 3, "/w/a": 2, "/w/a/": 2, "/w/a/b": 1, "/w/ab": 1, "/": 3, "/x": 0} {
		rows, err := s.index.Search(t.Context(), Query{Dir: dir, Limit: 10})
		if err != nil || len(rows) != want {
			t.Errorf("in %s there are %d (%v), want %d", dir, len(rows), err, want)
		}
	}
	rows, err := s.index.Search(t.Context(), Query{Text: "parser", Agent: "claudeCode", Limit: 1})
	if err != nil || len(rows) != 1 {
		t.Fatal(rows, err)
	}
	want := Row{
		ID: rowID("claudeCode", "new", "/w/a/b"), Agent: "claudeCode", Conversation: "new", Path: s.claude("new"), Dir: "/w/a/b",
		Title: "漢字変換のバグを直して", Created: noon.Add(time.Hour), Updated: noon.Add(time.Hour + time.Second), Prompts: 1, Messages: 2,
	}
	if diff := cmp.Diff(want, rows[0]); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if again, err := s.index.Find(t.Context(), want.ID[:5]); err != nil || len(again) != 1 || again[0] != want {
		t.Errorf("found by its id: %+v, %v", again, err)
	}
	if e, ok := rows[0].Excerpt(t.Context(), "claude-jsonl", "parser"); !ok || e.Line != 1 || e.Role != transcript.Assistant || !strings.Contains(e.Text, "The Parser is fine") {
		t.Errorf("the excerpt is %+v, %v", e, ok)
	}
}

func TestUpdateFollowsTheFiles(t *testing.T) {
	s := newStage(t)
	s.say("a", "/w", noon, "first question", "alpha")
	s.say("b", "/w", noon, "second question", "beta")
	s.update()
	if p := s.update(); p.Total != 0 {
		t.Errorf("nothing has changed, and %d were read", p.Total)
	}

	// Grown: only what is new is read, half a line is not.
	s.say("a", "/w", noon.Add(time.Hour), "third question", "gamma")
	f, err := os.OpenFile(s.claude("a"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	half := lineOf("a", "/w", noon, "user", "delta")
	f.Write(half[:len(half)-1])
	if p := s.update(); p.Total != 1 {
		t.Errorf("one has grown, and %d were read", p.Total)
	}
	s.finds("alpha gamma", "a") // said at different times
	s.finds("delta", "")
	f.Write(append(half[len(half)-1:], '\n'))
	f.Close()
	s.update()
	s.finds("delta", "a")
	s.finds("question", "a b") // a is the newer one now

	// Replaced by another file of the same name, rewritten in place, removed.
	if err := os.Rename(s.claude("b"), s.claude("c")); err != nil {
		t.Fatal(err)
	}
	s.say("b", "/w", noon, "epsilon", "much longer than what was there before it was replaced")
	s.update()
	s.finds("beta", "b") // c's lines say b
	s.finds("epsilon", "b")
	if err := os.WriteFile(s.claude("b"), append(lineOf("b", "/w", noon, "user", "zeta"), '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	s.update()
	s.finds("epsilon", "")
	s.finds("zeta", "b")
	for _, id := range []string{"a", "b", "c"} {
		if err := os.Remove(s.claude(id)); err != nil {
			t.Fatal(err)
		}
	}
	s.update()
	s.finds("", "")
	s.finds("zeta", "")
	var left int
	if err := s.index.writer.QueryRow("SELECT count(*) FROM words_docsize").Scan(&left); err != nil || left != 0 {
		t.Errorf("%d rows of words are left (%v)", left, err)
	}
}

func TestManyAdditionsAreReadAnew(t *testing.T) {
	s := newStage(t)
	for i := range 2*rebuildDocs + 5 {
		s.say("a", "/w", noon.Add(time.Duration(i)*time.Minute), fmt.Sprintf("question%d", i))
		s.update()
	}
	s.finds("question0", "a")
	s.finds(fmt.Sprintf("question%d", 2*rebuildDocs+4), "a")
	var docs int
	if err := s.index.writer.QueryRow("SELECT docs FROM source").Scan(&docs); err != nil || docs > rebuildDocs+1 {
		t.Errorf("%d rows of words (%v)", docs, err)
	}
}

func TestWhatIsNoConversationIsNotListed(t *testing.T) {
	s := newStage(t)
	dir := filepath.Dir(s.claude("x"))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"empty": "", "noise": "not JSON\n{}\n[1]\n\"x\"\nnull\n", "binary": "\x00\xff\x00\n", "half": `{"type":"user"`,
		"unprompted": string(lineOf("unprompted", "/w", noon, "assistant", "hello")) + "\n",
		"deep":       strings.Repeat("[", 100_000) + "\n",
		"long":       `{"type":"user","message":{"content":"` + strings.Repeat("x", 1<<20) + "\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name+".jsonl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	secret := filepath.Join(s.home, "secret.jsonl")
	if err := os.WriteFile(secret, append(lineOf("secret", "/w", noon, "user", "secret"), '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(dir, "link.jsonl")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(s.home, filepath.Join(filepath.Dir(dir), "loop")); err != nil {
		t.Fatal(err)
	}
	makeFIFO(t, filepath.Join(dir, "fifo.jsonl"))
	s.say("good", "/w", noon, "hello")
	s.update()
	s.finds("", "good")
	s.finds("secret", "")
}

func TestLostBrokenAndOtherVersions(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, file string){
		"lost":    func(t *testing.T, file string) { remove(t, file) },
		"garbage": func(t *testing.T, file string) { overwrite(t, file, strings.Repeat("garbage ", 4000)) },
		"empty":   func(t *testing.T, file string) { overwrite(t, file, "") },
		"version": func(t *testing.T, file string) {
			db, err := connect(file, 1)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if _, err := db.Exec("PRAGMA user_version = 99"); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.say("a", "/w", noon, "hello")
			s.update()
			if err := s.index.Close(); err != nil {
				t.Fatal(err)
			}
			spoil(t, s.file())
			x, remade, err := Open(t.Context(), s.file())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { x.Close() })
			if (remade != nil) != (name == "garbage" || name == "version") {
				t.Errorf("made anew because of %v", remade)
			}
			s.index = x
			if st, err := x.Stats(t.Context()); err != nil || st.Conversations != 0 || st.Complete {
				t.Errorf("%+v, %v", st, err)
			}
			s.update()
			s.finds("hello", "a")
			info, err := os.Stat(s.file())
			if err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the index has mode %v (%v)", info.Mode(), err)
			}
			if st, err := x.Stats(t.Context()); err != nil || st.Conversations != 1 || !st.Complete || st.Bytes == 0 || st.Read == 0 {
				t.Errorf("%+v, %v", st, err)
			}
		})
	}
}

func remove(t *testing.T, file string) {
	t.Helper()
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(file + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
}

func overwrite(t *testing.T, file, text string) {
	t.Helper()
	remove(t, file)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// What was done before an update was cut short is kept, and the next one
// goes on there.
func TestUpdateCutShort(t *testing.T) {
	s := newStage(t)
	const n = batchFiles + 50
	for i := range n {
		s.say(fmt.Sprintf("c%d", i), "/w", noon.Add(time.Duration(i)*time.Second), "hello")
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := s.index.Update(ctx, s.agents, s.env, func(p Progress) {
		if p.Done == batchFiles+10 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("the update ended with %v", err)
	}
	// It writes every so many, or every second on a slow machine.
	st, err := s.index.Stats(t.Context())
	if err != nil || st.Conversations == 0 || st.Conversations == n || st.Complete {
		t.Errorf("%+v, %v", st, err)
	}
	if p := s.update(); p.Total != n-st.Conversations {
		t.Errorf("%d are read in the second go, after %d", p.Total, st.Conversations)
	}
	if st, err := s.index.Stats(t.Context()); err != nil || st.Conversations != n || !st.Complete {
		t.Errorf("%+v, %v", st, err)
	}
}

// Two processes with one index: both find everything, neither fails.
func TestTwoWriters(t *testing.T) {
	s := newStage(t)
	for i := range 200 {
		s.say(fmt.Sprintf("c%d", i), "/w", noon, "hello", fmt.Sprint("number", i))
	}
	other := s.open()
	errs := make(chan error, 2)
	for _, x := range []*Index{s.index, other} {
		go func() { errs <- x.Update(context.Background(), s.agents, s.env, nil) }()
	}
	for range 2 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	for _, x := range []*Index{s.index, other} {
		rows, err := x.Search(t.Context(), Query{Text: "hello", Limit: 1000})
		if err != nil || len(rows) != 200 {
			t.Errorf("%d rows, %v", len(rows), err)
		}
	}
}

func TestUnwritableHome(t *testing.T) {
	file := filepath.Join(t.TempDir(), "missing", "index.db")
	if _, _, err := Open(t.Context(), file); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("an index in a folder that is not there: %v", err)
	}
}

// The disk is full: what is in the index is found all the same, and the update
// goes on when there is room.
func TestFullDisk(t *testing.T) {
	s := newStage(t)
	s.say("old", "/w", noon, "hello", "alpha")
	s.update()
	pragma := func(text string) {
		t.Helper()
		if _, err := s.index.writer.Exec(text); err != nil {
			t.Fatal(err)
		}
	}
	pragma("PRAGMA max_page_count = 30")
	for i := range 200 {
		var words []string
		for n := range 200 {
			words = append(words, fmt.Sprintf("w%dx%d", i, n))
		}
		s.say(fmt.Sprint("new", i), "/w", noon.Add(time.Duration(i+1)*time.Minute), "hello", strings.Join(words, " "))
	}
	err := s.index.Update(t.Context(), s.agents, s.env, nil)
	if err == nil || !strings.Contains(err.Error(), "full") || Broken(err) {
		t.Fatalf("the disk is full: %v", err)
	}
	s.finds("alpha", "old")
	pragma("PRAGMA max_page_count = 1000000")
	s.update()
	s.finds("w199x199", "new199")
	s.finds("w0x0 hello", "new0")
}

// TestStoreIsDeleted: an agent's whole store goes, and comes back.
func TestStoreIsDeleted(t *testing.T) {
	s := newStage(t)
	s.say("a", "/w", noon, "first question", "alpha")
	s.update()
	s.finds("alpha", "a")
	if err := os.RemoveAll(filepath.Dir(filepath.Dir(s.claude("a")))); err != nil {
		t.Fatal(err)
	}
	s.update()
	s.finds("alpha", "")
	s.say("b", "/w", noon, "second question", "alpha")
	s.update()
	s.finds("alpha", "b")
}
