package agents

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// object keeps the settings below readable.
type object = map[string]any

// claude: without hasCompletedOnboarding it first talks to its vendor; without
// the trusted project and defaultMode it asks about trust, and then lets a
// model approve tools instead of asking.
func (h *Home) claude() error {
	projects := object{}
	for _, p := range h.cfg.Projects {
		projects[p] = object{"hasTrustDialogAccepted": true}
	}
	if err := h.writeJSON(".claude.json", object{
		"hasCompletedOnboarding": true, "theme": "dark", "hasSeenAutoDefaultNudge": true,
		"autoUpdates": false, "projects": projects,
	}); err != nil {
		return err
	}
	h.env["ANTHROPIC_BASE_URL"] = h.cfg.ModelURL
	h.env["ANTHROPIC_AUTH_TOKEN"] = "fake" // a token, unlike a key, needs no approval
	h.env["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"] = "1"
	h.env["CLAUDE_CODE_MAX_RETRIES"] = "1"
	h.env["DISABLE_AUTOUPDATER"] = "1"
	return h.writeJSON(".claude/settings.json", object{"permissions": object{"defaultMode": "default"}})
}

// codex: without daemon_auto_start = false it leaves a daemon behind.
func (h *Home) codex() error {
	var b strings.Builder
	fmt.Fprintf(&b, `model = "gpt-5"
model_provider = "fake"
approval_policy = "on-request"
sandbox_mode = "workspace-write"
check_for_update_on_startup = false

[model_providers.fake]
name = "Fake"
base_url = %q
wire_api = "responses"
env_key = "FAKE_KEY"

[analytics]
enabled = false

[tui]
screen_reader_detection_done = true

[features]
daemon_auto_start = false
default_mode_request_user_input = true
`, h.cfg.ModelURL+"/v1")
	for _, p := range h.cfg.Projects {
		fmt.Fprintf(&b, "\n[projects.%q]\ntrust_level = \"trusted\"\n", p)
	}
	h.env["FAKE_KEY"] = "fake"
	return h.write(".codex/config.toml", b.String())
}

func (h *Home) opencode() error {
	h.env["OPENCODE_DISABLE_AUTOUPDATE"] = "1"
	h.env["OPENCODE_DISABLE_MODELS_FETCH"] = "1"
	h.env["OPENCODE_DISABLE_LSP_DOWNLOAD"] = "1"
	if h.cfg.Plugins {
		if err := h.opencodePlugin(); err != nil {
			return err
		}
	}
	return h.writeJSON(".config/opencode/opencode.json", object{
		"$schema": "https://opencode.ai/config.json", "autoupdate": false, "share": "disabled",
		"model": "fake/fake-model", "small_model": "fake/fake-model", "enabled_providers": []string{"fake"},
		"permission": object{"bash": "ask", "edit": "ask"},
		"provider": object{"fake": object{
			"npm": "@ai-sdk/openai-compatible", "name": "Fake",
			"options": object{"baseURL": h.cfg.ModelURL + "/v1", "apiKey": "fake"},
			"models": object{
				"fake-model":  object{"name": "Fake Model", "tool_call": true, "limit": object{"context": 200000, "output": 8000}},
				"other-model": object{"name": "Other Model", "tool_call": true, "limit": object{"context": 200000, "output": 8000}},
			},
		}},
	})
}

// opencodePlugin puts the plugin package in place as npm would have: OpenCode
// compares the two package files before it decides to call npm.
func (h *Home) opencodePlugin() error {
	from := filepath.Join(h.cfg.Root, "opencode-plugin")
	for _, name := range []string{"package.json", "package-lock.json"} {
		raw, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return err
		}
		if err := h.write(".config/opencode/"+name, string(raw)); err != nil {
			return err
		}
	}
	return h.linkOnce(filepath.Join(from, "node_modules"), ".config/opencode/node_modules")
}

func (h *Home) pi() error {
	if err := h.writeJSON(".pi/agent/models.json", object{"providers": object{"fake": object{
		"baseUrl": h.cfg.ModelURL + "/v1", "apiKey": "fake", "api": "openai-completions",
		"models": []any{
			object{"id": "fake-model", "name": "Fake Model", "contextWindow": 128000, "maxTokens": 8000},
			object{"id": "other-model", "name": "Other Model", "contextWindow": 128000, "maxTokens": 8000},
		},
	}}}); err != nil {
		return err
	}
	h.env["PI_OFFLINE"] = "1"
	return h.writeJSON(".pi/agent/settings.json", object{
		"defaultProvider": "fake", "defaultModel": "fake-model", "quietStartup": false,
	})
}

func (h *Home) gemini() error {
	trusted := object{}
	for _, p := range h.cfg.Projects {
		trusted[p] = "TRUST_FOLDER"
	}
	if err := h.writeJSON(".gemini/trustedFolders.json", trusted); err != nil {
		return err
	}
	h.env["GEMINI_API_KEY"] = "fake"
	h.env["GOOGLE_GEMINI_BASE_URL"] = h.cfg.ModelURL
	h.env["GEMINI_MODEL"] = "gemini-2.5-pro" // its default routes each prompt with one more request
	return h.writeJSON(".gemini/settings.json", object{
		"general":  object{"disableAutoUpdate": true, "enableAutoUpdate": false, "disableUpdateNag": true},
		"security": object{"auth": object{"selectedType": "gemini-api-key"}, "folderTrust": object{"enabled": true}},
		"privacy":  object{"usageStatisticsEnabled": false}, "telemetry": object{"enabled": false},
		"ui": object{"theme": "Default", "hideTips": true, "dynamicWindowTitle": true},
	})
}

func (h *Home) qwen() error {
	h.env["OPENAI_API_KEY"] = "fake"
	h.env["OPENAI_BASE_URL"] = h.cfg.ModelURL + "/v1"
	h.env["OPENAI_MODEL"] = "fake-model"
	return h.writeJSON(".qwen/settings.json", object{
		"$version": 3,
		"general":  object{"enableAutoUpdate": false, "disableAutoUpdate": true},
		"security": object{"auth": object{"selectedType": "openai"}, "folderTrust": object{"enabled": false}},
		"tools":    object{"approvalMode": "default"}, "model": object{"name": "fake-model"},
		"modelProviders": object{"openai": []any{
			object{"id": "fake-model", "name": "Fake Model", "envKey": "OPENAI_API_KEY", "baseUrl": h.cfg.ModelURL + "/v1"},
			object{"id": "other-model", "name": "Other Model", "envKey": "OPENAI_API_KEY", "baseUrl": h.cfg.ModelURL + "/v1"},
		}},
		"privacy": object{"usageStatisticsEnabled": false}, "telemetry": object{"enabled": false},
	})
}

func (h *Home) copilot() error {
	for k, v := range map[string]string{
		"COPILOT_PROVIDER_BASE_URL": h.cfg.ModelURL + "/v1", "COPILOT_PROVIDER_API_KEY": "fake",
		"COPILOT_MODEL": "fake-model", "COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false",
	} {
		h.env[k] = v
	}
	return h.writeJSON(".copilot/config.json", object{
		"firstLaunchAt": "2026-01-01T00:00:00.000Z", "appTipShown": true, "trustedFolders": h.cfg.Projects,
	})
}
