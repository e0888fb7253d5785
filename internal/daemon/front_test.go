//go:build unix

package daemon

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/api"
)

// fronted serves a front whose commands run does, and an HTTP server behind it.
func fronted(t *testing.T, run CommandRunner) (socket string, d *Daemon) {
	t.Helper()
	dir, err := os.MkdirTemp("", "tf") // short, for the socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s, err := listen(filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancelCause(context.Background())
	d = &Daemon{ctx: ctx, stop: stop, life: context.Background(), o: Options{Command: run}, log: slog.New(slog.DiscardHandler)}
	server := &http.Server{ConnContext: withProcess, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s from %d: %s", r.Method, r.URL.Path, r.Context().Value(processKey{}), body)
	})}
	go server.Serve(d.part(s))
	t.Cleanup(func() {
		s.Close()
		server.Close()
		stop(nil)
		d.calls.Wait()
	})
	return s.path, d
}

// say writes parts one after the other, each as a packet of its own, and gives
// what comes back.
func say(t *testing.T, socket string, parts ...string) string {
	t.Helper()
	c, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(20 * time.Second))
	for _, p := range parts {
		if _, err := io.WriteString(c, p); err != nil {
			break // it has been turned away
		}
	}
	c.(*net.UnixConn).CloseWrite()
	got, _ := io.ReadAll(c) // an end by reset is an end
	return string(got)
}

func commandRequest(args ...string) string {
	body := "/src\x000 0\x00\x00" + fmt.Sprint(len(args)) + "\x00" + strings.Join(append(args, ""), "\x00")
	return fmt.Sprintf("POST %s HTTP/1.0\r\nHost: termio\r\nContent-Length: %d\r\n\r\n%s", api.CommandPath, len(body), body)
}

// What is a command line is run, whatever pieces it comes in; everything else is
// the HTTP server's, from its first byte on.
func TestFrontParts(t *testing.T) {
	socket, _ := fronted(t, func(ctx context.Context, _ Local, c api.Command, out, errout io.Writer) int {
		fmt.Fprintf(out, "%s in %s by %d", strings.Join(c.Args, "|"), c.Cwd, ctx.Value(processKey{}))
		io.WriteString(errout, "e")
		return 3
	})
	frames := func(life, out string) string {
		return "HTTP/1.0 200 OK\r\n\r\n" + life + fmt.Sprintf("O\x00\x00\x00%c%s", len(out), out) + "E\x00\x00\x00\x01eX\x00\x00\x00\x01\x03"
	}
	whole := commandRequest("sessions", "send", "a b", "")
	want := frames("A\x00\x00\x00\x00", fmt.Sprintf("sessions|send|a b| in /src by %d", os.Getpid()))
	for name, parts := range map[string][]string{
		"whole": {whole}, "byte by byte": strings.Split(whole, ""), "head, then body": strings.SplitAfter(whole, "\r\n\r\n"),
		"with something behind": {whole, "GET / HTTP/1.1\r\n\r\n"},
	} {
		if got := say(t, socket, parts...); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	// What changes nothing needs no sign before it begins.
	list := frames("", fmt.Sprintf("sessions|list in /src by %d", os.Getpid()))
	if got := say(t, socket, commandRequest("sessions", "list")); got != list {
		t.Errorf("list: %q, want %q", got, list)
	}
	other := "POST /v1/list HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc"
	for name, parts := range map[string][]string{"whole": {other}, "byte by byte": strings.Split(other, "")} {
		if got := say(t, socket, parts...); !strings.HasSuffix(got, fmt.Sprintf("POST /v1/list from %d: abc", os.Getpid())) {
			t.Errorf("HTTP, %s: %q", name, got)
		}
	}
}

// Nothing that a caller says ends the coordinator, or is run by half.
func TestFrontIsNotHurt(t *testing.T) {
	ran := make(chan string, 100)
	socket, d := fronted(t, func(_ context.Context, _ Local, c api.Command, out, _ io.Writer) int {
		ran <- strings.Join(c.Args, " ")
		if len(c.Args) > 2 && c.Args[2] == "panic" {
			panic("a defect")
		}
		for range 3 {
			if _, err := out.Write(make([]byte, manyFrames)); err != nil {
				return 1 // the client is gone
			}
		}
		return 0
	})
	head := "POST " + api.CommandPath + " HTTP/1.0\r\n"
	whole := commandRequest("sessions", "send", "x")
	for name, text := range map[string]string{
		"nothing":            "",
		"half a head":        head[:10],
		"no length":          head + "\r\n\r\n",
		"no end":             head + strings.Repeat("x", 10*maxHead),
		"a negative length":  head + "Content-Length: -1\r\n\r\n",
		"a huge length":      head + "Content-Length: 99999999999999999999\r\n\r\n",
		"too large":          head + fmt.Sprintf("Content-Length: %d\r\n\r\n", maxRequest+1),
		"half a body":        whole[:len(whole)-1],
		"no zero at the end": strings.Replace(whole[:len(whole)-1], "Content-Length: 3", "Content-Length: 2", 1),
		"too few arguments":  head + "Content-Length: 16\r\n\r\n/src\x000 0\x00\x0099\x00a\x00b\x00",
	} {
		if got := say(t, socket, text); strings.Contains(got, "200 OK") {
			t.Errorf("%s: %q", name, got)
		}
	}
	select {
	case args := <-ran:
		t.Errorf("%q was run", args)
	default:
	}
	if got := say(t, socket, commandRequest("sessions", "send", "panic")); !strings.HasPrefix(got, "HTTP/1.0 200 OK\r\n\r\nA") || strings.Contains(got, "X\x00") {
		t.Errorf("a defect: %q", got)
	}
	// One that goes away in the middle keeps nobody.
	c, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(c, whole)
	for args := ""; args != "sessions send x"; args = <-ran {
	}
	c.Close()
	if got := say(t, socket, whole); len(got) < 3*manyFrames || !strings.HasSuffix(got, "X\x00\x00\x00\x01\x00") {
		t.Errorf("afterwards: %d bytes", len(got))
	}
	// One that is about to end takes none: the next coordinator is asked.
	d.stop(errAsked)
	if got := say(t, socket, whole); got != "" {
		t.Errorf("when it ends: %q", got)
	}
}
