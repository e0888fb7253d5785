package daemon

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/config"
	"github.com/termio-sh/termio/internal/shellenv"
)

// injectACP gives an agent over ACP the user's User-Agent and proxy (row 185). The
// agent speaks to its model itself, so both are only in its environment, and
// only there: nothing of it is kept.
func injectACP(env []string, m *atp.Manifest, bundled bool, a config.ACP) []string {
	set := map[string]string{}
	if ua := strings.TrimSpace(a.UserAgent); ua != "" {
		set["TERMIO_USER_AGENT"] = ua
		program := ""
		if m.ACP != nil {
			program = path.Base(m.ACP.Command)
		}
		switch {
		case program == "codex-acp", !bundled && program != "claude-agent-acp":
			set["CODEX_CONFIG"] = codexConfig(env, ua, a.UserAgentProviders)
		case program == "claude-agent-acp":
			set["ANTHROPIC_CUSTOM_HEADERS"] = withUserAgent(shellenv.Get(env, "ANTHROPIC_CUSTOM_HEADERS"), ua)
		}
	}
	if a.Proxy != "" {
		maps.Copy(set, proxyEnv(env, a.Proxy))
	}
	if len(set) == 0 {
		return env
	}
	out := slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		_, ours := set[name]
		return ours
	})
	for _, name := range slices.Sorted(maps.Keys(set)) {
		out = append(out, name+"="+set[name])
	}
	return out
}

// codexConfig is CODEX_CONFIG with the User-Agent for each provider: those that
// were named, else those that it has and MODEL_PROVIDER, else openai. What else
// is in it stays.
func codexConfig(env []string, ua, named string) string {
	var all map[string]any
	// What is no object is replaced by one.
	if json.Unmarshal([]byte(shellenv.Get(env, "CODEX_CONFIG")), &all) != nil || all == nil {
		all = map[string]any{}
	}
	providers, ok := all["model_providers"].(map[string]any)
	if !ok {
		providers = map[string]any{}
	}
	var targets []string
	for id := range strings.SplitSeq(named, ",") {
		if id = strings.TrimSpace(id); id != "" {
			targets = append(targets, id)
		}
	}
	if len(targets) == 0 {
		targets = slices.Collect(maps.Keys(providers))
		if id := strings.TrimSpace(shellenv.Get(env, "MODEL_PROVIDER")); id != "" {
			targets = append(targets, id)
		}
	}
	if len(targets) == 0 {
		targets = []string{"openai"}
	}
	for _, id := range targets {
		if _, there := providers[id]; !there {
			providers[id] = map[string]any{}
		}
		p, ok := providers[id].(map[string]any)
		if !ok {
			continue
		}
		headers, ok := p["http_headers"].(map[string]any)
		if !ok {
			headers = map[string]any{}
		}
		headers["User-Agent"] = ua
		p["http_headers"] = headers
	}
	all["model_providers"] = providers
	data, err := json.Marshal(all)
	if err != nil {
		return shellenv.Get(env, "CODEX_CONFIG")
	}
	return string(data)
}

// withUserAgent is lines of headers with the User-Agent in place of another.
func withUserAgent(headers, ua string) string {
	var out []string
	for line := range strings.SplitSeq(headers, "\n") {
		name, _, _ := strings.Cut(line, ":")
		if strings.TrimSpace(line) != "" && !strings.EqualFold(strings.TrimSpace(name), "user-agent") {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return strings.Join(append(out, "User-Agent: "+ua), "\n")
}

// proxyEnv are the variables of a proxy. Agents that serve themselves on the
// loopback interface must not be led through it.
func proxyEnv(env []string, proxy string) map[string]string {
	set := map[string]string{}
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		set[name] = proxy
		if low := strings.ToLower(name); shellenv.Get(env, low) != "" {
			set[low] = proxy // it would win otherwise
		}
	}
	var not []string
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		for one := range strings.SplitSeq(shellenv.Get(env, name), ",") {
			not = appendNew(not, one)
		}
	}
	for _, one := range []string{"127.0.0.1", "localhost", "::1"} {
		not = appendNew(not, one)
	}
	set["NO_PROXY"] = strings.Join(not, ",")
	if shellenv.Get(env, "no_proxy") != "" {
		set["no_proxy"] = set["NO_PROXY"]
	}
	return set
}

func appendNew(list []string, one string) []string {
	one = strings.TrimSpace(one)
	if one == "" || slices.ContainsFunc(list, func(k string) bool { return strings.EqualFold(k, one) }) {
		return list
	}
	return append(list, one)
}
