//go:build unix

package resume

import "syscall"

// errNotDir is what a path below a file fails with.
var errNotDir error = syscall.ENOTDIR
