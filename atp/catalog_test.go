package atp

import (
	"strings"
	"testing"
)

func TestLookup(t *testing.T) {
	c, _ := LoadBundled()
	for name, want := range map[string]string{
		"claude": "claudeCode", "Claude-Code": "claudeCode", "claudecode": "claudeCode", "CC": "claudeCode", "Claude Code": "claudeCode",
		"claudeCode": "claudeCode", "oc": "opencode", "OpenCode": "opencode", "shell": "terminal", "term": "terminal", " Terminal ": "terminal",
		"qwen code": "qwen", "gemini cli": "gemini", "GROK": "grok", "": "", "agy": "", "clau": "",
	} {
		m, ok := c.Lookup(name)
		if ok != (want != "") || ok && m.ID != want {
			t.Errorf("%q: got %v, want %q", name, m, want)
		}
	}
	if _, ok := c.ByID("CLAUDECODE"); ok {
		t.Error("ByID is not exact")
	}
}

func TestLookupPrefersIDOverNameOverAlias(t *testing.T) {
	c := NewCatalog(
		&Manifest{ID: "a", Name: "b", Order: 1, Aliases: []string{"c", "z"}},
		&Manifest{ID: "b", Name: "c", Order: 2},
		&Manifest{ID: "d", Name: "D", Order: 3, Aliases: []string{"z"}},
	)
	for name, want := range map[string]string{"b": "b", "c": "b", "z": "a"} {
		if m, _ := c.Lookup(name); m.ID != want {
			t.Errorf("%s: got %s, want %s", name, m.ID, want)
		}
	}
}

func TestCatalogIsAValue(t *testing.T) {
	c, _ := LoadBundled()
	all := c.All()
	all[0] = nil
	merged := c.Merge(&Manifest{ID: "codex", Name: "Mine", Order: 20}, &Manifest{ID: "new", Name: "New", Order: DefaultOrder})
	if c.Len() != 17 || c.All()[0] == nil {
		t.Error("the catalog changed")
	}
	if m, _ := c.ByID("codex"); m.Name != "Codex" {
		t.Error("Merge changed the catalog below")
	}
	if m, _ := merged.ByID("codex"); merged.Len() != 18 || m.Name != "Mine" || merged.IDs()[17] != "new" {
		t.Errorf("merged: %v", merged.IDs())
	}
	var zero Catalog
	if _, ok := zero.Lookup("x"); ok || zero.Len() != 0 {
		t.Error("the zero catalog is not empty")
	}
	if _, ok := zero.Foreground([]string{"claude"}); ok {
		t.Error("the zero catalog knows a program")
	}
}

func TestForeground(t *testing.T) {
	c, _ := LoadBundled()
	for argv, want := range map[string]string{
		"claude":                        "claudeCode",
		"/opt/bin/CODEX --yolo":         "codex",
		"-claude":                       "claudeCode",
		"agy":                           "antigravity",
		"cursor-agent resume":           "cursor",
		"vim claude":                    "",
		"bash":                          "",
		"-zsh":                          "",
		"node":                          "",
		"node --inspect":                "",
		"node /usr/local/bin/gemini":    "gemini",
		"node --no-warnings=x /a/pi.js": "pi",
		"node /usr/lib/node_modules/@google/gemini-cli/dist/index.js":            "gemini",
		"node /usr/lib/node_modules/@earendil-works/pi-coding-agent/dist/cli.js": "pi",
		"node /home/pi/server.js":                     "",
		"node /home/claude/app/main.js":               "",
		"node /srv/pi/server.js":                      "",
		"node /srv/my.pi/server.js":                   "",
		"node /home/u/node_modules/left-pad/index.js": "",
		"python3 /opt/hermes-agent/run.py":            "hermes",
		"python3 manage.py runserver":                 "",
		"npx @qwen-code/qwen-code":                    "qwen",
		"npx -y @google/gemini-cli":                   "gemini",
		"bun /home/u/.bun/install/global/node_modules/opencode-ai/bin/opencode.mjs": "opencode",
		"env FOO=1 codex":                 "codex",
		"sh -c claude":                    "claudeCode",
		"bash /home/u/deploy.sh claude":   "",
		"node /srv/codex.test/tools/x.js": "codex",
		"tsx cline.ts":                    "cline",
	} {
		m, ok := c.Foreground(strings.Fields(argv))
		if ok != (want != "") || ok && m.ID != want {
			t.Errorf("%s: got %v, want %q", argv, m, want)
		}
	}
	if m, ok := c.Foreground([]string{"bash", "-lc", "exec codex --x"}); !ok || m.ID != "codex" {
		t.Error("bash -lc is not looked into")
	}
	if _, ok := c.Foreground(nil); ok {
		t.Error("no answer is an agent")
	}
	if _, ok := c.Foreground([]string{""}); ok {
		t.Error("an empty name is an agent")
	}
}
