//go:build unix

package term

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/termio-sh/termio/atp"
)

// fallbackShell is there on every Unix.
const fallbackShell = "/bin/sh"

// loginShell is the user's shell: from the passwd database, else $SHELL of
// the session's environment, else /bin/sh. What cannot be run, and what is no
// shell for people (nologin, false), does not count.
func loginShell(passwd io.Reader, uid int, env []string) string {
	for _, sh := range []string{passwdShell(passwd, uid), lookupEnv(env, "SHELL")} {
		switch filepath.Base(sh) {
		case ".", "nologin", "false", "true", "sync":
			continue
		}
		if st, err := os.Stat(sh); err == nil && filepath.IsAbs(sh) && st.Mode().IsRegular() && st.Mode()&0o111 != 0 {
			return sh
		}
	}
	return fallbackShell
}

// passwdShell finds the shell of uid in a file in the form of /etc/passwd.
func passwdShell(r io.Reader, uid int) string {
	if r == nil {
		return ""
	}
	id := strconv.Itoa(uid)
	for s := bufio.NewScanner(r); s.Scan(); {
		f := strings.Split(s.Text(), ":")
		if len(f) == 7 && f[2] == id {
			return f[6]
		}
	}
	return ""
}

func lookupEnv(env []string, key string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if k, v, _ := strings.Cut(env[i], "="); k == key {
			return v
		}
	}
	return ""
}

// shellArgs is the command line that runs command, shell text, in a login
// shell; without a command the shell itself, for people.
func shellArgs(shell, command string) []string {
	line := execLine(command)
	switch name := filepath.Base(shell); name {
	case "csh", "tcsh": // -l must stand alone there
		if command == "" {
			return []string{shell, "-l"}
		}
		return []string{shell, "-c", line}
	case "sh", "bash", "zsh", "dash", "ash", "ksh", "ksh93", "mksh", "oksh", "yash", "fish", "busybox":
		if command == "" {
			return []string{shell, "-il"}
		}
		return []string{shell, "-ilc", line}
	default: // nu, elvish, xonsh …: short options apart
		if command == "" {
			return []string{shell, "-l", "-i"}
		}
		return []string{shell, "-l", "-i", "-c", line}
	}
}

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
