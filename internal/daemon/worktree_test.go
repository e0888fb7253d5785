//go:build unix

package daemon

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/config"
)

// git runs git in the project, which becomes a repository at the first call.
func (h *home) git(args ...string) string {
	h.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		h.Skip("skipped: git is not on this machine")
	}
	do := func(args ...string) string {
		cmd := exec.Command("git", append([]string{"-C", h.dir, "-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			h.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	if _, err := os.Stat(filepath.Join(h.dir, ".git")); err != nil {
		do("init", "-q", "-b", "trunk")
		do("commit", "-q", "--allow-empty", "-m", "one")
	}
	return do(args...)
}

func (h *home) spawnIn(who api.Caller, tree, base, prompt string) (api.SpawnReply, error) {
	return h.client.Spawn(h.Context(), api.SpawnRequest{Caller: who, Agent: "reader", Prompt: prompt, Worktree: tree, Base: base, Env: os.Environ()})
}

func TestSpawnInAWorktree(t *testing.T) {
	h := newHome(t)
	h.agentThatReads()
	h.git("status")
	for name, text := range map[string]string{".gitignore": ".env\n", ".worktreeinclude": ".env\n", ".env": "SECRET=1\n", "sub/f": "x"} {
		path := filepath.Join(h.dir, name)
		os.MkdirAll(filepath.Dir(path), 0o755)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h.git("add", "-A")
	h.git("commit", "-q", "-m", "two")
	h.settings(func(s *config.Settings) {
		s.Projects = map[string]config.Project{h.dir: {Setup: "cat .env sub/f; echo >> runs; exit $(cat fails 2>/dev/null || echo 0)"}}
	})
	boss := h.run("clear")
	who := h.inside(boss)

	// Twice at once: one makes it, the other finds it.
	type result struct {
		api.SpawnReply
		err error
	}
	results := make(chan result, 2)
	for range 2 {
		go func() { r, err := h.spawnIn(who, "fix", "", "do it"); results <- result{r, err} }()
	}
	a, b := <-results, <-results
	if b.Worktree != nil && b.Worktree.Created {
		a, b = b, a
	}
	if a.err != nil || b.err != nil || !a.Worktree.Created || a.Worktree.Copied != 1 || b.Worktree.Created || a.Worktree.Dir != b.Worktree.Dir {
		t.Fatalf("spawned %+v in %+v and %+v in %+v", a, a.Worktree, b, b.Worktree)
	}
	tree := a.Worktree.Dir
	if !strings.HasPrefix(tree, filepath.Join(h.layout.Home, "worktrees", "demo-")) || filepath.Base(tree) != "fix" {
		t.Errorf("it is in %s", tree)
	}
	h.eventually("the setup ran and the agent was told after it", func() bool {
		s := strings.ReplaceAll(h.screen(a.Target), "\n", "")
		return strings.Contains(s, "SECRET=1x") && strings.Contains(s, "] do it")
	})
	row, ok := h.find(a.Target)
	if !ok || row.Worktree != tree || row.Project != h.dir || row.Parent != boss || h.record(a.Target).Dir != tree {
		t.Errorf("its row: %+v", row)
	}
	// A third one finds the setup done.
	c, err := h.spawnIn(h.caller(), "fix", "", "and this")
	if err != nil || c.Worktree.Setup != "" {
		t.Fatalf("%+v, %v", c.Worktree, err)
	}
	h.eventually("the third is told", func() bool { return strings.Contains(h.screen(c.Target), "told: and this") })

	list := func() []api.WorktreeRow {
		t.Helper()
		var r api.WorktreesReply
		if err := h.client.Call(t.Context(), api.VerbWorktrees, api.WorktreesRequest{Caller: h.caller()}, &r); err != nil {
			t.Fatal(err)
		}
		return r.Worktrees
	}
	remove := func(name string) error {
		var r api.RemoveWorktreeReply
		return h.client.Call(t.Context(), api.VerbRemoveWorktree, api.RemoveWorktreeRequest{Caller: h.caller(), Worktree: name}, &r)
	}
	rows := list()
	if len(rows) != 2 || !rows[0].Main || rows[1].Name != "fix" || rows[1].Branch != "fix" || rows[1].Changes != "1 changed file" || len(rows[1].Sessions) != 3 || !slices.Contains(rows[0].Sessions, boss) {
		t.Errorf("worktrees: %+v", rows)
	}
	refused(t, remove("fix"), api.CodeBadRequest, "runs in")
	for _, link := range []string{a.Target, b.Target, c.Target} {
		if _, err := h.client.CloseSession(t.Context(), api.TargetRequest{Caller: h.caller(), Target: link}); err != nil {
			t.Fatal(err)
		}
	}
	refused(t, remove("fix"), api.CodeBadRequest, "1 changed file")
	if err := os.Remove(filepath.Join(tree, "runs")); err != nil {
		t.Fatal(err)
	}
	if err := remove("fix"); err != nil {
		t.Fatal(err)
	}
	if rows := list(); len(rows) != 1 {
		t.Errorf("after removing: %+v", rows)
	}
	refused(t, remove("fix"), api.CodeBadRequest, "worktrees list")

	// The place in the repository is kept.
	sub := api.Caller{Cwd: filepath.Join(h.dir, "sub")}
	if r, err := h.spawnIn(sub, "deep", "trunk", "x"); err != nil || h.record(r.Target).Dir != filepath.Join(r.Worktree.Dir, "sub") {
		t.Errorf("from a directory of it: %+v, %v", r, err)
	}
	_, err = h.spawnIn(h.caller(), "bad", "no-such-ref", "x")
	refused(t, err, api.CodeBadRequest, "no-such-ref")
	_, err = h.spawnIn(h.caller(), "../up", "", "x")
	refused(t, err, api.CodeBadRequest, "../up")
	_, err = h.spawnIn(h.caller(), "", "trunk", "x")
	refused(t, err, api.CodeBadRequest, "--worktree")
	outside := t.TempDir()
	_, err = h.spawnIn(api.Caller{Cwd: outside}, "x", "", "x")
	refused(t, err, api.CodeBadRequest, "no git repository")
}

// A setup that fails ends the session and says so; the next spawn tries again.
func TestSetupThatFails(t *testing.T) {
	h := newHome(t)
	h.agentThatReads()
	h.git("status")
	h.settings(func(s *config.Settings) {
		s.Projects = map[string]config.Project{h.dir: {Setup: "echo no network; test -e " + filepath.Join(h.user, "network")}}
	})
	r, err := h.spawnIn(h.caller(), "w", "", "do it")
	if err != nil {
		t.Fatal(err)
	}
	var row api.Session
	h.eventually("it ends", func() bool { row, _ = h.find(r.Target); return row.Closed != nil })
	if row.Closed.Reason != "boot-failed" || row.Closed.ExitCode == nil || *row.Closed.ExitCode != 1 {
		t.Errorf("closed: %+v", row.Closed)
	}
	_, err = h.client.Read(t.Context(), api.ReadRequest{Caller: h.caller(), Target: r.Target})
	refused(t, err, api.CodeNotFound, "no network", "the setup command failed with exit code 1")
	if err := os.WriteFile(filepath.Join(h.user, "network"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := h.spawnIn(h.caller(), "w", "", "do it")
	if err != nil || again.Worktree.Created || again.Worktree.Setup == "" {
		t.Fatalf("%+v, %v", again.Worktree, err)
	}
	h.eventually("the agent is told", func() bool { return strings.Contains(h.screen(again.Target), "told: do it") })
}

// A worktree that was made for a session that could not start is taken back.
func TestWorktreeOfNothing(t *testing.T) {
	h := newHome(t)
	h.git("status")
	h.manifest("ghost", `{"id": "ghost", "name": "Ghost", "order": 900, "command": "no-such-ghost"}`)
	_, err := h.client.Spawn(t.Context(), api.SpawnRequest{Caller: h.caller(), Agent: "ghost", Prompt: "x", Worktree: "w", Env: os.Environ()})
	refused(t, err, api.CodeStartFailed)
	if got := h.git("worktree", "list"); strings.Contains(got, "\n") {
		t.Errorf("worktrees: %s", got)
	}
	if got := h.git("branch", "--list", "w"); got != "" {
		t.Errorf("branch %s", got)
	}
}
