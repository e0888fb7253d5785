package agents

import (
	"fmt"
	"slices"
	"strings"
)

// A Pin is one thing to install: an exact set of npm packages under one name.
type Pin struct {
	// Name is the folder under the root, and what people type.
	Name string
	// Packages are npm packages with their exact versions. The version is
	// always named: npm picks an older release in silence when the running
	// Node does not satisfy the newest one's "engines".
	Packages []string
	// Bin is the command that must exist once the pin is installed; empty for
	// a library.
	Bin string
	// Needs names the pins that must be there too (the Node that runs it).
	Needs []string
	// Optional pins are installed only when they are named.
	Optional bool
}

// Pins returns every pin, the ones that others need first.
func Pins() []Pin {
	return []Pin{
		{Name: "node", Packages: []string{"node@22.23.3"}, Bin: "node"},
		{Name: "claude", Packages: []string{"@anthropic-ai/claude-code@2.1.332"}, Bin: "claude"},
		{Name: "codex", Packages: []string{"@openai/codex@0.171.0"}, Bin: "codex", Needs: []string{"node"}},
		// OpenCode, when it has plugins, wants this package beside its settings,
		// else it tries npm for more than a minute before it shows anything.
		{Name: "opencode-plugin", Packages: []string{"@opencode-ai/plugin@1.18.33"}},
		{
			Name: "opencode", Packages: []string{"opencode-ai@1.18.33"}, Bin: "opencode",
			Needs: []string{"node", "opencode-plugin"},
		},
		{Name: "pi", Packages: []string{"@earendil-works/pi-coding-agent@1.6.0"}, Bin: "pi", Needs: []string{"node"}},
		{Name: "gemini", Packages: []string{"@google/gemini-cli@0.61.0"}, Bin: "gemini", Needs: []string{"node"}},
		{Name: "qwen", Packages: []string{"@qwen-code/qwen-code@0.24.4"}, Bin: "qwen", Needs: []string{"node"}},
		{Name: "copilot", Packages: []string{"@github/copilot@1.0.102"}, Bin: "copilot", Needs: []string{"node"}},
		{
			Name: "claude-acp", Packages: []string{"@agentclientprotocol/claude-agent-acp@0.101.0"},
			Bin: "claude-agent-acp", Needs: []string{"node"}, Optional: true,
		},
		{
			Name: "codex-acp", Packages: []string{"@agentclientprotocol/codex-acp@2.6.0"},
			Bin: "codex-acp", Needs: []string{"node"}, Optional: true,
		},
		{Name: "pi-acp", Packages: []string{"pi-acp@0.0.34"}, Bin: "pi-acp", Needs: []string{"node", "pi"}, Optional: true},
	}
}

// Select returns the named pins and what they need, in the order of Pins. No
// name at all means every pin that is not optional.
func Select(names ...string) ([]Pin, error) {
	all := Pins()
	want := map[string]bool{}
	var add func(string) error
	add = func(name string) error {
		i := slices.IndexFunc(all, func(p Pin) bool { return p.Name == name })
		if i < 0 {
			return fmt.Errorf("no agent is called %q (known: %s)", name, strings.Join(pinNames(all), ", "))
		}
		want[name] = true
		for _, n := range all[i].Needs {
			if err := add(n); err != nil {
				return err
			}
		}
		return nil
	}
	if len(names) == 0 {
		for _, p := range all {
			if !p.Optional {
				names = append(names, p.Name)
			}
		}
	}
	for _, n := range names {
		if err := add(n); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(all, func(p Pin) bool { return !want[p.Name] }), nil
}

func pinNames(pins []Pin) []string {
	var out []string
	for _, p := range pins {
		out = append(out, p.Name)
	}
	return out
}
