package process

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// At is the process of that id.
func At(pid int) Someone {
	_, p, ok := readStat(pid)
	if !ok {
		return Someone{Process: Process{PID: pid}}
	}
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil {
		return Someone{Process: p}
	}
	return Someone{Process: p, Argv: splitArgs(data)}
}

// Members are the processes of a group but for its leader.
func Members(group int) (out []Someone) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == group {
			continue
		}
		if g, err := unix.Getpgid(pid); err == nil && g == group {
			out = append(out, At(pid))
		}
	}
	return out
}

// GoesOn tells whether a process runs and is not stopped.
func GoesOn(p Process) bool {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(p.PID) + "/stat")
	if err != nil {
		return false
	}
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	return len(fields) >= 20 && string(fields[19]) == p.started && !bytes.ContainsAny(fields[0], "ZXTt")
}
