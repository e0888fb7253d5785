package project

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Find gives the linked worktree that a person names by its directory, the
// name of it in Root, or its branch.
func (t Trees) Find(ctx context.Context, name string) (Worktree, error) {
	all, _, err := t.list(ctx)
	if err != nil {
		return Worktree{}, err
	}
	real := name
	if r, err := filepath.EvalSymlinks(name); err == nil && filepath.IsAbs(name) {
		real = r
	}
	for i, w := range all {
		if w.Dir != real && w.Branch != name && t.Name(w) != name {
			continue
		}
		if i == 0 {
			return Worktree{}, refuse("%s is the repository itself, which is never removed", w.Dir)
		}
		return w, nil
	}
	return Worktree{}, refuse("%s has no worktree %q; `termio worktrees list` shows those there are", t.Place.Main, clipName(name))
}

// Name is what a worktree is called: its path in Root, else its directory's.
func (t Trees) Name(w Worktree) string {
	if rel, err := filepath.Rel(t.Root, w.Dir); err == nil && rel != "." && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return filepath.ToSlash(rel)
	}
	return filepath.Base(w.Dir)
}

// All lists the worktrees, the main one first.
func (t Trees) All(ctx context.Context) ([]Worktree, error) {
	live, _, err := t.list(ctx)
	return live, err
}

// inProgress are the files in a worktree's git directory that tell of work
// that is not finished.
var inProgress = []string{"rebase-merge", "rebase-apply", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG"}

// Changes says what would be lost with a worktree; empty when nothing would.
// Commits on a branch are not lost with it, and files that git ignores do not
// count.
func (t Trees) Changes(ctx context.Context, w Worktree) (string, error) {
	out, err := t.git(ctx, w.Dir, "status", "--porcelain", "--untracked-files=all", "--ignore-submodules=none")
	if err != nil {
		return "", fmt.Errorf("look at %s: %w", w.Dir, err)
	}
	if n := bytes.Count(out, []byte("\n")); n == 1 {
		return "1 changed file", nil
	} else if n > 1 {
		return fmt.Sprintf("%d changed files", n), nil
	}
	gitDir, err := t.git(ctx, w.Dir, "rev-parse", "--absolute-git-dir")
	if err != nil {
		return "", fmt.Errorf("look at %s: %w", w.Dir, err)
	}
	for _, name := range inProgress {
		if _, err := os.Lstat(filepath.Join(string(bytes.TrimSpace(gitDir)), name)); err == nil {
			return "a merge or rebase in progress", nil
		}
	}
	if w.Branch == "" {
		refs, err := t.git(ctx, w.Dir, "for-each-ref", "--count=1", "--contains=HEAD", "refs/heads", "refs/remotes", "refs/tags")
		if err != nil {
			return "", fmt.Errorf("look at %s: %w", w.Dir, err)
		}
		if len(bytes.TrimSpace(refs)) == 0 {
			return "commits that are on no branch", nil
		}
	}
	return "", nil
}

// Remove removes a worktree and keeps its branch. One with changes is refused,
// and git looks once more while it removes.
func (t Trees) Remove(ctx context.Context, w Worktree) error {
	ctx, cancel := context.WithTimeout(ctx, worktreeTimeout)
	defer cancel()
	changes, err := t.Changes(ctx, w)
	if err != nil {
		return err
	}
	if changes != "" {
		return refuse("%s has %s and is not removed; commit or discard them first", w.Dir, changes)
	}
	if _, err := t.git(ctx, t.Place.Main, "worktree", "remove", w.Dir); err != nil {
		return refuse("git does not remove %s: %v", w.Dir, err)
	}
	t.sweep(w.Dir)
	return nil
}
