package process

import (
	"bytes"
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// States of a process, from sys/proc.h.
const (
	stateStopped = 4
	stateZombie  = 5
)

// At is the process of that id.
func At(pid int) Someone {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid || k.Proc.P_stat == stateZombie {
		return Someone{Process: Process{PID: pid}}
	}
	return Someone{Process: Process{PID: pid, started: k.Proc.P_starttime.Nano()}, Argv: argsOf(pid)}
}

// argsOf reads an argument vector: a count, the program's path, zeros, and that
// many texts.
func argsOf(pid int) []string {
	data, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(data) < 4 {
		return nil
	}
	count, rest := int(binary.NativeEndian.Uint32(data)), data[4:]
	end := bytes.IndexByte(rest, 0)
	if end < 0 {
		return nil
	}
	args := splitArgs(bytes.TrimLeft(rest[end:], "\x00"))
	return args[:min(max(count, 0), len(args))]
}

// Members are the processes of a group but for its leader.
func Members(group int) (out []Someone) {
	list, err := unix.SysctlKinfoProcSlice("kern.proc.pgrp", group)
	if err != nil {
		return nil
	}
	for _, k := range list {
		if pid := int(k.Proc.P_pid); pid != group {
			out = append(out, At(pid))
		}
	}
	return out
}

// GoesOn tells whether a process runs and is not stopped.
func GoesOn(p Process) bool {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", p.PID)
	return err == nil && k.Proc.P_starttime.Nano() == p.started && k.Proc.P_stat != stateStopped && k.Proc.P_stat != stateZombie
}
