//go:build unix

package acpagent

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// leaveChild starts a process in a session of its own, that nobody waits for.
func leaveChild(note string) {
	cmd := exec.Command("sleep", "1000")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Stdout = os.Stdout // it holds the pipe
	if cmd.Start() == nil {
		os.WriteFile(note, []byte(strconv.Itoa(cmd.Process.Pid)), 0o600)
	}
}
