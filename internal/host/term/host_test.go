//go:build unix

package term

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/host"
	"github.com/termio-sh/termio/internal/hostproto"
)

// hostEnv makes the test binary a host, so that tests use real ones.
const hostEnv = "TERMIO_TEST_AS_HOST"

func TestMain(m *testing.M) {
	if os.Getenv(hostEnv) != "" {
		os.Unsetenv(hostEnv)
		os.Exit(Main(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// patience bounds every wait of a test; none should come near it.
const patience = 20 * time.Second

func testContext(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	t.Cleanup(cancel)
	return ctx
}

// testSpec is a session that runs command in /bin/sh, as a plain terminal.
func testSpec(t testing.TB, command string) hostproto.Spec {
	dir, err := os.MkdirTemp("", "termio") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		t.Fatal(err)
	}
	return hostproto.Spec{
		SessionDir: filepath.Join(dir, "session"),
		Env:        []string{"PATH=" + os.Getenv("PATH"), "HOME=" + work, "TERM=xterm-256color", "LANG=C.UTF-8", "PS1=$ ", "ENV="},
		Record: hostproto.Record{
			ID: "00000000-0000-4000-8000-000000000000", Agent: "terminal", AgentName: "Terminal",
			Dir: work, Command: command, Shell: "/bin/sh", Socket: filepath.Join(dir, "s.sock"),
			Size: hostproto.Size{Cols: 80, Rows: 24},
		},
	}
}

// testHost is a host process of a test.
type testHost struct {
	t       testing.TB
	spec    hostproto.Spec
	cmd     *exec.Cmd
	started hostproto.Started
	gone    chan struct{}
}

// launch starts a host and takes its answer, whatever it is.
func launch(t testing.TB, spec hostproto.Spec) *testHost {
	t.Helper()
	in, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	h := &testHost{t: t, spec: spec, cmd: exec.Command(os.Args[0]), gone: make(chan struct{})}
	h.cmd.Env = append(os.Environ(), hostEnv+"=1")
	h.cmd.Stdin = strings.NewReader(string(in))
	h.cmd.Stderr = os.Stderr
	h.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		t.Fatalf("the host did not answer: %v", err)
	}
	if err := json.Unmarshal(line, &h.started); err != nil {
		t.Fatal(err)
	}
	go func() { h.cmd.Wait(); close(h.gone) }()
	t.Cleanup(func() {
		h.cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-h.gone:
		case <-time.After(patience):
			h.cmd.Process.Kill()
			<-h.gone
			t.Error("the host did not end on SIGTERM")
		}
		log, _ := os.ReadFile(filepath.Join(spec.SessionDir, host.LogName))
		if defect := strings.Contains(string(log), "DATA RACE") || strings.Contains(string(log), "defect") ||
			strings.Contains(string(log), "panic"); defect || t.Failed() && len(log) > 0 {
			t.Errorf("the host's log:\n%s", log)
		}
	})
	return h
}

// startHost starts a host whose program must run.
func startHost(t testing.TB, spec hostproto.Spec) *testHost {
	t.Helper()
	h := launch(t, spec)
	if !h.started.OK {
		t.Fatalf("the host did not start: %v", h.started.Error)
	}
	return h
}

// dial connects to the host.
func (h *testHost) dial(hello hostproto.Hello) *hostproto.Client {
	h.t.Helper()
	c, err := hostproto.Dial(testContext(h.t), h.spec.Record.Socket, hello)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { c.Close() })
	return c
}

func (h *testHost) control() *hostproto.Client {
	h.t.Helper()
	return h.dial(hostproto.Hello{Role: hostproto.RoleControl})
}

func call[T any](t testing.TB, c *hostproto.Client, op string, body any) T {
	t.Helper()
	var out T
	if err := c.Call(testContext(t), op, body, &out); err != nil {
		t.Fatalf("%s: %v", op, err)
	}
	return out
}

// waitScreen asks for the screen until it satisfies ok.
func waitScreen(t testing.TB, c *hostproto.Client, what string, ok func(string) bool) string {
	t.Helper()
	var text string
	waitFor(t, func() string { return fmt.Sprintf("%s; the screen is:\n%s", what, text) }, func() bool {
		text = call[hostproto.Screen](t, c, hostproto.OpScreen, hostproto.ScreenRequest{}).Text
		return ok(text)
	})
	return text
}

func contains(part string) func(string) bool {
	return func(s string) bool { return strings.Contains(s, part) }
}

// waitFor polls a condition of another process.
func waitFor(t testing.TB, what func() string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what())
		}
	}
}

func (h *testHost) waitGone() {
	h.t.Helper()
	select {
	case <-h.gone:
	case <-time.After(patience):
		h.t.Fatal("the host did not go")
	}
}

func TestShellInfoScreenSendClose(t *testing.T) {
	h := startHost(t, testSpec(t, ""))
	c := h.control()
	info := call[hostproto.Info](t, c, hostproto.OpInfo, nil)
	if info.Record.HostPID != h.cmd.Process.Pid || info.Record.ChildPID == 0 || info.Size.Cols != 80 {
		t.Errorf("info %+v", info)
	}
	reply := call[hostproto.SendReply](t, c, hostproto.OpSend, hostproto.SendRequest{Text: "echo he''llo", Enter: true})
	if reply.Bytes != len("echo he''llo") || !reply.Verified || reply.Retried {
		t.Errorf("send: %+v", reply)
	}
	waitScreen(t, c, "the command's output", contains("\nhello"))
	closed := call[hostproto.Closed](t, c, hostproto.OpClose, hostproto.CloseRequest{})
	if closed.Reason != hostproto.ReasonUser {
		t.Errorf("closed %+v", closed)
	}
	h.waitGone()
	var rec hostproto.Record
	data, err := os.ReadFile(filepath.Join(h.spec.SessionDir, "record.json"))
	if err != nil || json.Unmarshal(data, &rec) != nil || rec.Closed == nil || rec.Closed.Reason != hostproto.ReasonUser {
		t.Errorf("record %s, %v", data, err)
	}
	if _, err := os.Stat(h.spec.Record.Socket); !os.IsNotExist(err) {
		t.Errorf("the socket is still there: %v", err)
	}
}
