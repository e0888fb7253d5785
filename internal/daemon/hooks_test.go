//go:build unix

package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/config"
	"github.com/termio-sh/termio/internal/hooks"
)

// hooked is an agent that runs the first hook of the file that it is given.
const hooked = `{"id":"hooked","name":"Hooked","command":"hooked","hooks":{"file":"~/.hooked.json",
 "events":[{"on":"Start","state":"working"}],
 "inject":{"file":"hooks.json","args":["--hooks","{file}"],"env":{"HOOKED_DIR":"{dir}"}}}}`

const hookedScript = `if [ "$1" = --hooks ]; then
  printf 'dir=%s\n' "$HOOKED_DIR"
  command=$(sed -n 's/.*"command": "\(.*\)".*/\1/p' "$2" | head -n 1)
  sh -c "$command"
  printf 'exit=%s\n' $?
else
  printf 'without: %s\n' "$*"
fi
sleep 1000`

func (h *home) spawnHooked(extra ...string) (string, api.SpawnReply) {
	h.Helper()
	r, err := h.client.Spawn(h.Context(), api.SpawnRequest{Caller: h.caller(), Agent: "hooked", Env: os.Environ(), Extra: extra})
	if err != nil {
		h.Fatal(err)
	}
	var screen string
	h.eventually("the agent runs", func() bool {
		screen = strings.ReplaceAll(h.screen(r.Target), "\n", "")
		return strings.Contains(screen, "exit=") || strings.Contains(screen, "without:")
	})
	return screen, r
}

func (h *home) settings(edit func(*config.Settings)) {
	h.Helper()
	s, _ := config.Load(h.layout.Settings(), time.Now())
	edit(&s)
	if err := os.MkdirAll(filepath.Dir(h.layout.Settings()), 0o700); err != nil {
		h.Fatal(err)
	}
	if err := config.Save(h.layout.Settings(), s); err != nil {
		h.Fatal(err)
	}
}

// A session's agent has its hooks from the launch, in files of the session's
// own, and what it reports is its status at once.
func TestHooksAtLaunch(t *testing.T) {
	h := newHome(t)
	h.manifest("hooked", hooked)
	h.script("hooked", hookedScript)
	before := names(t, h.user)
	screen, r := h.spawnHooked()
	dir := filepath.Join(h.layout.SessionDir(strings.TrimPrefix(r.Target, "termio://session/")), "hooks")
	if !strings.Contains(screen, "dir="+dir) || !strings.Contains(screen, "exit=0") {
		t.Errorf("the screen: %s", screen)
	}
	if st, err := os.Stat(filepath.Join(dir, "hooks.json")); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", st, err)
	}
	h.eventually("the report is the status", func() bool {
		s, ok := h.find(r.Target)
		return ok && s.Status == "working"
	})
	tr, err := h.client.Trace(h.Context(), api.TargetRequest{Caller: h.caller(), Target: r.Target})
	if err != nil || len(tr.Changes) == 0 || tr.Changes[len(tr.Changes)-1].Channel != "hook" || tr.Changes[len(tr.Changes)-1].Rule != "Start" {
		t.Errorf("trace %+v, %v", tr, err)
	}
	if after := names(t, h.user); after != before {
		t.Errorf("the user's home was %s and is %s", before, after)
	}
	// What is the user's own goes first.
	if screen, _ := h.spawnHooked("--hooks", "/dev/null"); !strings.Contains(screen, "dir=exit=0") && !strings.Contains(screen, "dir= ") {
		t.Errorf("with an argument of the user's: %s", screen)
	}
	off := false
	h.settings(func(s *config.Settings) { s.LiveStatus = &off })
	if screen, _ := h.spawnHooked(); !strings.Contains(screen, "without:") {
		t.Errorf("switched off: %s", screen)
	}
}

func names(t *testing.T, dir string) string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range list {
		out = append(out, e.Name())
	}
	return strings.Join(out, " ")
}

// What the user switched on is in the agents' config at the coordinator's
// start, whatever became of it; sessions then need nothing at launch. What was
// switched off is gone.
func TestInstalledHooksAreTended(t *testing.T) {
	h := newHome(t)
	h.manifest("hooked", hooked)
	h.script("hooked", hookedScript)
	h.script("claude", "echo '2.1.332 (Claude Code)'")
	on, off := true, false
	h.settings(func(s *config.Settings) { s.LiveStatus, s.Skill = &on, &on })
	path := filepath.Join(h.user, ".hooked.json")
	claude := filepath.Join(h.user, ".claude/settings.json")
	skill := filepath.Join(h.user, ".claude/skills/termio/SKILL.md")
	has := func(path, text string) bool {
		data, err := os.ReadFile(path)
		return err == nil && strings.Contains(string(data), text)
	}
	h.daemonPID()
	h.eventually("the hooks and the skill are there", func() bool {
		return has(path, "--event Start") && has(claude, "StopFailure") && has(skill, "termio sessions")
	})
	if _, err := os.Stat(hooks.ReporterPath(h.layout.Home)); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(h.user, ".codex")); err == nil {
		t.Error("an agent that is not here got hooks")
	}
	if screen, _ := h.spawnHooked(); !strings.Contains(screen, "without:") {
		t.Errorf("hooks at launch beside installed ones: %s", screen)
	}
	h.kill9()
	if err := os.WriteFile(claude, []byte(`{"theirs":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	h.daemonPID()
	h.eventually("another program's rewrite is healed", func() bool { return has(claude, "StopFailure") && has(claude, "theirs") })
	h.kill9()
	h.settings(func(s *config.Settings) { s.LiveStatus, s.Skill = &off, &off })
	h.daemonPID()
	h.eventually("everything of ours is gone", func() bool {
		_, gone := os.Stat(path)
		_, skillGone := os.Stat(filepath.Join(h.user, ".claude/skills"))
		return os.IsNotExist(gone) && os.IsNotExist(skillGone) && !has(claude, "termio") && has(claude, `{"theirs":1}`)
	})
}
