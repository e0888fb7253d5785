package transcript_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/transcript"
)

func bundled(t *testing.T, id string) *atp.Manifest {
	t.Helper()
	catalog, _ := atp.LoadBundled()
	m, ok := catalog.ByID(id)
	if !ok || m.Transcript == nil {
		t.Fatalf("%s declares no transcript", id)
	}
	return m
}

func home(dir string, more ...string) transcript.Env {
	env := map[string]string{"HOME": dir}
	for i := 0; i+1 < len(more); i += 2 {
		env[more[i]] = more[i+1]
	}
	return func(k string) string { return env[k] }
}

func claudeFile(t *testing.T, root, bucket, id, cwd string) string {
	t.Helper()
	path := filepath.Join(root, "projects", bucket, id+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, path, fmt.Sprintf(`{"type":"user","sessionId":%q,"cwd":%q,"message":{"content":"hi"}}`+"\n", id, cwd), 0)
	return path
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	m := bundled(t, "claudeCode")
	root := filepath.Join(dir, ".claude")
	one := claudeFile(t, root, "-a", "one", "/a")
	inA := claudeFile(t, root, "-a", "two", "/a")
	claudeFile(t, root, "-b", "two", "/b")
	claudeFile(t, root, "-c", "three", "/same")
	claudeFile(t, root, "-d", "three", "/same")
	for _, c := range []struct{ dir, id, want string }{
		{"", "one", one},
		{"/elsewhere", "one", one},
		{"/a", "two", inA},
		{"", "two", ""},        // which?
		{"/c", "two", ""},      // neither
		{"/same", "three", ""}, // both
		{"", "none", ""},
		{"", "*", ""},
		{"", "../-a/one", ""},
		{"", "", ""},
		{"", "-a", ""},
		{"", ".", ""},
	} {
		if got, ok := transcript.Find(m, home(dir), c.dir, c.id); got != c.want || ok != (c.want != "") {
			t.Errorf("%q in %q: %q, %v", c.id, c.dir, got, ok)
		}
	}
	// A store that was moved, as the agent sees it.
	moved := t.TempDir()
	far := claudeFile(t, moved, "-a", "far", "/a")
	if got, ok := transcript.Find(m, home(dir, "CLAUDE_CONFIG_DIR", moved), "", "far"); !ok || got != far {
		t.Errorf("in a moved store: %q, %v", got, ok)
	}
	if got, ok := transcript.Find(m, home(dir, "CLAUDE_CONFIG_DIR", moved), "", "one"); ok {
		t.Errorf("in a moved store there is %q", got)
	}
}

// Eight characters of an id are not enough: the file itself must say it.
func TestFindByAPartOfTheID(t *testing.T) {
	dir := t.TempDir()
	m := bundled(t, "gemini")
	chats := filepath.Join(dir, ".gemini/tmp/p/chats")
	if err := os.MkdirAll(chats, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(filepath.Dir(chats), ".project_root"), "/p\n", 0)
	ids := []string{"aaaaaaaa-1111-4111-8111-111111111111", "aaaaaaaa-2222-4222-8222-222222222222"}
	for i, id := range ids {
		write(t, filepath.Join(chats, fmt.Sprintf("session-2026-11-30T12-0%d-aaaaaaaa.jsonl", i)), fmt.Sprintf(`{"sessionId":%q,"kind":"main"}`+"\n", id), 0)
	}
	for i, id := range ids {
		want := filepath.Join(chats, fmt.Sprintf("session-2026-11-30T12-0%d-aaaaaaaa.jsonl", i))
		if got, ok := transcript.Find(m, home(dir), "", id); !ok || got != want {
			t.Errorf("%s: %q, %v", id, got, ok)
		}
		if a, err := transcript.Head("gemini-jsonl", want); err != nil || a.ID != id || a.Dir != "/p" {
			t.Errorf("%+v, %v", a, err)
		}
	}
	if got, ok := transcript.Find(m, home(dir), "", "aaaaaaaa-3333-4333-8333-333333333333"); ok {
		t.Errorf("somebody else's conversation: %s", got)
	}
}

