//go:build !unix

package nowait

import "syscall"

const supported = false

func read(uintptr, []byte, bool) (int, error)  { return 0, syscall.ENOSYS }
func write(uintptr, []byte, bool) (int, error) { return 0, nil }
func nonblocking(syscall.RawConn) bool         { return false }
