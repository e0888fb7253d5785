//go:build unix

package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSelect(t *testing.T) {
	t.Parallel()
	pins, err := Select("pi-acp")
	if err != nil {
		t.Fatal(err)
	}
	if got := pinNames(pins); !slices.Equal(got, []string{"node", "pi", "pi-acp"}) {
		t.Errorf("pi-acp needs %v", got)
	}
	pins, err = Select()
	if err != nil {
		t.Fatal(err)
	}
	if got := pinNames(pins); !slices.Equal(got, []string{"node", "claude", "codex", "opencode-plugin", "opencode", "pi", "gemini", "qwen", "copilot"}) {
		t.Errorf("by default: %v", got)
	}
	if _, err := Select("nobody"); err == nil || !strings.Contains(err.Error(), "copilot") {
		t.Errorf("an unknown name: %v", err)
	}
	for _, p := range Pins() {
		for _, pkg := range p.Packages {
			if at := strings.LastIndex(pkg, "@"); at < 1 || strings.Count(pkg[at:], ".") != 2 {
				t.Errorf("%s is not pinned to an exact version", pkg)
			}
		}
	}
}

// fakeNPM stands in for npm: it makes the command that the pin wants.
type fakeNPM struct {
	runs [][]string
	fail error
}

func (f *fakeNPM) run(_ context.Context, dir string, args ...string) error {
	f.runs = append(f.runs, args)
	bin := filepath.Join(dir, "node_modules", ".bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return err
	}
	if f.fail != nil {
		return f.fail
	}
	return os.WriteFile(filepath.Join(bin, "tool"), nil, 0o755)
}

