package atp

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func write(t *testing.T, dir, name, data string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

func manifest(id, name string) string {
	return `{"id":"` + id + `","name":"` + name + `","command":"` + id + `"}`
}

func TestLoadDirOneBadFileHidesNoOther(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.json", manifest("a", "A"))
	write(t, dir, "b.json", `{"id":"b"`)
	write(t, dir, "c.json", strings.Repeat(" ", MaxFile+1))
	write(t, dir, "d.json", manifest("d", "D"))
	write(t, dir, "notes.txt", "x")
	write(t, dir, ".hidden.json", "x")
	write(t, dir, "e.json~", "x")
	if err := os.Mkdir(filepath.Join(dir, "f.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "gone"), filepath.Join(dir, "h.json")); err != nil {
		t.Fatal(err)
	}
	c, ps := LoadDir(dir)
	if got := c.IDs(); !reflect.DeepEqual(got, []string{"a", "d"}) {
		t.Errorf("got %v", got)
	}
	rules := map[string]string{}
	for _, p := range ps {
		rules[filepath.Base(p.File)] = p.Rule
		if filepath.Dir(p.File) != dir {
			t.Errorf("the file is named %s", p.File)
		}
	}
	want := map[string]string{"b.json": "syntax", "c.json": "size", "f.json": "read", "h.json": "read"}
	if !reflect.DeepEqual(rules, want) {
		t.Errorf("got %v, want %v", rules, want)
	}
}

func TestLoadOrderAndOverride(t *testing.T) {
	fsys := fstest.MapFS{
		"10.json":  {Data: []byte(manifest("same", "first"))},
		"2.json":   {Data: []byte(manifest("same", "last by name"))},
		"x/y.json": {Data: []byte(manifest("deep", "not read"))},
	}
	c, ps := LoadFS(fsys)
	m, ok := c.ByID("same")
	if !ok || m.Name != "last by name" || c.Len() != 1 {
		t.Errorf("got %+v", m)
	}
	if len(ps) != 1 || ps[0].Rule != "duplicate-id" || ps[0].Severity != SeverityWarning {
		t.Errorf("got %v", ps)
	}
	dir := t.TempDir()
	write(t, dir, "codex.json", `{"id":"codex","name":"My Codex","command":"wrap codex","order":1}`)
	c, ps = Load(dir)
	if len(ps) != 0 {
		t.Fatal(ps)
	}
	m, _ = c.ByID("codex")
	if m.Name != "My Codex" || m.Hooks != nil || m.Bundled() || m.Source() != filepath.Join(dir, "codex.json") {
		t.Errorf("the override is not whole: %+v", m)
	}
	if ids := c.IDs(); ids[0] != "terminal" || ids[1] != "codex" || c.Len() != 17 {
		t.Errorf("got %v", ids)
	}
	if b, _ := c.ByID("claudeCode"); !b.Bundled() {
		t.Error("a bundled manifest does not say so")
	}
}

type brokenFS struct{}

func (brokenFS) Open(string) (fs.File, error) { return nil, errors.New("disk on fire") }

func TestLoadUnreadableAndMissing(t *testing.T) {
	if c, ps := LoadDir(filepath.Join(t.TempDir(), "none")); c.Len() != 0 || len(ps) != 0 {
		t.Errorf("a missing directory gives %v", ps)
	}
	if _, ps := LoadFS(brokenFS{}); len(ps) != 1 || ps[0].Rule != "read" || !strings.Contains(ps[0].Message, "on fire") {
		t.Errorf("got %v", ps)
	}
}

func TestChanged(t *testing.T) {
	dir := t.TempDir()
	at, changed := Changed(dir, FingerprintDir(dir))
	if changed {
		t.Fatal("an empty directory changed")
	}
	step := func(what string, want bool, do func()) {
		t.Helper()
		do()
		var got bool
		if at, got = Changed(dir, at); got != want {
			t.Errorf("%s: changed is %v", what, got)
		}
	}
	file := filepath.Join(dir, "a.json")
	clock := time.Now()
	step("a new file", true, func() { write(t, dir, "a.json", manifest("a", "A")) })
	step("nothing", false, func() {})
	step("another kind of file", false, func() { write(t, dir, "a.txt", "x") })
	step("a new time", true, func() {
		if err := os.Chtimes(file, clock, clock.Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
	})
	step("the same size and time by rename", true, func() {
		write(t, dir, "tmp", manifest("b", "B"))
		if err := os.Chtimes(filepath.Join(dir, "tmp"), clock, clock.Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(dir, "tmp"), file); err != nil {
			t.Fatal(err)
		}
	})
	step("a new name", true, func() {
		if err := os.Rename(file, filepath.Join(dir, "b.json")); err != nil {
			t.Fatal(err)
		}
	})
	step("removal", true, func() {
		if err := os.Remove(filepath.Join(dir, "b.json")); err != nil {
			t.Fatal(err)
		}
	})
	if at != FingerprintDir(filepath.Join(dir, "none")) {
		t.Error("an emptied directory is not as a missing one")
	}
}

func TestLint(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ file, data, rule, path string }{
		{"x.json", manifest("y", "Y"), "file-name", "id"},
		{"x.json", `{"id":"x","name":"X"}`, "no-command", "command"},
		{"x.json", `{"id":"x","name":"X","command":"x","tint":"#000000"}`, "unknown-key", "tint"},
		{"x.json", `{"id":"x","name":"X","command":"x","status":{"working":["a","b*"]}}`, "matches-all", "status.working[1]"},
		{"x.json", `{"id":"x","name":"X","command":"x","titleStatus":{"idle":[".*"]}}`, "matches-all", "titleStatus.idle[0]"},
		{"x.json", `{"id":"x","name":"X","command":"x","resume":{"create":"--id {id}","resume":"-r {id}"}}`, "no-store", "resume"},
		{"x.json", `{"id":"x","name":"X","command":"x","resume":{"discover":{"root":"~/x","format":"json","id":"i","cwd":"c"}}}`, "no-resume", "resume.resume"},
		{"x.json", `{"id":"x","name":"X","command":"x","resume":{"resume":"-r {id}"}}`, "no-identity", "resume"},
		{"x.json", `{"id":"x","name":"X","command":"x","icon":{"path":"none.png"}}`, "no-icon", "icon.path"},
		{"codex.json", manifest("codex", "Codex"), "override", ""},
		{"x.json", `{"id":"x"}`, "required", "name"},
	} {
		write(t, dir, c.file, c.data)
		found := false
		for _, p := range Lint(filepath.Join(dir, c.file)) {
			if p.Rule == c.rule && p.Path == c.path && p.Fix != "" {
				found = (p.Severity == SeverityError) == (c.rule == "required")
			}
		}
		if !found {
			t.Errorf("%s: no %s at %q: %v", c.data, c.rule, c.path, Lint(filepath.Join(dir, c.file)))
		}
	}
	write(t, dir, "icon.png", "x")
	write(t, dir, "x.json", `{"//":"mine","$schema":"s","id":"x","name":"X","command":"x","icon":{"path":"icon.png"}}`)
	if ps := Lint(filepath.Join(dir, "x.json")); len(ps) != 0 {
		t.Errorf("a clean file: %v", ps)
	}
	if ps := Lint(filepath.Join(dir, "none.json")); len(ps) != 1 || ps[0].Rule != "read" {
		t.Errorf("a missing file: %v", ps)
	}
}

func TestBundledManifestsLintClean(t *testing.T) {
	c, _ := LoadBundled()
	for _, m := range c.All() {
		if ps := LintData(strings.TrimPrefix(m.Source(), "bundled:"), m.JSON()); len(ps) != 0 {
			t.Error(ps)
		}
	}
}

func TestOverrideSaysWhatIsLost(t *testing.T) {
	ps := LintData("grok.json", []byte(`{"id":"grok","name":"Grok","command":"grok","hooks":{"file":"~/x","events":[]}}`))
	if len(ps) != 1 || !strings.Contains(ps[0].Message, "drops its") || strings.Contains(ps[0].Message, "hooks") || !strings.Contains(ps[0].Message, "resume") {
		t.Errorf("got %v", ps)
	}
}

func BenchmarkLoadBundled(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, ps := LoadBundled(); len(ps) != 0 {
			b.Fatal(ps)
		}
	}
}
