package shellenv

import (
	"context"
	"os/exec"
	"os/user"
	"strings"
	"time"
)

// databaseShell is the shell of this user in the directory service, which
// macOS has instead of a passwd file; empty when it is not known.
func databaseShell() string {
	me, err := user.Current()
	if err != nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "/usr/bin/dscl", ".", "-read", "/Users/"+me.Username, "UserShell").Output()
	if err != nil {
		return ""
	}
	_, shell, _ := strings.Cut(string(out), "UserShell:")
	return strings.TrimSpace(shell)
}
