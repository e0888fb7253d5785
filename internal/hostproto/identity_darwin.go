package hostproto

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// zombie is SZOMB of <sys/proc.h>.
const zombie = 5

func processStamp(pid int) (string, error) {
	// Not kern.boottime, which moves whenever the clock is set.
	boot, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return "", fmt.Errorf("read the boot id: %w", err)
	}
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || p.Proc.P_pid != int32(pid) {
		if e := unix.Kill(pid, 0); e == unix.ESRCH {
			return "", ErrGone
		}
		return "", fmt.Errorf("read process %d: %w", pid, err)
	}
	if p.Proc.P_stat == zombie {
		return "", ErrGone
	}
	return fmt.Sprintf("%s/%d.%06d", boot, p.Proc.P_starttime.Sec, p.Proc.P_starttime.Usec), nil
}
