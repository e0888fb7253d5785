//go:build unix

package term

import (
	"fmt"
	"os"
	"strings"

	"github.com/termio-sh/termio/atp"
)

// execLine puts exec before a command, so that no shell stays between the host
// and the program. Only a simple command can have it.
func execLine(command string) string {
	words, ok := atp.Words(command)
	if !ok || len(words) == 0 || strings.ContainsAny(command, ";&|<>()`\n{}") ||
		strings.Contains(words[0], "=") || strings.Contains(command, "$(") {
		return command
	}
	switch words[0] {
	case "exec", "cd", "eval", "export", "source", ".", "if", "for", "while", "case", "until", "time", "!", "set", "ulimit", "umask":
		return command
	}
	return "exec " + command
}

// checkDir says what is wrong with a session's directory.
func checkDir(dir string) error {
	st, err := os.Stat(dir)
	switch {
	case os.IsNotExist(err):
		return fmt.Errorf("directory %s is gone: start the session in one that exists", dir)
	case err != nil:
		return fmt.Errorf("directory %s cannot be used: %w", dir, err)
	case !st.IsDir():
		return fmt.Errorf("%s is not a directory: start the session in one", dir)
	}
	return nil
}
