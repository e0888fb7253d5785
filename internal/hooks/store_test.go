//go:build unix

package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/termio-sh/termio/atp"
)

// place is a home folder with agents in it, and a Store that works on it.
type machine struct {
	t       *testing.T
	home    string
	env     map[string]string
	here    map[string]string // installed agents and their versions
	store   *Store
	catalog atp.Catalog
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	c, problems := atp.LoadBundled()
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	home := t.TempDir()
	m := &machine{t: t, home: home, env: map[string]string{"HOME": home}, here: map[string]string{}, catalog: c}
	for _, a := range c.All() {
		m.here[a.ID] = "99.0.0"
	}
	m.store = &Store{
		Dir: filepath.Join(t.TempDir(), "hooks"), Reporter: "/home/dev/.termio/bin/termio-hook",
		Getenv: func(name string) string { return m.env[name] },
		Find: func(_ context.Context, a *atp.Manifest) (string, error) {
			if _, ok := m.here[a.ID]; !ok {
				return "", errors.New("not here")
			}
			return "/usr/bin/" + a.ID, nil
		},
		Version: func(_ context.Context, a *atp.Manifest, _ string) string { return m.here[a.ID] },
	}
	return m
}

func (m *machine) agent(id string) *atp.Manifest {
	m.t.Helper()
	a, ok := m.catalog.ByID(id)
	if !ok {
		m.t.Fatalf("no agent %s", id)
	}
	return a
}

func (m *machine) install(id string) Outcome {
	return m.store.Install(context.Background(), m.agent(id))
}

func (m *machine) remove(id string) Outcome {
	return m.store.Remove(context.Background(), m.agent(id))
}

func (m *machine) status(id string) string {
	return m.store.Status(context.Background(), m.agent(id)).State
}

