//go:build unix

package term

import (
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// replacedWithin is how long after its file was replaced a program may end for
// the end to be its update's. One that was updated in the background, and ended
// by its user later, is not started again.
const replacedWithin = time.Minute

// programFile tells a program's file from another that took its place.
type programFile struct {
	path string // as it was started; "" when that is not known
	real string // without symbolic links
	dev  uint64
	ino  uint64
	size int64
	mod  time.Time
}

func fileOf(path string) programFile {
	f := programFile{path: path}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return f
	}
	st, err := os.Stat(real)
	if err != nil {
		return f
	}
	f.real, f.size, f.mod = real, st.Size(), st.ModTime()
	if sys, ok := st.Sys().(*syscall.Stat_t); ok {
		f.dev, f.ino = uint64(sys.Dev), uint64(sys.Ino)
	}
	return f
}

// replaced reports whether a new file has just taken the program's place.
func (f programFile) replaced(ended time.Time) bool {
	if f.real == "" {
		return false
	}
	now := fileOf(f.path)
	if now.real == "" || now == f {
		return false
	}
	age := ended.Sub(changedAt(f.path))
	return age < replacedWithin
}

// changedAt is when a path last came to mean another file: the newest change of
// the links that lead to it, and of the file itself.
func changedAt(path string) (newest time.Time) {
	for range 40 { // more links than any system follows
		st, err := os.Lstat(path)
		if err != nil {
			return newest
		}
		if at := statusChange(st); at.After(newest) {
			newest = at
		}
		target, err := os.Readlink(path)
		if err != nil {
			return newest
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return newest
}
