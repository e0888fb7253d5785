// Package atomicfile replaces files whole, so that a reader sees the old
// content or the new one and never a part, and sets unreadable files aside.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// Write replaces the file at path with data, with permissions perm. A symbolic
// link is followed: its target is replaced, the link stays. The folder must
// exist.
func Write(path string, data []byte, perm fs.FileMode) (err error) {
	if target, e := filepath.EvalSymlinks(path); e == nil {
		path = target
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			f.Close() // a second close is harmless
			os.Remove(f.Name())
			err = fmt.Errorf("write %s: %w", path, err)
		}
	}()
	if _, err = f.Write(data); err != nil {
		return err
	}
	if err = f.Chmod(perm); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// SetAside renames a corrupt file to <path>.corrupt-<time> and returns the new
// name. It never replaces one that was set aside before.
func SetAside(path string, at time.Time) (string, error) {
	base := path + ".corrupt-" + at.UTC().Format("20060102T150405")
	for i := 0; ; i++ {
		to := base
		if i > 0 {
			to += "-" + strconv.Itoa(i)
		}
		if _, err := os.Lstat(to); err == nil {
			continue
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("set %s aside: %w", path, err)
		}
		if err := os.Rename(path, to); err != nil {
			return "", fmt.Errorf("set %s aside: %w", path, err)
		}
		return to, nil
	}
}
