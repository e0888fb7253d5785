package project

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestRegistryPersists(t *testing.T) {
	path := filepath.Join(t.TempDir(), "projects.json")
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	r, err := Open(path, now)
	if err != nil {
		t.Fatal(err)
	}
	for i, dir := range []string{"/a", "/b", "/a"} {
		if isNew, err := r.Add(dir, now); err != nil || isNew != (i < 2) {
			t.Fatalf("add %s: %v, %v", dir, isNew, err)
		}
	}
	again, err := Open(path, now)
	if err != nil {
		t.Fatal(err)
	}
	if got := again.All(); len(got) != 2 || got[0].Dir != "/a" || got[1].Name() != "b" || !got[0].Opened.Equal(now) {
		t.Errorf("got %+v", got)
	}
}

func TestRegistrySetsCorruptAside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "projects.json")
	if err := os.WriteFile(path, []byte(`{"projects": [{"dir": "/a"`), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path, time.Now())
	if err == nil || !strings.Contains(err.Error(), ".corrupt-") {
		t.Errorf("not reported: %v", err)
	}
	if _, err := r.Add("/b", time.Now()); err != nil {
		t.Errorf("not usable: %v", err)
	}
	kept, _ := filepath.Glob(path + ".corrupt-*")
	if len(kept) != 1 {
		t.Fatalf("set aside: %v", kept)
	}
	if data, _ := os.ReadFile(kept[0]); string(data) != `{"projects": [{"dir": "/a"` {
		t.Errorf("it changed: %s", data)
	}
}

// TestRegistryUnreadable: a file that cannot be read is not written over, and
// its projects are there again once it can be.
func TestRegistryUnreadable(t *testing.T) {
	dir := t.TempDir()
	path, kept := filepath.Join(dir, "projects.json"), filepath.Join(dir, "kept")
	r, err := Open(path, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Add("/old", time.Now()); err != nil {
		t.Fatal(err)
	}
	// In its place what fails to be read, for root too.
	if err := os.Rename(path, kept); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("projects.json", path); err != nil {
		t.Skip(err)
	}
	r, err = Open(path, time.Now())
	if err == nil {
		t.Fatal("an unreadable registry is told")
	}
	if isNew, err := r.Add("/new", time.Now()); !isNew || err != nil {
		t.Fatalf("add: %v, %v", isNew, err)
	}
	if st, err := os.Lstat(path); err != nil || st.Mode()&os.ModeSymlink == 0 {
		t.Fatalf("the file that could not be read was written over: %v, %v", st, err)
	}
	if err := os.Rename(kept, path); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Add("/newer", time.Now()); err != nil {
		t.Fatal(err)
	}
	r, err = Open(path, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	var dirs []string
	for _, p := range r.All() {
		dirs = append(dirs, p.Dir)
	}
	slices.Sort(dirs)
	if want := []string{"/new", "/newer", "/old"}; !slices.Equal(dirs, want) {
		t.Errorf("got %q, want %q", dirs, want)
	}
}

func TestCanonical(t *testing.T) {
	dir := t.TempDir()
	real, err := Canonical(dir)
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	if got, err := Canonical(link); err != nil || got != real {
		t.Errorf("link: %s, %v", got, err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"rel", file, filepath.Join(dir, "gone")} {
		if got, err := Canonical(bad); err == nil {
			t.Errorf("%s: got %s", bad, got)
		}
	}
}

func mustGit(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
	cmd.Env = gitEnv(os.Environ())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func TestRealWorktrees(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	base, err := Canonical(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	main, fix, gone := filepath.Join(base, "main"), filepath.Join(base, "fix"), filepath.Join(base, "gone")
	mustGit(t, base, "init", "-q", "-b", "trunk", main)
	mustGit(t, main, "commit", "-q", "--allow-empty", "-m", "one")
	mustGit(t, main, "worktree", "add", "-q", "-b", "feat/fix", fix)
	mustGit(t, main, "worktree", "add", "-q", "-b", "gone", gone)
	if err := os.RemoveAll(gone); err != nil {
		t.Fatal(err)
	}
	got, err := Worktrees(context.Background(), fix)
	if err != nil {
		t.Fatal(err)
	}
	want := []Worktree{{main, "trunk"}, {fix, "feat/fix"}}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %+v, want %+v", got, want)
	}
	sub := filepath.Join(fix, "a", "b")
	if err := os.MkdirAll(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	if p := Locate(sub); p.Top != fix || p.Main != main {
		t.Errorf("located at %+v", p)
	}
	// A variable that a git hook sets must not send us to another repository.
	t.Setenv("GIT_DIR", filepath.Join(base, "nowhere"))
	if got, err := Worktrees(context.Background(), main); err != nil || len(got) != 2 {
		t.Errorf("with GIT_DIR set: %+v, %v", got, err)
	}
	if got, err := Worktrees(context.Background(), base); err != nil || got != nil {
		t.Errorf("outside of any repository: %+v, %v", got, err)
	}
}

func TestLocateIgnoresAStrayFolder(t *testing.T) {
	dir, err := Canonical(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	if p := Locate(dir); p.Top == dir {
		t.Errorf("an empty .git folder made %+v", p)
	}
}