func (m *machine) write(name, text string, mode fs.FileMode) string {
	m.t.Helper()
	path := filepath.Join(m.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		m.t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		m.t.Fatal(err)
	}
	return path
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// tree is every path below a folder with its mode and text.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := info.Mode().String()
		if info.Mode().IsRegular() {
			text += " " + read(t, path)
		}
		rel, _ := filepath.Rel(dir, path)
		out[rel] = text
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestInstallAndRemoveLeaveNothing installs for every agent into a home where
// none has any config, and into one where some have.
func TestInstallAndRemoveLeaveNothing(t *testing.T) {
	for _, configured := range []bool{false, true} {
		m := newMachine(t)
		if configured {
			m.write(".claude/settings.json", "// mine\n{\n\t\"a\": 1, // x\n}\n", 0o640)
			m.write(".cursor/hooks.json", `{"version":1,"hooks":{"stop":[{"command":"x"}]}}`, 0o600)
			m.write(".kimi-code/config.toml", "a = 1", 0o644)
			m.write(".copilot/hooks/other.json", "{}", 0o644)
			m.write(".cline/hooks/TaskStart.md", "mine", 0o644)
		}
		before := tree(t, m.home)
		for _, a := range m.catalog.All() {
			want := Installed
			if a.Hooks == nil {
				want = Undeclared
			}
			if o := m.install(a.ID); o.State != want || want == Installed && len(o.Changed) == 0 {
				t.Errorf("install %s: %+v", a.ID, o)
			}
			if o := m.install(a.ID); len(o.Changed) > 0 {
				t.Errorf("a second install of %s changed %v", a.ID, o.Changed)
			}
			if got := m.status(a.ID); got != want {
				t.Errorf("status of %s: %s", a.ID, got)
			}
			if a.Hooks != nil && !m.store.Has(a) {
				t.Errorf("%s has its hooks, but not for a launch", a.ID)
			}
			if o := m.store.InstallSkill(context.Background(), a); a.Skills != nil && o.State != Installed {
				t.Errorf("skill of %s: %+v", a.ID, o)
			}
		}
		for _, a := range m.catalog.All() {
			if o := m.remove(a.ID); o.State != NotInstalled || a.Hooks != nil && len(o.Changed) == 0 {
				t.Errorf("remove %s: %+v", a.ID, o)
			}
			if o := m.store.RemoveSkill(context.Background(), a); o.State != NotInstalled {
				t.Errorf("remove the skill of %s: %+v", a.ID, o)
			}
			if a.Hooks != nil && m.status(a.ID) != NotInstalled {
				t.Errorf("status of %s after removal: %s", a.ID, m.status(a.ID))
			}
		}
		if diff := cmp.Diff(before, tree(t, m.home)); diff != "" {
			t.Errorf("configured %v: installed and removed, the home is another:\n%s", configured, diff)
		}
		if left := read(t, ledgerPath(m.store.Dir)); strings.Contains(left, m.home) {
			t.Errorf("the list of files still has %s", left)
		}
	}
}

func TestAnAgentThatIsNotHereGetsNothing(t *testing.T) {
	m := newMachine(t)
	m.here = nil
	for _, a := range m.catalog.All() {
		if o := m.install(a.ID); a.Hooks != nil && o.State != NoAgent {
			t.Errorf("%s: %+v", a.ID, o)
		}
		if o := m.store.InstallSkill(context.Background(), a); a.Skills != nil && o.State != NoAgent {
			t.Errorf("skill of %s: %+v", a.ID, o)
		}
	}
	if got := tree(t, m.home); len(got) != 1 {
		t.Errorf("the home has %v", got)
	}
}

// Hooks go where the agent reads, and are found again when it reads elsewhere.
func TestConfigHome(t *testing.T) {
	m := newMachine(t)
	moved := filepath.Join(m.home, "elsewhere")
	m.env["CLAUDE_CONFIG_DIR"] = moved
	if o := m.install("claudeCode"); o.State != Installed || o.Changed[0] != filepath.Join(moved, "settings.json") {
		t.Fatalf("%+v", o)
	}
	delete(m.env, "CLAUDE_CONFIG_DIR")
	if o := m.remove("claudeCode"); o.State != NotInstalled || len(o.Changed) != 1 {
		t.Errorf("%+v", o)
	}
	if got := tree(t, m.home); len(got) != 1 {
		t.Errorf("left behind: %v", got)
	}
}

func TestOnlyEventsThatTheVersionKnows(t *testing.T) {
	for version, want := range map[string]bool{"": false, "2.1.196": false, "2.1.197": true, "2.1.332": true, "2.2": true, "3.0.0-beta": true, "2.1.197-beta": false} {
		m := newMachine(t)
		m.here["claudeCode"] = version
		o := m.install("claudeCode")
		text := read(t, o.Files[0])
		if got := strings.Contains(text, "StopFailure"); got != want || !strings.Contains(text, `"Stop"`) {
			t.Errorf("version %q: StopFailure %v, want %v", version, got, want)
		}
	}
}

func TestLinksAndModesSurvive(t *testing.T) {
	m := newMachine(t)
	real := m.write("dotfiles/claude.json", "{}\n", 0o640)
	link := filepath.Join(m.home, ".claude/settings.json")
	if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../dotfiles/claude.json", link); err != nil {
		t.Fatal(err)
	}
	if o := m.install("claudeCode"); o.State != Installed {
		t.Fatalf("%+v", o)
	}
	if target, err := os.Readlink(link); err != nil || target != "../dotfiles/claude.json" {
		t.Errorf("the link leads to %q, %v", target, err)
	}
	if st, _ := os.Stat(real); st.Mode().Perm() != 0o640 || !strings.Contains(read(t, real), markWord) {
		t.Errorf("mode %v", st.Mode())
	}
	m.remove("claudeCode")
	if read(t, real) != "{}\n" {
		t.Errorf("the file is %q", read(t, real))
	}
}

