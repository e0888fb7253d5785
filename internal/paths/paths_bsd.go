//go:build unix && !linux

package paths

// MaxSocketPath is the longest path of a unix socket, in bytes: sun_path
// without its final zero.
const MaxSocketPath = 103

// runtimeDirs are the candidates for the user's runtime directory.
func runtimeDirs(env string) []string { return []string{env} }
