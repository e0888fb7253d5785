package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/vt"
)

// narrow is a terminal of 80 columns without colours.
func narrow(a *App) {
	a.Terminal = func() bool { return true }
	a.Size = func() (int, int) { return 80, 24 }
	base := a.Getenv
	a.Getenv = func(k string) string {
		if k == "NO_COLOR" {
			return "1"
		}
		return base(k)
	}
}

func TestAgentsListKeepsAddressesWhole(t *testing.T) {
	const long = "https://docs.example.com/en/how-tos/cli/set-up-cli/install-cli"
	c := &coordinator{replies: map[string]any{"agents": api.AgentsReply{Head: api.OKHead(), Agents: []api.Agent{
		{ID: "codex", Name: "Codex", Found: true, Version: "1.2"},
		{ID: "copilot", Name: "Copilot", Install: long},
		{ID: "pi", Name: "Pi", Install: "https://pi.dev"},
	}}}}
	want := "✓  codex    Codex    1.2\n" +
		"–  copilot  Copilot  not installed:\n      " + long + "\n" +
		"–  pi       Pi       not installed: https://pi.dev\n"
	r := run(t, c, narrow, "agents", "list")
	if r.out != want {
		t.Errorf("at a terminal:\n%s\nwant:\n%s", r.out, want)
	}
	for line := range strings.Lines(r.out) {
		if w := vt.StringWidth(strings.TrimSuffix(line, "\n")); w > 80 {
			t.Errorf("%d cells wide: %q", w, line)
		}
	}
	if r := run(t, c, nil, "agents", "list"); !strings.Contains(r.out, "not installed: "+long+"\n") {
		t.Errorf("a script does not get one line for each agent:\n%s", r.out)
	}
	coloured := run(t, c, func(a *App) { narrow(a); a.Getenv = func(string) string { return "" } }, "agents", "list")
	if !strings.Contains(coloured.out, "not installed\x1b[m\x1b[2m: https://pi.dev") {
		t.Errorf("styles count as cells:\n%q", coloured.out)
	}
	if r := run(t, c, nil, "agents", "--found", "--ids"); r.out != "codex\n" {
		t.Errorf("--found --ids = %+v", r)
	}
}

func TestLint(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.json")
	if err := os.WriteFile(bad, []byte("{\n  \"id\": 7\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := run(t, nil, nil, "agents", "lint", bad, "--json")
	var e api.Error
	if err := json.Unmarshal([]byte(r.out), &e); err != nil || r.code != 1 || r.err != "" {
		t.Fatalf("%v: %+v", err, r)
	}
	if e.OK || e.Code != api.CodeBadRequest || e.SchemaVersion != 1 || !strings.Contains(e.Message, bad) {
		t.Errorf("not the one error: %s", r.out)
	}
	first := e.Problems[0]
	if first.File != bad || first.Key == "" || first.Rule == "" || first.Message == "" || first.Line == 0 || first.Warning {
		t.Errorf("problems: %s", r.out)
	}
	if r := run(t, nil, nil, "agents", "lint", bad); r.code != 1 || r.err != "" || !strings.Contains(r.out, "error: "+bad+":") {
		t.Errorf("as text: %+v", r)
	}
	good := run(t, nil, nil, "agents", "show", "pi")
	r = run(t, nil, stdin(good.out), "agents", "lint", "-", "--json")
	if want := `{"ok":true,"schema_version":1,"files":1,"problems":[]}` + "\n"; r.code != 0 || r.out != want {
		t.Errorf("a good one from standard input: %+v", r)
	}
	if r := run(t, nil, stdin("{"), "agents", "lint", "-"); r.code != 1 || !strings.Contains(r.out, "standard input") {
		t.Errorf("a bad one from standard input: %+v", r)
	}
}

func TestListTellsProblemsAsLintDoes(t *testing.T) {
	c := &coordinator{replies: map[string]any{"agents": api.AgentsReply{Head: api.OKHead(), Problems: []api.Problem{
		{File: "/f.json", Key: "id", Rule: "type", Message: "it must be text"},
	}}}}
	if r := run(t, c, nil, "agents", "list"); r.out != "error: /f.json: id: it must be text [type]\n" {
		t.Errorf("%+v", r)
	}
}

func TestDaemonStatusTellsProblems(t *testing.T) {
	c := &coordinator{replies: map[string]any{"daemon": api.DaemonReply{Head: api.OKHead(), Running: true, Problems: []api.Problem{
		{File: "/settings.json", Key: "scrollback", Rule: "setting", Message: "-5 is too few"},
		{File: "/record.json", Rule: "record", Message: "it is corrupt", Warning: true},
	}}}}
	r := run(t, c, nil, "daemon", "status")
	if want := "error: /settings.json: scrollback: -5 is too few [setting]\nwarning: /record.json: it is corrupt [record]\n"; r.code != 0 || !strings.HasSuffix(r.out, want) {
		t.Errorf("%+v", r)
	}
}

func TestAttachToItself(t *testing.T) {
	for _, tt := range []struct {
		session string
		inside  bool
	}{
		{uuid, false}, // a coordinator that does not say
		{"2b3c4d5e-0000-4000-8000-000000000001", true},
	} {
		c := &coordinator{replies: map[string]any{"resolve": api.ResolveReply{
			Head: api.OKHead(), Target: link, Title: "t", Socket: filepath.Join(t.TempDir(), "none.sock"), Inside: tt.inside,
		}}}
		for _, flags := range [][]string{nil, {"--observe"}} {
			r := run(t, c, func(a *App) {
				base := a.Getenv
				a.Getenv = func(k string) string {
					if k == "TERMIO_SESSION" {
						return tt.session
					}
					return base(k)
				}
			}, append([]string{"sessions", "attach", link}, flags...)...)
			if r.code != 1 || !strings.Contains(r.err, "from another terminal") || !strings.Contains(r.err, "1a2b3c4d (t)") {
				t.Errorf("%+v %q: %+v", tt, flags, r)
			}
		}
	}
}
