//go:build dragonfly || freebsd || netbsd || openbsd

package term

import (
	"syscall"

	"golang.org/x/sys/unix"
)

func becomeSubreaper() error { return nil }

func dup(from, to int) error { return unix.Dup2(from, to) }

// process is a process group here: the walk of children is not written for
// this system.
type process struct{ pid int }

// descendants is the foreground process group of the terminal.
func descendants(tty *pty) []process {
	pgrp, err := unix.IoctlGetInt(int(tty.file.Fd()), unix.TIOCGPGRP)
	if err != nil || pgrp <= 1 || syscall.Kill(-pgrp, 0) != nil {
		return nil
	}
	return []process{{pid: pgrp}}
}

// lineage is not known on this system: every report counts.
func lineage(int) []relative { return nil }

func running(process) bool { return false }

func (p process) kill(sig syscall.Signal) error { return syscall.Kill(-p.pid, sig) }
