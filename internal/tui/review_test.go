package tui

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadReview(t *testing.T) {
	dir := t.TempDir()
	env := append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
		cmd.Env = env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q", "-b", "main")
	write("a", "one\n")
	git("add", "a")
	git("commit", "-q", "-m", "first")
	git("checkout", "-q", "-b", "work")
	write("a", "two\n")
	git("commit", "-q", "-a", "-m", "second")
	write("a", "three\n")
	write("b", "new\n")
	for what, want := range map[review][]string{
		reviewChanges: {"-two", "+three", " b\n"},
		reviewBase:    {"-one", "+three", " b\n"},
		reviewHistory: {"a: second", "a: first"},
	} {
		text, err := readReview(t.Context(), env, reviewEffect{dir, what})
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%v: no %q in\n%s", what, w, text)
			}
		}
	}
	if _, err := readReview(t.Context(), env, reviewEffect{t.TempDir(), reviewChanges}); err == nil || !strings.Contains(err.Error(), "not a git repository") {
		t.Errorf("no repository: %v", err)
	}
}

// TestReview goes between the three and does not take an answer for another.
func TestReview(t *testing.T) {
	d := full(t, 100, 30, nil)
	take[Effect](d)
	d.press("d")
	asked := take[reviewEffect](d)
	if len(asked) != 1 || asked[0].Dir != "/home/u/shop" {
		t.Fatalf("%+v", asked)
	}
	d.press("h")
	d.say(reviewMsg{Effect: asked[0], Text: "stale"})
	if strings.Contains(d.screen(), "stale") {
		t.Error("the changes are shown as the history")
	}
	d.say(reviewMsg{Effect: take[reviewEffect](d)[0], Text: strings.Repeat("abc123 a commit\n", 200)})
	if s := d.screen(); !strings.Contains(s, "history (") || !strings.Contains(s, "abc123 a commit") {
		t.Errorf("%s", s)
	}
	d.press("G")
	if s := d.screen(); !strings.Contains(s, "200 of 200 lines") {
		t.Errorf("the end:\n%s", s)
	}
	if d.press("esc"); d.m.overlay != nil {
		t.Error("Esc does not close it")
	}
}
