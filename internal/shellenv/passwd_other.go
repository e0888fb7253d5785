//go:build !linux && !darwin

package shellenv

import "os"

// databaseShell is the shell of this user in /etc/passwd, where there is one.
func databaseShell() string {
	text, err := os.ReadFile("/etc/passwd")
	if err != nil {
		return ""
	}
	return passwdShell(string(text), os.Getuid())
}
