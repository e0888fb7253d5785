// Package loginshell knows how each shell is started as the user's login shell.
package loginshell

import "path/filepath"

// Args is the command line that runs line, shell text, in an interactive login
// shell; without a line the shell itself, for people.
func Args(shell, line string) []string {
	switch filepath.Base(shell) {
	case "csh", "tcsh": // -l must stand alone there; the start-up file is read anyway
		if line == "" {
			return []string{shell, "-l"}
		}
		return []string{shell, "-c", line}
	case "sh", "bash", "zsh", "dash", "ash", "ksh", "ksh93", "mksh", "oksh", "yash", "fish", "busybox":
		if line == "" {
			return []string{shell, "-il"}
		}
		return []string{shell, "-ilc", line}
	}
	// nu, elvish, xonsh …: short options apart
	if line == "" {
		return []string{shell, "-l", "-i"}
	}
	return []string{shell, "-l", "-i", "-c", line}
}
