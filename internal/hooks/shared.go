package hooks

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
)

// Two homes of Termio may share one agent's config: a second one for trials,
// or that of another account's session. Each one's reporter works for the
// sessions of both, since it finds its host by its environment. So a file that
// is right but for the reporter's path is right as long as that reporter is
// there; else two coordinators would rewrite it in turn for ever.

var reporterPath = regexp.MustCompile(`['"]([^'"\\\n]+[/\\]` + ReporterName + `(?:\.exe)?)['"]`)

// reporters are the paths of reporters that a file names, once each.
func reporters(text []byte) []string {
	var out []string
	seen := map[string]bool{}
	for _, m := range reporterPath.FindAllSubmatch(text, -1) {
		if path := string(m[1]); !seen[path] {
			seen[path] = true
			out = append(out, path)
		}
	}
	return out
}

// shared is the edit that installs, but for a file that is right with the
// reporter of another home.
func (t target) shared(old []byte, s Spec) ([]byte, error) {
	for _, path := range reporters(old) {
		if path == s.Reporter || !runs(path) {
			continue
		}
		other := s
		other.Reporter = path
		if text, err := t.install(old, other); err == nil && bytes.Equal(text, old) {
			return old, nil
		}
	}
	return t.install(old, s)
}

// runs tells whether a program is at path.
func runs(path string) bool {
	st, err := os.Stat(path)
	return err == nil && filepath.IsAbs(path) && st.Mode().IsRegular() && st.Mode().Perm()&0o111 != 0
}
