package daemon

import (
	"context"
	"errors"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/config"
	"github.com/termio-sh/termio/internal/orchestrate"
	"github.com/termio-sh/termio/internal/prompt"
	"github.com/termio-sh/termio/internal/shellenv"
)

// Bounds of asking programs for their versions.
const (
	versionTimeout = 5 * time.Second
	versionsAtOnce = 4
	maxVersion     = 64 << 10 // bytes of output
)

// agents are the agents there are, where their programs are, and what versions
// those have.
type agents struct {
	catalog catalog
	login   *shellenv.Login

	mu       sync.Mutex
	versions map[string]knownVersion // by path
}

type knownVersion struct {
	stamp fileStamp
	text  string
}

func newAgents(dir string, login *shellenv.Login, p *problems) *agents {
	return &agents{catalog: catalog{dir: dir, problems: p}, login: login, versions: map[string]knownVersion{}}
}

// program is the word of a shell command that names its program; false where
// only a shell can tell.
func program(command string) (string, bool) {
	words, ok := atp.Words(command)
	if !ok || len(words) == 0 || strings.ContainsAny(words[0], "=$`\"'\\;&|<>(){}*?[]!#") {
		return "", false
	}
	if strings.HasPrefix(words[0], "~") && !strings.HasPrefix(words[0], "~/") {
		return "", false // another user's home
	}
	switch words[0] {
	case "exec", "cd", "eval", "export", "source", ".", "if", "for", "while", "case", "until", "time", "set", "ulimit", "umask", "command", "builtin":
		return "", false
	}
	return words[0], true
}

// commandOf is the command that starts an agent, the user's own if there is
// one.
func commandOf(m *atp.Manifest, s config.Settings) string {
	return atp.LaunchCommand(m, atp.LaunchOptions{CommandOverride: s.Agents[m.ID].Command})
}

// find gives the path of an agent's program; empty where only a shell can
// tell. A program that is missing is a refusal that says where to get it.
func (a *agents) find(ctx context.Context, m *atp.Manifest, command, dir string, callerEnv []string) (string, error) {
	name, ok := program(command)
	if !ok {
		return "", nil
	}
	path, err := a.login.Find(ctx, name, dir, callerEnv)
	var missing *shellenv.NotFoundError
	if errors.As(err, &missing) {
		hint := ""
		switch {
		case m.Install != "" && len(missing.Elsewhere) == 0:
			hint = "; install it from " + m.Install
		case len(missing.Elsewhere) > 0:
			hint = ", or set agents." + m.ID + ".command in the settings to that path"
		}
		return "", orchestrate.Refuse(orchestrate.StartFailed, "%s cannot be started: %v%s", m.Name, err, hint)
	}
	return path, err
}

// list is the catalog as rows, and with versions when asked.
func (a *agents) list(ctx context.Context, want string, versions bool, s config.Settings) ([]api.Agent, error) {
	catalog := a.catalog.get()
	manifests := catalog.All()
	if want != "" {
		m, ok := catalog.Lookup(want)
		if !ok {
			return nil, orchestrate.Refuse(orchestrate.BadAgent, "there is no agent %q; the agents are: %s", want, strings.Join(catalog.IDs(), ", "))
		}
		manifests = []*atp.Manifest{m}
	}
	rows := make([]api.Agent, len(manifests))
	var work sync.WaitGroup
	slots := make(chan struct{}, versionsAtOnce)
	for i, m := range manifests {
		row := &rows[i]
		*row = api.Agent{
			ID: m.ID, Name: m.Name, Command: commandOf(m, s), Source: m.Source(),
			Bypass: m.PermissionBypassFlag != "",
		}
		if m.Bundled() {
			row.Source = "bundled"
		}
		if m.IsTerminal() && row.Command == "" {
			row.Found, row.Path = true, a.login.Shell()
			continue
		}
		path, err := a.find(ctx, m, row.Command, "/", nil)
		if err != nil {
			row.Install = m.Install
			continue
		}
		row.Found, row.Path = true, path
		if versions && path != "" {
			work.Go(func() {
				slots <- struct{}{}
				defer func() { <-slots }()
				row.Version = a.version(ctx, path, m.VersionArgs)
			})
		}
	}
	work.Wait()
	return rows, nil
}

// version is what the program at path says of itself; empty when it does not.
// The answer is kept while the file stays the same.
func (a *agents) version(ctx context.Context, path string, args []string) string {
	stamp := stampOf(path)
	a.mu.Lock()
	known, ok := a.versions[path]
	a.mu.Unlock()
	if ok && known.stamp == stamp {
		return known.text
	}
	env, _ := a.login.Env(ctx) // usable whatever the error
	text, whole := askVersion(ctx, versionTimeout, path, args, env)
	if whole {
		a.mu.Lock()
		a.versions[path] = knownVersion{stamp, text}
		a.mu.Unlock()
	}
	return text
}

// askVersion runs a program for its version. It reports false when it was cut
// short and may answer another time.
func askVersion(ctx context.Context, within time.Duration, path string, args, env []string) (string, bool) {
	if len(args) == 0 {
		args = []string{"--version"}
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = append(env[:len(env):len(env)], "TERM=dumb", "NO_COLOR=1")
	cmd.Dir = "/"
	cmd.WaitDelay = 200 * time.Millisecond
	group(cmd)
	out := &limited{max: maxVersion}
	cmd.Stdout = out
	err := cmd.Run()
	if ctx.Err() != nil {
		return "", false
	}
	if err != nil {
		return "", true
	}
	return parseVersion(out.String()), true
}

var versionNumber = regexp.MustCompile(`\d+(\.\d+)+([-+.][0-9A-Za-z.-]+)?`)

// parseVersion takes the first version number out of a program's answer, or
// its first line, shortened.
func parseVersion(out string) string {
	if v := versionNumber.FindString(out); v != "" {
		return v
	}
	return prompt.Title(out)
}

// limited keeps the first max bytes.
type limited struct {
	strings.Builder
	max int
}

func (l *limited) Write(p []byte) (int, error) {
	if room := l.max - l.Len(); room > 0 {
		l.Builder.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}
