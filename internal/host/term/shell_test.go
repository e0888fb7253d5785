//go:build unix

package term

import (
	"strings"
	"testing"

	"github.com/termio-sh/termio/internal/hostproto"
)

func TestExecLine(t *testing.T) {
	for command, want := range map[string]string{
		"":                  "",
		"claude --model x":  "exec claude --model x",
		"cd x && claude":    "cd x && claude",
		"A=1 claude":        "A=1 claude",
		"exec claude":       "exec claude",
		"claude 'it''s":     "claude 'it''s",
		"echo $(date)":      "echo $(date)",
		"while true; do x":  "while true; do x",
		"claude 'a b' --c":  "exec claude 'a b' --c",
		"/opt/my claude --": "exec /opt/my claude --",
	} {
		if got := execLine(command); got != want {
			t.Errorf("%q became %q, want %q", command, got, want)
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