func TestRefusedFilesStay(t *testing.T) {
	for name, prepare := range map[string]func(m *machine) string{
		"no JSON":      func(m *machine) string { return m.write(".claude/settings.json", "{ oops", 0o600) },
		"read-only":    func(m *machine) string { return m.write(".claude/settings.json", "{}", 0o444) },
		"hooks a list": func(m *machine) string { return m.write(".claude/settings.json", `{"hooks":[]}`, 0o600) },
		"dangling": func(m *machine) string {
			path := m.write(".claude/x", "", 0o600)
			os.Remove(path)
			if err := os.Symlink(path, filepath.Join(m.home, ".claude/settings.json")); err != nil {
				m.t.Fatal(err)
			}
			return ""
		},
		"a folder": func(m *machine) string {
			if err := os.MkdirAll(filepath.Join(m.home, ".claude/settings.json"), 0o755); err != nil {
				m.t.Fatal(err)
			}
			return ""
		},
		"too long": func(m *machine) string {
			return m.write(".claude/settings.json", `{"a":"`+strings.Repeat("x", maxFile)+`"}`, 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			prepare(m)
			before := tree(t, m.home)
			o := m.install("claudeCode")
			if o.State != Refused || o.Why == "" || len(o.Changed) > 0 {
				t.Errorf("%+v", o)
			}
			if diff := cmp.Diff(before, tree(t, m.home)); diff != "" {
				t.Errorf("it was touched:\n%s", diff)
			}
		})
	}
}

// Another one's plugin or script of our name is never replaced, the rest of
// the scripts is installed all the same.
func TestForeignFilesOfOurName(t *testing.T) {
	m := newMachine(t)
	theirs := m.write(".cline/hooks/TaskStart", "#!/bin/sh\necho mine\n", 0o755)
	o := m.install("cline")
	if o.State != Refused || !strings.Contains(o.Why, "TaskStart") || read(t, theirs) != "#!/bin/sh\necho mine\n" {
		t.Errorf("%+v", o)
	}
	if st, err := os.Stat(filepath.Join(m.home, ".cline/hooks/TaskComplete")); err != nil || st.Mode().Perm() != 0o755 {
		t.Errorf("the others: %v %v", st, err)
	}
	plugin := m.write(".pi/agent/extensions/termio.js", "export default () => {}\n", 0o644)
	if o := m.install("pi"); o.State != Refused || read(t, plugin) != "export default () => {}\n" {
		t.Errorf("%+v", o)
	}
	skill := m.write(".claude/skills/termio/SKILL.md", "my own", 0o644)
	if o := m.store.InstallSkill(context.Background(), m.agent("claudeCode")); o.State != Refused {
		t.Errorf("%+v", o)
	}
	m.store.RemoveSkill(context.Background(), m.agent("claudeCode"))
	m.remove("cline")
	if read(t, skill) != "my own" || read(t, theirs) != "#!/bin/sh\necho mine\n" {
		t.Error("somebody else's file was removed")
	}
}

// A disk that is full leaves the file, and no temporary one.
func TestAFullDisk(t *testing.T) {
	m := newMachine(t)
	m.write(".claude/settings.json", "{}", 0o600)
	before := tree(t, m.home)
	m.store.changer = &changer{write: func(f *os.File, data []byte) error {
		f.Write(data[:len(data)/2])
		return syscall.ENOSPC
	}}
	for _, id := range []string{"claudeCode", "copilot", "cline", "kimi"} {
		if o := m.install(id); o.State != Refused || !strings.Contains(o.Why, "no space") {
			t.Errorf("%+v", o)
		}
	}
	if diff := cmp.Diff(before, tree(t, m.home)); diff != "" {
		t.Errorf("something is left:\n%s", diff)
	}
}

