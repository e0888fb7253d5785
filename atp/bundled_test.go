package atp

import "testing"

func TestBundledManifestsAreClean(t *testing.T) {
	c, problems := LoadBundled()
	for _, p := range problems {
		t.Error(p)
	}
	want := []string{
		"terminal", "claudeCode", "codex", "opencode", "pi", "amp", "droid", "cursor", "copilot",
		"kimi", "qwen", "gemini", "antigravity", "crush", "cline", "hermes", "grok",
	}
	got := c.IDs()
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("place %d: got %s, want %s", i, got[i], want[i])
		}
	}
}
