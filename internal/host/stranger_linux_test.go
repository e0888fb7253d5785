package host

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/termio-sh/termio/internal/hostproto"
)

const strangerEnv = "TERMIO_TEST_STRANGER"

// TestStrangerIsRefused connects as another user, past the permissions of the
// socket and its folder, which would have been enough.
func TestStrangerIsRefused(t *testing.T) {
	if path := os.Getenv(strangerEnv); path != "" {
		beStranger(t, path)
		return
	}
	if os.Getuid() != 0 {
		t.Skip("only root can be somebody else")
	}
	_, path := serve(t)
	for _, p := range []string{filepath.Dir(path), path} {
		if err := os.Chmod(p, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(filepath.Dir(path), "stranger") // where another user can run it
	if err := os.WriteFile(bin, self, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, "-test.run=TestStrangerIsRefused", "-test.v")
	cmd.Env, cmd.Dir = append(os.Environ(), strangerEnv+"="+path), "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "refused: ") {
		t.Errorf("%v\n%s", err, out)
	}
}

func beStranger(t *testing.T, path string) {
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = hostproto.NewClient(t.Context(), conn, hostproto.Hello{Role: hostproto.RoleControl})
	var refusal *hostproto.Error
	if err == nil || errors.As(err, &refusal) && !strings.Contains(refusal.Message, "uid 65534") {
		t.Fatalf("a stranger was let in: %v", err)
	}
	t.Logf("refused: %v", err)
}
