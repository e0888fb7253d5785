package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What was chosen for sessions over ACP is read, checked and kept, with what is
// not known in it.
func TestACPSettings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	const text = `{"acp":{"mcpServers":{"a":{"command":"x"},"b":{"command":"y"}},"userAgent":"cli/1","proxy":"no proxy","later":7},
	"projects":{"/p":{"mcpServers":{"b":{"command":"z"}}}}}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, problems := Load(path, time.Now())
	if len(problems) != 1 || problems[0].Key != "acp.proxy" || s.ACP.Proxy != "" || s.ACP.UserAgent != "cli/1" {
		t.Errorf("%+v %+v", problems, s.ACP)
	}
	if got := s.SessionServers("/p"); len(got) != 2 || !strings.Contains(string(got["b"]), `"z"`) {
		t.Errorf("the project's: %s", got)
	}
	if got := s.SessionServers("/q"); !strings.Contains(string(got["b"]), `"y"`) {
		t.Errorf("another project's: %s", got)
	}
	if err := Save(path, s); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, kept := range []string{`"later": 7`, `"proxy": "no proxy"`, `"userAgent": "cli/1"`, `"command": "z"`} {
		if !strings.Contains(string(data), kept) {
			t.Errorf("%s is lost:\n%s", kept, data)
		}
	}
	for text, want := range map[string]Warm{`{}`: WarmAsked, `{"acp":{"warm":"always"}}`: WarmAlways, `{"acp":{"warm":"Never"}}`: WarmNever, `{"acp":{"warm":"often"}}`: WarmNever, `{"acp":{"warm":3}}`: WarmNever, `{"acp":7}`: WarmNever} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if s, _ := Load(path, time.Now()); s.WarmsACP() != want {
			t.Errorf("%s: %s", text, s.WarmsACP())
		}
	}
	for url, ok := range map[string]bool{"": true, "http://h:1": true, "socks5h://h": true, "h:1": false, "ftp://h": false} {
		if (CheckProxy(url) == nil) != ok {
			t.Errorf("%q: %v", url, CheckProxy(url))
		}
	}
}
