// Package commandlink is the termio command on the user's PATH: a symbolic link
// ~/.local/bin/termio to the program. Nothing else of that name is ever
// touched.
package commandlink

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// name is the command's name. What a link of ours leads to has it too, unless
// it is the very program that asks.
const name = "termio"

// Path is where the link is below a home folder.
func Path(home string) string { return filepath.Join(home, ".local", "bin", name) }

// ErrForeign is something in the link's place that is not ours.
var ErrForeign = errors.New("not a link to a termio program")

// Read gives where the link at path leads, "" where nothing is. What leads
// neither to a termio program nor to this one is ErrForeign.
func Read(program, path string) (target string, err error) {
	target, err = os.Readlink(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil, filepath.Base(target) != name && target != program:
		return "", ErrForeign
	}
	return target, nil
}

// Make puts a link to the program at path, also in the place of an older one.
// It reports whether there was anything to do.
func Make(program, path string) (changed bool, err error) {
	target, err := Read(program, path)
	if err != nil {
		return false, err
	}
	if path == program || target == program {
		return false, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return false, fmt.Errorf("make the link: %w", err)
	}
	tmp := fmt.Sprintf("%s.%d", path, os.Getpid())
	if err := os.Symlink(program, tmp); err != nil {
		return false, fmt.Errorf("make the link: %w", err)
	}
	if err := os.Rename(tmp, path); err != nil {
		return false, errors.Join(fmt.Errorf("make the link: %w", err), os.Remove(tmp))
	}
	return true, nil
}

// Heal makes the link at path lead to a program again: where it is gone, or
// what it led to is, as after an upgrade that moved the program. One that leads
// to another termio program which is there was made by somebody who wants that.
func Heal(program, path string) (changed bool, err error) {
	target, err := Read(program, path)
	if err != nil {
		return false, err
	}
	if target != "" {
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		if st, err := os.Stat(target); err == nil && st.Mode().IsRegular() {
			return false, nil
		}
	}
	return Make(program, path)
}

// Remove takes the link at path away; what is not ours stays. It reports
// whether there was one.
func Remove(program, path string) (removed bool, err error) {
	target, err := Read(program, path)
	if err != nil || target == "" {
		return false, err
	}
	if err := os.Remove(path); err != nil {
		return false, fmt.Errorf("remove the link: %w", err)
	}
	return true, nil
}
