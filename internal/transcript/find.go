package transcript

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/termio-sh/termio/atp"
)

// Env reads a variable of the environment that the agent itself gets, the
// login shell's: it can move the agent's store.
type Env func(string) string

// Bounds of a store.
const (
	maxDepth = 8         // folders that "**" goes down
	maxFiles = 1_000_000 // in one store
)

// validID is what can be a conversation's id, and a part of a file's name.
func validID(id string) bool {
	if id == "" || len(id) > 128 || id[0] == '.' || id[0] == '-' {
		return false
	}
	for _, r := range id {
		if !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '.' || r == '_' || r == '-') {
			return false
		}
	}
	return true
}

// Root is where the transcripts of an agent are: a folder, or a database; ""
// where it declares none or the home folder is not known.
func Root(m *atp.Manifest, env Env) string {
	if m == nil || m.Transcript == nil {
		return ""
	}
	root := m.Transcript.Root
	if root == "" && m.Resume != nil {
		root = m.Resume.StoreRoot
	}
	if root == "" {
		return ""
	}
	return m.Place(root, env)
}

// Find is where the conversation of that id is on disk, by the manifest's
// transcript.match (DESIGN §1: exact, or nothing). Of more than one it is the
// one whose own record names the directory dir; when that does not decide,
// none.
func Find(m *atp.Manifest, env Env, dir, conversation string) (string, bool) {
	root := Root(m, env)
	if root == "" || !validID(conversation) {
		return "", false
	}
	t := m.Transcript
	if IsDatabase(t.Format) {
		p := joinPath(root, conversation)
		a, err := Head(t.Format, p)
		return p, err == nil && !a.Created.IsZero()
	}
	if t.Match == "" {
		return "", false
	}
	pattern := strings.NewReplacer("{id}", conversation, "{id8}", conversation[:min(8, len(conversation))]).Replace(t.Match)
	var found, here []string
	for p := range walk(root, pattern) {
		// A name can hold only a part of the id, or another's as its end.
		a, err := Head(t.Format, p)
		if err != nil || a.ID != conversation && (a.ID != "" || strings.Contains(t.Match, "{id8}")) {
			continue
		}
		found = append(found, p)
		if dir != "" && sameDir(a.Dir, dir) {
			here = append(here, p)
		}
	}
	if len(found) > 1 {
		// Gemini CLI leaves a file more in each minute in which it resumes a
		// conversation, without a word in it.
		found, here = spoken(t.Format, found), spoken(t.Format, here)
	}
	switch {
	case len(found) == 1:
		return found[0], true
	case len(here) == 1:
		return here[0], true
	}
	return "", false
}

// spoken are the transcripts in which a person said something.
func spoken(format string, paths []string) (out []string) {
	for _, p := range paths {
		said := false
		err := Grep(context.Background(), format, p, "", func(m Message) bool {
			said = m.Role == User
			return said
		})
		if err == nil && said {
			out = append(out, p)
		}
	}
	return out
}

// sameDir compares directories as the system sees them.
func sameDir(a, b string) bool {
	if a == b {
		return true
	}
	x, err := filepath.EvalSymlinks(a)
	if err != nil {
		return false
	}
	y, err := filepath.EvalSymlinks(b)
	return err == nil && x == y
}

// Inside reports whether a path, which may have come from outside, is in the
// agent's store once symbolic links are resolved. What is not there yet is
// judged by its folder.
func Inside(m *atp.Manifest, env Env, p string) bool {
	root := Root(m, env)
	if root == "" || !filepath.IsAbs(p) {
		return false
	}
	if IsDatabase(m.Transcript.Format) {
		file, _ := SplitPath(p)
		return file == root
	}
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return false
	}
	real, err := filepath.EvalSymlinks(p)
	if errors.Is(err, fs.ErrNotExist) {
		if real, err = filepath.EvalSymlinks(filepath.Dir(p)); err == nil {
			real = filepath.Join(real, filepath.Base(p))
		}
	}
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(root, real)
	return err == nil && rel != "." && filepath.IsLocal(rel)
}

