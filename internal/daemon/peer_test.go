//go:build linux

package daemon

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestAnotherUserIsTurnedAway opens every door on the way to the socket, so
// that only the check of the peer is left.
func TestAnotherUserIsTurnedAway(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be another user")
	}
	const python = "/usr/bin/python3" // one that another user may run
	if _, err := os.Stat(python); err != nil {
		t.Skip(python + " is not installed")
	}
	dir, err := os.MkdirTemp("", "tp")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "s")
	sock, err := listen(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{dir: 0o755, path: 0o666} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("secret")) })}
	go server.Serve(sock)
	defer server.Close()
	ask := func(uid uint32) string {
		cmd := exec.Command(python, "-c", `
import socket, sys
s = socket.socket(socket.AF_UNIX)
try:
    s.connect(sys.argv[1])
    s.sendall(b"GET / HTTP/1.0\r\n\r\n")
    while True:
        b = s.recv(4096)
        if not b: break
        sys.stdout.write(b.decode())
except OSError as e:
    sys.stdout.write("refused: %s" % e)
`, path)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	if got := ask(0); !strings.Contains(got, "secret") {
		t.Fatalf("the same user got %q", got)
	}
	if got := ask(65534); strings.Contains(got, "secret") {
		t.Errorf("another user got %q", got)
	}
}

func TestSocketIsClosedToOthers(t *testing.T) {
	h := newHome(t)
	h.daemonPID()
	target := h.run("true")
	for path, want := range map[string]os.FileMode{
		h.layout.DaemonSocket(): 0o600, h.layout.Run: 0o700, h.layout.Home: 0o700, h.layout.Projects(): 0o600,
		filepath.Join(h.layout.SessionDir(strings.TrimPrefix(target, "termio://session/")), tokenName): 0o600,
		filepath.Join(h.layout.LogsDir(), LogName):                                                     0o600,
	} {
		if st, err := os.Stat(path); err != nil || st.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %v", path, st, err, want)
		}
	}
}

func TestLiveSocketIsNotStolen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	first, err := listen(path)
	if err != nil {
		t.Fatal(err)
	}
	if second, err := listen(path); err == nil {
		second.Close()
		t.Fatal("a live socket was stolen")
	}
	if !first.current() {
		t.Error("the attempt removed the socket")
	}
	first.Close() // as a process that died: the file stays
	if _, err := os.Lstat(path); err != nil {
		t.Fatal(err)
	}
	third, err := listen(path)
	if err != nil {
		t.Fatalf("a stale socket is in the way: %v", err)
	}
	defer third.Close()
	first.remove()
	if !third.current() {
		t.Error("a listener that ended removed its successor's socket")
	}
}
