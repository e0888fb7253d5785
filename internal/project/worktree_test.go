package project

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// repository is a git repository with one commit, beside a directory for its
// worktrees.
type repository struct {
	*testing.T
	Trees
	main string
}

func newRepository(t *testing.T) *repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("skipped: git is not on this machine")
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	main := filepath.Join(base, "demo")
	if err := os.Mkdir(main, 0o755); err != nil {
		t.Fatal(err)
	}
	r := &repository{T: t, main: main}
	r.do(main, "init", "-q", "-b", "trunk")
	r.write("main.go", "package main\n")
	r.write(".gitignore", ".env*\nnode_modules/\n")
	r.do(main, "add", ".")
	r.do(main, "commit", "-q", "-m", "one")
	r.Trees = Trees{Place: Locate(main), Root: TreesRoot(filepath.Join(base, "trees"), main), Env: os.Environ()}
	return r
}

func (r *repository) do(dir string, args ...string) string {
	r.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// write writes a file of the main worktree, or one given whole.
func (r *repository) write(name, text string) {
	r.Helper()
	if !filepath.IsAbs(name) {
		name = filepath.Join(r.main, name)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o640); err != nil {
		r.Fatal(err)
	}
}

func (r *repository) get(name, base string) Fresh {
	r.Helper()
	f, err := r.Get(r.Context(), name, base)
	if err != nil {
		r.Fatalf("%s at %q: %v", name, base, err)
	}
	return f
}

// refuses checks that err is a refusal that says something.
func (r *repository) refuses(what string, err error, says string) {
	r.Helper()
	var refused *WorktreeError
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), says) {
		r.Errorf("%s: %v, want a refusal that says %q", what, err, says)
	}
}

