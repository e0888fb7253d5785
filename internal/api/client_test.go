//go:build unix

package api

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/termio-sh/termio/internal/paths"
)

// TestMain is also the programs that a client starts as a coordinator.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 {
		switch os.Args[1] {
		case "fails":
			os.Stderr.WriteString("the disk is full\n")
			os.Exit(3)
		case "hangs":
			os.Stderr.WriteString("still thinking\n")
			time.Sleep(time.Minute)
			os.Exit(0)
		}
	}
	goleak.VerifyTestMain(m)
}

func layout(t *testing.T) paths.Layout {
	t.Helper()
	dir, err := os.MkdirTemp("", "ta")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return paths.Layout{Home: dir, Run: filepath.Join(dir, "run")}
}

func client(t *testing.T, o ClientOptions) *Client {
	t.Helper()
	c, err := NewClient(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// serve answers on the coordinator's socket until the test ends.
func serve(t *testing.T, l paths.Layout, h http.HandlerFunc) *http.Server {
	t.Helper()
	if err := l.Prepare(); err != nil {
		t.Fatal(err)
	}
	sock, err := net.Listen("unix", l.DaemonSocket())
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: h}
	go s.Serve(sock)
	t.Cleanup(func() { s.Close() })
	return s
}

func expect(t *testing.T, err error, code Code, says ...string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("got %v, want %s", err, code)
	}
	for _, s := range says {
		if !strings.Contains(e.Message, s) {
			t.Errorf("it does not say %q: %s", s, e.Message)
		}
	}
}

func TestClientDecodes(t *testing.T) {
	l := layout(t)
	answer := atomic.Value{}
	status := atomic.Int64{}
	serve(t, l, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/sessions/list" || r.Method != http.MethodPost {
			t.Errorf("called %s %s", r.Method, r.URL.Path)
		}
		w.WriteHeader(int(status.Load()))
		w.Write([]byte(answer.Load().(string)))
	})
	call := func(code int, text string) (ListReply, error) {
		status.Store(int64(code))
		answer.Store(text)
		return client(t, ClientOptions{Layout: l}).List(t.Context(), ListRequest{})
	}
	r, err := call(200, `{"ok":true,"schema_version":1,"project":"p","sessions":[],"later":1}`)
	if err != nil || r.Project != "p" {
		t.Errorf("got %+v, %v", r, err)
	}
	_, err = call(403, `{"ok":false,"error":"no_scope","message":"go home","schema_version":1}`)
	expect(t, err, CodeNoScope, "go home")
	_, err = call(200, ``)
	expect(t, err, CodeUnavailable, "nothing")
	_, err = call(500, `<html>`)
	expect(t, err, CodeUnavailable, "500")
	_, err = call(200, `[]`)
	expect(t, err, CodeUnavailable, "cannot be read")
	expect(t, client(t, ClientOptions{Layout: l}).Call(t.Context(), "nope", nil, nil), CodeBadOp)
}

func TestClientGivesUpOnSilence(t *testing.T) {
	l := layout(t)
	release := make(chan struct{})
	serve(t, l, func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	defer close(release)
	c := client(t, ClientOptions{Layout: l})
	c.timeout = 50 * time.Millisecond
	_, err := c.List(t.Context(), ListRequest{})
	expect(t, err, CodeUnavailable, "did not answer in 50ms", TimeoutEnv)

	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = client(t, ClientOptions{Layout: l}).List(ctx, ListRequest{})
	expect(t, err, CodeUnavailable, "given up")
}

// slow answers after ten times of 20 ms, saying each time that it is at work.
func slow(w http.ResponseWriter, _ *http.Request) {
	for range 10 {
		w.WriteHeader(http.StatusProcessing)
		time.Sleep(20 * time.Millisecond)
	}
	w.Write([]byte(`{"ok":true,"schema_version":1,"target":"t","title":"t"}`))
}

func TestClientWaitsWhileTheCoordinatorWorks(t *testing.T) {
	l := layout(t)
	serve(t, l, slow)
	c := client(t, ClientOptions{Layout: l})
	c.timeout = 150 * time.Millisecond // less than it takes, more than a step
	if r, err := c.Send(t.Context(), SendRequest{}); err != nil || r.Target != "t" {
		t.Errorf("got %+v, %v", r, err)
	}
	// The user's own bound is one for the whole call.
	c = client(t, ClientOptions{Layout: l, Timeout: 100 * time.Millisecond})
	_, err := c.Send(t.Context(), SendRequest{})
	expect(t, err, CodeUnavailable, "did not answer")
}

func TestClientTimeoutVariable(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"": DefaultTimeout, "30": 30 * time.Second, "0.5": 500 * time.Millisecond, "2m": 2 * time.Minute,
		"1e9": MaxTimeout, "0": -1, "-3": -1, "soon": -1, "NaN": -1,
	} {
		t.Setenv(TimeoutEnv, value)
		c, err := NewClient(ClientOptions{})
		switch {
		case want < 0:
			expect(t, err, CodeBadRequest, TimeoutEnv)
		case err != nil || c.timeout != want:
			t.Errorf("%q: %v", value, err)
		}
	}
}

