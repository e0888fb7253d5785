package project

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// IncludeFile lists, as patterns of gitignore, which files that git does not
// track go from the main worktree into a new one: .env and the like.
const IncludeFile = ".worktreeinclude"

// include copies what the main worktree's IncludeFile lists into a new
// worktree, and counts the files. Git itself matches the patterns; what it
// tracks is in the worktree already. What is there is not written over.
func (t Trees) include(ctx context.Context, dir string) (int, error) {
	from := t.Place.Main
	if st, err := os.Stat(filepath.Join(from, IncludeFile)); err != nil || !st.Mode().IsRegular() {
		return 0, nil
	}
	out, err := t.git(ctx, from, "ls-files", "--others", "--ignored", "--exclude-from="+filepath.Join(from, IncludeFile), "-z")
	if err != nil {
		return 0, fmt.Errorf("find what %s lists: %w", IncludeFile, err)
	}
	// Confined: a tracked symbolic link cannot lead out of either.
	source, err := os.OpenRoot(from)
	if err != nil {
		return 0, fmt.Errorf("copy what %s lists: %w", IncludeFile, err)
	}
	defer source.Close()
	into, err := os.OpenRoot(dir)
	if err != nil {
		return 0, fmt.Errorf("copy what %s lists: %w", IncludeFile, err)
	}
	defer into.Close()
	copied := 0
	for _, name := range strings.Split(string(out), "\x00") {
		if name == "" || strings.HasSuffix(name, "/") { // a repository in this one
			continue
		}
		if err := ctx.Err(); err != nil {
			return copied, err
		}
		done, err := copyFile(source, into, filepath.FromSlash(name))
		if err != nil {
			return copied, fmt.Errorf("copy %s, which %s lists: %w", name, IncludeFile, err)
		}
		if done {
			copied++
		}
	}
	return copied, nil
}

// copyFile copies a regular file or a symbolic link, with its mode. It reports
// false for what is something else, or there already.
func copyFile(from, into *os.Root, name string) (bool, error) {
	st, err := from.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // gone meanwhile
	}
	if err != nil {
		return false, err
	}
	if err := into.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return false, err
	}
	switch {
	case st.Mode()&fs.ModeSymlink != 0:
		to, err := from.Readlink(name)
		if err == nil {
			err = into.Symlink(to, name)
		}
		if errors.Is(err, fs.ErrExist) {
			return false, nil
		}
		return err == nil, err
	case !st.Mode().IsRegular():
		return false, nil
	}
	src, err := from.Open(name)
	if err != nil {
		return false, err
	}
	defer src.Close()
	dst, err := into.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, st.Mode().Perm())
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, err = io.Copy(dst, src)
	return err == nil, errors.Join(err, dst.Close())
}
