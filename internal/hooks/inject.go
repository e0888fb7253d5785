package hooks

import (
	"bytes"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/termio-sh/termio/atp"
)

// Launch is one launch of an agent that hooks are to be given to.
type Launch struct {
	Manifest *atp.Manifest
	// Dir is a private folder for the files; nothing else is in it.
	Dir string
	// Reporter is the path of the program that hooks run.
	Reporter string
	// Version is that of the installed agent; empty when it is not known.
	Version string
	// Command is the shell text that starts the agent without the hooks, and
	// Env the environment that it starts from.
	Command string
	Env     []string
	// Exists tells whether a file is there.
	Exists func(path string) bool
}

// Injection is what a launch is given beyond its own command, and the files
// that must be in Dir before.
type Injection struct {
	Args  []string
	Env   []string // NAME=value
	Files []File
}

// File is a file of an injection.
type File struct {
	Name string
	Data []byte
}

// Inject plans how a launch is given its hooks. It reports false, with the
// reason, where the agent has no way, or where that way would take the place
// of something of the user's.
func Inject(l Launch) (in Injection, why string, ok bool) {
	h := l.Manifest.Hooks
	if h == nil || h.Inject == nil {
		return in, "its manifest has no way to do it", false
	}
	if why := l.forbidden(h.Inject); why != "" {
		return in, why, false
	}
	text, err := Spec{Hooks: h, Reporter: l.Reporter, Version: l.Version}.Text()
	if err != nil {
		return in, err.Error(), false
	}
	if w := h.Inject.Wrap; w != "" {
		text = bytes.ReplaceAll([]byte(w), []byte("{hooks}"), text)
	}
	file := filepath.Join(l.Dir, h.Inject.File)
	fill := strings.NewReplacer("{file}", file, "{dir}", l.Dir, "{url}", fileURL(file), "{config}", string(text)).Replace
	in.Files = append(in.Files, File{h.Inject.File, append(text, '\n')})
	for _, name := range slices.Sorted(maps.Keys(h.Inject.Files)) {
		// In a JSON text the paths stand in strings.
		plain := strings.NewReplacer("{file}", inJSON(file), "{dir}", inJSON(l.Dir), "{url}", inJSON(fileURL(file)))
		in.Files = append(in.Files, File{name, []byte(plain.Replace(h.Inject.Files[name]) + "\n")})
	}
	for _, a := range h.Inject.Args {
		in.Args = append(in.Args, fill(a))
	}
	for _, name := range slices.Sorted(maps.Keys(h.Inject.Env)) {
		in.Env = append(in.Env, name+"="+fill(h.Inject.Env[name]))
	}
	return in, "", true
}

// forbidden says why a launch must go without.
func (l Launch) forbidden(i *atp.HookInject) string {
	if i.Since != "" && (l.Version == "" || compareVersions(l.Version, i.Since) < 0) {
		return fmt.Sprintf("it needs version %s, and this one is %s", i.Since, orUnknown(l.Version))
	}
	words, ok := atp.Words(l.Command)
	if len(i.Args) > 0 && (!ok || strings.ContainsAny(l.Command, ";|&<>()`$#\n")) {
		return "its command is more than words, so that no argument can be added"
	}
	for _, a := range i.Args {
		if strings.HasPrefix(a, "-") && slices.ContainsFunc(words, func(w string) bool { return w == a || strings.HasPrefix(w, a+"=") }) {
			return "its command has " + a + " already"
		}
	}
	for _, n := range i.Needs {
		if !l.Exists(expandHome(n, getenv(l.Env, "HOME"))) {
			return n + " is not there"
		}
	}
	for name := range i.Env {
		if getenv(l.Env, name) != "" {
			return name + " is set already"
		}
	}
	for _, u := range i.Unless {
		if name, isVar := strings.CutPrefix(u, "$"); isVar {
			if getenv(l.Env, name) != "" {
				return name + " is set"
			}
		} else if l.Exists(expandHome(u, getenv(l.Env, "HOME"))) {
			return u + " is there"
		}
	}
	return ""
}

func orUnknown(version string) string {
	if version == "" {
		return "not known"
	}
	return version
}

func inJSON(s string) string { return strings.Trim(quoteJSON(s), `"`) }

func fileURL(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

func getenv(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(env[i], name+"="); ok {
			return v
		}
	}
	return ""
}

func expandHome(path, home string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && home != "" {
		return filepath.Join(home, rest)
	}
	return path
}

// Write puts an injection's files into dir, which is made for them alone.
func (in Injection) Write(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the folder for the hooks of one launch: %w", err)
	}
	for _, f := range in.Files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o600); err != nil {
			return fmt.Errorf("write the hooks of one launch: %w", err)
		}
	}
	return nil
}
