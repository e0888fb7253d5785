package process

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// BecomeSubreaper does nothing: this system has no subreapers. Orphans are
// found by their controlling terminal.
func BecomeSubreaper() error { return nil }

func dup(from, to int) error { return unix.Dup2(from, to) }

// Process is one running process; started tells two with one id apart.
type Process struct {
	PID     int
	started int64
}

// Descendants are the running processes below this one, and those that have
// the session's terminal as their controlling one.
func Descendants(tty *os.File) []Process {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil
	}
	dev := int32(-1)
	if tty != nil {
		if st, err := tty.Stat(); err == nil {
			if sys, ok := st.Sys().(*syscall.Stat_t); ok {
				dev = sys.Rdev
			}
		}
	}
	me := os.Getpid()
	ours := map[int32]bool{int32(me): true}
	var out []Process
	for grown := true; grown; {
		grown = false
		for _, k := range all {
			pid := k.Proc.P_pid
			if ours[pid] || pid <= 1 || k.Proc.P_stat == 5 { // SZOMB
				continue
			}
			// The master's minor number is that of its slave.
			onTTY := dev >= 0 && k.Eproc.Tdev > 0 && unix.Minor(uint64(k.Eproc.Tdev)) == unix.Minor(uint64(dev))
			if (ours[k.Eproc.Ppid] || onTTY) && !IsOurs(int(pid)) {
				ours[pid], grown = true, true
				out = append(out, Process{PID: int(pid), started: k.Proc.P_starttime.Nano()})
			}
		}
	}
	return out
}

// maxLineage bounds a walk upwards.
const maxLineage = 64

// Lineage is a process and its ancestors below this one, nearest first.
func Lineage(pid int) (line []Relative) {
	me := os.Getpid()
	for pid > 1 && pid != me && len(line) < maxLineage {
		k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
		if err != nil || int(k.Proc.P_pid) != pid {
			return line
		}
		line = append(line, Relative{
			Process: Process{PID: pid, started: k.Proc.P_starttime.Nano()},
			Name:    unix.ByteSliceToString(k.Proc.P_comm[:]),
		})
		pid = int(k.Eproc.Ppid)
	}
	return line
}

// Running tells whether a process has not ended.
func Running(p Process) bool {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", p.PID)
	return err == nil && k.Proc.P_starttime.Nano() == p.started
}

// Kill sends a signal to this process, unless its id is another's by now.
func (p Process) Kill(sig syscall.Signal) error {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", p.PID)
	if err != nil || k.Proc.P_starttime.Nano() != p.started {
		return syscall.ESRCH
	}
	return syscall.Kill(p.PID, sig)
}
