//go:build !linux

package tty

import "os"

// Reopen fails: not everywhere can a non-blocking terminal be waited for.
func Reopen(*os.File) (*os.File, error) { return nil, ErrUnsupported }
