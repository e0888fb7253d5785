package shellenv

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// NotFoundError is a command that is not on the login shell's PATH.
type NotFoundError struct {
	Name  string
	Shell string
	// Searched are the directories of that PATH.
	Searched []string
	// Elsewhere is where the command is, in a directory of a version manager
	// or installer that the PATH does not have.
	Elsewhere []string
	// Doubt is why that PATH may not be the real one; nil as a rule.
	Doubt error
}

// Unwrap gives the doubt.
func (e *NotFoundError) Unwrap() error { return e.Doubt }

func (e *NotFoundError) Error() string {
	if strings.Contains(e.Name, "/") {
		return fmt.Sprintf("%s is no program that can be run", e.Name)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s is not on the PATH of your login shell (%s), which is: %s", e.Name, e.Shell, strings.Join(e.Searched, ", "))
	if e.Doubt != nil {
		fmt.Fprintf(&b, " (%v)", e.Doubt)
	}
	if len(e.Elsewhere) > 0 {
		fmt.Fprintf(&b, "; it is installed as %s: put that directory on the PATH in your shell's start-up file", strings.Join(e.Elsewhere, " and "))
	}
	return b.String()
}

// Find gives the path of a command as the login shell of a session would find
// it: a name is searched on its PATH, a path is taken as seen from dir. caller
// is the environment that the session's shell will start from; it may be nil.
// A command that is not there is a *NotFoundError.
func (l *Login) Find(ctx context.Context, name, dir string, caller []string) (string, error) {
	if strings.Contains(name, "/") {
		return l.findPath(name, dir)
	}
	callers := search(name, pathOf(caller))
	if callers != "" && !l.answered() {
		return callers, nil // nobody waits for a slow start-up file
	}
	env, doubt := l.Env(ctx)
	if path := search(name, pathOf(env)); path != "" {
		return path, nil
	}
	if callers != "" {
		// The shell may keep the PATH that it is given, or not: ask it.
		ctx, cancel := context.WithTimeout(ctx, probeTimeout)
		defer cancel()
		if env, err := l.probe(ctx, l.shell, Scrub(caller)); err == nil {
			if path := search(name, pathOf(env)); path != "" {
				return path, nil
			}
		}
	} else if ctx.Err() == nil {
		// It may have been installed a moment ago.
		env, doubt = l.fresh(ctx)
		if path := search(name, pathOf(env)); path != "" {
			return path, nil
		}
	}
	home := Get(env, "HOME")
	return "", &NotFoundError{Name: name, Shell: l.shell, Searched: pathOf(env), Elsewhere: elsewhere(name, home, callers), Doubt: doubt}
}

func (l *Login) findPath(name, dir string) (string, error) {
	path := name
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		path = filepath.Join(Get(l.base, "HOME"), rest)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if !isExecutable(path) {
		return "", &NotFoundError{Name: name, Shell: l.shell}
	}
	return path, nil
}

func pathOf(env []string) []string {
	var dirs []string
	for _, dir := range filepath.SplitList(Get(env, "PATH")) {
		if dir != "" && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

func search(name string, dirs []string) string {
	for _, dir := range dirs {
		if path := filepath.Join(dir, name); filepath.IsAbs(path) && isExecutable(path) {
			return path
		}
	}
	return ""
}

// installDirs are where version managers and installers put commands, as
// patterns; those that are not absolute are below the home directory.
var installDirs = []string{
	".local/bin", "bin",
	".npm-global/bin", ".npm-packages/bin", ".npm/bin",
	".nvm/versions/node/*/bin",
	".fnm/node-versions/*/installation/bin", ".local/share/fnm/node-versions/*/installation/bin",
	"Library/Application Support/fnm/node-versions/*/installation/bin",
	".volta/bin",
	".asdf/shims", ".local/share/mise/shims", ".nodenv/shims", ".pyenv/shims", ".rye/shims",
	"n/bin", ".n/bin",
	".bun/bin", ".deno/bin", ".yarn/bin", ".config/yarn/global/node_modules/.bin",
	".local/share/pnpm", "Library/pnpm",
	".cargo/bin", "go/bin",
	".claude/local", ".opencode/bin", ".grok/bin",
	".nix-profile/bin", "/run/current-system/sw/bin",
	"/opt/homebrew/bin", "/home/linuxbrew/.linuxbrew/bin", ".linuxbrew/bin",
	"/usr/local/bin", "/opt/local/bin", "/snap/bin",
}

// elsewhere finds a command in the directories of version managers, besides
// where the caller has it.
func elsewhere(name, home, callers string) []string {
	var found []string
	if callers != "" {
		found = append(found, callers)
	}
	if !isPlainName(name) {
		return found
	}
	for _, pattern := range installDirs {
		if !filepath.IsAbs(pattern) {
			if home == "" {
				continue
			}
			pattern = filepath.Join(home, pattern)
		}
		paths, err := filepath.Glob(filepath.Join(pattern, name))
		if err != nil {
			continue // home holds a character that is special to patterns
		}
		for _, path := range paths {
			if isExecutable(path) && !slices.Contains(found, path) {
				found = append(found, path)
			}
		}
	}
	return found
}

func isPlainName(s string) bool { return s != "" && !strings.ContainsAny(s, `*?[\/`) }
