package discover

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestHolders: who has a file open to write is found, and where it comes from;
// who only reads it is not in it.
func TestHolders(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "log")
	write(t, path, "")
	for script, held := range map[string]bool{`exec 3>>log; echo; read x`: true, `exec 3<log; echo; read x`: false} {
		cmd := exec.Command("sh", "-c", script)
		cmd.Dir = dir
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		stop := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
		out.Read(make([]byte, 1)) // it has opened the file
		lines := Holders([]string{path})[path]
		if (len(lines) > 0) != held {
			t.Errorf("%s: %v", script, lines)
		}
		if held && (lines[0][0] != cmd.Process.Pid || lines[0][1] != os.Getpid()) {
			t.Errorf("it comes from %v, want %d of %d", lines[0], cmd.Process.Pid, os.Getpid())
		}
		in.Close()
		cmd.Wait()
		stop.Stop()
	}
}
