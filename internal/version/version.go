// Package version says which release of the program this is.
package version

// Version is the release, as in "0.1.0". Builds set it with
// -ldflags "-X github.com/termio-sh/termio/internal/version.Version=…".
var Version = "0.1.0"
