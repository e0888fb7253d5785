// Package project knows the projects a person has opened, finds the one that
// a directory belongs to, and sees the git worktrees of each. A project is a
// directory; everything Termio shows and drives is scoped by it.
package project

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
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
}

// Open reads the registry at path. A missing file is an empty registry. A
// corrupt one is set aside; the registry is then empty and usable, and the
// error says so.
func Open(path string, now time.Time) (*Registry, error) {
	r := &Registry{path: path}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, fmt.Errorf("read the projects: %w", err)
	}
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		aside, e := atomicfile.SetAside(path, now)
		if e != nil {
			return r, fmt.Errorf("the projects in %s cannot be read: %w", path, errors.Join(err, e))
		}
		return r, fmt.Errorf("the projects in %s could not be read and were set aside as %s: %w", path, filepath.Base(aside), err)
	}
	for _, p := range f.Projects {
		if filepath.IsAbs(p.Dir) && !r.has(p.Dir) {
			p.Dir = filepath.Clean(p.Dir)
			r.projects = append(r.projects, p)
		}
	}
	return r, nil
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
	projects := append(slices.Clone(r.projects), Project{Dir: dir, Opened: now.UTC().Truncate(time.Second)})
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