// What another program writes while we do is kept: the change begins anew.
func TestAnotherProgramWritesMeanwhile(t *testing.T) {
	m := newMachine(t)
	path := m.write(".claude/settings.json", `{"a":1}`, 0o600)
	times := 0
	m.store.changer = &changer{write: writeAll, before: func(string) {
		if times++; times <= 3 {
			if err := os.WriteFile(path, []byte(`{"a":`+strings.Repeat("1", times+1)+`}`), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}}
	if o := m.install("claudeCode"); o.State != Installed {
		t.Fatalf("%+v", o)
	}
	if text := read(t, path); times != 4 || !strings.HasPrefix(text, `{"a":1111,"hooks"`) {
		t.Errorf("after %d looks the file is %s", times, text)
	}
	// A file that appears meanwhile is not overwritten.
	m = newMachine(t)
	path, times = filepath.Join(m.home, ".claude/settings.json"), 0
	m.store.changer = &changer{write: writeAll, before: func(string) {
		if times++; times == 1 {
			m.write(".claude/settings.json", `{"theirs":true}`, 0o600)
		}
	}}
	if o := m.install("claudeCode"); o.State != Installed || !strings.HasPrefix(read(t, path), `{"theirs":true,`) {
		t.Errorf("%+v %s", o, read(t, path))
	}
	// One that never stops is left to it.
	m = newMachine(t)
	path, times = m.write(".claude/settings.json", "{}", 0o600), 0
	m.store.changer = &changer{write: writeAll, before: func(string) {
		times++
		os.WriteFile(path, bytes.Repeat([]byte(" "), times), 0o600)
		os.WriteFile(path, append([]byte("{}"), bytes.Repeat([]byte("\n"), times)...), 0o600)
	}}
	if o := m.install("claudeCode"); o.State != Refused || strings.Contains(read(t, path), "termio") {
		t.Errorf("%+v", o)
	}
	if left, _ := filepath.Glob(filepath.Join(m.home, ".claude/.termio-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// The first version of a file is kept, and only that.
func TestOneBackup(t *testing.T) {
	m := newMachine(t)
	m.write(".claude/settings.json", "{ }", 0o600)
	m.install("claudeCode")
	m.remove("claudeCode")
	m.write(".claude/settings.json", `{"later":1}`, 0o600)
	m.install("claudeCode")
	kept, err := filepath.Glob(filepath.Join(m.store.Dir, "backup", "*-settings.json"))
	if err != nil || len(kept) != 1 || read(t, kept[0]) != "{ }" {
		t.Errorf("kept: %v %v", kept, err)
	}
	if st, _ := os.Stat(kept[0]); st.Mode().Perm() != 0o600 {
		t.Errorf("the backup's mode is %v", st.Mode())
	}
}

// A program that writes the file anew, dropping ours, our comments or the
// layout, is noticed and put right; the user's own commands in our group stay.
func TestHealing(t *testing.T) {
	m := newMachine(t)
	path := m.write(".claude/settings.json", `{"model":"x"}`, 0o600)
	m.install("claudeCode")
	m.write(".claude/settings.json", `{"model":"y","hooks":{"Stop":[{"hooks":[{"type":"command","command":"echo mine"}]}]}}`, 0o600)
	if got := m.status("claudeCode"); got != NotInstalled {
		t.Errorf("after another program's rewrite: %s", got)
	}
	m.install("claudeCode")
	if got := m.status("claudeCode"); got != Installed {
		t.Errorf("after the healing: %s", got)
	}
	text := read(t, path)
	// A user puts a command into our group, and loses an event of ours.
	i := strings.Index(text, `"hooks":[{"type":"command","command":"'/home/dev`)
	if i < 0 {
		t.Fatal(text)
	}
	text = text[:i] + `"hooks":[{"type":"command","command":"echo in our group"},` + text[i+len(`"hooks":[`):]
	m.write(".claude/settings.json", strings.Replace(text, `"PreToolUse"`, `"Gone"`, 1), 0o600)
	if got := m.status("claudeCode"); got != Outdated {
		t.Errorf("after an edit: %s", got)
	}
	m.install("claudeCode")
	if text := read(t, path); strings.Count(text, markWord) != 7 || !strings.Contains(text, "echo in our group") || strings.Contains(text, "Gone") {
		t.Errorf("after the second healing: %s", text)
	}
	m.remove("claudeCode")
	if text := read(t, path); strings.Contains(text, markWord) || !strings.Contains(text, "echo in our group") || !strings.Contains(text, "echo mine") {
		t.Errorf("after removal: %s", text)
	}
	// Kimi writes its file anew and drops comments.
	kimi := m.write(".kimi-code/config.toml", "a = 1\n", 0o600)
	m.install("kimi")
	var lines []string
	for line := range strings.Lines(read(t, kimi)) {
		if !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	m.write(".kimi-code/config.toml", strings.Join(lines, "")+"[[hooks]]\nevent = \"Stop\"\ncommand = \"mine\"\n", 0o600)
	if o := m.install("kimi"); o.State != Installed || len(o.Changed) > 0 {
		t.Errorf("kimi wrote the same in its own layout: %+v", o)
	}
	m.write(".kimi-code/config.toml", strings.Replace(read(t, kimi), `event = "Interrupt"`, `event = "Other"`, 1), 0o600)
	m.install("kimi")
	if text := read(t, kimi); strings.Count(text, markWord+"\"") != 3 || strings.Count(text, blockBegin) != 1 || !strings.Contains(text, `"Interrupt"`) {
		t.Errorf("kimi:\n%s", text)
	}
	m.remove("kimi")
	if text := read(t, kimi); text != "a = 1\n[[hooks]]\nevent = \"Stop\"\ncommand = \"mine\"\n" {
		t.Errorf("kimi after removal:\n%s", text)
	}
}

// An agent that writes its file anew in its own layout and order starts no war:
// what is there is what should be there.
func TestAnotherLayoutIsNoChange(t *testing.T) {
	for _, id := range []string{"claudeCode", "gemini", "cursor", "copilot"} {
		m := newMachine(t)
		path := m.agent(id).Place(m.agent(id).Hooks.File, m.store.Getenv)
		rel, _ := filepath.Rel(m.home, path)
		m.write(rel, `{"zeta":1,"hooks":{},"alpha":{"b":[1,2]}}`, 0o600)
		m.install(id)
		var doc map[string]any
		if err := json.Unmarshal([]byte(read(t, path)), &doc); err != nil {
			t.Fatal(err)
		}
		doc["later"] = true
		anew, err := json.MarshalIndent(doc, "", "    ")
		if err != nil {
			t.Fatal(err)
		}
		m.write(rel, string(anew), 0o600)
		if o := m.install(id); o.State != Installed || len(o.Changed) > 0 || m.status(id) != Installed {
			t.Errorf("%s: %+v, %s", id, o, m.status(id))
		}
		m.remove(id)
		var left map[string]any
		if err := json.Unmarshal([]byte(read(t, path)), &left); err != nil {
			t.Fatal(err)
		}
		want := map[string]any{"zeta": 1.0, "hooks": map[string]any{}, "alpha": map[string]any{"b": []any{1.0, 2.0}}, "later": true}
		if diff := cmp.Diff(want, left); diff != "" {
			t.Errorf("%s: %s", id, diff)
		}
	}
}

// A script of an event that is no longer declared goes with the next install.
func TestScriptsOfOldEventsGo(t *testing.T) {
	m := newMachine(t)
	m.install("cline")
	a := *m.agent("cline")
	h := *a.Hooks
	h.Events = h.Events[:2]
	a.Hooks = &h
	o := m.store.Install(context.Background(), &a)
	if o.State != Installed || len(o.Changed) != 5 {
		t.Errorf("%+v", o)
	}
	if left, _ := os.ReadDir(filepath.Join(m.home, ".cline/hooks")); len(left) != 2 {
		t.Errorf("%v", left)
	}
}

func TestCopyReporter(t *testing.T) {
	home, bin := t.TempDir(), t.TempDir()
	program := filepath.Join(bin, "termio")
	path, err := CopyReporter(home, program)
	if err != nil || !strings.Contains(read(t, path), `exec '`+program+`' agent report "$@"`) {
		t.Fatalf("without a reporter beside: %v", err)
	}
	if err := os.WriteFile(filepath.Join(bin, ReporterName), []byte("\x7fELF one"), 0o755); err != nil {
		t.Fatal(err)
	}
	if path, err = CopyReporter(home, program); err != nil || read(t, path) != "\x7fELF one" {
		t.Fatal(err)
	}
	before, _ := os.Stat(path)
	CopyReporter(home, program)
	after, _ := os.Stat(path)
	if !os.SameFile(before, after) {
		t.Error("a copy that is right was replaced")
	}
	os.Chmod(path, 0o600)
	CopyReporter(home, program)
	if st, _ := os.Stat(path); st.Mode().Perm() != 0o755 {
		t.Errorf("mode %v", st.Mode())
	}
}
