package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/config"
)

// person is an App of somebody at a terminal who types answers.
func person(home, answers string) func(*App) {
	return func(a *App) {
		a.In = strings.NewReader(answers)
		a.Asks = func() bool { return true }
		a.Terminal = func() bool { return true }
		env := map[string]string{"HOME": home, "TERMIO_HOME": filepath.Join(home, "termio"), "NO_COLOR": "1", "SHELL": "/bin/sh", "PATH": os.Getenv("PATH")}
		a.Getenv = func(k string) string { return env[k] }
		a.Environ = func() []string { return []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")} }
	}
}

func chosen(t *testing.T, home string) config.Settings {
	t.Helper()
	s, problems := config.Load(filepath.Join(home, "termio", "config", "settings.json"), now)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return s
}

func isOn(p *bool) bool { return p != nil && *p }

// The questions are asked once, each says what would be written, and "no"
// writes nothing.
func TestSetupAsksOnce(t *testing.T) {
	home := t.TempDir()
	r := run(t, nil, person(home, "n\nmaybe\nno\nN\n"), "setup")
	if r.code != 0 {
		t.Fatalf("%+v", r)
	}
	for _, want := range []string{"1  Live status", "2  Session control", "3  The command on your PATH", "~/.local/bin/termio", "Please answer y or n"} {
		if !strings.Contains(r.out, want) {
			t.Errorf("%q is not in:\n%s", want, r.out)
		}
	}
	for line := range strings.Lines(r.out) {
		if len([]rune(strings.TrimRight(line, "\n"))) > 80 {
			t.Errorf("wider than 80 cells: %q", line)
		}
	}
	s := chosen(t, home)
	if s.Asked != setupQuestions || s.LiveStatus != nil || s.SessionControl != nil || s.Link != nil {
		t.Errorf("three times no chose %+v", s)
	}
	if _, err := os.Lstat(filepath.Join(home, ".local")); err == nil {
		t.Error("no made a link")
	}
	// Answered: it does not ask again, unless it is told to.
	if r := run(t, nil, person(home, ""), "setup"); r.code != 0 || strings.Contains(r.out, "[Y/n]") || !strings.Contains(r.out, "answered before") {
		t.Errorf("again: %+v", r)
	}
	r = run(t, nil, person(home, "y\n\ny\n"), "setup", "--again")
	if s := chosen(t, home); r.code != 0 || !isOn(s.LiveStatus) || !isOn(s.SessionControl) || !isOn(s.Link) {
		t.Errorf("three times yes: %+v, %+v", r, s)
	}
	if _, err := os.Readlink(filepath.Join(home, ".local/bin/termio")); err != nil {
		t.Error(err)
	}
	// And off again takes it out.
	if r := run(t, nil, person(home, "n\nn\nn\n"), "setup", "--again"); r.code != 0 {
		t.Errorf("%+v", r)
	}
	if s := chosen(t, home); isOn(s.LiveStatus) || isOn(s.SessionControl) || isOn(s.Link) || s.ControlsSessions() {
		t.Errorf("switched off: %+v", s)
	}
	if _, err := os.Lstat(filepath.Join(home, ".local/bin/termio")); err == nil {
		t.Error("the link is still there")
	}
}

// Where nobody can be asked nothing is asked and nothing is changed.
func TestSetupWithoutAPerson(t *testing.T) {
	home := t.TempDir()
	alone := func(a *App) {
		person(home, "y\ny\ny\n")(a)
		a.Asks = func() bool { return false }
	}
	if r := run(t, nil, alone, "setup"); r.code != 1 || !strings.Contains(r.err, "--yes") || r.out != "" {
		t.Errorf("%+v", r)
	}
	r := run(t, nil, alone, "setup", "--json")
	var reply setupReply
	if err := json.Unmarshal([]byte(r.out), &reply); err != nil || reply.Answered || len(reply.Switches) != 3 || strings.Count(r.out, "\n") != 1 {
		t.Errorf("%v %+v", err, r)
	}
	if _, err := os.Stat(filepath.Join(home, "termio/config/settings.json")); err == nil {
		t.Error("looking made a file")
	}
	if r := run(t, nil, alone, "setup", "--link", "perhaps"); r.code != 1 || !strings.Contains(r.err, "on, off or leave") {
		t.Errorf("%+v", r)
	}
	r = run(t, nil, alone, "setup", "--yes", "--link", "leave", "--json")
	if s := chosen(t, home); r.code != 0 || !isOn(s.LiveStatus) || !isOn(s.SessionControl) || s.Link != nil || s.Asked != setupQuestions {
		t.Errorf("%+v %+v", r, s)
	}
	// Answers that end keep nothing of those before.
	other := t.TempDir()
	if r := run(t, nil, person(other, "y\n"), "setup"); r.code != 1 || !strings.Contains(r.err, "nothing was changed") {
		t.Errorf("%+v", r)
	}
	if _, err := os.Stat(filepath.Join(other, "termio/config/settings.json")); err == nil {
		t.Error("half of the answers were kept")
	}
}

// A person is told of setup once, a script never.
func TestSetupIsOfferedOnce(t *testing.T) {
	home := t.TempDir()
	replies := map[string]any{api.VerbList: api.ListReply{Head: api.OKHead(), Project: "app"}}
	list := func(edit func(*App), args ...string) result {
		return run(t, &coordinator{replies: replies}, func(a *App) {
			person(home, "")(a)
			if edit != nil {
				edit(a)
			}
		}, append([]string{"sessions", "list"}, args...)...)
	}
	if err := os.MkdirAll(filepath.Join(home, "termio/state"), 0o700); err != nil {
		t.Fatal(err)
	}
	script := func(a *App) { a.Asks = func() bool { return false } }
	for name, r := range map[string]result{"a script": list(script), "--json": list(nil, "--json")} {
		if r.code != 0 || strings.Contains(r.err, "setup") {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if r := list(nil); r.code != 0 || !strings.Contains(r.err, "termio setup") {
		t.Errorf("the first time: %+v", r)
	}
	if r := list(nil); r.code != 0 || strings.Contains(r.err, "setup") {
		t.Errorf("the second time: %+v", r)
	}
}

// list marks what was chosen, unset gives the default back.
func TestConfigListAndUnset(t *testing.T) {
	home := t.TempDir()
	do := func(args ...string) result {
		return run(t, nil, person(home, ""), append([]string{"config"}, args...)...)
	}
	if r := do("set", "notifications.after", "1m30s"); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	for _, bad := range [][]string{{"set", "notifications.after", "soon"}, {"set", "notifications.after", "--", "-3s"}, {"unset"}, {"unset", "nothing"}} {
		if r := do(bad...); r.code != 1 {
			t.Errorf("%v: %+v", bad, r)
		}
	}
	var reply configReply
	r := do("list", "--json")
	if err := json.Unmarshal([]byte(r.out), &reply); err != nil || reply.Settings["notifications.after"] != "1m30s" || len(reply.Chosen) != 1 || reply.Settings["detachKey"] != `ctrl-\` {
		t.Errorf("%v %+v", err, r)
	}
	if r := do("unset", "notifications.after", "detachKey"); r.code != 0 {
		t.Errorf("%+v", r)
	}
	if r := do("get", "notifications.after"); r.out != "10s\n" {
		t.Errorf("%+v", r)
	}
	data, err := os.ReadFile(filepath.Join(home, "termio/config/settings.json"))
	if err != nil || strings.Contains(string(data), "after") {
		t.Errorf("%s %v", data, err)
	}
}

func TestSwitchesAreSettings(t *testing.T) {
	for _, q := range switchList {
		if _, err := findSetting(q.key); err != nil {
			t.Error(err)
		}
		for line := range strings.Lines(q.about) {
			if len(line) > 76 {
				t.Errorf("%s: too long: %q", q.key, line)
			}
		}
	}
}
