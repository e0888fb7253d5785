package process

import (
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"
)

func TestArguments(t *testing.T) {
	me := At(os.Getpid())
	if !slices.Equal(me.Argv, os.Args) || !GoesOn(me.Process) || !Running(me.Process) {
		t.Errorf("%+v", me)
	}
	cmd := exec.Command("/bin/sh", "-c", "sleep 100; :", "a", "", "b c")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	await := func(what string, ok func() bool) {
		t.Helper()
		for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("never: " + what)
			}
		}
	}
	var sh Someone
	await("the shell runs", func() bool {
		sh = At(cmd.Process.Pid)
		return slices.Equal(sh.Argv, []string{"/bin/sh", "-c", "sleep 100; :", "a", "", "b c"})
	})
	await("its child is in its group", func() bool {
		m := Members(cmd.Process.Pid)
		return len(m) == 1 && slices.Equal(m[0].Argv, []string{"sleep", "100"})
	})
	syscall.Kill(cmd.Process.Pid, syscall.SIGSTOP)
	await("it is stopped", func() bool { return !GoesOn(sh.Process) })
	if !Running(sh.Process) {
		t.Error("one that is stopped has ended")
	}
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	cmd.Wait()
	if gone := At(cmd.Process.Pid); len(gone.Argv) > 0 || GoesOn(sh.Process) {
		t.Errorf("after its end: %+v", gone)
	}
}

func BenchmarkAt(b *testing.B) {
	for b.Loop() {
		At(os.Getpid())
	}
}
