//go:build linux

package netns_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/termio-sh/termio/internal/testkit/netns"
)

func TestMain(m *testing.M) { os.Exit(netns.Main(m)) }

// open is a namespace whose leftovers the test looks at itself.
func open(t *testing.T) *netns.Namespace {
	t.Helper()
	n, err := netns.Open()
	if errors.Is(err, unix.EPERM) {
		t.Skipf("skipped: this machine allows no network namespace: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.Close() })
	return n
}

func TestSealed(t *testing.T) {
	t.Parallel()
	n := netns.New(t)
	cmd := exec.Command("sh", "-c", `tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '; wc -l < /proc/net/route`)
	var out strings.Builder
	cmd.Stdout = &out
	if err := n.Start(cmd); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	// The one line of the route table is its heading.
	if got, want := strings.Fields(out.String()), "lo 1"; strings.Join(got, " ") != want {
		t.Errorf("a program inside sees interfaces and routes %q, want %q", got, want)
	}
}

func TestListenerIsInsideOnly(t *testing.T) {
	t.Parallel()
	n := netns.New(t)
	l, err := n.Listen()
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		if c, err := l.Accept(); err == nil {
			c.Write([]byte("inside"))
			c.Close()
		}
	}()
	if c, err := net.Dial("tcp", l.Addr().String()); err == nil {
		c.Close()
		t.Error("the listener is reached from outside")
	}
	c, err := n.Dial(context.Background(), l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if b, err := io.ReadAll(c); err != nil || string(b) != "inside" {
		t.Errorf("from inside: %q, %v", b, err)
	}
}

// A process that left its group, its session, its parent, its environment or
// its network is still found, killed, and told of.
func TestLeftoversAreKilled(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"child":            `sleep 600 & echo $!; exit`,
		"session":          `setsid sh -c 'echo $$; exec sleep 600' & wait`,
		"no environment":   `env -i setsid sh -c 'echo $$; exec sleep 600' & wait`,
		"another network":  `unshare -n sh -c 'echo $$; exec sleep 600' & wait`,
		"orphan":           `setsid sh -c '(env -i sh -c "echo \$\$; exec sleep 600" &)'`,
		"marked orphan":    `setsid sh -c '(unshare -n sh -c "echo \$\$; exec sleep 600" &)'`,
		"neither, a child": `env -i unshare -n sh -c 'echo $$; exec sleep 600' & wait`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := open(t)
			cmd := exec.Command("sh", "-c", script)
			pipe, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := n.Start(cmd); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(pipe).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(line))
			if err != nil {
				t.Fatal(err)
			}
			killed, err := n.Kill()
			if err != nil {
				t.Fatal(err)
			}
			cmd.Wait()
			found := false
			for _, p := range killed {
				found = found || p.PID == pid
			}
			if !found {
				t.Errorf("process %d is not among the killed: %v", pid, killed)
			}
			if err := syscall.Kill(pid, 0); err == nil && !zombie(pid) {
				t.Errorf("process %d is still there", pid)
			}
		})
	}
}

// zombie tells a dead process that nobody has collected from a live one.
func zombie(pid int) bool {
	stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return strings.Contains(string(stat), ") Z ")
}

func TestNothingLeftWhenAllEnded(t *testing.T) {
	t.Parallel()
	n := open(t)
	cmd := exec.Command("true")
	if err := n.Start(cmd); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	left, err := n.Close()
	if err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
