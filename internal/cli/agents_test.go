package cli

import (
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
