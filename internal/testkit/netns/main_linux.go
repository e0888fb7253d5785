package netns

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
)

// reexecVar keeps a test binary from starting itself again and again.
const reexecVar = "TERMIO_TEST_USERNS"

// Main is for TestMain: os.Exit(netns.Main(m)). For root it only runs the
// tests. For another user it runs them in a user namespace in which that user
// is root, so that New works; where that is refused it runs them as they are,
// and New skips.
func Main(m *testing.M) int {
	if os.Geteuid() == 0 || os.Getenv(reexecVar) != "" {
		return m.Run()
	}
	cmd := exec.Command("/proc/self/exe", os.Args[1:]...)
	cmd.Env = append(os.Environ(), reexecVar+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}},
	}
	if err := cmd.Start(); err != nil {
		return m.Run()
	}
	// An interrupt at the terminal reaches the child by itself; this process
	// has only to outlive it.
	signal.Ignore(os.Interrupt)
	if err := cmd.Wait(); err != nil {
		if code := cmd.ProcessState.ExitCode(); code > 0 {
			return code
		}
		fmt.Fprintln(os.Stderr, "run the tests in a user namespace:", err)
		return 1
	}
	return 0
}
