package quick

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/termio-sh/termio/internal/api"
)

// The two halves of the call are written apart: this holds them together.
func TestRequestIsWhatTheCoordinatorReads(t *testing.T) {
	c := Call{
		Args: []string{"sessions", "send", "ab", "", "\xff not UTF-8", "two\nlines"}, Cwd: "/a b",
		Env: []string{"TERM=xterm", "EMPTY="}, Terminal: true, Cols: 120, Rows: 40,
	}
	head, rest, ok := strings.Cut(string(c.request()), "\r\n\r\n")
	if !ok || !strings.HasPrefix(head, "POST "+api.CommandPath+" HTTP/1.0\r\n") {
		t.Fatalf("the head is %q", head)
	}
	got, err := api.ParseCommand([]byte(rest))
	if err != nil {
		t.Fatal(err)
	}
	want := api.Command{Args: c.Args, Cwd: c.Cwd, Env: c.Env, Terminal: true, Cols: 120, Rows: 40}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-sent +read:\n%s", diff)
	}
}

func TestFramesAreWhatTheCoordinatorWrites(t *testing.T) {
	var b bytes.Buffer
	for kind, payload := range map[byte]string{api.CommandOut: strings.Repeat("x", 70000)} {
		if err := api.WriteCommandFrame(&b, kind, []byte(payload)); err != nil {
			t.Fatal(err)
		}
	}
	if kind, payload, n := frame(b.Bytes()); kind != outKind || len(payload) != 70000 || n != b.Len() {
		t.Errorf("frame gives %c, %d bytes, %d in all", kind, len(payload), n)
	}
	if _, _, n := frame(b.Bytes()[:b.Len()-1]); n != 0 {
		t.Error("a frame that is not all there counts")
	}
	kinds := []byte{api.CommandOut, api.CommandErr, api.CommandLife, api.CommandExit}
	if !slices.Equal(kinds, []byte{outKind, errKind, lifeKind, exitKind}) {
		t.Error("the kinds differ")
	}
}

func TestTakes(t *testing.T) {
	for line, want := range map[string]bool{
		"sessions list":                        true,
		"sessions list --json --all":           true,
		"sessions read ab --lines 40":          true,
		"sessions send ab text":                true,
		"sessions send ab text --wait":         false,
		"sessions send ab text --wait=true":    false,
		"sessions send ab -- --wait":           true,
		"sessions send ab -":                   false, // standard input
		"sessions send --help":                 false,
		"sessions spawn text":                  false,
		"sessions":                             false,
		"":                                     false,
		"daemon status":                        false,
		"sessions --json list":                 false,
		"sessions send ab text --timeout=1000": false,
	} {
		if got := Takes(strings.Fields(line)); got != want {
			t.Errorf("Takes(%q) is %v", line, got)
		}
	}
}