func TestClientRepeatsWhatNeverBegan(t *testing.T) {
	l := layout(t)
	var calls atomic.Int64
	hijack := func(w http.ResponseWriter) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		conn.Close()
	}
	var begins atomic.Bool
	serve(t, l, func(w http.ResponseWriter, r *http.Request) {
		n := calls.Add(1)
		if begins.Load() {
			w.WriteHeader(http.StatusProcessing)
			hijack(w)
			return
		}
		if n < 3 {
			hijack(w) // it dies before it begins
			return
		}
		w.Write([]byte(`{"ok":true,"schema_version":1,"target":"t","title":"t","created":true,"queued":true}`))
	})
	if r, err := client(t, ClientOptions{Layout: l}).Spawn(t.Context(), SpawnRequest{}); err != nil || r.Target != "t" {
		t.Errorf("got %+v, %v", r, err)
	}
	begins.Store(true)
	calls.Store(0)
	_, err := client(t, ClientOptions{Layout: l}).Spawn(t.Context(), SpawnRequest{})
	expect(t, err, CodeUnavailable, "may or may not")
	if n := calls.Load(); n != 1 {
		t.Errorf("a call that had begun was made %d times", n)
	}
}

func TestClientWithoutACoordinator(t *testing.T) {
	l := layout(t)
	c := client(t, ClientOptions{Layout: l, NoStart: true})
	_, err := c.List(t.Context(), ListRequest{})
	expect(t, err, CodeUnavailable, "no coordinator is running", l.Home)
	for name, ask := range map[string]func(context.Context) (DaemonReply, error){"status": c.Daemon, "stop": c.Stop} {
		if r, err := ask(t.Context()); err != nil || r.Running || r.Home != l.Home || !r.OK {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

func TestStartThatFails(t *testing.T) {
	for name, c := range map[string]struct {
		start []string
		says  []string
	}{
		"it ends":       {[]string{os.Args[0], "fails"}, []string{"exit status 3", "the disk is full"}},
		"no such thing": {[]string{"/no/such/program"}, []string{"/no/such/program"}},
	} {
		t.Run(name, func(t *testing.T) {
			l := layout(t)
			_, err := client(t, ClientOptions{Layout: l, Start: c.start}).List(t.Context(), ListRequest{})
			expect(t, err, CodeUnavailable, append(c.says, "start the coordinator")...)
		})
	}
	t.Run("it hangs", func(t *testing.T) {
		l := layout(t)
		c := client(t, ClientOptions{Layout: l, Start: []string{os.Args[0], "hangs"}})
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		_, err := c.List(ctx, ListRequest{})
		expect(t, err, CodeUnavailable)
	})
	t.Run("socket path too long", func(t *testing.T) {
		l := layout(t)
		l.Run = filepath.Join(l.Home, strings.Repeat("x", 100))
		_, err := client(t, ClientOptions{Layout: l}).List(t.Context(), ListRequest{})
		expect(t, err, CodeUnavailable, "TERMIO_HOME", "shorter")
	})
	t.Run("home that cannot be made", func(t *testing.T) {
		l := layout(t)
		if err := os.WriteFile(filepath.Join(l.Home, "file"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		l.Home = filepath.Join(l.Home, "file", "home")
		l.Run = filepath.Join(l.Home, "run")
		_, err := client(t, ClientOptions{Layout: l}).List(t.Context(), ListRequest{})
		expect(t, err, CodeUnavailable, "TERMIO_HOME")
	})
}

func TestTail(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	if err := os.WriteFile(path, []byte("before\n"+strings.Repeat("x", 5000)+"\nend\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := tail(path, 7); !strings.HasSuffix(got, "x\nend") || len(got) > 2<<10 {
		t.Errorf("got %d bytes: …%s", len(got), got[len(got)-10:])
	}
	if got := tail(path, 5008); got != "end" {
		t.Errorf("got %q", got)
	}
}
