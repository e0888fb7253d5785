package project

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Place says where a directory stands in a git repository. The zero Place is
// outside of any.
type Place struct {
	// Top is the root of the worktree, Main that of the repository's main
	// worktree; they differ in a linked one.
	Top, Main string
}

// counterpart is the place of dir, a directory in the worktree, in the main
// worktree.
func (p Place) counterpart(dir string) string {
	rel, err := filepath.Rel(p.Top, dir)
	if err != nil {
		return p.Main
	}
	return filepath.Join(p.Main, rel)
}

// Locate finds the worktree of dir by looking for .git, without running git:
// it stands on the path of every call. dir must be canonical.
func Locate(dir string) Place {
	for ; ; dir = filepath.Dir(dir) {
		dot := filepath.Join(dir, ".git")
		st, err := os.Stat(dot)
		switch {
		case err == nil && st.IsDir():
			if _, err := os.Stat(filepath.Join(dot, "HEAD")); err == nil {
				return Place{Top: dir, Main: dir}
			}
		case err == nil && st.Mode().IsRegular():
			return Place{Top: dir, Main: mainOf(dir, dot)}
		}
		if dir == filepath.Dir(dir) {
			return Place{}
		}
	}
}

func inRepository(dir string) bool { return Locate(dir).Top != "" }

// mainOf follows the .git file of a linked worktree to the main one. A
// submodule, whose .git is a file too, is its own main worktree, and so is a
// worktree of a bare repository.
func mainOf(top, dot string) string {
	gitDir, ok := readPath(dot, "gitdir: ", top)
	if !ok {
		return top
	}
	common, ok := readPath(filepath.Join(gitDir, "commondir"), "", gitDir)
	if !ok || filepath.Base(common) != ".git" {
		return top
	}
	root, err := filepath.EvalSymlinks(filepath.Dir(common))
	if err != nil {
		return top
	}
	return root
}

// maxPointer bounds the files that hold one path.
const maxPointer = 8 << 10

func readPath(file, prefix, base string) (string, bool) {
	f, err := os.Open(file)
	if err != nil {
		return "", false
	}
	defer f.Close()
	line, err := bufio.NewReaderSize(f, maxPointer).ReadSlice('\n')
	if err != nil && len(line) == 0 || errors.Is(err, bufio.ErrBufferFull) {
		return "", false
	}
	path, ok := strings.CutPrefix(strings.TrimRight(string(line), "\r\n"), prefix)
	if !ok || path == "" {
		return "", false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, path)
	}
	return filepath.Clean(path), true
}

// Worktree is one of a repository's worktrees.
type Worktree struct {
	Dir    string
	Branch string // without refs/heads/; empty when detached
}

// gitTimeout bounds one run of git.
const gitTimeout = 5 * time.Second

// Worktrees lists the worktrees of the repository at dir, the main one first,
// without those that are bare, prunable or gone. A directory outside of any
// repository has none.
func Worktrees(ctx context.Context, dir string) ([]Worktree, error) {
	if !inRepository(dir) {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, gitTimeout)
	defer cancel()
	out, err := git(ctx, dir, "worktree", "list", "--porcelain", "-z")
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == usageExit {
		// A git before 2.36 does not know -z.
		out, err = git(ctx, dir, "worktree", "list", "--porcelain")
		out = bytes.ReplaceAll(out, []byte("\n"), []byte{0})
	}
	if err != nil {
		return nil, fmt.Errorf("list the worktrees of %s: %w", dir, err)
	}
	var live []Worktree
	for _, w := range parseWorktrees(out) {
		if st, err := os.Stat(w.Dir); err == nil && st.IsDir() {
			live = append(live, w)
		}
	}
	return live, nil
}

// usageExit is git's exit code for a flag that it does not know.
const usageExit = 129

func git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...)
	cmd.Env = gitEnv(os.Environ())
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%w: %s", err, bytes.TrimSpace(exit.Stderr))
	}
	return out, err
}

// gitEnv is the environment for looking at any repository: without what a hook
// or a person has set for one, and never taking a lock that another git needs.
func gitEnv(env []string) []string {
	var out []string
	for _, kv := range env {
		switch name, _, _ := strings.Cut(kv, "="); name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
			"GIT_NAMESPACE", "GIT_PREFIX", "GIT_OPTIONAL_LOCKS", "LC_ALL":
		default:
			out = append(out, kv)
		}
	}
	return append(out, "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
}

// parseWorktrees reads `git worktree list --porcelain -z`: attributes end with
// a zero byte, entries with one more.
func parseWorktrees(out []byte) []Worktree {
	var list []Worktree
	for _, entry := range strings.Split(string(out), "\x00\x00") {
		var w Worktree
		skip := false
		for _, attr := range strings.Split(entry, "\x00") {
			key, value, _ := strings.Cut(attr, " ")
			switch key {
			case "worktree":
				w.Dir = filepath.FromSlash(value)
			case "branch":
				w.Branch = strings.TrimPrefix(value, "refs/heads/")
			case "bare", "prunable":
				skip = true
			}
		}
		if w.Dir != "" && !skip {
			list = append(list, w)
		}
	}
	return list
}
