package term

import "golang.org/x/sys/unix"

// foregroundGroup is the process group in the terminal's foreground; 0 when
// that is not known.
func (p *pty) foregroundGroup() (group int) {
	p.raw.Control(func(fd uintptr) {
		if g, err := unix.IoctlGetInt(int(fd), unix.TIOCGPGRP); err == nil {
			group = g
		}
	})
	return group
}
