//go:build dragonfly || freebsd || netbsd || openbsd

package process

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func BecomeSubreaper() error { return nil }

func dup(from, to int) error { return unix.Dup2(from, to) }

// Process is a process group here: the walk of children is not written for
// this system.
type Process struct{ PID int }

// Descendants is the foreground process group of the terminal.
func Descendants(tty *os.File) []Process {
	if tty == nil {
		return nil
	}
	pgrp, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	if err != nil || pgrp <= 1 || syscall.Kill(-pgrp, 0) != nil {
		return nil
	}
	return []Process{{PID: pgrp}}
}

// Lineage is not known on this system: every report counts.
func Lineage(int) []Relative { return nil }

func Running(Process) bool { return false }

func (p Process) Kill(sig syscall.Signal) error { return syscall.Kill(-p.PID, sig) }
