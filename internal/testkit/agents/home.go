package agents

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A HomeConfig says where a home is and what its agents find there.
type HomeConfig struct {
	// Root is the folder that the agents are installed in (Find).
	Root string
	// Dir becomes the home; it is made when it is not there. A short path is
	// better: agents make sockets below it.
	Dir string
	// Projects are the folders that the agents are to trust.
	Projects []string
	// ModelURL is the model server's address without a path.
	ModelURL string
	// Plugins tells OpenCode that a plugin folder will be there, and puts the
	// package that plugins need beside it; without it OpenCode would wait 73 s
	// for npm.
	Plugins bool
}

// A Home is a home folder prepared for one or more agents: their settings,
// and shell profiles that set their environment, so that a program that starts
// them through a login shell (as Termio does) finds them on its PATH.
type Home struct {
	cfg  HomeConfig
	env  map[string]string
	path []string
}

// Names returns the agents that Add knows.
func Names() []string {
	return []string{"claude", "codex", "opencode", "pi", "gemini", "qwen", "copilot"}
}

// NewHome makes the folder and its shell profiles, without any agent yet.
func NewHome(cfg HomeConfig) (*Home, error) {
	for _, dir := range append([]string{cfg.Root, cfg.Dir}, cfg.Projects...) {
		if !filepath.IsAbs(dir) {
			return nil, fmt.Errorf("prepare an agents' home: %q is not an absolute path", dir)
		}
	}
	h := &Home{cfg: cfg, env: map[string]string{
		"HOME": cfg.Dir, "TMPDIR": filepath.Join(cfg.Dir, "tmp"), "LANG": "C.UTF-8",
		// Nothing may ask a registry or call home.
		"DISABLE_TELEMETRY": "1", "DO_NOT_TRACK": "1", "NO_UPDATE_NOTIFIER": "1",
	}}
	node, err := pinNamed("node")
	if err != nil {
		return nil, err
	}
	h.path = []string{binDir(filepath.Join(cfg.Root, node.Name), node)}
	if err := os.MkdirAll(h.env["TMPDIR"], 0o700); err != nil {
		return nil, fmt.Errorf("prepare an agents' home: %w", err)
	}
	return h, h.writeProfiles()
}

func pinNamed(name string) (Pin, error) {
	pins := Pins()
	i := slices.IndexFunc(pins, func(p Pin) bool { return p.Name == name })
	if i < 0 {
		return Pin{}, fmt.Errorf("no agent is called %q", name)
	}
	return pins[i], nil
}

// Add prepares the home for one agent. The error says so, and what to run,
// when the agent is not installed.
func (h *Home) Add(name string) error {
	pins, err := Select(name)
	if err != nil {
		return err
	}
	for _, p := range pins {
		if err := Installed(h.cfg.Root, p); err != nil {
			return err
		}
	}
	var write func() error
	switch name {
	case "claude":
		write = h.claude
	case "codex":
		write = h.codex
	case "opencode":
		write = h.opencode
	case "pi":
		write = h.pi
	case "gemini":
		write = h.gemini
	case "qwen":
		write = h.qwen
	case "copilot":
		write = h.copilot
	default:
		return fmt.Errorf("%s has no home to prepare", name)
	}
	if err := write(); err != nil {
		return fmt.Errorf("prepare the home of %s: %w", name, err)
	}
	p := pins[len(pins)-1]
	if dir := binDir(filepath.Join(h.cfg.Root, name), p); !slices.Contains(h.path, dir) {
		h.path = append(h.path, dir)
	}
	return h.writeProfiles()
}

// Path is the PATH of the home: the agents first, then the system's folders.
func (h *Home) Path() string {
	return strings.Join(append(slices.Clone(h.path),
		"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"), ":")
}

// Env is the whole environment for programs in this home: nothing of the test
// process's own is in it.
func (h *Home) Env() []string {
	out := []string{"PATH=" + h.Path(), "TERM=xterm-256color", "COLORTERM=truecolor", "SHELL=/bin/sh"}
	for _, k := range h.keys() {
		out = append(out, k+"="+h.env[k])
	}
	return out
}

func (h *Home) keys() []string {
	var keys []string
	for k := range h.env {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// writeProfiles writes what a login shell reads, for sh, bash and zsh. The
// variables are set again there: a host cleans the environment of some that
// agents need (CLAUDE_CODE_…), and the system's own profile sets PATH anew.
func (h *Home) writeProfiles() error {
	var b strings.Builder
	fmt.Fprintf(&b, "export PATH=%s\n", shellQuote(h.Path()))
	for _, k := range h.keys() {
		if k != "HOME" {
			fmt.Fprintf(&b, "export %s=%s\n", k, shellQuote(h.env[k]))
		}
	}
	for _, name := range []string{".profile", ".bash_profile", ".zprofile"} {
		if err := h.write(name, b.String()); err != nil {
			return fmt.Errorf("write the shell profile: %w", err)
		}
	}
	// Without a file of its own zsh asks questions.
	return h.write(".zshrc", "")
}

func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// write writes a file of the home, with the folders above it.
func (h *Home) write(name, text string) error {
	path := filepath.Join(h.cfg.Dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o600)
}

func (h *Home) writeJSON(name string, v any) error {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return h.write(name, string(raw)+"\n")
}

// linkOnce makes a symbolic link unless it is there already.
func (h *Home) linkOnce(target, name string) error {
	path := filepath.Join(h.cfg.Dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := os.Symlink(target, path); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return nil
}
