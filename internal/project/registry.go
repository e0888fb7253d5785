// Package project knows the projects a person has opened, finds the one that
// a directory belongs to, and sees the git worktrees of each. A project is a
// directory; everything Termio shows and drives is scoped by it.
package project

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/termio-sh/termio/internal/atomicfile"
)

// Project is a directory that was opened.
type Project struct {
	// Dir is absolute and free of symbolic links.
	Dir    string    `json:"dir"`
	Opened time.Time `json:"opened"`
}

// Name is what people see.
func (p Project) Name() string { return Name(p.Dir) }

// Name is the display name of a directory.
func Name(dir string) string { return filepath.Base(dir) }

// file is the registry on disk.
type file struct {
	Version  int       `json:"version"`
	Projects []Project `json:"projects"`
}

const fileVersion = 1

// Registry is the list of opened projects (state/projects.json). It is safe
// for concurrent use; one process at a time writes the file.
type Registry struct {
	path string

	mu       sync.Mutex
	projects []Project
	unread   bool // the file is there and its content is not known
}

// Open reads the registry at path. A missing file is an empty registry. A
// corrupt one is set aside; the registry is then empty and usable, and the
// error says so. One that cannot be read now is left as it is: what is added
// is not written until it can be.
func Open(path string, now time.Time) (*Registry, error) {
	r := &Registry{path: path}
	return r, r.load(now)
}

// maxFile is the largest list of projects that is read, in bytes.
const maxFile = 64 << 20

// load is called with mu held, or before the registry is shared.
func (r *Registry) load(now time.Time) error {
	r.unread = false
	data, err := atomicfile.Read(r.path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		r.unread = true
		return fmt.Errorf("read the projects: %w", err)
	}
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		aside, e := atomicfile.SetAside(r.path, now)
		if e != nil {
			r.unread = true
			return fmt.Errorf("the projects in %s cannot be read: %w", r.path, errors.Join(err, e))
		}
		return fmt.Errorf("the projects in %s could not be read and were set aside as %s: %w", r.path, filepath.Base(aside), err)
	}
	for _, p := range f.Projects {
		if filepath.IsAbs(p.Dir) && !r.has(p.Dir) {
			p.Dir = filepath.Clean(p.Dir)
			r.projects = append(r.projects, p)
		}
	}
	return nil
}

// has is called with mu held, or before the registry is shared.
func (r *Registry) has(dir string) bool {
	return slices.ContainsFunc(r.projects, func(p Project) bool { return p.Dir == dir })
}

// All returns the projects, the first opened first.
func (r *Registry) All() []Project {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.projects)
}

// Add registers dir, which must be absolute and free of symbolic links, and
// reports whether it is new.
func (r *Registry) Add(dir string, now time.Time) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.has(dir) {
		return false, nil
	}
	if r.unread {
		_ = r.load(now) // Open has told why; it may have passed
	}
	if r.has(dir) {
		return false, nil
	}
	projects := append(slices.Clone(r.projects), Project{Dir: dir, Opened: now.UTC().Truncate(time.Second)})
	if r.unread { // to write it would be to lose what is in it
		r.projects = projects
		return true, nil
	}
	data, err := json.MarshalIndent(file{Version: fileVersion, Projects: projects}, "", "  ")
	if err != nil {
		return false, fmt.Errorf("register project %s: %w", dir, err)
	}
	if err := atomicfile.Write(r.path, append(data, '\n'), 0o600); err != nil {
		return false, fmt.Errorf("register project %s: %w", dir, err)
	}
	r.projects = projects
	return true, nil
}
