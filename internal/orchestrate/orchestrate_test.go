package orchestrate

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/hostproto"
)

func kindOf(err error) Kind {
	var r *Refusal
	if errors.As(err, &r) {
		return r.Kind
	}
	return 0
}

func TestResolve(t *testing.T) {
	in := []Candidate{
		{ID: "ab12cd34-9f2e-4c31-b8d7-3e5a12c90f44", Title: "Fix the build", Agent: "Codex"},
		{ID: "ab12ff00-0000-4000-8000-000000000001", Title: "dead", Agent: "Pi"},
		{ID: "dead0000-0000-4000-8000-000000000002", Title: "✳ Tests", Agent: "Claude Code"},
		{ID: "c0ffee00-0000-4000-8000-000000000003", Title: "Fix the build", Agent: "Grok"},
	}
	for _, c := range []struct {
		address string
		want    int
		kind    Kind
		says    string
	}{
		{"termio://session/ab12cd34-9f2e-4c31-b8d7-3e5a12c90f44", 0, 0, ""},
		{"TERMIO://SESSION/AB12CD34-9F2E-4C31-B8D7-3E5A12C90F44", 0, 0, ""},
		{"  termio://session/ab12cd34-9f2e-4c31-b8d7-3e5a12c90f44/?x=1\n", 0, 0, ""},
		{"termio://session/ab12cd34", 0, 0, ""},
		{"ab12cd34-9f2e-4c31-b8d7-3e5a12c90f44", 0, 0, ""},
		{"AB12CD", 0, 0, ""},
		{"c", 3, 0, ""},
		{"✳ tests", 2, 0, ""},
		{"ab12", 0, Ambiguous, "termio://session/ab12ff00-0000-4000-8000-000000000001"},
		{"fix the build", 0, Ambiguous, "c0ffee00"},
		{"dead", 0, Ambiguous, "names 2 sessions"}, // an id's beginning and another's title
		{"Fix the", 0, NotFound, "termio sessions list"},
		{"ab12cd3499", 0, NotFound, "in demo"},
		{"termio://session/", 0, NotFound, "no session link"},
		{"termio://session/Fix the build", 0, NotFound, "no session link"},
		{"termio://project/ab12cd34", 0, NotFound, "no session link"},
		{"termio-dev://session/ab12cd34", 0, NotFound, "a link of termio-dev"},
		{"https://example.com/", 0, NotFound, "a link of https"},
		{" ", 0, NoTarget, "termio sessions list"},
		{strings.Repeat("x", 100_000), 0, NotFound, "…"},
	} {
		got, err := Resolve(c.address, in, "demo")
		if kindOf(err) != c.kind || err == nil && got != c.want {
			t.Errorf("%.60q: got %d, %v", c.address, got, err)
		}
		if err != nil && (!strings.Contains(err.Error(), c.says) || len(err.Error()) > 1000) {
			t.Errorf("%.60q: %v", c.address, err)
		}
	}
}

func TestAmbiguousStaysShort(t *testing.T) {
	var in []Candidate
	for range 500 {
		in = append(in, Candidate{ID: "aa", Title: "same"})
	}
	if _, err := Resolve("same", in, "x"); !strings.Contains(err.Error(), "and 492 more") {
		t.Errorf("got %v", err)
	}
}

func catalog() atp.Catalog {
	return atp.NewCatalog(
		&atp.Manifest{ID: "terminal", Name: "Terminal"},
		&atp.Manifest{ID: "claudeCode", Name: "Claude Code", Order: 10, Command: "claude", PermissionBypassFlag: "--yes"},
		&atp.Manifest{ID: "codex", Name: "Codex", Order: 20, Command: "codex", Env: map[string]string{"B": "2", "A": "1"}},
		&atp.Manifest{ID: "pi", Name: "Pi", Order: 40, Command: "pi"},
	)
}

func TestChooseAgent(t *testing.T) {
	only := func(ids ...string) func(*atp.Manifest) bool {
		return func(m *atp.Manifest) bool { return strings.Contains(strings.Join(ids, " "), m.ID) }
	}
	for _, c := range []struct {
		name   string
		choice Choice
		found  []string
		want   string
		kind   Kind
	}{
		{"named", Choice{Named: "claude code", Caller: "pi", Default: "codex"}, nil, "claudeCode", 0},
		{"named but unknown", Choice{Named: "nope", Caller: "pi"}, nil, "", BadAgent},
		{"the caller's own", Choice{Caller: "pi", Default: "codex"}, nil, "pi", 0},
		{"a terminal is no agent", Choice{Caller: "terminal", Default: "codex"}, nil, "codex", 0},
		{"the caller's manifest is gone", Choice{Caller: "old", Default: "codex"}, nil, "codex", 0},
		{"setting names nobody", Choice{Default: "old"}, []string{"pi"}, "", BadAgent},
		{"first found in picker order", Choice{}, []string{"pi", "codex"}, "codex", 0},
		{"none found", Choice{}, nil, "", NoAgent},
		{"a terminal is never found", Choice{}, []string{"terminal"}, "", NoAgent},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := ChooseAgent(catalog(), c.choice, only(c.found...))
			if kindOf(err) != c.kind || err == nil && m.ID != c.want {
				t.Errorf("got %v, %v", m, err)
			}
			if c.kind == BadAgent && !strings.Contains(err.Error(), "claudeCode, codex, pi") {
				t.Errorf("it does not list the agents: %v", err)
			}
		})
	}
}

func TestLaunch(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	m, _ := catalog().ByID("claudeCode")
	got := Launch(Order{
		ID: "id", Now: now, Manifest: m, Project: "/p", Dir: "/p/d", Shell: "/bin/bash", Socket: "/s",
		Text: "\n  fix \x1b[31mit\nnow", Bypass: true, Extra: []string{"--model", "a b"}, Rows: 9000,
	})
	want := Plan{
		Record: hostproto.Record{
			Version: 1, ID: "id", Kind: "term", Agent: "claudeCode", AgentName: "Claude Code",
			Prompted: "fix [31mit", Project: "/p", Dir: "/p/d", Shell: "/bin/bash", Socket: "/s",
			Command: "claude --yes --model 'a b'", Bypass: true, Extra: []string{"--model", "a b"},
			Created: now, Size: hostproto.Size{Cols: 120, Rows: 2000}, State: "idle", Since: now,
		},
		Prompt: &hostproto.SendRequest{Text: "\n  fix \x1b[31mit\nnow", Enter: true},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}

	codex, _ := catalog().ByID("codex")
	got = Launch(Order{Manifest: codex, Bypass: true, Override: "my-codex -x", Title: "T"})
	if got.Record.Command != "my-codex -x" || got.Record.Bypass || got.Prompt != nil || got.Record.Title() != "T" {
		t.Errorf("got %+v", got)
	}
	if d := cmp.Diff([]string{"A=1", "B=2"}, got.Env); d != "" {
		t.Error(d)
	}
}
