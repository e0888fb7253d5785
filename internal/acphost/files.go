package acphost

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/termio-sh/termio/internal/acp"
)

// maxFile is the largest file that is read or written for an agent, in bytes.
const maxFile = 16 << 20

// files are what the agent may read and write through its client: what is
// below the session's roots, whatever "..", symlinks and dangling links say.
type files struct {
	roots []string // absolute, as they were named and as they really are
	write bool

	mu   sync.Mutex
	seen map[string][sha256.Size]byte // by path: the content the agent knows
}

func newFiles(write bool, roots ...string) *files {
	f := &files{write: write, seen: map[string][sha256.Size]byte{}}
	for _, r := range roots {
		f.roots = append(f.roots, filepath.Clean(r))
		if real, err := filepath.EvalSymlinks(r); err == nil && real != filepath.Clean(r) {
			f.roots = append(f.roots, real)
		}
	}
	return f
}

// open gives the root that path is below, and path seen from it.
func (f *files) open(path string) (*os.Root, string, error) {
	if !filepath.IsAbs(path) && len(f.roots) > 0 {
		path = filepath.Join(f.roots[0], path)
	}
	for _, r := range f.roots {
		rel, err := filepath.Rel(r, filepath.Clean(path))
		if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			continue
		}
		root, err := os.OpenRoot(r)
		if err != nil {
			return nil, "", fmt.Errorf("open %s: %w", r, err)
		}
		return root, rel, nil
	}
	return nil, "", fmt.Errorf("%s is outside of the session's directories (%s)", path, strings.Join(f.roots, ", "))
}

// fileError is an error as agents expect it: Gemini takes a missing file for
// one only when the text says so.
func fileError(path string, err error) *acp.Error {
	if errors.Is(err, fs.ErrNotExist) {
		return acp.Errorf(acp.CodeNotFound, "Resource not found: ENOENT: no such file or directory, open '%s'", path)
	}
	return acp.Errorf(acp.CodeBadParams, "%v", err)
}

func readAll(root *os.Root, rel string) ([]byte, fs.FileInfo, error) {
	file, err := root.Open(rel)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	st, err := file.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s is no regular file", rel)
	}
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s has more than %d bytes", rel, maxFile)
	}
	return data, st, err
}

// read gives a file's text, or lines of it.
func (f *files) read(r acp.ReadTextFileRequest) (acp.ReadTextFileResponse, *acp.Error) {
	root, rel, err := f.open(r.Path)
	if err != nil {
		return acp.ReadTextFileResponse{}, fileError(r.Path, err)
	}
	defer root.Close()
	data, _, err := readAll(root, rel)
	if err != nil {
		return acp.ReadTextFileResponse{}, fileError(r.Path, err)
	}
	f.mu.Lock()
	f.seen[filepath.Clean(r.Path)] = sha256.Sum256(data)
	f.mu.Unlock()
	return acp.ReadTextFileResponse{Content: lines(string(data), r.Line, r.Limit)}, nil
}

// lines are limit lines of text from line on, which counts from 1.
func lines(text string, line, limit *int64) string {
	if line != nil {
		for n := *line; n > 1; n-- {
			_, rest, more := strings.Cut(text, "\n")
			if !more {
				return ""
			}
			text = rest
		}
	}
	if limit == nil {
		return text
	}
	end := 0
	for n := int64(0); n < *limit; n++ {
		i := strings.IndexByte(text[end:], '\n')
		if i < 0 {
			return text
		}
		end += i + 1
	}
	return text[:end]
}

// save writes a file. One that has changed since the agent read it is not
// overwritten.
func (f *files) save(r acp.WriteTextFileRequest) *acp.Error {
	if !f.write {
		return acp.Errorf(acp.CodeInvalid, "this session's permissions do not let the agent write files")
	}
	if len(r.Content) > maxFile {
		return acp.Errorf(acp.CodeBadParams, "the text has more than %d bytes", maxFile)
	}
	root, rel, err := f.open(r.Path)
	if err != nil {
		return fileError(r.Path, err)
	}
	defer root.Close()
	path := filepath.Clean(r.Path)
	f.mu.Lock()
	defer f.mu.Unlock()
	mode := fs.FileMode(0o644)
	now, st, err := readAll(root, rel)
	switch known, ok := f.seen[path]; {
	case err == nil && ok && sha256.Sum256(now) != known:
		return acp.Errorf(acp.CodeInvalid, "%s has changed since it was read; read it again", r.Path)
	case err == nil:
		mode = st.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return fileError(r.Path, err)
	case ok:
		return acp.Errorf(acp.CodeInvalid, "%s was removed since it was read", r.Path)
	}
	if dir := filepath.Dir(rel); dir != "." {
		if err := root.MkdirAll(dir, 0o755); err != nil {
			return fileError(r.Path, err)
		}
	}
	if err := root.WriteFile(rel, []byte(r.Content), mode); err != nil {
		return fileError(r.Path, err)
	}
	f.seen[path] = sha256.Sum256([]byte(r.Content))
	return nil
}
