package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/textproto"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/termio-sh/termio/internal/api"
)

func TestTooMany(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	var tombs []tombstone
	for i := range maxTombstones + 3 {
		tombs = append(tombs, tombstone{fmt.Sprintf("%04d", i), now.Add(-time.Duration(i) * time.Minute)})
	}
	got := tooMany(tombs, now)
	slices.Sort(got)
	if d := cmp.Diff([]string{"0500", "0501", "0502"}, got); d != "" {
		t.Error(d)
	}
	old := []tombstone{{"old", now.Add(-maxTombAge - 1)}, {"kept", now.Add(-maxTombAge)}}
	if d := cmp.Diff([]string{"old"}, tooMany(old, now)); d != "" {
		t.Error(d)
	}
}

func TestProgram(t *testing.T) {
	for command, want := range map[string]string{
		"claude":                     "claude",
		"  codex --flag 'a b'":       "codex",
		"'/opt/my agent/run' x":      "/opt/my agent/run",
		"~/bin/agent":                "~/bin/agent",
		"env X=1 agent":              "env",
		"":                           "",
		"X=1 agent":                  "",
		"cd /x && agent":             "",
		"$AGENT":                     "",
		"~other/bin/agent":           "",
		"if true; then agent; fi":    "",
		"exec agent":                 "",
		"'unclosed":                  "",
		"(agent)":                    "",
		"agent | tee /tmp/log; true": "agent",
	} {
		got, ok := program(command)
		if got != want || ok != (want != "") {
			t.Errorf("%q: got %q, %v", command, got, ok)
		}
	}
}

func TestParseVersion(t *testing.T) {
	for out, want := range map[string]string{
		"2.1.295 (Claude Code)\n":          "2.1.295",
		"codex-cli 0.144.0-alpha.3\n":      "0.144.0-alpha.3",
		"\x1b[1mpi\x1b[0m v1.1.0+build.7":  "1.1.0+build.7",
		"nightly\nmore":                    "nightly",
		"":                                 "",
		"warning: node 18\nagent 3.4\nx\n": "3.4",
	} {
		if got := parseVersion(out); got != want {
			t.Errorf("%q: got %q, want %q", out, got, want)
		}
	}
}

func TestLogRotates(t *testing.T) {
	path := filepath.Join(t.TempDir(), LogName)
	l, err := openLog(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	line := []byte(strings.Repeat("x", maxLog/2-1) + "\n")
	for range 2*(keepLog+2) + 1 {
		if _, err := l.Write(line); err != nil {
			t.Fatal(err)
		}
	}
	files, _ := filepath.Glob(path + "*")
	if len(files) != keepLog+1 {
		t.Errorf("files: %v", files)
	}
	for _, f := range files {
		st, err := os.Stat(f)
		if err != nil || st.Size() > maxLog || st.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", f, st, err)
		}
	}
	again, err := openLog(path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if again.size == 0 {
		t.Error("a log that is opened again forgets its size")
	}
}

func TestProblemsAreLoggedOnce(t *testing.T) {
	var log strings.Builder
	p := &problems{log: slog.New(slog.NewTextHandler(&log, nil))}
	one, two := problem{file: "/a", rule: "one"}, problem{file: "/b", rule: "two"}
	p.set("s", []problem{one})
	p.set("s", []problem{one, two})
	p.set("s", []problem{two})
	p.add("r", one)
	if n := strings.Count(log.String(), "rule=one"); n != 2 {
		t.Errorf("one was logged %d times for two sources", n)
	}
	if n := strings.Count(log.String(), "rule=two"); n != 1 {
		t.Errorf("two was logged %d times", n)
	}
	want := []api.Problem{{File: "/a", Rule: "one"}, {File: "/b", Rule: "two"}}
	if d := cmp.Diff(want, p.all()); d != "" {
		t.Error(d)
	}
}

func TestEveryVerbIsServed(t *testing.T) {
	served := (&Daemon{}).verbs()
	for _, v := range api.Verbs() {
		if served[v.Name] == nil && v.Events == nil { // streams have a handler of their own
			t.Errorf("%s is in the contract and is not served", v.Name)
		}
		delete(served, v.Name)
	}
	for name := range served {
		t.Errorf("%s is served and is not in the contract", name)
	}
}

// TestEndingCoordinatorTakesNoCall: the client is told nothing, and so calls
// the next one.
func TestEndingCoordinatorTakesNoCall(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d := &Daemon{ctx: ctx, adopted: make(chan struct{})}
	close(d.adopted)
	called := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.serve(w, r, api.Verb{Name: "x", Path: "/x"}, func(context.Context, any) (any, error) {
			called = true
			return nil, nil
		})
	}))
	defer server.Close()
	trace := &httptrace.ClientTrace{Got1xxResponse: func(code int, _ textproto.MIMEHeader) error {
		t.Errorf("it said %d", code)
		return nil
	}}
	bound, done := context.WithTimeout(t.Context(), 5*time.Second)
	defer done()
	req, err := http.NewRequestWithContext(httptrace.WithClientTrace(bound, trace), http.MethodPost, server.URL+"/x", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err == nil {
		resp.Body.Close()
		t.Errorf("it answered %s", resp.Status)
	}
	if called {
		t.Error("the call was made")
	}
}

func TestSessionIDs(t *testing.T) {
	for name, want := range map[string]bool{
		"ab12cd34-9f2e-4c31-b8d7-3e5a12c90f44":          true,
		"AB12CD34-9F2E-4C31-B8D7-3E5A12C90F44":          false,
		"ab12cd349f2e4c31b8d73e5a12c90f44":              false,
		"{ab12cd34-9f2e-4c31-b8d7-3e5a12c90f44}":        false,
		"urn:uuid:ab12cd34-9f2e-4c31-b8d7-3e5a12c90f44": false,
		"..": false,
		"":   false,
	} {
		if got := isSessionID(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}
