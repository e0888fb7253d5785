//go:build unix

package acphost

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/testkit/acpagent"
)

// What an agent's own command says of its login.
func TestLoginState(t *testing.T) {
	for _, c := range []struct {
		text string
		code int
		want string
	}{
		{`{"loggedIn": true, "authMethod": "x"}`, 1, AuthYes},
		{"warning\n{\"loggedIn\": false}\n", 0, AuthNo},
		{"Logged in using ChatGPT", 0, AuthYes},
		{"Not logged in", 1, AuthNo},
		{"Login required.", 2, AuthNo},
		{"not logged in", 0, AuthUnknown},
		{"unknown command", 1, AuthUnknown},
		{"", 0, AuthUnknown},
	} {
		if got := loginState(c.text, c.code); got != c.want {
			t.Errorf("%q, %d: %s, want %s", c.text, c.code, got, c.want)
		}
	}
}

// A probe asks the agents that can be asked, each in turn, and no others; one
// that does not answer is unknown.
func TestProbeLogin(t *testing.T) {
	dir := t.TempDir()
	script := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	script("codex-acp", "echo odd; exit 3")
	script("codex", "[ \"$1 $2\" = 'login status' ] && echo Not logged in; exit 1")
	script("claude", "exec sleep 100")
	for program, want := range map[string]string{"codex-acp": AuthNo, "claude-agent-acp": AuthUnknown, "mine": AuthUnknown} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, acpagent.Config{}, func(o *Options) {
				o.Program, o.Env, o.Launch = program, []string{"PATH=" + dir + ":/usr/bin:/bin"}, launchReal
			})
			began := time.Now()
			found, err := r.s.Run(t.Context(), Errand{Kind: ErrandProbe})
			if err != nil || found.Auth != want {
				t.Errorf("%+v, %v; want %s", found, err, want)
			}
			if took := time.Since(began); took > 2*loginTime {
				t.Errorf("it took %v", took)
			}
		})
	}
}
