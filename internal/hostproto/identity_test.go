//go:build linux || darwin

package hostproto

import (
	"errors"
	"os"
	"os/exec"
	"testing"
)

func TestProcessStamp(t *testing.T) {
	mine, err := ProcessStamp(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if again, err := ProcessStamp(os.Getpid()); err != nil || again != mine {
		t.Errorf("it changed: %q, %v", again, err)
	}
	if Gone(os.Getpid(), mine) || Gone(os.Getpid(), "") {
		t.Error("this process is gone")
	}
	if !Gone(os.Getpid(), "another boot:1") {
		t.Error("a reused number passed for the process")
	}

	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stamp, err := ProcessStamp(cmd.Process.Pid)
	if err != nil || Gone(cmd.Process.Pid, stamp) {
		t.Errorf("a live child: %q, %v", stamp, err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	if _, err := ProcessStamp(cmd.Process.Pid); !errors.Is(err, ErrGone) || !Gone(cmd.Process.Pid, stamp) {
		t.Errorf("a dead child: %v", err)
	}
}
