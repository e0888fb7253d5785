package shellenv

import (
	"path/filepath"
	"strconv"
	"strings"
)

// fallbackShell is used where the user has no shell that can be run.
const fallbackShell = "/bin/sh"

// LoginShell is the user's login shell: the one of the user database, not of
// $SHELL, which any program may have set. A shell that only refuses, as of a
// service account, is replaced.
func LoginShell(getenv func(string) string) string {
	return chooseShell([]string{databaseShell(), getenv("SHELL"), fallbackShell}, isExecutable)
}

func chooseShell(candidates []string, runs func(string) bool) string {
	for _, shell := range candidates {
		if refuses(shell) {
			return fallbackShell
		}
		if filepath.IsAbs(shell) && runs(shell) {
			return shell
		}
	}
	return fallbackShell
}

func refuses(shell string) bool {
	switch filepath.Base(shell) {
	case "nologin", "false":
		return true
	}
	return false
}

// passwdShell finds the shell of uid in the text of a passwd database.
func passwdShell(text string, uid int) string {
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimRight(line, "\r\n"), ":")
		if len(f) >= 7 && f[2] == strconv.Itoa(uid) {
			return f[6]
		}
	}
	return ""
}
