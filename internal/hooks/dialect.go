package hooks

import (
	"bytes"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/termio-sh/termio/atp"
)

// target is one file of an agent's that hooks are written into. Its functions
// are pure: bytes in, bytes out or a refusal; nil bytes are no file.
type target struct {
	path string
	mode fs.FileMode // of a new file
	// install gives the file with the hooks, remove the file without them.
	install func(old []byte, s Spec) ([]byte, error)
	remove  func(old []byte) ([]byte, error)
	// due is false for a file that is only cleaned.
	due bool
}

// The hook files' dialects of one file, by name.
func fileDialect(h *atp.Hooks) (target, bool) {
	json := func(f jsonFile) target {
		return target{path: h.File, mode: 0o600, install: f.install, remove: f.remove, due: true}
	}
	switch h.Type {
	case "json":
		switch h.Dialect {
		case "", "claude", "codex", "grok":
			return json(nested), true
		case "gemini":
			return json(geminiFile), true
		case "cursor":
			return json(cursorFile), true
		case "copilot":
			return json(copilotFile), true
		}
	case "toml":
		return target{path: h.File, mode: 0o600, install: installTOML, remove: removeTOML, due: true}, true
	case "plugin":
		name, text := "termio.js", opencodePlugin
		switch h.Dialect {
		case "opencode":
		case "pi":
			text = piExtension
		case "amp":
			name, text = "termio.ts", ampPlugin
		default:
			return target{}, false
		}
		return target{
			path: filepath.Join(h.Dir, name), mode: 0o600,
			install: pluginInstaller(text), remove: removePlugin, due: true,
		}, true
	}
	return target{}, false
}

// targets are the files of an agent's hooks, below the paths that its manifest
// declares. names are the files that are in its folder of scripts.
func targets(s Spec, names []string) ([]target, error) {
	h := s.Hooks
	if t, ok := fileDialect(h); ok {
		return []target{t}, nil
	}
	if h.Type != "scripts" {
		return nil, fmt.Errorf("hooks of type %q and dialect %q cannot be written", h.Type, h.Dialect)
	}
	var out []target
	declared := map[string]bool{}
	for _, e := range s.events() {
		declared[e.On] = true
		out = append(out, target{
			path: filepath.Join(h.Dir, e.On), mode: 0o755,
			install: scriptInstaller(e), remove: removeScript, due: true,
		})
	}
	for _, name := range names {
		if !declared[name] {
			out = append(out, target{path: filepath.Join(h.Dir, name), remove: removeScript})
		}
	}
	return out, nil
}

// Text is the hook configuration as a file of its own, for one launch.
func (s Spec) Text() ([]byte, error) {
	t, ok := fileDialect(s.Hooks)
	if !ok {
		return nil, fmt.Errorf("hooks of type %q cannot be given to one launch", s.Hooks.Type)
	}
	text, err := t.install(nil, s)
	if err != nil {
		return nil, fmt.Errorf("write the hooks of one launch: %w", err)
	}
	return bytes.TrimSpace(text), nil
}
