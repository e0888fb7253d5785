package atp

import (
	"embed"
	"strings"
)

//go:embed agents/*.json terminal.json
var bundledFS embed.FS

// build makes the manifest of a checked tree. A key that is absent leaves the
// zero value or the documented default.
func build(o *node) *Manifest {
	m := &Manifest{
		ID:                   o.str1("id"),
		Name:                 o.str1("name"),
		Order:                o.number("order", DefaultOrder),
		Wire:                 o.str1("wire"),
		Aliases:              o.strs("aliases"),
		Command:              o.str1("command"),
		Processes:            o.strs("processes"),
		VersionArgs:          o.strs("versionArgs"),
		Env:                  o.strMap("env"),
		PermissionBypassFlag: o.str1("permissionBypassFlag"),
		Install:              o.str1("install", "installURL"),
		ProgressStatus:       o.flag("progressStatus"),
		WorkAfterMs:          o.number("workAfterMs", 0),
		Hooks:                buildHooks(o.get("hooks")),
		SessionFile:          buildSessionFile(o.get("sessionFile")),
		Resume:               buildResume(o.get("resume")),
		Ready:                buildReady(o.get("ready")),
		Input:                buildInput(o.get("input")),
	}
	if m.Wire == "" {
		m.Wire = m.ID
	}
	if m.VersionArgs == nil {
		m.VersionArgs = []string{"--version"}
	}
	if n := o.get("icon"); n != nil {
		m.Icon = &Icon{
			Vector: n.str1("vector"), Asset: n.str1("asset"), Path: n.str1("path"),
			Symbol: n.str1("symbol"), Glyph: n.str1("glyph"), Tint: n.str1("tint"),
		}
	}
	if n := o.get("skills"); n != nil {
		m.Skills = &Skills{Dir: n.str1("dir")}
	}
	if n := o.get("configHome"); n != nil {
		m.ConfigHome = &ConfigHome{Env: n.str1("env"), Path: strings.TrimRight(n.str1("path"), "/")}
	}
	if n := o.get("titleStatus"); n != nil {
		m.TitleStatus = &TitleStatus{Working: n.strs("working"), Attention: n.strs("attention"), Idle: n.strs("idle")}
	}
	if n := o.get("status"); n != nil {
		m.Status = &ScreenStatus{Working: n.strs("working"), Attention: n.strs("attention"), Idle: n.strs("idle"), Rows: n.number("rows", 0)}
	}
	if n := o.get("transcript"); n != nil {
		m.Transcript = &Transcript{Format: n.str1("format"), Version: n.number("version", 1), Root: n.str1("root"), Glob: n.str1("glob"), Match: n.str1("match")}
	}
	if n := o.get("acp"); n != nil {
		m.ACP = &ACP{Command: n.str1("command"), Args: n.strs("args"), Env: n.strMap("env")}
	}
	return m
}

func buildHooks(n *node) *Hooks {
	if n == nil {
		return nil
	}
	h := &Hooks{
		Type: hookType(n), Dialect: n.str1("dialect"), File: n.str1("file"), Dir: n.str1("dir"),
		Conversation: n.str1("conversation"), Tool: n.str1("tool"), PromptTitle: n.str1("promptTitle"),
		Subagent: n.str1("subagent"), Pending: n.str1("pending"),
		CapturesTranscript: n.flag("capturesTranscript"),
	}
	if h.Dialect == "" {
		for _, d := range dialects {
			if d.typ == h.Type {
				h.Dialect = d.def
			}
		}
	}
	for _, e := range n.get("events").list() {
		h.Events = append(h.Events, HookEvent{
			On: e.str1("on", "event"), State: State(e.str1("state")),
			Matcher: e.str1("matcher"), Since: e.str1("since"),
		})
	}
	if i := n.get("inject"); i != nil {
		h.Inject = &HookInject{
			File: i.str1("file"), Wrap: i.str1("wrap"), Files: i.strMap("files"),
			Args: i.strs("args"), Env: i.strMap("env"), Unless: i.strs("unless"), Needs: i.strs("needs"), Since: i.str1("since"),
		}
	}
	return h
}

func buildSessionFile(n *node) *SessionFile {
	if n == nil {
		return nil
	}
	f := &SessionFile{
		Path: n.str1("path"), State: n.str1("state"), ID: n.str1("id"),
		Cwd: n.str1("cwd"), Detail: n.str1("detail"), States: map[string]State{},
	}
	for word, state := range n.strMap("states") {
		f.States[word] = State(state)
	}
	return f
}

func buildResume(n *node) *Resume {
	if n == nil {
		return nil
	}
	if n.kind == kindString {
		return presetResume(n.str)
	}
	r := &Resume{
		Create: n.str1("create"), Resume: n.str1("resume"),
		StoreRoot: n.str1("storeRoot"), StoreMatch: n.str1("storeMatch"), StoreID: n.str1("storeId"),
		Begun: n.str1("begun"), Chooses: n.strs("chooses"), Rotates: n.strs("rotates"),
		TranscriptName: n.str1("transcriptName"), Seed: n.str1("seed"),
	}
	if d := n.get("discover"); d != nil {
		r.Discover = &Discover{
			Root: d.str1("root"), Format: d.str1("format"), Table: d.str1("table"),
			ID: d.str1("id"), Cwd: d.str1("cwd"), Created: d.str1("created"), Parent: d.str1("parent"),
		}
	}
	return r
}

// presetResume gives a legacy word the bundled agent's current values, so that
// there is one place where a vendor's change is followed.
func presetResume(word string) *Resume {
	id := presetAgent(word)
	if id == "" {
		return nil
	}
	data, err := bundledFS.ReadFile("agents/" + id + ".json")
	if err != nil {
		return nil
	}
	m, _ := Decode(id+".json", data)
	if m == nil {
		return nil
	}
	return m.Resume
}

func buildReady(n *node) *Ready {
	if n == nil {
		return nil
	}
	return &Ready{
		BracketedPaste: n.flag("bracketedPaste"), Screen: n.strs("screen"), NotScreen: n.strs("notScreen"),
		QuietMs: n.number("quietMs", 0), MinMs: n.number("minMs", 0), MaxMs: n.number("maxMs", 0),
	}
}

func buildInput(n *node) *Input {
	if n == nil {
		return nil
	}
	return &Input{
		Clear: n.strs("clear"), Submit: n.str1("submit"), SubmitDelayMs: n.number("submitDelayMs", 0),
		Interrupt: n.strs("interrupt"), InterruptGapMs: n.number("interruptGapMs", 0), Newline: n.str1("newline"),
	}
}

// The readers below take the first of the names that is present.

func (n *node) str1(names ...string) string {
	for _, name := range names {
		if v := n.get(name); v != nil {
			return v.str
		}
	}
	return ""
}

func (n *node) flag(name string) bool {
	v := n.get(name)
	return v != nil && v.bool
}

func (n *node) number(name string, def int) int {
	if v := n.get(name); v != nil {
		return int(v.num)
	}
	return def
}

func (n *node) list() []*node {
	if n == nil {
		return nil
	}
	return n.items
}

func (n *node) strs(name string) []string {
	v := n.get(name)
	if v == nil {
		return nil
	}
	out := make([]string, len(v.items))
	for i, item := range v.items {
		out[i] = item.str
	}
	return out
}

func (n *node) strMap(name string) map[string]string {
	v := n.get(name)
	if v == nil {
		return nil
	}
	out := make(map[string]string, len(v.members))
	for _, m := range v.members {
		out[m.key] = m.val.str
	}
	return out
}
