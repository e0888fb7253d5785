package atp

import (
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestLaunchCommand(t *testing.T) {
	c, _ := LoadBundled()
	for _, x := range []struct {
		id   string
		o    LaunchOptions
		want string
	}{
		{"claudeCode", LaunchOptions{}, "claude"},
		{"claudeCode", LaunchOptions{Bypass: true}, "claude --dangerously-skip-permissions"},
		{"claudeCode", LaunchOptions{Bypass: true, CommandOverride: "claude --dangerously-skip-permissions"}, "claude --dangerously-skip-permissions"},
		{"claudeCode", LaunchOptions{Bypass: true, CommandOverride: "claude '--dangerously-skip-permissions'"}, "claude '--dangerously-skip-permissions'"},
		{"claudeCode", LaunchOptions{Bypass: true, Extra: []string{"--dangerously-skip-permissions"}}, "claude --dangerously-skip-permissions"},
		{"qwen", LaunchOptions{Bypass: true, CommandOverride: "qwen --yolo-not"}, "qwen --yolo-not --yolo"},
		{"qwen", LaunchOptions{Bypass: true, CommandOverride: "qwen 'open --yolo"}, "qwen 'open --yolo"},
		{"opencode", LaunchOptions{Bypass: true, Fragment: "--session ses_1"}, "opencode --session ses_1"},
		{"codex", LaunchOptions{Bypass: true, Args: []string{"-c", "a=[1]"}, Fragment: "resume x", Extra: []string{"it's", ""}}, `codex --dangerously-bypass-approvals-and-sandbox -c 'a=[1]' resume x 'it'\''s' ''`},
		{"terminal", LaunchOptions{Bypass: true, Fragment: "x", Extra: []string{"y"}}, ""},
		{"terminal", LaunchOptions{CommandOverride: " htop "}, "htop"},
	} {
		m, _ := c.ByID(x.id)
		if got := LaunchCommand(m, x.o); got != x.want {
			t.Errorf("%s %+v:\n got %s\nwant %s", x.id, x.o, got, x.want)
		}
	}
}

func TestExpandID(t *testing.T) {
	const id = "0b7e2c1a-5f7d-4c38-9d1e-0123456789ab"
	for template, want := range map[string]string{
		"--resume {id}":        "--resume " + id,
		"file:s-*-{id8}.jsonl": "file:s-*-0b7e2c1a.jsonl",
		"--a={id} --b {id}":    "--a=" + id + " --b " + id,
		"no placeholder":       "no placeholder",
	} {
		if got, err := ExpandID(template, id); err != nil || got != want {
			t.Errorf("%s: got %q, %v", template, got, err)
		}
	}
	if got, err := ExpandID("{id8}", "ses_1"); err != nil || got != "ses_1" {
		t.Errorf("a short id: %q, %v", got, err)
	}
	for _, bad := range []string{"", "-x", ".x", "..", "a b", "a;b", "$(x)", "a/b", "a\n", "é", "{id}", strings.Repeat("a", 129), "a'b", "*"} {
		if got, err := ExpandID("--resume {id}", bad); err == nil {
			t.Errorf("%q was taken: %s", bad, got)
		}
	}
}

// TestQuoteAgainstAShell lets a real shell say what a quoted word is.
func TestQuoteAgainstAShell(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh here")
	}
	words := []string{"", "a", "it's", `a"b`, `\`, "$HOME", "`x`", "a b", "*", "~", "~/x", "=ls", "a=b", "#x", "!", "é ✳", "\t\n", "--x=y:z,%+@", "{a,b}", "[a]", "'", "''"}
	line := "printf '%s\\0'"
	for _, w := range words {
		line += " " + Quote(w)
	}
	out, err := exec.Command(sh, "-c", line).Output()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	for i, w := range words {
		if i >= len(got) || got[i] != w {
			t.Errorf("%q came out as %q", w, got[i])
		}
	}
}

// TestQuoteForOtherShells: what sh does not mind but zsh does.
func TestQuoteForOtherShells(t *testing.T) {
	if got := Quote("=ls"); got != "'=ls'" {
		t.Errorf("got %s", got)
	}
}

// TestWordsUndoQuote holds that splitting undoes quoting.
func TestWordsUndoQuote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-zA-Z0-9 '"\\$\n~=;*-]{0,8}`), 0, 5).Draw(t, "words")
		var quoted []string
		for _, w := range words {
			quoted = append(quoted, Quote(w))
		}
		got, ok := Words(strings.Join(quoted, " "))
		if !ok || len(got) != len(words) {
			t.Fatalf("%q: got %q", words, got)
		}
		for i := range words {
			if got[i] != words[i] {
				t.Fatalf("%q: got %q", words[i], got[i])
			}
		}
	})
}

func TestWords(t *testing.T) {
	for in, want := range map[string]string{
		`a  b`: "a|b", `a\ b c`: "a b|c", `"a \"b\" \x" 'c d'e`: `a "b" \x|c de`, `''`: "", "a\\\nb": "ab", `a"`: "a", "": "",
	} {
		got, _ := Words(in)
		if strings.Join(got, "|") != want {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
	if _, ok := Words(`a "b`); ok {
		t.Error("an open quote is not seen")
	}
}
