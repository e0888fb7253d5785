package tty

import "golang.org/x/sys/unix"

const (
	ioctlGet      = unix.TCGETS
	ioctlSetDrain = unix.TCSETSW
	ioctlSetFlush = unix.TCSETSF
)
