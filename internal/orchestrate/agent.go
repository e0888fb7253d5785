package orchestrate

import (
	"strings"

	"github.com/termio-sh/termio/atp"
)

// Choice is what decides which agent a spawn starts, the first that is set
// counting.
type Choice struct {
	Named   string // --agent
	Caller  string // the manifest id of the session that asks, if it is one
	Default string // the user's setting
}

// ChooseAgent picks the agent to start. found reports whether an agent's
// program is there; it is asked only when nothing else decides.
func ChooseAgent(catalog atp.Catalog, c Choice, found func(*atp.Manifest) bool) (*atp.Manifest, error) {
	if strings.TrimSpace(c.Named) != "" {
		if m, ok := catalog.Lookup(c.Named); ok {
			return m, nil
		}
		return nil, Refuse(BadAgent, "there is no agent %q; the agents are: %s", clip(c.Named), agentIDs(catalog))
	}
	if m, ok := catalog.ByID(c.Caller); ok && !m.IsTerminal() {
		return m, nil
	}
	if strings.TrimSpace(c.Default) != "" {
		if m, ok := catalog.Lookup(c.Default); ok {
			return m, nil
		}
		return nil, Refuse(BadAgent, "the default agent in the settings is %q, which does not exist; the agents are: %s", clip(c.Default), agentIDs(catalog))
	}
	for _, m := range catalog.All() {
		if !m.IsTerminal() && found(m) {
			return m, nil
		}
	}
	return nil, Refuse(NoAgent, "no agent's program was found on the PATH of your login shell; `termio agents list` says where to get each, and --agent names one")
}

func agentIDs(catalog atp.Catalog) string {
	var ids []string
	for _, m := range catalog.All() {
		if !m.IsTerminal() {
			ids = append(ids, m.ID)
		}
	}
	return strings.Join(ids, ", ")
}
