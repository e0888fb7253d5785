//go:build unix

package quick

import (
	"encoding/json"
	"io"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/paths"
)

// The rule for the socket's place is package paths'.
func TestSocketIsWherePackagePathsPutsIt(t *testing.T) {
	home := t.TempDir()
	safe, open := filepath.Join(home, "safe"), filepath.Join(home, "open")
	for dir, mode := range map[string]os.FileMode{safe: 0o700, open: 0o777} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
	}
	for name, env := range map[string][3]string{
		"the default home":           {home, "", safe},
		"named, still the default":   {home, home + "/.termio", safe},
		"another home":               {home, "/srv/termio", safe},
		"a slash at the end":         {home + "/", "/srv/termio/", safe},
		"hidden":                     {home, "/srv/.t/x", ""},
		"an unsafe runtime folder":   {home, "", open},
		"no runtime folder":          {home, "", ""},
		"a relative one":             {home, "", "run"},
		"nothing but the own home":   {"", "/srv/termio", ""},
		"a relative home is refused": {home, "termio", ""},
	} {
		t.Setenv("HOME", env[0])
		t.Setenv("TERMIO_HOME", env[1])
		t.Setenv("XDG_RUNTIME_DIR", env[2])
		want := ""
		if l, err := paths.FromEnv(); err == nil {
			want = l.DaemonSocket()
		}
		if got := socket(); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	// Written in another way, the whole program looks.
	t.Setenv("TERMIO_HOME", "/srv/../srv/termio")
	if got := socket(); got != "" {
		t.Errorf("a path with .. gives %q", got)
	}
}

// serve answers one connection with reply, and closes it.
func serve(t *testing.T, reply string) {
	t.Helper()
	home, err := os.MkdirTemp("", "tq") // short, for the socket's path
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	t.Setenv("TERMIO_HOME", home)
	if err := os.Mkdir(filepath.Join(home, "run"), 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(home, "run", "daemon.sock"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		conn.Read(make([]byte, 64<<10))
		io.WriteString(conn, reply)
	}()
}

// What ends before the command has begun is left to the whole program, which
// may do it again; what ends later is not.
func TestACutCallIsRepeatedOnlyBeforeItBegins(t *testing.T) {
	const head = "HTTP/1.0 200 OK\r\n\r\n"
	for name, c := range map[string]struct {
		reply string
		code  int
		ran   bool
	}{
		"nothing":           {"", 0, false},
		"half a head":       {"HTTP/1.0 200", 0, false},
		"a head":            {head, 0, false},
		"not known there":   {"HTTP/1.0 400 Bad Request\r\n\r\n{}", 0, false},
		"begun, then cut":   {head + "A\x00\x00\x00\x00", 1, true},
		"an exit code":      {head + "A\x00\x00\x00\x00X\x00\x00\x00\x01\x03", 3, true},
		"cut in an output":  {head + "A\x00\x00\x00\x00O\x00\x00\x00\x09x", 1, true},
		"an exit, no code":  {head + "A\x00\x00\x00\x00X\x00\x00\x00\x00", 1, true},
		"an unknown frame":  {head + "?\x00\x00\x00\x01xX\x00\x00\x00\x01\x00", 0, true},
		"a length too long": {head + "O\xff\xff\xff\xff", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			serve(t, c.reply)
			code, ran := Run([]string{"sessions", "list"})
			if code != c.code || ran != c.ran {
				t.Errorf("code %d, ran %v; want %d, %v", code, ran, c.code, c.ran)
			}
		})
	}
}

func TestNobodyListens(t *testing.T) {
	t.Setenv("TERMIO_HOME", t.TempDir())
	if _, ran := Run([]string{"sessions", "list"}); ran {
		t.Error("it ran without a coordinator")
	}
}

// What was cut after it had begun is reported in the contract's one shape.
func TestACutCallIsReportedAsAsked(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	serve(t, "HTTP/1.0 200 OK\r\n\r\nA\x00\x00\x00\x00")
	real := out
	out = int(w.Fd())
	code, ran := Run([]string{"sessions", "list", "--json"})
	out = real
	w.Close()
	printed, err := io.ReadAll(r)
	if err != nil || code != 1 || !ran {
		t.Fatalf("code %d, ran %v, %v", code, ran, err)
	}
	var e api.Error
	if err := json.Unmarshal(printed, &e); err != nil || e.OK || e.Code != api.CodeUnavailable || e.Message == "" || e.SchemaVersion != api.SchemaVersion {
		t.Errorf("%q: %+v, %v", printed, e, err)
	}
}

// A coordinator that says nothing is waited for once, not a second time by the
// whole program.
func TestSilenceIsWaitedForOnce(t *testing.T) {
	home, err := os.MkdirTemp("", "tq")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	t.Setenv("TERMIO_HOME", home)
	if err := os.Mkdir(filepath.Join(home, "run"), 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(home, "run", "daemon.sock")) // nobody accepts
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	was := silence
	silence = syscall.Timeval{Usec: 20_000}
	t.Cleanup(func() { silence = was })
	if code, ran := Run([]string{"sessions", "list"}); code != 1 || !ran {
		t.Errorf("code %d, ran %v: the whole program would wait again", code, ran)
	}
}
