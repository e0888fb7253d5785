package hooks

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/paths"
	"github.com/termio-sh/termio/internal/shellenv"
)

// Dir is the folder of Termio's own notes about what it has written elsewhere.
func Dir(l paths.Layout) string { return filepath.Join(l.StateDir(), "hooks") }

// NewStore is a Store for the agents of this machine as the login shell sees
// them. command gives the shell text that starts an agent.
func NewStore(ctx context.Context, l paths.Layout, login *shellenv.Login, reporter string, command func(*atp.Manifest) string) *Store {
	env, _ := login.Env(ctx) // usable whatever the error
	return &Store{
		Dir: Dir(l), Reporter: reporter,
		Getenv: func(name string) string { return shellenv.Get(env, name) },
		Find: func(ctx context.Context, m *atp.Manifest) (string, error) {
			words, ok := atp.Words(command(m))
			if !ok || len(words) == 0 {
				return "", errors.New("its command is not one program")
			}
			return login.Find(ctx, words[0], "/", nil)
		},
		Version: func(ctx context.Context, m *atp.Manifest, path string) string {
			return AgentVersion(m, path, func() string { return AskVersion(ctx, path, m.VersionArgs, env) })
		},
	}
}

var versionText = regexp.MustCompile(`\d+(\.\d+)+([-+][0-9A-Za-z.-]+)?`)

// wholeVersion is a file name that is a version, as Claude Code's installer
// makes them.
var wholeVersion = regexp.MustCompile(`^v?\d+\.\d+(\.\d+)*([-+][0-9A-Za-z.-]+)?$`)

// AgentVersion is the version of an agent's program at path, from its package
// where that tells, else from ask. It is empty for a program that is not the
// manifest's own: what npx or a wrapper says of itself is not the agent's.
func AgentVersion(m *atp.Manifest, path string, ask func() string) string {
	if !slices.Contains(m.Programs(), strings.ToLower(filepath.Base(path))) {
		return ""
	}
	if v := PackageVersion(path); v != "" {
		return v
	}
	return ask()
}

// PackageVersion reads the version of the program at path without running it:
// from the npm package that it belongs to, or from a part of its real path
// that is a version. It is empty where neither tells.
func PackageVersion(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	const above = 5
	dir := filepath.Dir(real)
	for range above {
		if name, v, ok := packageJSON(filepath.Join(dir, "package.json")); ok {
			if strings.Contains(name, filepath.Base(path)) {
				return v
			}
			break // a package that only happens to lie above
		}
		dir = filepath.Dir(dir)
	}
	parts := strings.Split(filepath.ToSlash(real), "/")
	for _, p := range slices.Backward(parts[max(0, len(parts)-3):]) {
		if wholeVersion.MatchString(p) {
			return strings.TrimPrefix(p, "v")
		}
	}
	return ""
}

func packageJSON(path string) (name, version string, ok bool) {
	f, err := os.Open(path)
	if err != nil {
		return "", "", false
	}
	defer f.Close()
	var p struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	if json.NewDecoder(io.LimitReader(f, 1<<20)).Decode(&p) != nil || p.Name == "" || !wholeVersion.MatchString(p.Version) {
		return "", "", false
	}
	return p.Name, p.Version, true
}

// versionTimeout bounds asking a program for its version.
const versionTimeout = 5 * time.Second

// AskVersion runs the program for its version; empty when it does not say.
func AskVersion(ctx context.Context, path string, args, env []string) string {
	if len(args) == 0 {
		args = []string{"--version"}
	}
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	// Not inside a session: what it starts must not report as one's agent.
	cmd.Env = append(shellenv.Scrub(env), "TERM=dumb", "NO_COLOR=1")
	cmd.Dir, cmd.WaitDelay = "/", 200*time.Millisecond
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return versionText.FindString(string(out[:min(len(out), 64<<10)]))
}
