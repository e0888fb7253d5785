package atp

import (
	"slices"
	"strings"
)

// runtimes are programs that run somebody else's program, given as their first
// argument that is no option.
var runtimes = []string{
	"node", "bun", "deno", "python", "python3", "ruby", "npx", "env",
	"sh", "bash", "zsh", "dash", "fish", "tsx", "ts-node",
}

// packageDirs are folders below which a path names packages, not places of the
// user's.
var packageDirs = []string{"node_modules", "site-packages", "dist-packages"}

// Programs are the names by which running agents are recognised, in lower
// case, with the id of each one's manifest. It is what remains of a Catalog for
// one who only needs to recognise.
type Programs map[string]string

// Programs are the names by which the catalog's agents are recognised.
func (c Catalog) Programs() Programs {
	out := make(Programs, len(c.byProg))
	for name, m := range c.byProg {
		out[name] = m.ID
	}
	return out
}

// Foreground says which agent a process is, by its argument vector; see
// Programs.Foreground.
func (c Catalog) Foreground(argv []string) (*Manifest, bool) {
	name, ok := foreground(argv, func(name string) bool { return c.byProg[name] != nil })
	return c.byProg[name], ok
}

// Foreground gives the id of the agent that a process is, by its argument
// vector: the base name of the program or, under a runtime such as node, of the
// script, or a part of the script's path. An empty vector is no answer, and no
// answer is never "no agent": the caller must not take an agent away because
// of it.
//
// A part of a path counts below a package folder, in a package name, and else
// only when it has three letters or more and is not in the user's home folder
// name: "/home/pi/server.js" is not the agent pi.
func (p Programs) Foreground(argv []string) (id string, ok bool) {
	name, ok := foreground(argv, func(name string) bool { return p[name] != "" })
	return p[name], ok
}

// Runtime tells whether a program runs somebody else's, so that what it is may
// be known only by those that it has started.
func Runtime(argv []string) bool {
	return len(argv) > 0 && slices.Contains(runtimes, programName(argv[0]))
}

func programName(arg string) string { return strings.ToLower(strings.TrimPrefix(base(arg), "-")) }

// foreground gives the known name that an argument vector is recognised by.
func foreground(argv []string, known func(name string) bool) (string, bool) {
	if len(argv) == 0 {
		return "", false
	}
	prog := programName(argv[0])
	if known(prog) {
		return prog, true
	}
	if !slices.Contains(runtimes, prog) {
		return "", false
	}
	script := scriptOf(argv[1:])
	if script == "" {
		return "", false
	}
	name := strings.ToLower(base(script))
	for _, ext := range []string{".js", ".mjs", ".cjs", ".ts"} {
		name = strings.TrimSuffix(name, ext)
	}
	if known(name) {
		return name, true
	}
	for _, part := range pathParts(strings.ToLower(script)) {
		if known(part) {
			return part, true
		}
	}
	return "", false
}

// scriptOf is the first argument that is neither an option nor, as for env, an
// assignment; of a shell's "-c" it is the command's first word.
func scriptOf(args []string) string {
	for i, a := range args {
		switch {
		case strings.HasPrefix(a, "-"):
			if strings.HasSuffix(a, "c") && !strings.HasPrefix(a, "--") && i+1 < len(args) {
				words, _ := Words(args[i+1])
				return scriptOf(words)
			}
		case isAssignment(a), a == "exec":
		default:
			return a
		}
	}
	return ""
}

func isAssignment(a string) bool {
	name, _, ok := strings.Cut(a, "=")
	if !ok || name == "" || name[0] >= '0' && name[0] <= '9' {
		return false
	}
	for i := 0; i < len(name); i++ {
		if !isIDByte(name[i]) || name[i] == '-' || name[i] == '.' {
			return false
		}
	}
	return true
}

func pathParts(script string) []string {
	folders := strings.Split(script, "/")
	least := 1
	if at := lastPackageDir(folders); at >= 0 {
		folders = folders[at+1:]
	} else if strings.HasPrefix(script, "/") {
		least = 3
		if len(folders) > 3 && (folders[1] == "home" || folders[1] == "users") {
			folders = folders[3:]
		}
	}
	var parts []string
	for _, f := range folders {
		if len(f) >= least {
			parts = append(parts, f)
		}
		for _, p := range strings.FieldsFunc(f, func(r rune) bool { return strings.ContainsRune("@.-_", r) }) {
			if len(p) >= least {
				parts = append(parts, p)
			}
		}
	}
	return parts
}

func lastPackageDir(folders []string) int {
	for i := len(folders) - 1; i >= 0; i-- {
		if slices.Contains(packageDirs, folders[i]) {
			return i
		}
	}
	return -1
}
