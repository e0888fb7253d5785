package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// ACP is what the user chose for sessions over the Agent Client Protocol.
type ACP struct {
	// MCPServers are given to every session, by name, each as clients keep
	// them in a file: see acphost.ReadServers.
	MCPServers map[string]json.RawMessage
	// UserAgent is what agents' requests to their model say they come from,
	// and UserAgentProviders the providers of Codex's that it is for, between
	// commas.
	UserAgent, UserAgentProviders string
	// Warm is when agents are started before their session, "" where nothing
	// was chosen; see WarmsACP.
	Warm Warm
	// Proxy is the URL of the proxy that agents are given.
	Proxy string
	// Draft offers agents version 2 of the protocol, which is a draft.
	Draft bool

	rest map[string]json.RawMessage
}

// The keys of the file that are about the Agent Client Protocol.
const (
	keyACP         = "acp"
	keyMCPServers  = "mcpServers"
	keyUserAgent   = "userAgent"
	keyUAProviders = "userAgentProviders"
	keyProxy       = "proxy"
	keyDraft       = "draft"
)

const mcpRule = "an object with one entry for each MCP server"

// acp takes what was chosen for sessions over ACP.
func (r *reader) acp(all map[string]json.RawMessage, s *Settings) {
	var entry map[string]json.RawMessage
	take(r, all, "", keyACP, &entry, "an object")
	a := ACP{rest: entry}
	take(r, entry, keyACP+".", keyMCPServers, &a.MCPServers, mcpRule)
	take(r, entry, keyACP+".", keyUserAgent, &a.UserAgent, "a text")
	take(r, entry, keyACP+".", keyUAProviders, &a.UserAgentProviders, "names between commas")
	take(r, entry, keyACP+".", keyDraft, &a.Draft, "true or false")
	raw := entry[keyProxy]
	take(r, entry, keyACP+".", keyProxy, &a.Proxy, "a URL")
	if err := CheckProxy(a.Proxy); err != nil {
		r.problems = append(r.problems, Problem{File: r.file, Key: keyACP + "." + keyProxy, Rule: err.Error()})
		a.Proxy, entry[keyProxy] = "", raw
	}
	r.warm(entry, &a)
	if a.UserAgent != OneLine(a.UserAgent) {
		r.problems = append(r.problems, Problem{File: r.file, Key: keyACP + "." + keyUserAgent, Rule: "it must be one line"})
		a.UserAgent = ""
	}
	s.ACP = a
}

// OneLine is text without line breaks and other control characters.
func OneLine(text string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return -1
		}
		return c
	}, text)
}

// CheckProxy refuses what is no proxy's URL.
func CheckProxy(text string) error {
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme) {
		return fmt.Errorf("%q is no proxy's URL, as in http://127.0.0.1:7890", text)
	}
	return nil
}

func (s Settings) saveACP(all map[string]any) {
	entry := map[string]any{}
	for k, v := range s.ACP.rest {
		entry[k] = v
	}
	put(entry, keyMCPServers, s.ACP.MCPServers, len(s.ACP.MCPServers) > 0)
	put(entry, keyUserAgent, s.ACP.UserAgent, s.ACP.UserAgent != "")
	put(entry, keyUAProviders, s.ACP.UserAgentProviders, s.ACP.UserAgentProviders != "")
	put(entry, keyWarm, s.ACP.Warm, s.ACP.Warm != "")
	put(entry, keyProxy, s.ACP.Proxy, s.ACP.Proxy != "")
	put(entry, keyDraft, s.ACP.Draft, s.ACP.Draft)
	put(all, keyACP, entry, len(entry) > 0)
}

// SessionServers are the MCP servers of a project's sessions, the project's
// before the user's own.
func (s Settings) SessionServers(project string) map[string]json.RawMessage {
	all := maps.Clone(s.ACP.MCPServers)
	if all == nil {
		all = map[string]json.RawMessage{}
	}
	maps.Copy(all, s.Projects[project].MCPServers)
	return all
}
