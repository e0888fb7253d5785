package api

import (
	"encoding/json"
	"time"
)

// acpSamples are replies of the verbs of `termio acp`, the least and the most
// of each.
func acpSamples() map[string][]any {
	return map[string][]any{
		VerbOptions: {
			OptionsReply{Head: OKHead(), Target: link, Title: "t", Agent: "codex", Options: []Option{}},
			OptionsReply{
				OKHead(), link, "t", "codex", true,
				[]Option{
					{"model", "Model", "which", "model", "model", "select", "m1", []OptionChoice{{"m1", "One", "", ""}, {"m2", "Two", "larger", "Group"}}, true},
					{ID: "fast", Name: "Fast", Type: "boolean", Value: "false"},
				},
				[]OptionSetting{{"model", "m1"}},
				[]SlashCommand{{"compact", "shorten", "what to keep"}},
				[]PlanEntry{{"do it", "pending", "high"}},
				&ContextUsage{10, 200},
			},
		},
		VerbACPProbe: {
			ACPProbeReply{Head: OKHead(), Agent: "pi", Name: "unknown", ProtocolVersion: 1, Authentication: "unknown"},
			ACPProbeReply{OKHead(), "codex", "Codex", "1.2", 1, json.RawMessage(`{"loadSession":true}`), "unauthenticated", []ACPAuthMethod{{"oauth", "Sign in"}}},
		},
		VerbACPModels: {
			ACPModelsReply{Head: OKHead(), Models: []ACPModel{}},
			ACPModelsReply{OKHead(), "m1", []ACPModel{{"m1", "One", ""}, {"m2", "Two", "Group"}}, json.RawMessage(`[{"id":"model"}]`)},
		},
		VerbACPSessions: {
			ACPSessionsReply{Head: OKHead(), Sessions: []ACPSession{}},
			ACPSessionsReply{OKHead(), true, []ACPSession{{"s1", "/p", "", ""}, {"s2", "/p/q", "Title", "2026-11-30T10:00:00Z"}}, "next"},
		},
		VerbACPWarm: {
			ACPWarmReply{Head: OKHead(), Warm: []ACPWarm{}},
			ACPWarmReply{OKHead(), []ACPWarm{
				{"pi", "/p", false, time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC), time.Time{}, 0},
				{"codex", "/p/q", true, time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC), time.Date(2026, 11, 30, 10, 10, 0, 0, time.UTC), 77},
			}},
		},
		VerbACPLoad: {
			ACPLoadReply{Head: OKHead(), Lines: []ACPLine{}},
			ACPLoadReply{OKHead(), "Title", []ACPLine{{"user", "hi", "", nil}, {"agent", "ho", "hm", []ACPTool{{"t1", "read x", "read", "completed"}}}}},
		},
	}
}
