//go:build unix

package term

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/termio-sh/termio/internal/hostproto"
)

func TestShellArgs(t *testing.T) {
	for _, tc := range []struct {
		shell, command string
		want           []string
	}{
		{"/bin/bash", "", []string{"/bin/bash", "-il"}},
		{"/bin/bash", "claude --model x", []string{"/bin/bash", "-ilc", "exec claude --model x"}},
		{"/usr/bin/fish", "claude", []string{"/usr/bin/fish", "-ilc", "exec claude"}},
		{"/bin/dash", "cd x && claude", []string{"/bin/dash", "-ilc", "cd x && claude"}},
		{"/bin/zsh", "A=1 claude", []string{"/bin/zsh", "-ilc", "A=1 claude"}},
		{"/bin/zsh", "exec claude", []string{"/bin/zsh", "-ilc", "exec claude"}},
		{"/bin/zsh", "claude 'it''s", []string{"/bin/zsh", "-ilc", "claude 'it''s"}},
		{"/bin/tcsh", "claude", []string{"/bin/tcsh", "-c", "exec claude"}},
		{"/bin/tcsh", "", []string{"/bin/tcsh", "-l"}},
		{"/usr/bin/nu", "claude", []string{"/usr/bin/nu", "-l", "-i", "-c", "exec claude"}},
	} {
		if diff := cmp.Diff(tc.want, shellArgs(tc.shell, tc.command)); diff != "" {
			t.Errorf("%s %q: %s", tc.shell, tc.command, diff)
		}
	}
}

func TestLoginShell(t *testing.T) {
	dir := t.TempDir()
	mine, other, plain := filepath.Join(dir, "mysh"), filepath.Join(dir, "othersh"), filepath.Join(dir, "plain")
	for f, mode := range map[string]os.FileMode{mine: 0o755, other: 0o755, plain: 0o644} {
		if err := os.WriteFile(f, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	passwd := func(shell string) string {
		return "root:x:0:0::/root:/bin/false\nbroken line\nme:x:1234:1:My Name:/home/me:" + shell + "\n"
	}
	for _, tc := range []struct{ passwd, env, want string }{
		{passwd(mine), "SHELL=" + other, mine},
		{passwd("/sbin/nologin"), "SHELL=" + other, other},
		{passwd("/not/there"), "SHELL=" + other, other},
		{passwd(plain), "SHELL=" + plain, fallbackShell},
		{"", "SHELL=" + other, other},
		{"", "SHELL=mysh", fallbackShell},
		{passwd(""), "", fallbackShell},
	} {
		if got := loginShell(strings.NewReader(tc.passwd), 1234, []string{"A=b", tc.env}); got != tc.want {
			t.Errorf("passwd %q, env %q: %q, want %q", tc.passwd, tc.env, got, tc.want)
		}
	}
}

func TestCleanTitle(t *testing.T) {
	r := hostproto.Record{Agent: "claudeCode", AgentName: "Claude Code", Dir: "/src/shop", Command: "claude --continue"}
	for raw, want := range map[string]string{
		"✳ Fix the login": "Fix the login",
		"⠋ Fix the login": "Fix the login",
		"⠙⠙  42 things":   "42 things",
		"":                "",
		"/src/shop":       "",
		"~/shop":          "",
		"me@box: ~":       "",
		"Claude Code":     "",
		"✳ claude code":   "",
		"claude":          "",
		"shop":            "",
		"codex - shop":    "",
		"a\x1b]b\x00\tc":  "a]bc",
		"…":               "",
		"日本語の題":           "日本語の題",
	} {
		if got := cleanTitle(raw, r); got != want {
			t.Errorf("%q became %q, want %q", raw, got, want)
		}
	}
	if got := cleanTitle(strings.Repeat("ü", 500), r); len(got) > maxTitle || strings.TrimLeft(got, "ü") != "" {
		t.Errorf("a long title: %d bytes %q", len(got), got[len(got)-4:])
	}
}

func TestLastLines(t *testing.T) {
	if got := lastLines(strings.Repeat("x\n", 50) + "end\n\n"); strings.Count(got, "\n") != 19 || !strings.HasSuffix(got, "\nend") {
		t.Errorf("%q", got)
	}
	if got := lastLines(strings.Repeat("é", 5000)); len(got) > 2<<10 || strings.Trim(got, "é") != "" {
		t.Errorf("%d bytes", len(got))
	}
}
