package atp

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// maxManifests bounds how many files one directory contributes.
const maxManifests = 1000

// LoadBundled returns the agents that come with the program. They go through
// the same decoder as everybody's; a problem in them is a defect that a test
// finds.
func LoadBundled() (Catalog, Problems) {
	agents, problems := loadFS(bundledFS, "agents", func(name string) string { return "bundled:" + name })
	data, err := bundledFS.ReadFile("terminal.json")
	if err != nil {
		return NewCatalog(agents...), append(problems, unreadable("terminal.json", err))
	}
	terminal, ps := Decode("bundled:terminal.json", data)
	if terminal != nil {
		agents = append(agents, terminal)
	}
	for _, m := range agents {
		m.bundled = true
	}
	return NewCatalog(agents...), append(problems, ps...)
}

// LoadFS reads the *.json files at the top of a file system, in the order of
// their names. Of two with one id the last wins, whole. A bad file is
// reported and never hides the others; a missing directory is an empty
// catalog.
func LoadFS(fsys fs.FS) (Catalog, Problems) {
	ms, problems := loadFS(fsys, ".", func(name string) string { return name })
	return NewCatalog(ms...), problems
}

// LoadDir is LoadFS on a directory; the problems name whole paths.
func LoadDir(dir string) (Catalog, Problems) {
	ms, problems := loadDir(dir)
	return NewCatalog(ms...), problems
}

// Load returns the bundled agents with the user's manifests in dir over them.
func Load(dir string) (Catalog, Problems) {
	bundled, problems := LoadBundled()
	ms, ps := loadDir(dir)
	return bundled.Merge(ms...), append(problems, ps...)
}

func loadDir(dir string) ([]*Manifest, Problems) {
	return loadFS(os.DirFS(dir), ".", func(name string) string { return filepath.Join(dir, name) })
}

func loadFS(fsys fs.FS, dir string, label func(string) string) ([]*Manifest, Problems) {
	var problems Problems
	entries, err := fs.ReadDir(fsys, dir) // sorted by name
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		problems = append(problems, unreadable(label("."), err))
	}
	var out []*Manifest
	from := map[string]string{}
	for _, e := range entries {
		if !isManifestName(e.Name()) {
			continue
		}
		file := label(e.Name())
		if len(out) == maxManifests {
			problems = append(problems, Problem{
				File: file, Rule: "too-many", Severity: SeverityError,
				Message: fmt.Sprintf("this file and those after it are left out: there are more than %d manifests", maxManifests),
				Fix:     "remove some",
			})
			break
		}
		data, err := readFSFile(fsys, path.Join(dir, e.Name()))
		if err != nil {
			problems = append(problems, unreadable(file, err))
			continue
		}
		m, ps := Decode(file, data)
		problems = append(problems, ps...)
		if m == nil {
			continue
		}
		if first, twice := from[m.ID]; twice {
			problems = append(problems, Problem{
				File: file, Path: "id", Rule: "duplicate-id", Severity: SeverityWarning,
				Message: "the id " + quoted(m.ID) + " is also that of " + first + ", which this file replaces",
				Fix:     "give one of them another id, or remove it",
			})
		}
		from[m.ID] = file
		out = append(out, m)
	}
	return out, problems
}

// isManifestName leaves out what editors and copies leave behind.
func isManifestName(name string) bool {
	return strings.HasSuffix(name, ".json") && !strings.HasPrefix(name, ".")
}

func readFSFile(fsys fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(fsys, name) // before opening: a pipe would block
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, MaxFile+1))
}

// Fingerprint is a cheap mark of a directory's manifest files: their names,
// sizes, times of change and identities on disk. Equal marks mean that nothing
// was changed. The zero Fingerprint is that of a directory without any.
type Fingerprint uint64

// FingerprintDir takes a directory's mark. Take it before loading, so that a
// change in between is seen the next time.
func FingerprintDir(dir string) Fingerprint {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0
	}
	var f Fingerprint
	for _, e := range entries {
		if !isManifestName(e.Name()) {
			continue
		}
		f = f.add(e.Name())
		info, err := os.Stat(filepath.Join(dir, e.Name())) // the target of a link
		if err != nil {
			continue
		}
		f = f.add(fmt.Sprint(info.Size(), info.ModTime().UnixNano(), fileIdentity(info)))
	}
	return f
}

// Changed reports whether dir's files differ from those that old was taken of,
// and their mark now.
func Changed(dir string, old Fingerprint) (Fingerprint, bool) {
	now := FingerprintDir(dir)
	return now, now != old
}

// add is FNV-1a, with the end of each part marked.
func (f Fingerprint) add(part string) Fingerprint {
	const offset, prime = 14695981039346656037, 1099511628211
	if f == 0 {
		f = offset
	}
	for i := 0; i < len(part); i++ {
		f = (f ^ Fingerprint(part[i])) * prime
	}
	return (f ^ 0xff) * prime
}
