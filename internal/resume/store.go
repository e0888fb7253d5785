package resume

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/atomicfile"
)

// maxLine is the longest line of a store's file that is read, in bytes: Codex
// puts its whole instructions into the first one.
const maxLine = 4 << 20

// Found is a conversation in an agent's store.
type Found struct {
	// Path of the file or the folder; of more than one, the newest.
	Path string
	// Begun is false for one in which nothing was said yet, so that the agent
	// refuses to continue it (resume.begun of the manifest).
	Begun bool
}

// Look finds a conversation in the store of an agent, as its environment
// places it. Without an error it is certain whether it is there. The names of
// the folders between the root and the pattern are the agent's own affair:
// every one is looked into, none is computed.
func Look(m *atp.Manifest, getenv func(string) string, id string) (Found, bool, error) {
	r := m.Resume
	kind, pattern := r.Store()
	if pattern == "" {
		return Found{}, false, errors.New("its manifest declares no store")
	}
	name, err := atp.ExpandID(pattern, id)
	if err != nil {
		return Found{}, false, err
	}
	root := m.Place(r.StoreRoot, getenv)
	if root == "" {
		return Found{}, false, fmt.Errorf("the agent's store %s has no place: HOME is not known", r.StoreRoot)
	}
	folders, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return Found{}, false, nil
	}
	if err != nil {
		return Found{}, false, fmt.Errorf("look into the agent's store: %w", err)
	}
	var best Found
	var newest time.Time
	for _, f := range folders {
		paths, err := matches(filepath.Join(root, f.Name()), strings.Split(name, "/"))
		if err != nil {
			return Found{}, false, fmt.Errorf("look into the agent's store: %w", err)
		}
		for _, p := range paths {
			st, err := os.Stat(p)
			if err != nil || st.IsDir() != (kind == atp.StoreDir) || kind != atp.StoreDir && !st.Mode().IsRegular() || r.StoreID != "" && idInside(p, r.StoreID) != id {
				continue
			}
			if best.Path == "" || st.ModTime().After(newest) {
				best.Path, newest = p, st.ModTime()
			}
		}
	}
	if best.Path == "" {
		return best, false, nil
	}
	best.Begun, err = begun(r, best.Path)
	return best, true, err
}

// matches are the paths below dir that the segments fit; a "*" stands for any
// text within one.
func matches(dir string, segments []string) ([]string, error) {
	seg, rest := segments[0], segments[1:]
	var names []string
	if !strings.Contains(seg, "*") {
		names = []string{seg}
	} else {
		entries, err := os.ReadDir(dir)
		if absent(err) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if fits(seg, e.Name()) {
				names = append(names, e.Name())
			}
		}
	}
	var out []string
	for _, n := range names {
		p := filepath.Join(dir, n)
		if _, err := os.Stat(p); absent(err) {
			continue
		} else if err != nil {
			return nil, err
		}
		if len(rest) == 0 {
			out = append(out, p)
			continue
		}
		below, err := matches(p, rest)
		if err != nil {
			return nil, err
		}
		out = append(out, below...)
	}
	return out, nil
}

// absent tells the errors of what is not there, or cannot be below a file.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDir)
}

// fits reports whether name is the pattern, "*" standing for any text.
func fits(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	first, last := parts[0], parts[len(parts)-1]
	if len(parts) == 1 {
		return pattern == name
	}
	if len(name) < len(first)+len(last) || !strings.HasPrefix(name, first) || !strings.HasSuffix(name, last) {
		return false
	}
	name = name[len(first) : len(name)-len(last)]
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(name, p)
		if i < 0 {
			return false
		}
		name = name[i+len(p):]
	}
	return true
}

// idInside is the string at the key path in a file's first line.
func idInside(path, keys string) string {
	line, err := FirstLine(path)
	if err != nil {
		return ""
	}
	s, _ := Value(line, keys).(string)
	return s
}

// FirstLine is the first whole line of a file, without its end; at most maxLine
// bytes are read. A line that is not finished yet is io.ErrUnexpectedEOF.
func FirstLine(path string) ([]byte, error) {
	f, err := atomicfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	line, err := bufio.NewReaderSize(io.LimitReader(f, maxLine), 32<<10).ReadBytes('\n')
	if errors.Is(err, io.EOF) {
		return nil, io.ErrUnexpectedEOF
	}
	return bytes.TrimRight(line, "\r\n"), err
}

// begun looks for a line that shows that something was said.
func begun(r *atp.Resume, path string) (bool, error) {
	if r.Begun == "" {
		return true, nil
	}
	re, err := regexp.Compile(r.Begun)
	if err != nil {
		return false, fmt.Errorf("resume.begun of the manifest: %w", err)
	}
	if r.TranscriptName != "" {
		path = filepath.Join(path, r.TranscriptName)
	}
	f, err := atomicfile.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	return re.MatchReader(bufio.NewReaderSize(f, 64<<10)), nil
}
