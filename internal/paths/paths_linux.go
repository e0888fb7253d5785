package paths

import (
	"os"
	"strconv"
)

// MaxSocketPath is the longest path of a unix socket, in bytes: sun_path
// without its final zero.
const MaxSocketPath = 107

// runtimeDirs are the candidates for the user's runtime directory. The one
// that a login session makes is tried even when the variable is missing, so
// that cron, sudo and ssh find the same coordinator as the desktop does.
func runtimeDirs(env string) []string {
	return []string{env, "/run/user/" + strconv.Itoa(os.Getuid())}
}
