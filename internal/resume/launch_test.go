package resume

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/termio-sh/termio/atp"
)

func pinned() *atp.Manifest {
	return &atp.Manifest{ID: "p", Name: "P", Resume: &atp.Resume{
		Create: "--session-id {id}", Resume: "--resume {id}", StoreRoot: "~/store", StoreMatch: "file:{id}.jsonl",
		Begun: `"type":"user"`, Chooses: []string{"-c", "-r="},
	}}
}

func discovered() *atp.Manifest {
	return &atp.Manifest{ID: "d", Name: "D", Resume: &atp.Resume{Resume: "resume {id}", Discover: &atp.Discover{}}}
}

func TestFirst(t *testing.T) {
	mint := func() string { return "new" }
	for words, want := range map[string]Launch{
		"p":                    {ID: "new", Fragment: "--session-id new"},
		"p --model x":          {ID: "new", Fragment: "--session-id new"},
		"p -c":                 {},
		"p -r 1":               {},
		"p --resume=1":         {},
		"p --session-id 1 now": {},
	} {
		got, err := First(pinned(), strings.Fields(words), mint)
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("%s: %v\n%s", words, err, d)
		}
	}
	if got, err := First(discovered(), []string{"d"}, mint); err != nil || got != (Launch{}) {
		t.Errorf("an agent that makes its own ids is given %+v, %v", got, err)
	}
}