// Item is one conversation in a store.
type Item struct {
	// Path is the file, or for a database the file, "#" and the id.
	Path string
	// About is filled in for a database only: a file has to be read for it.
	About About
}

// List is every conversation in an agent's store. A store that is not there
// has none.
func List(ctx context.Context, m *atp.Manifest, env Env) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		root := Root(m, env)
		if root == "" {
			return
		}
		if IsDatabase(m.Transcript.Format) {
			all, err := listDatabase(ctx, root)
			if err != nil {
				yield(Item{}, err)
				return
			}
			for _, a := range all {
				if validID(a.ID) && !yield(Item{Path: joinPath(root, a.ID), About: a}, nil) {
					return
				}
			}
			return
		}
		if m.Transcript.Glob == "" {
			return
		}
		n := 0
		for p := range walk(root, m.Transcript.Glob) {
			if n++; n > maxFiles {
				yield(Item{}, fmt.Errorf("list the transcripts in %s: more than %d", root, maxFiles))
				return
			}
			if ctx.Err() != nil || !yield(Item{Path: p}, nil) {
				return
			}
		}
	}
}

// walk is the regular files below root that a pattern names: "*" is any text
// within a name, "**" any folders. Symbolic links below root are not followed.
func walk(root, pattern string) iter.Seq[string] {
	return func(yield func(string) bool) {
		walkInto(root, strings.Split(pattern, "/"), 0, yield)
	}
}

func walkInto(dir string, pattern []string, depth int, yield func(string) bool) bool {
	if len(pattern) == 0 || depth > 2*maxDepth {
		return true
	}
	name, rest := pattern[0], pattern[1:]
	if name == "." || name == ".." {
		return true
	}
	if !strings.Contains(name, "*") {
		p := filepath.Join(dir, name)
		info, err := os.Lstat(p)
		switch {
		case err != nil:
		case len(rest) == 0 && info.Mode().IsRegular():
			return yield(p)
		case len(rest) > 0 && info.IsDir():
			return walkInto(p, rest, depth+1, yield)
		}
		return true
	}
	if name == "**" && !walkInto(dir, rest, depth+1, yield) {
		return false
	}
	f, err := openFolder(dir)
	if err != nil {
		return true
	}
	defer f.Close()
	for {
		entries, err := f.ReadDir(512)
		for _, e := range entries {
			p := filepath.Join(dir, e.Name())
			goOn := true
			switch {
			case name == "**":
				if e.IsDir() && depth < maxDepth {
					goOn = walkInto(p, pattern, depth+1, yield)
				}
			case !fits(name, e.Name()):
			case len(rest) == 0 && e.Type().IsRegular():
				goOn = yield(p)
			case len(rest) > 0 && e.IsDir():
				goOn = walkInto(p, rest, depth+1, yield)
			}
			if !goOn {
				return false
			}
		}
		if err != nil { // io.EOF, or a folder that cannot be read
			return true
		}
	}
}

// openFolder opens a folder, and nothing else: never waits.
func openFolder(dir string) (*os.File, error) {
	f, err := openNow(dir)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.IsDir() {
		f.Close()
		return nil, io.EOF
	}
	return f, nil
}

// fits matches a name with a pattern in which only "*" is special.
func fits(pattern, name string) bool {
	ok, err := path.Match(strings.NewReplacer("[", `\[`, "?", `\?`, `\`, `\\`).Replace(pattern), name)
	return err == nil && ok
}

// maxRootFile bounds the file in which an agent names a folder's project.
const maxRootFile = 4096

// rootBeside reads the file .project_root that Gemini CLI keeps beside the
// chats of a project, since the chats do not name it.
func rootBeside(p string) string {
	f, info, err := openRegular(filepath.Join(filepath.Dir(filepath.Dir(p)), ".project_root"))
	if err != nil {
		return ""
	}
	defer f.Close()
	if info.Size() > maxRootFile {
		return ""
	}
	text, err := io.ReadAll(io.LimitReader(f, maxRootFile))
	if dir := strings.TrimSpace(string(text)); err == nil && filepath.IsAbs(dir) {
		return dir
	}
	return ""
}
