// Package paths knows where Termio keeps things: its home, its run directory
// and every file below them (DESIGN §3). It also prepares the directories and
// refuses those that are not safe or whose socket paths would be too long.
package paths

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// HomeEnv is the variable that moves everything.
const HomeEnv = "TERMIO_HOME"

// runtimeEnv names the per-user directory for sockets (XDG base directories).
const runtimeEnv = "XDG_RUNTIME_DIR"

// Layout is where one home's files are. All paths are absolute.
type Layout struct {
	// Home is $TERMIO_HOME, else ~/.termio.
	Home string
	// Run holds sockets and locks. Only the default home uses the user's
	// runtime directory; every other one has its own below itself, so that
	// two homes never share a socket.
	Run string
	// Default is true for ~/.termio.
	Default bool
}

// FromEnv finds the layout for this process.
func FromEnv() (Layout, error) { return Resolve(os.Getenv) }

// Resolve finds the layout for an environment. It creates nothing.
func Resolve(getenv func(string) string) (Layout, error) {
	user := getenv(userHomeEnv)
	home := getenv(HomeEnv)
	def := ""
	if filepath.IsAbs(user) {
		def = filepath.Join(user, ".termio")
	}
	if home == "" {
		home = def
	}
	if home == "" {
		return Layout{}, fmt.Errorf("find Termio's home: %s is not set; set it, or set %s to a directory", userHomeEnv, HomeEnv)
	}
	if !filepath.IsAbs(home) {
		// Relative, it would be another home in every directory.
		return Layout{}, fmt.Errorf("%s is %q, which is not an absolute path; set it to a full one", HomeEnv, home)
	}
	home = filepath.Clean(home)
	l := Layout{Home: home, Run: filepath.Join(home, "run"), Default: home == def}
	if l.Default {
		for _, dir := range runtimeDirs(getenv(runtimeEnv)) {
			if filepath.IsAbs(dir) && checkDir(dir) == nil {
				l.Run = filepath.Join(dir, "termio")
				break
			}
		}
	}
	return l, nil
}

// ConfigDir holds what the user chose.
func (l Layout) ConfigDir() string { return filepath.Join(l.Home, "config") }

// AgentsDir holds the user's manifests.
func (l Layout) AgentsDir() string { return filepath.Join(l.ConfigDir(), "agents") }

// Settings is the settings file.
func (l Layout) Settings() string { return filepath.Join(l.ConfigDir(), "settings.json") }

// StateDir holds what the program must not forget.
func (l Layout) StateDir() string { return filepath.Join(l.Home, "state") }

// SessionsDir holds one directory for each session.
func (l Layout) SessionsDir() string { return filepath.Join(l.StateDir(), "sessions") }

// SessionDir is the directory of the session with this id.
func (l Layout) SessionDir(id string) string { return filepath.Join(l.SessionsDir(), id) }

// Record is the record of the session with this id.
func (l Layout) Record(id string) string { return filepath.Join(l.SessionDir(id), "record.json") }

// WarmDir is the directory of a host that is no session yet, which will have
// this id.
func (l Layout) WarmDir(id string) string { return filepath.Join(l.StateDir(), "warm", id) }

// WarmSocket is where such a host listens.
func (l Layout) WarmSocket(id string) string {
	return filepath.Join(l.Run, "w", short(id)+".sock")
}

// Projects is the registry of opened projects.
func (l Layout) Projects() string { return filepath.Join(l.StateDir(), "projects.json") }

// HistoryIndex is the index over past conversations: a cache.
func (l Layout) HistoryIndex() string { return filepath.Join(l.StateDir(), "index.db") }

// LogsDir holds the rotated logs.
func (l Layout) LogsDir() string { return filepath.Join(l.Home, "logs") }

// DaemonSocket is where the coordinator serves its API.
func (l Layout) DaemonSocket() string { return filepath.Join(l.Run, "daemon.sock") }

// DaemonLock is held by the coordinator for its whole life.
func (l Layout) DaemonLock() string { return filepath.Join(l.Run, "daemon.lock") }

// StartLock is held by a client while it starts the coordinator.
func (l Layout) StartLock() string { return filepath.Join(l.Run, "start.lock") }

// HostSocket is where the host of the session with this id listens. Its name
// is the first twelve hexadecimal digits of the id.
func (l Layout) HostSocket(id string) string {
	return filepath.Join(l.Run, "h", short(id)+".sock")
}

func short(id string) string {
	id = strings.ReplaceAll(id, "-", "")
	return id[:min(len(id), 12)]
}

// SocketPathError is a socket path that the system cannot take.
type SocketPathError struct {
	Path  string
	Limit int
}

func (e *SocketPathError) Error() string {
	return fmt.Sprintf("the socket path %s has %d bytes, and this system takes at most %d: set %s to a shorter directory",
		e.Path, len(e.Path), e.Limit, HomeEnv)
}

// CheckSockets reports a *SocketPathError if any socket of this layout would
// have a path too long for the system.
func (l Layout) CheckSockets() error {
	for _, p := range []string{l.DaemonSocket(), l.HostSocket("0123456789ab")} {
		if len(p) > MaxSocketPath {
			return &SocketPathError{Path: p, Limit: MaxSocketPath}
		}
	}
	return nil
}

// Prepare checks the socket paths, makes the directories that are missing
// (0700) and checks that those of the sockets and records are safe.
func (l Layout) Prepare() error {
	if err := l.CheckSockets(); err != nil {
		return err
	}
	for _, dir := range []string{l.Home, l.AgentsDir(), l.SessionsDir(), l.LogsDir(), l.Run, filepath.Dir(l.HostSocket(""))} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("make Termio's directory: %w; make %s writable, or set %s to another directory", err, l.Home, HomeEnv)
		}
	}
	for _, dir := range []string{l.Home, l.StateDir(), l.SessionsDir()} {
		if err := checkDir(dir); err != nil {
			return err
		}
	}
	for _, dir := range []string{l.Run, filepath.Dir(l.HostSocket(""))} {
		if err := PrepareSocketDir(dir); err != nil {
			return err
		}
	}
	return nil
}

// PrepareSocketDir makes a directory of sockets (0700), if it is missing, and
// checks that it is safe.
func PrepareSocketDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the directory of the sockets: %w", err)
	}
	if err := checkDir(dir); err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("close %s to others: %w", dir, err)
	}
	return nil
}

// ErrUnsafe is a directory that another user could change.
var ErrUnsafe = errors.New("not safe")
