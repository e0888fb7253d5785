//go:build unix

package process

import (
	"path/filepath"
	"strings"
)

// IsOurs tells whether a process is a coordinator or a host. When a command
// inside a session finds no coordinator it starts one, which then stands below
// that session's host, and so do the hosts that it starts; but they are none of
// what the session has started: they serve all sessions.
func IsOurs(pid int) bool { return isOurCommand(At(pid).Argv) }

func isOurCommand(argv []string) bool {
	if len(argv) == 0 {
		return false
	}
	switch rest := strings.Join(argv[1:], " "); filepath.Base(argv[0]) {
	case "termio", "termio-core":
		return rest == "daemon run" || rest == "host" || rest == "host acp"
	case "termio-host":
		return rest == "" || rest == "acp"
	}
	return false
}
