package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/termio-sh/termio/internal/acphost"
	"github.com/termio-sh/termio/internal/config"
)

// acpSettingsTable are the settings of sessions over ACP.
func acpSettingsTable() []setting {
	type S = config.Settings
	agent := text("acp.userAgent", func(s *S) *string { return &s.ACP.UserAgent })
	proxy := text("acp.proxy", func(s *S) *string { return &s.ACP.Proxy })
	setProxy := proxy.set
	proxy.set = func(s *S, v string) error {
		if err := config.CheckProxy(v); err != nil {
			return err
		}
		return setProxy(s, v)
	}
	setAgent := agent.set
	agent.set = func(s *S, v string) error {
		if v != config.OneLine(v) {
			return fmt.Errorf("a User-Agent is one line")
		}
		return setAgent(s, v)
	}
	return []setting{
		servers("acp.mcpServers", func(s S) map[string]json.RawMessage { return s.ACP.MCPServers }, func(s *S, v map[string]json.RawMessage) { s.ACP.MCPServers = v }),
		agent,
		{"acp.warm", func(s S) string { return string(s.WarmsACP()) }, setWarm, func(s S) bool { return s.ACP.Warm != "" }},
		text("acp.userAgentProviders", func(s *S) *string { return &s.ACP.UserAgentProviders }),
		proxy,
		{
			"acp.draft", func(s S) string { return strconv.FormatBool(s.ACP.Draft) },
			func(s *S, v string) (err error) {
				s.ACP.Draft = false
				if v != "" {
					s.ACP.Draft, err = parseBool(v)
				}
				return err
			}, func(s S) bool { return s.ACP.Draft },
		},
	}
}

// servers is a setting of MCP servers, as JSON.
func servers(key string, get func(config.Settings) map[string]json.RawMessage, set func(*config.Settings, map[string]json.RawMessage)) setting {
	return setting{
		key: key,
		get: func(s config.Settings) string {
			data, err := json.Marshal(get(s))
			if err != nil || len(get(s)) == 0 {
				return ""
			}
			return string(data)
		},
		set: func(s *config.Settings, v string) error {
			if v == "" {
				set(s, nil)
				return nil
			}
			if _, err := acphost.ReadServers([]byte(v)); err != nil {
				return err
			}
			var file struct {
				Servers map[string]json.RawMessage `json:"mcpServers"`
			}
			// It has been read once.
			if _ = json.Unmarshal([]byte(v), &file); file.Servers == nil {
				_ = json.Unmarshal([]byte(v), &file.Servers)
			}
			set(s, file.Servers)
			return nil
		},
		chosen: func(s config.Settings) bool { return len(get(s)) > 0 },
	}
}

// projectServers is the setting projects.<DIR>.mcpServers.
func projectServers(dir string) (setting, bool, error) {
	if !filepath.IsAbs(dir) {
		return setting{}, true, fmt.Errorf("%s is no absolute directory; as in: termio config set projects./home/me/app.mcpServers '{\"files\":{\"command\":\"files-mcp\"}}'", quoted(dir))
	}
	dir = filepath.Clean(dir)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return servers("projects."+dir+".mcpServers",
		func(s config.Settings) map[string]json.RawMessage { return s.Projects[dir].MCPServers },
		func(s *config.Settings, v map[string]json.RawMessage) {
			p := s.Projects[dir]
			p.MCPServers = v
			if s.Projects == nil {
				s.Projects = map[string]config.Project{}
			}
			s.Projects[dir] = p
		}), true, nil
}

func setWarm(s *config.Settings, text string) error {
	if text == "" { // back to the default
		s.ACP.Warm = ""
		return nil
	}
	w, err := config.ParseWarm(text)
	s.ACP.Warm = w
	return err
}
