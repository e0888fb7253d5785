package atp

import (
	"path"
	"strings"
)

// Place gives the absolute path of one of the manifest's paths for a user
// whose environment getenv reads: "~/" is the home folder, and what lies below
// ConfigHome.Path moves with its variable. The environment must be the one
// that the agent itself gets, the login shell's. It is empty when the home
// folder is not known. A value of the variable that is not absolute, "~/"
// expanded, does not count.
func (m *Manifest) Place(p string, getenv func(string) string) string {
	home := getenv("HOME")
	abs := func(p string) string {
		if rest, ok := strings.CutPrefix(p, "~/"); ok || p == "~" {
			if !path.IsAbs(home) {
				return ""
			}
			return path.Join(home, rest)
		}
		if !path.IsAbs(p) {
			return ""
		}
		return path.Clean(p)
	}
	if c := m.ConfigHome; c != nil {
		if rest, ok := strings.CutPrefix(p, c.Path); ok && (rest == "" || rest[0] == '/') {
			if moved := abs(getenv(c.Env)); moved != "" {
				return path.Join(moved, rest)
			}
		}
	}
	return abs(p)
}
