package agents

import (
	"path/filepath"
	"slices"
)

// acpServers are the agents that speak ACP through a server of their own.
var acpServers = map[string]string{"claude": "claude-acp", "codex": "codex-acp", "pi": "pi-acp"}

// ACPPin is the pin of the program that speaks ACP for an agent of Names.
func ACPPin(name string) string {
	if server, ok := acpServers[name]; ok {
		return server
	}
	return name
}

// AddACP puts an agent's ACP server on the PATH of the home, after Add.
func (h *Home) AddACP(name string) error {
	p, err := pinNamed(ACPPin(name))
	if err != nil {
		return err
	}
	if err := Installed(h.cfg.Root, p); err != nil {
		return err
	}
	if dir := binDir(filepath.Join(h.cfg.Root, p.Name), p); !slices.Contains(h.path, dir) {
		h.path = append(h.path, dir)
	}
	return h.writeProfiles()
}