// Symbolic links below the root lead nowhere: neither listed nor found.
func TestLinksAreNotFollowed(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	m := bundled(t, "claudeCode")
	real := claudeFile(t, filepath.Join(dir, ".claude"), "-a", "real", "/a")
	secret := claudeFile(t, other, "-b", "secret", "/b")
	for name, target := range map[string]string{"-a/link.jsonl": secret, "-b": filepath.Dir(secret), "-loop": filepath.Join(dir, ".claude/projects")} {
		if err := os.Symlink(target, filepath.Join(dir, ".claude/projects", name)); err != nil {
			t.Fatal(err)
		}
	}
	var found []string
	for item, err := range transcript.List(t.Context(), m, home(dir)) {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, item.Path)
	}
	if len(found) != 1 || found[0] != real {
		t.Errorf("listed %q", found)
	}
	for _, id := range []string{"secret", "link"} {
		if got, ok := transcript.Find(m, home(dir), "", id); ok {
			t.Errorf("%s was found: %s", id, got)
		}
	}
}

func TestInside(t *testing.T) {
	dir := t.TempDir()
	m := bundled(t, "claudeCode")
	path := claudeFile(t, filepath.Join(dir, ".claude"), "-a", "one", "/a")
	secret := filepath.Join(dir, "secret")
	write(t, secret, "x\n", 0)
	link := filepath.Join(filepath.Dir(path), "link.jsonl")
	if err := os.Symlink(secret, link); err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(dir, ".claude/projects")
	for p, want := range map[string]bool{
		path: true, filepath.Join(filepath.Dir(path), "new.jsonl"): true,
		link: false, secret: false, root: false, root + "/../../secret": false, "relative": false, "": false, "/etc/passwd": false,
		filepath.Join(root, "no/such/folder.jsonl"): false,
	} {
		if got := transcript.Inside(m, home(dir), p); got != want {
			t.Errorf("%s: inside %v", p, got)
		}
	}
	// The whole tree may be elsewhere: that is the user's own choice.
	other := t.TempDir()
	if err := os.Rename(filepath.Join(dir, ".claude"), filepath.Join(other, "c")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(other, "c"), filepath.Join(dir, ".claude")); err != nil {
		t.Fatal(err)
	}
	if !transcript.Inside(m, home(dir), path) {
		t.Error("a store behind a symbolic link does not count")
	}
	if got, ok := transcript.Find(m, home(dir), "", "one"); !ok || got != path {
		t.Errorf("behind a symbolic link: %q, %v", got, ok)
	}
}

func TestGrep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.jsonl")
	write(t, path, `{"type":"user","message":{"content":"nothing here"}}
{"type":"user","message":{"content":"The NEEDLE is here"}}
{"type":"user","message":{"content":"needl\u0065 escaped"}}
{"type":"user","message":{"content":"Nèedle with an accent"}}
{"type":"user","message":{"content":"漢字変換"}}
{"type":"user","message":{"content":"ИГЛА"}}
`, 0)
	for word, want := range map[string][]int{"needle": {1, 2, 3}, "字変": {2, 4}, "игла": {0, 1, 2, 3, 4, 5}, "absent": {2, 3}} {
		var got []int
		if err := transcript.Grep(t.Context(), "claude-jsonl", path, word, func(m transcript.Message) bool {
			got = append(got, m.Line)
			return false
		}); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q may be in the lines %v, want %v", word, got, want)
		}
	}
}

func FuzzDecoders(f *testing.F) {
	for _, format := range captured() {
		if transcript.IsDatabase(format) {
			continue
		}
		raw, err := os.ReadFile(filepath.Join("testdata", format, "transcript.jsonl"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(format, raw)
	}
	f.Add("grok-jsonl", []byte(`{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]}`+"\n"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, format string, raw []byte) {
		path := filepath.Join(dir, "t.jsonl")
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		said, err := transcript.Read(format, path, 0, transcript.ToEnd)
		if err != nil {
			return // a format that there is not
		}
		for _, m := range said {
			if m.Role == "" || m.Text == "" && m.Tool == nil {
				t.Errorf("an empty message: %+v", m)
			}
		}
		if _, _, _, err := transcript.Scan(t.Context(), format, path, transcript.Mark{}, func(transcript.Message) error { return nil }); err != nil && !transcript.IsDatabase(format) {
			t.Error(err)
		}
	})
}
