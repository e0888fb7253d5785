package netns

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// markVar is the environment variable that marks a namespace's processes.
const markVar = "TERMIO_TEST_NETNS"

// grace is how long processes have, at the end of a test, to finish leaving.
const grace = 15 * time.Second

// A Namespace is one network namespace. It lives until Close.
type Namespace struct {
	file  *os.File // keeps the namespace alive, and is the way into it
	inode uint64
}

// New makes a namespace for the test, proves that nothing outside can be
// reached from it, and sees to its end: processes left over fail the test. It
// skips the test where the machine does not allow namespaces.
func New(t testing.TB) *Namespace {
	t.Helper()
	n, err := Open()
	if errors.Is(err, unix.EPERM) {
		t.Skipf("skipped: this machine allows no network namespace (needs root or user namespaces): %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		left, err := n.Close()
		if err != nil {
			t.Errorf("end the network namespace: %v", err)
		}
		for _, p := range left {
			t.Errorf("a process was left behind (killed now): %s", p)
		}
	})
	if err := n.Prove(); err != nil {
		t.Fatal(err)
	}
	return n
}

// Open makes a namespace with its loopback up. The error is EPERM where the
// machine does not allow it.
func Open() (*Namespace, error) {
	n := &Namespace{}
	done := make(chan error, 1)
	go func() {
		// The thread is never unlocked: it ends with the goroutine, so that
		// no other code runs inside the namespace by accident.
		runtime.LockOSThread()
		done <- n.create()
	}()
	if err := <-done; err != nil {
		return nil, fmt.Errorf("make a network namespace: %w", err)
	}
	return n, nil
}

func (n *Namespace) create() error {
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return err
	}
	f, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		return err
	}
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		f.Close()
		return err
	}
	if err := raiseLoopback(); err != nil {
		f.Close()
		return fmt.Errorf("raise the loopback: %w", err)
	}
	n.file, n.inode = f, st.Ino
	return nil
}

func raiseLoopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	if err := unix.IoctlIfreq(fd, unix.SIOCGIFFLAGS, lo); err != nil {
		return err
	}
	lo.SetUint16(lo.Uint16() | unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo)
}

// Do runs f on a thread that is inside the namespace. Goroutines that f starts
// are outside; a socket that f makes stays inside, whoever uses it.
func (n *Namespace) Do(f func() error) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		home, err := os.Open("/proc/thread-self/ns/net")
		if err != nil {
			done <- err
			return
		}
		defer home.Close()
		if err := unix.Setns(int(n.file.Fd()), unix.CLONE_NEWNET); err != nil {
			done <- fmt.Errorf("enter the network namespace: %w", err)
			return
		}
		err = f()
		// Going home rather than ending the thread keeps alive what a child
		// of this thread may have tied to it. If home is lost, the thread
		// stays locked and ends here.
		if unix.Setns(int(home.Fd()), unix.CLONE_NEWNET) == nil {
			runtime.UnlockOSThread()
		}
		done <- err
	}()
	return <-done
}

// Listen returns a listener on a free port of the namespace's loopback. It is
// used like any other.
func (n *Namespace) Listen() (net.Listener, error) {
	var l net.Listener
	err := n.Do(func() (err error) {
		l, err = net.Listen("tcp4", "127.0.0.1:0")
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("listen in the network namespace: %w", err)
	}
	return l, nil
}

// Dial connects, from inside, to an address that is a literal IP and a port.
func (n *Namespace) Dial(ctx context.Context, addr string) (net.Conn, error) {
	var c net.Conn
	err := n.Do(func() (err error) {
		c, err = new(net.Dialer).DialContext(ctx, "tcp", addr)
		return err
	})
	return c, err
}

// Start starts cmd inside the namespace, with the namespace's mark in its
// environment.
func (n *Namespace) Start(cmd *exec.Cmd) error {
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(slices.Clip(cmd.Env), markVar+"="+n.mark())
	return n.Do(cmd.Start)
}

// mark tells this namespace's processes from those of every other one, of
// other test processes too.
func (n *Namespace) mark() string {
	return strconv.Itoa(os.Getpid()) + "-" + strconv.FormatUint(n.inode, 10)
}

// Prove checks from inside that the loopback is the only interface, that it
// works, and that every way out is refused at once.
func (n *Namespace) Prove() error {
	return n.Do(func() error {
		ifs, err := net.Interfaces()
		if err != nil {
			return fmt.Errorf("list the namespace's interfaces: %w", err)
		}
		if len(ifs) != 1 || ifs[0].Flags&net.FlagLoopback == 0 || ifs[0].Flags&net.FlagUp == 0 {
			return fmt.Errorf("the namespace is not sealed: its interfaces are %v", ifs)
		}
		for _, addr := range []string{"192.0.2.1:443", "[2001:db8::1]:443"} {
			if err := unreachable(addr); err != nil {
				return err
			}
		}
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			return fmt.Errorf("the namespace's loopback does not work: %w", err)
		}
		defer l.Close()
		c, err := net.DialTimeout("tcp", l.Addr().String(), time.Second)
		if err != nil {
			return fmt.Errorf("the namespace's loopback does not work: %w", err)
		}
		return c.Close()
	})
}

// unreachable fails unless the kernel refuses a connection to addr by itself,
// before anything was sent.
func unreachable(addr string) error {
	c, err := net.DialTimeout("tcp", addr, time.Second)
	if err == nil {
		c.Close()
		return fmt.Errorf("the namespace is not sealed: %s answered", addr)
	}
	for _, refused := range []error{unix.ENETUNREACH, unix.EADDRNOTAVAIL, unix.EAFNOSUPPORT} {
		if errors.Is(err, refused) {
			return nil
		}
	}
	return fmt.Errorf("the namespace is not sealed: connecting to %s was not refused at once: %w", addr, err)
}

// Close waits a little for the namespace's processes to leave, kills those
// that stay and returns them.
func (n *Namespace) Close() ([]Process, error) {
	defer n.file.Close()
	if _, err := n.awaitGone(time.Now().Add(grace)); err != nil {
		return nil, err
	}
	return n.Kill()
}
