package project

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// worktreeTimeout bounds one run of git that checks files out or looks at all
// of them.
const worktreeTimeout = 5 * time.Minute

// maxWorktreeName bounds a worktree's name, in bytes.
const maxWorktreeName = 100

// WorktreeError is a refusal that the caller can act on.
type WorktreeError struct{ Message string }

func (e *WorktreeError) Error() string { return e.Message }

func refuse(format string, args ...any) error {
	return &WorktreeError{fmt.Sprintf(format, args...)}
}

// Trees makes, finds and removes the linked worktrees of one repository.
type Trees struct {
	// Place is where at least one directory of the repository is: in it a base
	// is looked up.
	Place Place
	// Root is the directory in which new worktrees are made.
	Root string
	// Env is the environment of git.
	Env []string
}

// TreesRoot is the directory, in all, for the worktrees of the repository whose
// main worktree is at main: named so that people know it again, and told from
// others of that name.
func TreesRoot(all, main string) string {
	sum := sha256.Sum256([]byte(main))
	return filepath.Join(all, filepath.Base(main)+"-"+hex.EncodeToString(sum[:3]))
}

// CheckWorktreeName refuses a name that cannot be a directory and a branch
// alike.
func CheckWorktreeName(name string) error {
	bad := func(why string) error {
		return refuse("a worktree cannot be called %q: %s; take letters, digits, - and _, as in fix-login", clipName(name), why)
	}
	switch {
	case name == "":
		return bad("the name is empty")
	case len(name) > maxWorktreeName:
		return bad(fmt.Sprintf("it has more than %d bytes", maxWorktreeName))
	}
	for _, part := range strings.Split(name, "/") {
		switch {
		case part == "":
			return bad("a part of it is empty")
		case part[0] == '.' || part[0] == '-':
			return bad("a part of it begins with " + part[:1])
		case strings.HasSuffix(part, ".lock"), strings.HasSuffix(part, "."), strings.Contains(part, ".."):
			return bad("git does not take such a branch")
		}
	}
	for _, r := range name {
		if r <= ' ' || r == 0x7f || strings.ContainsRune(`~^:?*[\`, r) || r == '@' && strings.Contains(name, "@{") || r == '\ufffd' {
			return bad(fmt.Sprintf("git takes no %q in a branch", r))
		}
	}
	return nil
}

func clipName(s string) string {
	if len(s) > maxWorktreeName {
		return strings.ToValidUTF8(s[:maxWorktreeName], "") + "…"
	}
	return s
}

// Fresh is a worktree that was asked for.
type Fresh struct {
	Worktree
	Created bool // just now, at Base, with Copied files of .worktreeinclude
	Branch  bool // and its branch too
	Copied  int
}

// Get finds the worktree with this name, which is that of its directory in
// Root or of its branch, or makes it: a branch of that name at base, or at the
// HEAD of Place where base is empty; an existing branch as it is.
func (t Trees) Get(ctx context.Context, name, base string) (f Fresh, err error) {
	ctx, cancel := context.WithTimeout(ctx, worktreeTimeout)
	defer cancel()
	if err := CheckWorktreeName(name); err != nil {
		return f, err
	}
	all, missing, err := t.list(ctx)
	if err != nil {
		return f, err
	}
	dir := filepath.Join(t.Root, filepath.FromSlash(name))
	for i, w := range all {
		switch {
		case i > 0 && (w.Dir == dir || w.Branch == name):
			return Fresh{Worktree: w}, nil
		case i == 0 && w.Branch == name:
			return f, refuse("the branch %s is the one that %s itself is on; take another name for the worktree", name, w.Dir)
		}
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 || err != nil && !errors.Is(err, os.ErrNotExist) {
		return f, refuse("%s is in the way: it is there and no worktree of this repository; remove it, or take another name", dir)
	}
	args := []string{"worktree", "add", "--quiet"}
	if missing[dir] {
		args = append(args, "--force") // git still knows one there that is gone
	}
	switch exists := t.has(ctx, "refs/heads/"+name); {
	case exists && base != "":
		return f, refuse("the branch %s is there already, so that it cannot begin at %s; leave --base out to use it as it is, or take another name", name, base)
	case exists:
		args = append(args, dir, name)
	default:
		at, err := t.commit(ctx, base)
		if err != nil {
			return f, err
		}
		args = append(args, "--no-track", "-b", name, dir, at)
		f.Branch = true
	}
	if err := os.MkdirAll(t.Root, 0o700); err != nil {
		return f, fmt.Errorf("make the worktree %s: %w", name, err)
	}
	if _, err := t.git(ctx, t.Place.Top, args...); err != nil {
		return f, refuse("git cannot make the worktree %s: %v", name, err)
	}
	f.Worktree, f.Created = Worktree{Dir: dir, Branch: name}, true
	if f.Copied, err = t.include(ctx, dir); err != nil {
		t.Undo(ctx, f)
		return Fresh{}, err
	}
	return f, nil
}

// Undo takes a worktree back that was just made and not used; one in which
// something was changed stays.
func (t Trees) Undo(ctx context.Context, f Fresh) {
	if !f.Created {
		return
	}
	if _, err := t.git(ctx, t.Place.Main, "worktree", "remove", f.Dir); err != nil {
		return
	}
	t.sweep(f.Dir)
	if f.Branch { // -d refuses one that has commits of its own
		_, _ = t.git(ctx, t.Place.Main, "branch", "-d", "--", f.Worktree.Branch)
	}
}

// sweep removes the directories between a removed worktree and Root that hold
// nothing any more.
func (t Trees) sweep(dir string) {
	for dir = filepath.Dir(dir); within(t.Root, dir); dir = filepath.Dir(dir) {
		if os.Remove(dir) != nil {
			return
		}
	}
}

// list gives the repository's worktrees, the main one first, and the
// directories of those that are known to git and gone.
func (t Trees) list(ctx context.Context) (live []Worktree, missing map[string]bool, err error) {
	live, err = Worktrees(ctx, t.Place.Main)
	if err != nil {
		return nil, nil, err
	}
	out, err := t.git(ctx, t.Place.Main, "worktree", "list", "--porcelain")
	if err != nil {
		return nil, nil, fmt.Errorf("list the worktrees of %s: %w", t.Place.Main, err)
	}
	missing = map[string]bool{}
	for line := range strings.Lines(string(out)) {
		if dir, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "worktree "); ok {
			if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
				missing[dir] = true
			}
		}
	}
	return live, missing, nil
}

func (t Trees) has(ctx context.Context, ref string) bool {
	_, err := t.git(ctx, t.Place.Top, "rev-parse", "--verify", "--quiet", "--end-of-options", ref)
	return err == nil
}

// commit looks a base up, so that what git is given cannot be taken for an
// option.
func (t Trees) commit(ctx context.Context, base string) (string, error) {
	ref := base
	if ref == "" {
		ref = "HEAD"
	}
	out, err := t.git(ctx, t.Place.Top, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	switch {
	case err == nil:
		return string(bytes.TrimSpace(out)), nil
	case base == "":
		return "", refuse("%s has no commit yet; make one, since a worktree begins at a commit", t.Place.Top)
	}
	return "", refuse("--base %s names no commit of %s", clipName(base), t.Place.Top)
}

// git runs git, with a message that holds what it said.
func (t Trees) git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...)
	cmd.Env = append(gitEnv(t.Env), "GIT_TERMINAL_PROMPT=0")
	cmd.WaitDelay = time.Second
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		if text := complaint(said.String()); text != "" {
			err = errors.New(text)
		}
		return out.Bytes(), err
	}
	return out.Bytes(), nil
}

// complaint is why git did not do it: the first line that says so, else the
// last, at most 400 bytes.
func complaint(s string) string {
	line := ""
	for l := range strings.Lines(s) {
		line = strings.TrimSpace(l)
		if why, ok := strings.CutPrefix(line, "fatal: "); ok {
			line = why
			break
		}
	}
	return strings.ToValidUTF8(line[:min(len(line), 400)], "")
}

// Ours reports whether a worktree is in Root, and so was made by Get.
func (t Trees) Ours(w Worktree) bool { return w.Dir != t.Root && within(t.Root, w.Dir) }

// Mark is the path of a file for notes of ours in a worktree's git directory,
// which goes with the worktree.
func (t Trees) Mark(ctx context.Context, w Worktree, name string) (string, error) {
	dir, err := t.git(ctx, w.Dir, "rev-parse", "--absolute-git-dir")
	if err != nil {
		return "", fmt.Errorf("find the git directory of %s: %w", w.Dir, err)
	}
	return filepath.Join(string(bytes.TrimSpace(dir)), name), nil
}