func TestAgain(t *testing.T) {
	there := Past{ID: "old", Spoken: true, There: true, Found: Found{Begun: true}}
	with := func(p Past, f func(*Past)) Past { f(&p); return p }
	for _, c := range []struct {
		name  string
		m     *atp.Manifest
		past  Past
		want  Launch
		fresh string // in Fresh
	}{
		{"continued", pinned(), there, Launch{ID: "old", Fragment: "--resume old", Resumes: true}, ""},
		{"never said a word", pinned(), Past{ID: "old"}, Launch{ID: "old", Fragment: "--session-id old"}, ""},
		{"a file without a word takes its id", pinned(), Past{ID: "old", There: true, Spoken: true}, Launch{ID: "new", Fragment: "--session-id new"}, "nothing that P could continue"},
		{"gone", pinned(), with(there, func(p *Past) { p.There = false }), Launch{ID: "new", Fragment: "--session-id new"}, "not in P's store"},
		{"cannot be looked up", pinned(), with(there, func(p *Past) { p.Err = errors.New("no right") }), Launch{ID: "new", Fragment: "--session-id new"}, "no right"},
		{"rejected", pinned(), with(there, func(p *Past) { p.Rejected = "bad format" }), Launch{ID: "new", Fragment: "--session-id new"}, "bad format"},
		{"not known", pinned(), Past{Spoken: true, Unknown: "two candidates"}, Launch{ID: "new", Fragment: "--session-id new"}, "two candidates"},
		{"never told", discovered(), Past{Spoken: true}, Launch{}, "never told"},
		{"discovered", discovered(), there, Launch{ID: "old", Fragment: "resume old", Resumes: true}, ""},
		{"nothing to look at", discovered(), Past{ID: "old", Spoken: true, There: true, Unsure: true}, Launch{ID: "old", Fragment: "resume old", Resumes: true}, ""},
		{"no way", &atp.Manifest{Name: "N"}, there, Launch{}, "cannot be told"},
		{"an id that is none", pinned(), with(there, func(p *Past) { p.ID = "a b" }), Launch{ID: "new", Fragment: "--session-id new"}, "not a conversation id"},
	} {
		got, err := Again(c.m, c.past, func() string { return "new" })
		if err != nil || (got.Fresh == "") != (c.fresh == "") || !strings.Contains(got.Fresh, c.fresh) {
			t.Errorf("%s: %v, fresh %q", c.name, err, got.Fresh)
		}
		got.Fresh = ""
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

func TestUnchosen(t *testing.T) {
	for in, want := range map[string]string{
		"--model x":              "--model x",
		"-c --model x":           "--model x",
		"-r 12 go":               "go",
		"-r --yes":               "--yes",
		"--resume=1 --yes":       "--yes",
		"--yes --session-id 1 2": "--yes 2",
	} {
		if got := strings.Join(Unchosen(pinned().Resume, strings.Fields(in)), " "); got != want {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
}

func TestRotates(t *testing.T) {
	r := &atp.Resume{Rotates: []string{"/new", "/clear"}}
	for line, want := range map[string]string{"/new": "/new", " /NEW now": "/new", "/cl": "/clear", "/": "", "/newer": "", "tell me /new": "", "": ""} {
		if got := Rotates(r, line); got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}

// tree makes files below a home: "path" or "path=text".
func tree(t *testing.T, files ...string) func(string) string {
	t.Helper()
	home := t.TempDir()
	for _, f := range files {
		name, text, _ := strings.Cut(f, "=")
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return func(name string) string {
		return map[string]string{"HOME": home, "MOVED": filepath.Join(home, "elsewhere")}[name]
	}
}

func TestLook(t *testing.T) {
	const id = "0badcafe-0000-4000-8000-000000000001"
	for _, c := range []struct {
		name, match, storeID, begun string
		home                        bool
		files                       []string
		want                        string // below the home; "" for none
		begunWant                   bool
	}{
		{name: "in any folder", match: "file:{id}.jsonl", files: []string{"store/-some-where/" + id + ".jsonl=x"}, want: "store/-some-where/" + id + ".jsonl", begunWant: true},
		{name: "not directly below the root", match: "file:{id}.jsonl", files: []string{"store/" + id + ".jsonl"}},
		{name: "not two folders down", match: "file:{id}.jsonl", files: []string{"store/a/b/" + id + ".jsonl"}},
		{name: "a folder of that name is no file", match: "file:{id}.jsonl", files: []string{"store/a/" + id + ".jsonl/x"}},
		{name: "a folder", match: "dir:{id}", files: []string{"store/a/" + id + "/chat"}, want: "store/a/" + id, begunWant: true},
		{name: "stars", match: "file:*_{id}.jsonl", files: []string{"store/a/2026_" + id + ".jsonl"}, want: "store/a/2026_" + id + ".jsonl", begunWant: true},
		{name: "stars are anchored", match: "file:*_{id}.jsonl", files: []string{"store/a/2026_" + id + ".jsonl.old", "store/a/" + id + ".jsonl"}},
		{name: "folders and stars", match: "file:chats/s-*-{id8}.jsonl", storeID: "sessionId", files: []string{
			`store/a/chats/s-1-0badcafe.jsonl={"sessionId":"0badcafe-ffff"}` + "\n", `store/b/chats/s-2-0badcafe.jsonl={"sessionId":"` + id + `"}` + "\n",
		}, want: "store/b/chats/s-2-0badcafe.jsonl", begunWant: true},
		{name: "a star for a folder", match: "file:*/{id}.jsonl", files: []string{"store/a/day/" + id + ".jsonl"}, want: "store/a/day/" + id + ".jsonl", begunWant: true},
		{name: "nothing said yet", match: "file:{id}.jsonl", begun: `"type":"user"`, files: []string{"store/a/" + id + `.jsonl={"type":"mode"}`}, want: "store/a/" + id + ".jsonl"},
		{name: "something said", match: "file:{id}.jsonl", begun: `"type":"user"`, files: []string{"store/a/" + id + `.jsonl={"type":"mode"}` + "\n" + `{"type":"user"}`}, want: "store/a/" + id + ".jsonl", begunWant: true},
		{name: "moved config home", home: true, match: "file:{id}.jsonl", files: []string{"elsewhere/a/" + id + ".jsonl"}, want: "elsewhere/a/" + id + ".jsonl", begunWant: true},
		{name: "no store at all", match: "file:{id}.jsonl"},
	} {
		m := &atp.Manifest{Resume: &atp.Resume{StoreRoot: "~/store", StoreMatch: c.match, StoreID: c.storeID, Begun: c.begun}}
		if c.home {
			m.ConfigHome = &atp.ConfigHome{Env: "MOVED", Path: "~/store"}
		}
		getenv := tree(t, c.files...)
		got, ok, err := Look(m, getenv, id)
		want := ""
		if c.want != "" {
			want = filepath.Join(getenv("HOME"), c.want)
		}
		if err != nil || ok != (c.want != "") || got.Path != want || ok && got.Begun != c.begunWant {
			t.Errorf("%s: %+v, %v, %v; want %q", c.name, got, ok, err, want)
		}
	}
	if _, _, err := Look(pinned(), tree(t), "../x"); err == nil {
		t.Error("an id with a slash was looked up")
	}
}

func TestNamed(t *testing.T) {
	r := func(match string) *atp.Resume { return &atp.Resume{StoreMatch: match} }
	for _, c := range []struct {
		match, conversation, transcript, want string
	}{
		{"file:{id}.jsonl", "", "/s/ab.jsonl", "ab"},
		{"file:{id}.jsonl", "cd", "/s/ab.jsonl", "cd"},
		{"file:{id}.jsonl", "not one", "/s/ab.jsonl", "ab"},
		{"file:{id}.jsonl", "", "s/ab.jsonl", ""},
		{"file:{id}.jsonl", "", "/s/ab.txt", ""},
		{"file:chats/{id}.jsonl", "", "/s/chats/ab.jsonl", "ab"},
		{"file:*_{id}.jsonl", "", "/s/2026-11_ab.jsonl", "ab"},
		{"file:s-*-{id8}.jsonl", "", "/s/s-1-abcdefgh.jsonl", ""},
		{"dir:{id}", "", "/s/ab/chat.jsonl", ""},
		{"", "", "/s/ab.jsonl", ""},
	} {
		if got := Named(r(c.match), c.conversation, c.transcript); got != c.want {
			t.Errorf("%+v: got %q", c, got)
		}
	}
}

func TestSeedIsNeverWrittenOver(t *testing.T) {
	m := &atp.Manifest{Resume: &atp.Resume{StoreRoot: "~/.pi/agent/sessions", StoreMatch: "file:*_{id}.jsonl", Seed: "session-file"}}
	getenv := tree(t)
	s, err := NewSeed(m, getenv, "abc", "/home/dev/my:proj", start)
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(getenv("HOME"), ".pi/agent/sessions/--home-dev-my-proj--/2026-11-30T12-00-00-000Z_abc.jsonl"); s.Path != want {
		t.Errorf("path %s, want %s", s.Path, want)
	}
	if want := `{"type":"session","version":3,"id":"abc","timestamp":"2026-11-30T12:00:00.000Z","cwd":"/home/dev/my:proj"}` + "\n"; string(s.Data) != want {
		t.Errorf("data %s", s.Data)
	}
	if err := s.Write(); err != nil {
		t.Fatal(err)
	}
	s.Data = []byte("other")
	if err := s.Write(); err != nil {
		t.Fatal(err)
	}
	if data, _ := os.ReadFile(s.Path); string(data) == "other" {
		t.Error("the agent's file was written over")
	}
	if _, ok, err := Look(m, getenv, "abc"); !ok || err != nil {
		t.Errorf("the seed is not found: %v", err)
	}
}
