// Package shellenv knows the environment that programs are started in: what a
// child inherits and what it must not, the user's login shell, and the PATH
// that this shell makes.
package shellenv

import "strings"

// Child is what one session's program is told of itself.
type Child struct {
	Session string // the session's id
	Socket  string // its host's socket
	Token   string // proves to the coordinator that a caller is inside
	Home    string // Termio's home; empty for the default one
	Version string
	Shell   string // the login shell
	Dir     string
	// Extra is what the agent's manifest adds; it wins.
	Extra []string
}

// Compose makes the whole environment of a session's program from that of the
// caller.
func Compose(caller []string, c Child) []string {
	e := newVars(Scrub(caller))
	e.set("TERM", "xterm-256color")
	e.set("COLORTERM", "truecolor")
	e.set("TERM_PROGRAM", "termio")
	e.set("TERM_PROGRAM_VERSION", c.Version)
	e.set("FORCE_HYPERLINK", "1")
	e.set("TERMIO_SESSION", c.Session)
	e.set("TERMIO_SOCK", c.Socket)
	e.set("TERMIO_TOKEN", c.Token)
	if c.Home != "" {
		e.set("TERMIO_HOME", c.Home)
	}
	e.set("PWD", c.Dir)
	if c.Shell != "" {
		e.set("SHELL", c.Shell)
	}
	ensureUTF8(e)
	for _, kv := range c.Extra {
		if name, value, ok := strings.Cut(kv, "="); ok && name != "" {
			e.set(name, value)
		}
	}
	return e.list()
}

// ensureUTF8 makes the character encoding UTF-8 and changes as little as it
// can: a person's language stays.
func ensureUTF8(e *vars) {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		value := e.get(name)
		if value == "" {
			continue
		}
		switch {
		case isUTF8(value):
			return
		case name == "LANG" && value != "C" && value != "POSIX":
			e.set("LC_CTYPE", utf8Locale)
		default:
			e.set(name, utf8Locale)
		}
		return
	}
	e.set("LANG", utf8Locale)
}

func isUTF8(locale string) bool {
	_, charset, _ := strings.Cut(locale, ".")
	charset, _, _ = strings.Cut(charset, "@")
	if charset == "" {
		charset = locale // macOS has a locale that is called UTF-8
	}
	return strings.EqualFold(strings.ReplaceAll(charset, "-", ""), "utf8")
}

// vars is an environment in order, each name once.
type vars struct {
	names []string
	value map[string]string
}

func newVars(env []string) *vars {
	e := &vars{value: make(map[string]string, len(env)+16)}
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		e.set(name, value)
	}
	return e
}

func (e *vars) get(name string) string { return e.value[name] }

func (e *vars) set(name, value string) {
	if _, known := e.value[name]; !known {
		e.names = append(e.names, name)
	}
	e.value[name] = value
}

func (e *vars) list() []string {
	out := make([]string, len(e.names))
	for i, name := range e.names {
		out[i] = name + "=" + e.value[name]
	}
	return out
}

// Get is the value of a variable in an environment; the last one counts.
func Get(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(env[i], name+"="); ok {
			return value
		}
	}
	return ""
}
