package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Scope is what one caller may see and drive.
type Scope struct {
	// Dir is the root of the project. It is empty for All.
	Dir string
	// Name is what people see.
	Name string
	// All lifts the limit to one project.
	All bool
}

// Holds reports whether a session of the project rooted at dir is in scope.
func (s Scope) Holds(dir string) bool { return s.All || dir == s.Dir }

// Everything is the scope without limits.
func Everything() Scope { return Scope{Name: "all projects", All: true} }

// In is the scope of one project.
func In(dir string) Scope { return Scope{Dir: dir, Name: Name(dir)} }

// Canonical follows the symbolic links of dir, which must be absolute and a
// directory that exists. The error does not name dir; the caller does.
func Canonical(dir string) (string, error) {
	if !filepath.IsAbs(dir) {
		return "", errors.New("it is no absolute path")
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", bare(err)
	}
	st, err := os.Stat(real)
	if err != nil {
		return "", bare(err)
	}
	if !st.IsDir() {
		return "", errors.New("it is no directory")
	}
	return real, nil
}

// bare takes the path out of an error of the file system.
func bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// Find gives the root of the project that dir belongs to, whether it is
// registered yet or not. dir must be canonical.
//
//   - The registered project with the longest path that contains dir; for a
//     linked git worktree, the one that contains its counterpart in the main
//     worktree, unless one inside the worktree itself was registered.
//   - A repository below a registered directory that is in no repository is a
//     project of its own: what was started once in ~/code does not swallow
//     all that is below.
//   - Nothing registered: the main worktree of dir's repository, else dir.
//
// The user's home directory and the root of the file system contain nothing
// but themselves.
func (r *Registry) Find(dir string) string {
	home, _ := os.UserHomeDir()
	if real, err := filepath.EvalSymlinks(home); err == nil {
		home = real
	}
	var roots []string
	for _, p := range r.All() {
		roots = append(roots, p.Dir)
	}
	return find(dir, roots, home, Locate(dir))
}

// find is Find as a function of values. roots are canonical.
func find(dir string, roots []string, home string, at Place) string {
	contains := func(root, dir string) bool {
		if root == home || root == filepath.Dir(root) {
			return root == dir
		}
		return within(root, dir)
	}
	longest := func(dir string) string {
		best := ""
		for _, root := range roots {
			if len(root) > len(best) && contains(root, dir) {
				best = root
			}
		}
		return best
	}
	if at.Top != "" && !contains(at.Main, at.counterpart(dir)) {
		at = Place{} // a repository of the whole home directory says nothing of dir
	}
	best := longest(dir)
	if at.Top == "" {
		return orElse(best, dir)
	}
	if best != "" && within(at.Top, best) {
		return best // registered inside this very worktree
	}
	if at.Top != at.Main {
		if other := longest(at.counterpart(dir)); other != "" {
			best = other
		}
	}
	if best != "" && (within(at.Main, best) || inRepository(best)) {
		return best
	}
	return at.Main
}

func orElse(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// within reports whether dir is root or below it.
func within(root, dir string) bool {
	if root == dir {
		return true
	}
	if !strings.HasSuffix(root, string(filepath.Separator)) {
		root += string(filepath.Separator)
	}
	return strings.HasPrefix(dir, root)
}
