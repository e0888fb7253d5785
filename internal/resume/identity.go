package resume

import (
	"path/filepath"
	"strings"
	"unicode"

	"github.com/termio-sh/termio/atp"
)

// Rotates gives the command of the agent's, if what was submitted is one, or
// the beginning of one that a menu completes, that leads to another
// conversation (resume.rotates of the manifest).
func Rotates(r *atp.Resume, line string) string {
	fields := strings.Fields(line)
	if r == nil || len(fields) == 0 || len(fields[0]) < 2 {
		return ""
	}
	for _, c := range r.Rotates {
		if strings.HasPrefix(c, strings.ToLower(fields[0])) {
			return c
		}
	}
	return ""
}

// maxPath is the longest path of a transcript that is kept, in bytes.
const maxPath = 4096

// Named is the id of the conversation that an agent's report is about: what it
// says itself, else what the name of the transcript says in a store of files.
// It is empty when the report names none.
func Named(r *atp.Resume, conversation, transcript string) string {
	if atp.ValidID(conversation) {
		return conversation
	}
	if transcript = Path(transcript); transcript == "" {
		return ""
	}
	return idOfFile(r, transcript)
}

// idOfFile is the id in a file's name, by the pattern of the agent's store. A
// pattern that holds only the beginning of an id gives none.
func idOfFile(r *atp.Resume, file string) string {
	kind, pattern := r.Store()
	if kind != atp.StoreFile {
		return ""
	}
	before, after, ok := strings.Cut(filepath.Base(pattern), "{id}")
	if !ok || strings.Contains(before+after, "{id") {
		return ""
	}
	name := filepath.Base(file)
	if name, ok = trimStart(name, before); !ok {
		return ""
	}
	if name, ok = trimEnd(name, after); !ok || !atp.ValidID(name) {
		return ""
	}
	return name
}

// trimStart takes what a pattern's beginning fits off a name, the shortest way.
func trimStart(name, pattern string) (string, bool) {
	parts := strings.Split(pattern, "*")
	if !strings.HasPrefix(name, parts[0]) {
		return "", false
	}
	name = name[len(parts[0]):]
	for _, p := range parts[1:] {
		i := strings.Index(name, p)
		if i < 0 {
			return "", false
		}
		name = name[i+len(p):]
	}
	return name, true
}

// trimEnd takes what a pattern's end fits off a name, the shortest way.
func trimEnd(name, pattern string) (string, bool) {
	parts := strings.Split(pattern, "*")
	last := parts[len(parts)-1]
	if !strings.HasSuffix(name, last) {
		return "", false
	}
	name = name[:len(name)-len(last)]
	for i := len(parts) - 2; i >= 0; i-- {
		at := strings.LastIndex(name, parts[i])
		if at < 0 {
			return "", false
		}
		name = name[:at]
	}
	return name, true
}

// Path is a transcript's path as it may be kept: absolute, clean and printable;
// else "".
func Path(p string) string {
	if len(p) > maxPath || !filepath.IsAbs(p) || strings.ContainsFunc(p, unicode.IsControl) {
		return ""
	}
	return filepath.Clean(p)
}
