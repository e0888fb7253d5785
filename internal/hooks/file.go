package hooks

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// maxFile bounds a config file that is changed, in bytes.
const maxFile = 8 << 20

// attempts is how often a change is begun anew when another program wrote the
// file meanwhile.
const attempts = 8

// changer changes users' files. Its fields are seams for tests.
type changer struct {
	// write fills the new file before it takes the old one's place.
	write func(f *os.File, data []byte) error
	// before is called between the last look at the old file and its
	// replacement.
	before func(path string)
	// keep stores the first version of a file that is ever changed.
	keep func(path string, data []byte) error
	// made is told of each folder that is made.
	made func(dir string)
}

func writeAll(f *os.File, data []byte) error {
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Sync()
}

// snapshot is a file as it is at one moment.
type snapshot struct {
	target string // the file itself, behind links
	data   []byte // nil when it is not there
	info   fs.FileInfo
}

// look reads a file. A link is followed; one that leads nowhere, a file that
// cannot be written and what is no file are refused.
func look(path string) (s snapshot, err error) {
	s.target, err = filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if st, e := os.Lstat(path); e == nil && st.Mode()&fs.ModeSymlink != 0 {
			return s, refuse("it is a link that leads nowhere")
		}
		s.target = path
		return s, nil
	}
	if err != nil {
		return s, fmt.Errorf("look at %s: %w", path, err)
	}
	// Before it is opened: a pipe would keep us waiting.
	if st, err := os.Stat(s.target); err == nil && !st.Mode().IsRegular() {
		return s, refuse("it is no regular file")
	}
	f, err := os.Open(s.target)
	if err != nil {
		return s, fmt.Errorf("read it: %w", err)
	}
	defer f.Close()
	if s.info, err = f.Stat(); err != nil {
		return s, fmt.Errorf("look at %s: %w", s.target, err)
	}
	if !s.info.Mode().IsRegular() {
		return s, refuse("it is no regular file")
	}
	if s.data, err = io.ReadAll(io.LimitReader(f, maxFile+1)); err != nil {
		return s, fmt.Errorf("read it: %w", err)
	}
	if len(s.data) > maxFile {
		return s, refuse("it has more than %d bytes", maxFile)
	}
	if s.data == nil {
		s.data = []byte{}
	}
	return s, nil
}

func (s snapshot) same(o snapshot) bool {
	return s.target == o.target && (s.data == nil) == (o.data == nil) && bytes.Equal(s.data, o.data)
}

// makeDir makes a folder with those above it.
func (c changer) makeDir(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrNotExist) {
		if err := c.makeDir(filepath.Dir(dir)); err != nil {
			return err
		}
		err = os.Mkdir(dir, 0o700)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil {
		c.made(dir)
	}
	return err
}

// change applies edit to the file at path. edit is pure and may be called
// again; it returns nil for a file that is to go. What another program writes
// meanwhile is never lost.
func (c changer) change(path string, mode fs.FileMode, edit func(old []byte) ([]byte, error)) (changed bool, err error) {
	for range attempts {
		old, err := look(path)
		if err != nil {
			return false, err
		}
		data, err := edit(old.data)
		if err != nil {
			return false, err
		}
		if (data == nil) == (old.data == nil) && bytes.Equal(data, old.data) {
			return false, nil
		}
		if old.info != nil && old.info.Mode().Perm()&0o222 == 0 {
			return false, refuse("it is read-only")
		}
		done, err := c.replace(path, old, data, mode)
		if err != nil || done {
			return done, err
		}
	}
	return false, errors.New("another program keeps writing it")
}

// replace puts data in the place of old, unless the file is no more what it
// was.
func (c changer) replace(path string, old snapshot, data []byte, mode fs.FileMode) (done bool, err error) {
	if old.data != nil {
		if err := c.keep(old.target, old.data); err != nil {
			return false, err
		}
	}
	still := func() bool {
		if c.before != nil {
			c.before(path)
		}
		now, err := look(path)
		return err == nil && now.same(old)
	}
	if data == nil {
		if !still() {
			return false, nil
		}
		if err := os.Remove(old.target); err != nil {
			return false, fmt.Errorf("remove it: %w", err)
		}
		return true, nil
	}
	if old.data == nil {
		if err := c.makeDir(filepath.Dir(old.target)); err != nil {
			return false, fmt.Errorf("make its folder: %w", err)
		}
	}
	tmp, err := os.CreateTemp(filepath.Dir(old.target), ".termio-*")
	if err != nil {
		return false, fmt.Errorf("write it: %w", err)
	}
	defer os.Remove(tmp.Name()) // gone already when it took the file's place
	defer tmp.Close()
	if old.info != nil {
		mode = old.info.Mode().Perm()
		if err := sameOwner(tmp, old.info); err != nil {
			return false, refuse("it belongs to another user (%v)", err)
		}
	}
	if err := c.write(tmp, data); err != nil {
		return false, fmt.Errorf("write it: %w", err)
	}
	if err := tmp.Chmod(mode); err != nil {
		return false, fmt.Errorf("write it: %w", err)
	}
	if err := tmp.Close(); err != nil {
		return false, fmt.Errorf("write it: %w", err)
	}
	if !still() {
		return false, nil
	}
	if old.data == nil {
		// Never over a file that another program has just made.
		err := os.Link(tmp.Name(), old.target)
		if errors.Is(err, fs.ErrExist) {
			return false, nil
		}
		if err == nil {
			return true, nil
		}
	}
	if err := os.Rename(tmp.Name(), old.target); err != nil {
		return false, fmt.Errorf("replace it: %w", err)
	}
	return true, nil
}
