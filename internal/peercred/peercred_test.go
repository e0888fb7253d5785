//go:build unix

package peercred

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"
)

// Other users are tried where the sockets are: internal/host, internal/daemon.
func TestCheck(t *testing.T) {
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Skip(err) // the folder's path may be too long
	}
	defer l.Close()
	c, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	peer, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(peer); err != nil {
		t.Errorf("the same user: %v", err)
	}
	if pid := PID(peer); runtime.GOOS == "linux" && pid != os.Getpid() || pid != 0 && pid != os.Getpid() {
		t.Errorf("process %d called", pid)
	}
	if line := Ancestors(PID(c)); runtime.GOOS == "linux" && len(line) != 0 {
		t.Errorf("this process is above itself: %v", line)
	}
	if line := Ancestors(os.Getppid()); runtime.GOOS == "linux" && (len(line) == 0 || line[0] != os.Getppid()) {
		t.Errorf("the parent's line: %v", line)
	}
	child := exec.Command("sh", "-c", "sleep 100 & echo $!; wait")
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer child.Wait()
	defer child.Process.Kill()
	var grandchild int
	if _, err := fmt.Fscan(out, &grandchild); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(grandchild, syscall.SIGKILL)
	if line := Ancestors(grandchild); runtime.GOOS == "linux" && !slices.Equal(line, []int{grandchild, child.Process.Pid}) {
		t.Errorf("the line of %d is %v, want it and %d", grandchild, line, child.Process.Pid)
	}
	peer.Close()
	if pid := PID(peer); pid != 0 {
		t.Errorf("process %d called on a closed connection", pid)
	}
	if err := Check(peer); err == nil {
		t.Error("a closed connection is let in")
	}
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	if err := Check(a); err == nil {
		t.Error("a pipe is let in")
	}
}

func BenchmarkAncestors(b *testing.B) {
	for b.Loop() {
		Ancestors(os.Getppid())
	}
}
