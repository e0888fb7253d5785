//go:build unix

package scriptagent

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// spawn starts a child that does nothing, in one of these ways:
//
//	child     in the agent's own process group
//	group     in a group of its own
//	session   in a session of its own
//	orphan    in a session of its own, its parent gone
//	ignoring  in a session of its own, deaf to HUP, TERM and INT
func (a *agent) spawn(kind string) {
	self, err := os.Executable()
	if err != nil {
		a.print("spawn: " + err.Error())
		return
	}
	cmd := exec.Command(self, "-child", "-life", a.o.life.String())
	switch kind {
	case "child":
	case "group":
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	case "session":
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	case "orphan":
		// The shell prints the child's id and ends, which leaves the child.
		cmd = exec.Command("sh", "-c", `"$0" "$@" </dev/null >/dev/null 2>&1 & echo $!`, self, "-child", "-life", a.o.life.String())
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	case "ignoring":
		cmd.Args = append(cmd.Args, "-ignore", "hup,term,int")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	default:
		a.turn.answer = "no child is of the kind " + kind
		return
	}
	cmd.Env = withoutAgent(os.Environ())
	pid := 0
	if kind == "orphan" {
		out, err := cmd.Output()
		if err != nil {
			a.print("spawn: " + err.Error())
			return
		}
		fmt.Sscan(string(out), &pid)
	} else {
		if err := cmd.Start(); err != nil {
			a.print("spawn: " + err.Error())
			return
		}
		pid = cmd.Process.Pid
		go cmd.Wait()
	}
	a.turn.answer = fmt.Sprintf("spawned %s %d", kind, pid)
	if err := a.notePID(kind, pid); err != nil {
		a.print("spawn: " + err.Error())
	}
}

// withoutAgent drops the variable that would give the child a temper.
func withoutAgent(env []string) []string { return append(env, "SCRIPTAGENT=") }

func (a *agent) notePID(kind string, pid int) error {
	if a.o.PIDs == "" {
		return nil
	}
	f, err := os.OpenFile(a.o.PIDs, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("note a process id: %w", err)
	}
	defer f.Close()
	_, err = fmt.Fprintf(f, "%s %d\n", kind, pid)
	return err
}
