//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package term

import "golang.org/x/sys/unix"

// foregroundGroup is the process group in the terminal's foreground; 0 when
// that is not known.
func (p *pty) foregroundGroup() int {
	group, err := unix.IoctlGetInt(int(p.file.Fd()), unix.TIOCGPGRP)
	if err != nil {
		return 0
	}
	return group
}