func TestGetWorktree(t *testing.T) {
	r := newRepository(t)
	first := r.do(r.main, "rev-parse", "HEAD")
	r.write("two.go", "package main\n")
	r.do(r.main, "add", ".")
	r.do(r.main, "commit", "-q", "-m", "two")

	f := r.get("fix/login", "")
	want := filepath.Join(r.Root, "fix", "login")
	if !f.Created || !f.Branch || f.Dir != want || f.Worktree.Branch != "fix/login" || r.do(f.Dir, "branch", "--show-current") != "fix/login" {
		t.Errorf("a new one: %+v", f)
	}
	if f := r.get("fix/login", "trunk~1"); f.Created || f.Dir != want {
		t.Errorf("the same again: %+v", f)
	}
	if f := r.get("old", "trunk~1"); r.do(f.Dir, "rev-parse", "HEAD") != first {
		t.Errorf("not at its base: %+v", f)
	}
	// From inside a linked worktree HEAD is its own.
	inOld := r.Trees
	inOld.Place = Locate(filepath.Join(r.Root, "old"))
	if f, err := inOld.Get(t.Context(), "from-old", ""); err != nil || r.do(f.Dir, "rev-parse", "HEAD") != first {
		t.Errorf("from a worktree: %+v, %v", f, err)
	}
	// A branch that is there is used, one that somebody has checked out too.
	r.do(r.main, "branch", "there", "trunk~1")
	if f := r.get("there", ""); !f.Created || f.Branch || r.do(f.Dir, "rev-parse", "HEAD") != first {
		t.Errorf("an existing branch: %+v", f)
	}
	elsewhere := filepath.Join(t.TempDir(), "x")
	r.do(r.main, "worktree", "add", "-q", "-b", "mine", elsewhere)
	if f := r.get("mine", ""); f.Created || f.Worktree.Branch != "mine" || filepath.Base(f.Dir) != "x" {
		t.Errorf("a person's own: %+v", f)
	}
	// One whose directory was deleted is made again.
	if err := os.RemoveAll(want); err != nil {
		t.Fatal(err)
	}
	if f := r.get("fix/login", ""); !f.Created || f.Branch {
		t.Errorf("after rm -rf: %+v", f)
	}

	_, err := r.Get(t.Context(), "trunk", "")
	r.refuses("the main branch", err, "is on")
	r.do(r.main, "branch", "other")
	_, err = r.Get(t.Context(), "other", "trunk")
	r.refuses("an existing branch and a base", err, "leave --base out")
	for _, base := range []string{"nope", "--all", "-b", "HEAD:main.go"} {
		_, err = r.Get(t.Context(), "new", base)
		r.refuses("base "+base, err, "names no commit")
	}
	r.write(filepath.Join(r.Root, "inway", "file"), "x")
	_, err = r.Get(t.Context(), "inway", "")
	r.refuses("a directory in the way", err, "in the way")
	if got := r.do(r.main, "branch", "--list", "inway", "new"); got != "" {
		t.Errorf("a refusal left the branch %s", got)
	}

	empty := filepath.Join(t.TempDir(), "e")
	if err := os.Mkdir(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	r.do(empty, "init", "-q")
	_, err = Trees{Place: Locate(empty), Root: r.Root, Env: os.Environ()}.Get(t.Context(), "x", "")
	r.refuses("a repository without a commit", err, "no commit yet")
}

func TestWorktreeNames(t *testing.T) {
	for _, name := range []string{"a", "fix-1", "a/b_c", "naïve", "v1.2"} {
		if err := CheckWorktreeName(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{
		"", ".", "..", "a/../b", "/abs", "a/", "a//b", "-x", "a/-x", ".git", "a b", "a\nb", "a:b", "a..b", "a.lock", "a.", "a@{1}", `a\b`, "a*", "\xff",
		strings.Repeat("x", 101),
	} {
		if err := CheckWorktreeName(name); err == nil || len(err.Error()) > 500 {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestWorktreeInclude(t *testing.T) {
	r := newRepository(t)
	r.write(IncludeFile, "# what a checkout needs\n.env*\n!.env.example\n/certs/\n*.tracked\nlink\n")
	r.write("a.tracked", "committed")
	r.do(r.main, "add", "-A")
	r.do(r.main, "commit", "-q", "-m", "two")
	r.write("a.tracked", "changed since")
	r.write(".env", "SECRET=1")
	r.write(".env.example", "no")
	r.write("sub/.env.local", "deep")
	r.write("certs/a.pem", "pem")
	r.write("sub/certs/b.pem", "not at the root")
	r.write("node_modules/x/index.js", "no")
	r.write("new.tracked", "untracked, not ignored")
	if runtime.GOOS != "windows" {
		if err := os.Symlink("/etc/hostname", filepath.Join(r.main, "link")); err != nil {
			t.Fatal(err)
		}
	}
	f := r.get("fresh", "")
	if f.Copied != 5 && runtime.GOOS != "windows" {
		t.Errorf("%d files were copied, want 5", f.Copied)
	}
	for name, want := range map[string]string{
		".env": "SECRET=1", "sub/.env.local": "deep", "certs/a.pem": "pem", "new.tracked": "untracked, not ignored",
		"a.tracked": "committed", ".env.example": "", "sub/certs/b.pem": "", "node_modules/x/index.js": "",
	} {
		got, err := os.ReadFile(filepath.Join(f.Dir, name))
		if string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%s is %q (%v), want %q", name, got, err, want)
		}
	}
	if st, err := os.Stat(filepath.Join(f.Dir, ".env")); err != nil || st.Mode().Perm() != 0o640 {
		t.Errorf("its mode: %v, %v", st, err)
	}
	if to, err := os.Readlink(filepath.Join(f.Dir, "link")); runtime.GOOS != "windows" && to != "/etc/hostname" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	// A second call does not write over what was changed meanwhile.
	r.write(filepath.Join(f.Dir, ".env"), "MINE=1")
	r.get("fresh", "")
	if got, _ := os.ReadFile(filepath.Join(f.Dir, ".env")); string(got) != "MINE=1" {
		t.Errorf("the worktree's own file became %q", got)
	}
}

// A tracked symbolic link to a directory must not lead copies out of the new
// worktree.
func TestWorktreeIncludeStaysInside(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("skipped: symbolic links need rights there")
	}
	r := newRepository(t)
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(r.main, "d")); err != nil {
		t.Fatal(err)
	}
	r.write(IncludeFile, "*.env\n")
	r.do(r.main, "add", "-A")
	r.do(r.main, "commit", "-q", "-m", "two")
	if err := os.Remove(filepath.Join(r.main, "d")); err != nil {
		t.Fatal(err)
	}
	r.write("d/x.env", "secret")
	if _, err := r.Get(t.Context(), "w", ""); err == nil {
		t.Error("a copy through a link that leads outside is no error")
	}
	if left, _ := os.ReadDir(outside); len(left) != 0 {
		t.Errorf("written outside: %v", left)
	}
	if r.do(r.main, "branch", "--list", "w") != "" {
		t.Error("the branch of a worktree that was not made is there")
	}
}

func TestRemoveWorktree(t *testing.T) {
	r := newRepository(t)
	ctx := t.Context()
	find := func(name string) Worktree {
		t.Helper()
		w, err := r.Find(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	f := r.get("a/b", "")
	for _, name := range []string{"a/b", f.Dir} {
		if w := find(name); w.Dir != f.Dir || r.Name(w) != "a/b" {
			t.Errorf("%s is %+v, called %s", name, w, r.Name(w))
		}
	}
	_, err := r.Find(ctx, "trunk")
	r.refuses("the main one", err, "never removed")
	_, err = r.Find(ctx, "nope")
	r.refuses("an unknown one", err, "worktrees list")

	file := filepath.Join(f.Dir, "new.txt")
	r.write(file, "x")
	r.refuses("an untracked file", r.Remove(ctx, f.Worktree), "1 changed file")
	r.do(f.Dir, "add", "-A")
	r.refuses("a staged file", r.Remove(ctx, f.Worktree), "1 changed file")
	r.do(f.Dir, "commit", "-q", "-m", "work")
	work := r.do(f.Dir, "rev-parse", "HEAD")
	r.do(f.Dir, "checkout", "-q", "--detach")
	r.do(f.Dir, "commit", "-q", "--allow-empty", "-m", "on no branch")
	detached := f.Worktree
	detached.Branch = ""
	r.refuses("commits on no branch", r.Remove(ctx, detached), "on no branch")
	r.do(f.Dir, "checkout", "-q", "a/b")
	gitDir := r.do(f.Dir, "rev-parse", "--absolute-git-dir")
	r.write(filepath.Join(gitDir, "MERGE_HEAD"), work+"\n")
	r.refuses("a merge", r.Remove(ctx, f.Worktree), "in progress")
	if err := os.Remove(filepath.Join(gitDir, "MERGE_HEAD")); err != nil {
		t.Fatal(err)
	}
	r.do(r.main, "worktree", "lock", f.Dir)
	r.refuses("a locked one", r.Remove(ctx, f.Worktree), "locked")
	r.do(r.main, "worktree", "unlock", f.Dir)
	r.write(filepath.Join(f.Dir, ".env"), "ignored")
	if err := r.Remove(ctx, f.Worktree); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(r.Root, "a")); err == nil {
		t.Error("an empty directory is left")
	}
	if r.do(r.main, "rev-parse", "a/b") != work {
		t.Error("the branch and its commit are gone")
	}

	undone := r.get("undo", "")
	r.Undo(ctx, undone)
	if _, err := os.Stat(undone.Dir); err == nil || r.do(r.main, "branch", "--list", "undo") != "" {
		t.Error("what was undone is there")
	}
	kept := r.get("keep", "")
	r.write(filepath.Join(kept.Dir, "x"), "work")
	r.Undo(ctx, kept)
	if _, err := os.Stat(filepath.Join(kept.Dir, "x")); err != nil {
		t.Error("work was undone")
	}
}