func TestInstall(t *testing.T) {
	t.Parallel()
	npm, log := &fakeNPM{}, &bytes.Buffer{}
	in := &Installer{Root: filepath.Join(t.TempDir(), "a"), Log: log, npm: npm.run}
	pin := Pin{Name: "tool", Packages: []string{"tool@1.0.0"}, Bin: "tool"}
	install := func(p Pin) error { return in.Install(t.Context(), []Pin{p}) }

	if err := Installed(in.Root, pin); err == nil || !strings.Contains(err.Error(), "make agents") {
		t.Errorf("before: %v", err)
	}
	if err := install(pin); err != nil {
		t.Fatal(err)
	}
	if err := Installed(in.Root, pin); err != nil {
		t.Errorf("after: %v", err)
	}
	want := "install --save-exact --no-audit --no-fund --loglevel=error tool@1.0.0"
	if got := strings.Join(npm.runs[0], " "); got != want {
		t.Errorf("npm %s, want %s", got, want)
	}
	if err := install(pin); err != nil || len(npm.runs) != 1 {
		t.Errorf("again: %v, npm ran %d times", err, len(npm.runs))
	}

	newer := pin
	newer.Packages = []string{"tool@1.0.1"}
	npm.fail = errors.New("no network")
	if err := install(newer); err == nil || !strings.Contains(err.Error(), "no network") {
		t.Errorf("a failed install: %v", err)
	}
	if err := Installed(in.Root, pin); err != nil {
		t.Errorf("a failed install took the old version away: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(in.Root, ".tmp-*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	npm.fail = nil
	half := filepath.Join(in.Root, ".tmp-tool-1")
	if err := os.Mkdir(half, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := install(newer); err != nil || Installed(in.Root, newer) != nil {
		t.Errorf("an upgrade: %v, %v", err, Installed(in.Root, newer))
	}
	if _, err := os.Stat(half); err == nil {
		t.Error("what an interrupted run left is still there")
	}

	if err := os.Remove(proof(filepath.Join(in.Root, "tool"), pin)); err != nil {
		t.Fatal(err)
	}
	if err := Installed(in.Root, newer); err == nil {
		t.Error("a broken installation counts as whole")
	}
	if err := install(newer); err != nil || Installed(in.Root, newer) != nil {
		t.Errorf("a repair: %v", err)
	}
	wrong := Pin{Name: "other", Packages: []string{"other@1.0.0"}, Bin: "missing"}
	if err := install(wrong); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("packages without the command: %v", err)
	}
}

// pretend makes a root in which every pin looks installed.
func pretend(t *testing.T) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "agents")
	for _, p := range Pins() {
		dir := filepath.Join(root, p.Name)
		if err := os.MkdirAll(filepath.Dir(proof(dir, p)), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"package.json", "package-lock.json"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("{}"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		script := "#!/bin/sh\necho " + p.Name + " \"$HOME\"\n"
		if err := os.WriteFile(proof(dir, p), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(markerFile{Packages: p.Packages})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, marker), raw, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// One home holds all agents; a login shell in it finds them, with their
// environment, whatever the environment it was started with.
func TestHome(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	proj, dir := filepath.Join(base, "it's a proj"), filepath.Join(base, "home")
	h, err := NewHome(HomeConfig{
		Root: pretend(t), Dir: dir, Projects: []string{proj}, ModelURL: "http://127.0.0.1:1234", Plugins: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Names() {
		if err := h.Add(name); err != nil {
			t.Fatal(err)
		}
	}
	for file, want := range map[string]string{
		".claude.json":                       proj,
		".claude/settings.json":              `"defaultMode": "default"`,
		".codex/config.toml":                 "daemon_auto_start = false",
		".config/opencode/opencode.json":     "http://127.0.0.1:1234/v1",
		".config/opencode/package-lock.json": "{}",
		".config/opencode/node_modules/@opencode-ai/plugin/package.json": "",
		".pi/agent/models.json":       "http://127.0.0.1:1234/v1",
		".gemini/trustedFolders.json": proj,
		".qwen/settings.json":         "http://127.0.0.1:1234/v1",
		".copilot/config.json":        proj,
	} {
		path := filepath.Join(dir, file)
		if want == "" {
			if _, err := os.Stat(path); err != nil {
				t.Error(err)
			}
			continue
		}
		raw, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(raw), want) {
			t.Errorf("%s (%v) lacks %q:\n%s", file, err, want, raw)
		}
	}
	for _, shell := range []string{"bash", "zsh", "sh"} {
		path, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("%s is not on this machine", shell)
			continue
		}
		flags := "-ilc"
		if shell == "sh" {
			flags = "-lc"
		}
		cmd := exec.Command(path, flags, `for a in `+strings.Join(Names(), " ")+`; do $a; done; echo "$CLAUDE_CODE_MAX_RETRIES $COPILOT_MODEL"`)
		cmd.Env = []string{"HOME=" + dir, "PATH=/usr/bin:/bin"}
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("%s: %v", shell, err)
		}
		for _, name := range Names() {
			if !strings.Contains(string(out), name+" "+dir+"\n") {
				t.Errorf("%s does not find %s:\n%s", shell, name, out)
			}
		}
		if !strings.Contains(string(out), "1 fake-model\n") {
			t.Errorf("%s does not set the environment:\n%s", shell, out)
		}
	}
	for _, e := range h.Env() {
		if key, _, _ := strings.Cut(e, "="); strings.HasPrefix(key, "TERMIO") {
			t.Errorf("the test's own environment is in it: %s", e)
		}
	}
}

func TestHomeOfAnAgentThatIsNotInstalled(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	h, err := NewHome(HomeConfig{Root: base, Dir: filepath.Join(base, "h"), ModelURL: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Add("claude"); err == nil || !strings.Contains(err.Error(), "make agents") {
		t.Errorf("not installed: %v", err)
	}
	if _, err := NewHome(HomeConfig{Root: base, Dir: "relative"}); err == nil {
		t.Error("a relative home is accepted")
	}
}

func TestEveryAgentHasSigns(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		if s, err := SignsOf(name); err != nil || s.Ready == "" || (s.Permission == "") != (s.Approve == "") {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}
