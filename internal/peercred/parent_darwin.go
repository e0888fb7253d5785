package peercred

import "golang.org/x/sys/unix"

func parentOf(pid int) (int, bool) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid {
		return 0, false
	}
	return int(k.Eproc.Ppid), true
}
