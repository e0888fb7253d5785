//go:build unix

package daemon

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/termio-sh/termio/internal/api"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestErrorsForPeople keeps every error that a caller can get from a real
// coordinator, as it is served, in a golden file: they are read by people and
// must say the next step.
func TestErrorsForPeople(t *testing.T) {
	h := newHome(t)
	ctx := t.Context()
	root := filepath.Dir(h.dir)
	// A PATH of its own, so that no agent of this machine is found.
	bin := filepath.Join(root, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"env", "sh"} {
		path, err := exec.LookPath(name)
		if err == nil {
			err = os.Symlink(path, filepath.Join(bin, name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(h.user, ".profile"), []byte("PATH="+bin+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.daemonPID()
	_, noAgent := h.client.Spawn(ctx, api.SpawnRequest{Caller: h.caller()})
	h.manifest("missing", `{"id":"missing","name":"Missing","command":"no-such-agent","install":"https://example.com/get"}`)
	h.manifest("dies", `{"id":"dies","name":"Dies","command":"sh -c 'echo no licence; exit 7'"}`)
	one, two := h.run("true"), h.run("true")
	dies, err := h.client.Spawn(ctx, api.SpawnRequest{Caller: h.caller(), Agent: "dies", Env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	h.eventually("it died", func() bool { row, ok := h.find(dies.Target); return ok && row.Closed != nil })
	h.eventually("both have the shell's title", func() bool {
		rows := h.list(false)
		return len(rows) == 2 && rows[0].Title == rows[1].Title
	})
	title := h.list(false)[0].Title
	here := h.caller()
	var out strings.Builder
	for _, c := range []struct {
		name string
		err  error
	}{
		{"a directory that is gone", second(h.client.List(ctx, api.ListRequest{Caller: api.Caller{Cwd: h.dir + "/gone"}}))},
		{"a project that is not there", second(h.client.List(ctx, api.ListRequest{Caller: api.Caller{Project: h.dir + "/gone"}}))},
		{"a session that proves nothing", second(h.client.List(ctx, api.ListRequest{Caller: api.Caller{Session: strings.TrimPrefix(one, "termio://session/")}}))},
		{"a session of another home", second(h.client.List(ctx, api.ListRequest{Caller: api.Caller{Session: "nope"}}))},
		{"no target", second(h.client.Read(ctx, api.ReadRequest{Caller: here}))},
		{"an unknown target", second(h.client.Read(ctx, api.ReadRequest{Caller: here, Target: "nobody"}))},
		{"a target of another project", second(h.client.Read(ctx, api.ReadRequest{Caller: api.Caller{Cwd: root}, Target: one}))},
		{"a link of another program", second(h.client.Read(ctx, api.ReadRequest{Caller: here, Target: "other://session/ab"}))},
		{"a title of two", second(h.client.Read(ctx, api.ReadRequest{Caller: here, Target: title}))},
		{"a negative number of lines", second(h.client.Read(ctx, api.ReadRequest{Caller: here, Target: two, Lines: -1}))},
		{"nothing to send", second(h.client.Send(ctx, api.SendRequest{Caller: here, Target: one}))},
		{"an unknown key", second(h.client.Send(ctx, api.SendRequest{Caller: here, Target: one, Keys: []string{"hyper-x"}}))},
		{"no command", second(h.client.Run(ctx, api.RunRequest{Caller: here}))},
		{"an unknown agent", second(h.client.Spawn(ctx, api.SpawnRequest{Caller: here, Agent: "nope"}))},
		{"no agent at all", noAgent},
		{"a missing program", second(h.client.Spawn(ctx, api.SpawnRequest{Caller: here, Agent: "missing"}))},
		{"a flag the agent does not have", second(h.client.Spawn(ctx, api.SpawnRequest{Caller: here, Agent: "missing", Bypass: true}))},
		{"a directory to run in that is gone", second(h.client.Run(ctx, api.RunRequest{Caller: here, Command: "ls", Dir: h.dir + "/gone"}))},
		{"a program that died", second(h.client.Read(ctx, api.ReadRequest{Caller: here, Target: dies.Target}))},
		{"a project that cannot be opened", second(h.client.Open(ctx, api.OpenRequest{Caller: here, Dir: h.dir + "/gone"}))},
	} {
		if c.err == nil {
			t.Errorf("%s: no error", c.name)
			continue
		}
		line, err := api.Encode(api.From(c.err))
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString("# " + c.name + "\n" + normal(string(line), root, title))
	}
	path := filepath.Join("testdata", "errors.golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), out.String()); d != "" {
		t.Errorf("(run with -update if a message may change)\n%s", d)
	}
}

var (
	anID     = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	anyShell = regexp.MustCompile(`login shell \([^)]*\)`)
	keyNames = regexp.MustCompile(`(the agents are: )[^"]*`)
)

// normal takes out of an error what differs from run to run or machine to
// machine.
func normal(line, root, title string) string {
	line = strings.ReplaceAll(line, root, "$ROOT")
	line = strings.ReplaceAll(line, title, "$TITLE")
	line = anID.ReplaceAllString(line, "$$ID")
	line = anyShell.ReplaceAllString(line, "login shell ($$SHELL)")
	line = keyNames.ReplaceAllString(line, "${1}…")
	return strings.ReplaceAll(line, filepath.Base(root), "$BASE")
}
