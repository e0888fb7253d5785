package atp

import (
	"slices"
	"strings"
)

// dialects are the legal pairs of hooks.type and hooks.dialect; the first of a
// list is the default, "" says that there is none.
var dialects = []struct {
	typ     string
	byKey   string // the key that says where the hooks go
	def     string
	allowed []string
}{
	{"json", "file", "claude", []string{"claude", "codex", "grok", "gemini", "cursor", "copilot"}},
	{"toml", "file", "kimi", []string{"kimi"}},
	{"plugin", "dir", "", []string{"opencode", "pi", "amp"}},
	{"scripts", "dir", "cline", []string{"cline"}},
}

// TranscriptFormats are the layouts that transcript.format names.
func TranscriptFormats() []string {
	return []string{
		"claude-jsonl", "codex-rollout", "copilot-events", "gemini-jsonl",
		"grok-jsonl", "opencode-sqlite", "pi-jsonl", "qwen-jsonl",
	}
}

func hooksSpec() *spec {
	s := object(
		key{name: "type", def: "`json`", doc: "How hooks are installed.", spec: oneOf("json", "toml", "plugin", "scripts")},
		key{name: "dialect", def: "by type", doc: "Whose shape is written: json `claude` (default), `codex`, `grok`, `gemini`, `cursor`, `copilot`; toml `kimi`; plugin `opencode`, `pi`, `amp`; scripts `cline`.", spec: oneOf("claude", "codex", "grok", "gemini", "cursor", "copilot", "kimi", "opencode", "pi", "amp", "cline")},
		key{name: "file", doc: "The config file; required for json and toml.", spec: filePath()},
		key{name: "dir", doc: "The directory; required for plugin and scripts.", spec: filePath()},
		key{name: "conversation", doc: "Where the agent's own session id is in a payload: a top-level field (json), a key path (opencode), `context` (pi).", spec: keyPath()},
		key{name: "tool", doc: "json only: the payload field that names the running tool.", spec: ident()},
		key{name: "promptTitle", doc: "json only: the payload field that carries the prompt, used once as a title.", spec: ident()},
		key{name: "subagent", additive: true, doc: "json only: the payload field that names the sub-agent which an event comes from; absent for the main one.", spec: ident()},
		key{name: "pending", additive: true, doc: "json only: the payload field with the list of background tasks that still run when a turn ends; while there are some the session is not done.", spec: ident()},
		key{name: "capturesTranscript", def: "false", doc: "Payloads carry `transcript_path`.", spec: toggle()},
		key{name: "events", required: true, doc: "Which of the agent's events means which state.", spec: list(object(
			key{name: "on", alias: "event", required: true, doc: "The event's name.", spec: line()},
			key{name: "state", required: true, doc: "The state it means.", spec: oneOf("working", "attention", "done", "idle")},
			key{name: "matcher", doc: "The agent's own filter for the event, such as a tool's name.", spec: line()},
			key{name: "since", additive: true, doc: "First version of the agent that knows the event; it is not written for an older one.", spec: version()},
		), 0)},
		key{name: "inject", additive: true, doc: "How the hooks are given to one launch, so that nothing of the user's is touched. In `args` and `env`, `{file}` is the generated file, `{dir}` its directory, `{url}` its file URL, `{config}` its text.", spec: object(
			key{name: "file", required: true, doc: "The generated file's name.", spec: fileName()},
			key{name: "wrap", doc: "Text around the hook configuration, which goes in at `{hooks}`.", def: "`{hooks}`", spec: text(`\{hooks\}`, "text that contains {hooks}")},
			key{name: "files", doc: "More files beside it, by name; the placeholders of `args` stand in their text too, `{config}` excepted.", spec: injectFiles()},
			key{name: "args", doc: "Arguments put right after the command.", spec: list(injectText(), 0)},
			key{name: "env", doc: "Environment variables for the launch.", spec: injectEnv()},
			key{name: "unless", doc: "What forbids it, since it would take the place of something of the user's: a file (`/…`, `~/…`) that exists, a variable (`$NAME`) that is set. An argument that the command has already, and a variable of `env` that is set, forbid it by themselves.", spec: list(text(`^(/|~/|\$[A-Za-z_][A-Za-z0-9_]*$)[^\x00\r\n]*$`, "an absolute path, a path below ~/, or $NAME"), 0)},
			key{name: "needs", doc: "Files (`/…`, `~/…`) that must be there: without them the injection would cost the agent something.", spec: list(filePath(), 0)},
			key{name: "since", doc: "First version of the agent that can be given hooks so.", spec: version()},
		).with(injectReaches())},
	)
	return s.with(append(dialectRules(), conversationRules()...)...)
}

const injectPattern = `^([^{}\x00]|\{file\}|\{dir\}|\{config\}|\{url\})*$`

func injectText() *spec {
	return &spec{kind: kindString, pattern: injectPattern, want: "text with no other placeholder than {file}, {dir}, {config}, {url}", max: maxText}
}

func injectEnv() *spec {
	e := environment()
	e.item = injectText()
	return e
}

// injectFiles maps names of files to their texts.
func injectFiles() *spec {
	return &spec{
		kind: kindObject, names: fileName(),
		item: &spec{kind: kindString, max: maxText, forbid: `\x00`, want: "text without a NUL"},
	}
}

// injectReaches asks that an injection says how the file reaches the agent.
func injectReaches() objectRule {
	return objectRule{
		name:   "inject-way",
		schema: map[string]any{"anyOf": []any{required("args"), required("env")}},
		broken: func(o *node) (string, string, string, bool) {
			bad := o.get("args") == nil && o.get("env") == nil
			return "", "the generated file is given to nobody", `add "args" or "env"`, bad
		},
	}
}

func hookType(o *node) string {
	if t := o.get("type"); t != nil {
		return t.str
	}
	return "json"
}

func dialectRules() []objectRule {
	var rules []objectRule
	for _, d := range dialects {
		must := []any{d.byKey}
		if d.def == "" {
			must = append(must, "dialect")
		}
		rules = append(rules, objectRule{
			name: "hooks-" + d.typ,
			schema: when("type", d.typ, map[string]any{
				"required":   must,
				"properties": map[string]any{"dialect": map[string]any{"enum": anys(d.allowed)}},
			}),
			broken: func(o *node) (string, string, string, bool) {
				if hookType(o) != d.typ {
					return "", "", "", false
				}
				got := o.get("dialect")
				switch {
				case got == nil && d.def == "":
					return "", "type " + d.typ + " needs a dialect", `add "dialect": one of ` + strings.Join(d.allowed, ", "), true
				case got != nil && !slices.Contains(d.allowed, got.str):
					return "dialect", "dialect " + quoted(got.str) + " does not go with type " + d.typ, "use one of " + strings.Join(d.allowed, ", "), true
				case o.get(d.byKey) == nil:
					return "", "type " + d.typ + " needs " + quoted(d.byKey), "say where the agent reads its hooks", true
				}
				return "", "", "", false
			},
		})
	}
	return rules
}

func conversationRules() []objectRule {
	never := func(keys ...string) map[string]any {
		props := map[string]any{}
		for _, k := range keys {
			props[k] = false
		}
		return map[string]any{"properties": props}
	}
	conversation := func(shape map[string]any) map[string]any {
		return map[string]any{"properties": map[string]any{"conversation": shape}}
	}
	return []objectRule{
		{
			name:   "conversation-json",
			schema: when("type", "json", conversation(map[string]any{"pattern": identPattern})),
			broken: func(o *node) (string, string, string, bool) {
				c := o.get("conversation")
				bad := hookType(o) == "json" && c != nil && strings.ContainsAny(c.str, ".-")
				return "conversation", "a json hook reads a top-level field only", `name one field, such as "session_id"`, bad
			},
		},
		{
			name:   "conversation-pi",
			schema: when("dialect", "pi", conversation(map[string]any{"const": "context"})),
			broken: func(o *node) (string, string, string, bool) {
				c, d := o.get("conversation"), o.get("dialect")
				bad := c != nil && d != nil && d.str == "pi" && c.str != "context"
				return "conversation", "pi's extension tells its id by its context only", `write "context"`, bad
			},
		},
		{
			name: "conversation-none",
			schema: map[string]any{
				"if": map[string]any{"anyOf": []any{
					map[string]any{"required": []any{"type"}, "properties": map[string]any{"type": map[string]any{"enum": []any{"toml", "scripts"}}}},
					map[string]any{"required": []any{"dialect"}, "properties": map[string]any{"dialect": map[string]any{"const": "amp"}}},
				}},
				"then": never("conversation"),
			},
			broken: func(o *node) (string, string, string, bool) {
				t, d := hookType(o), o.get("dialect")
				bad := o.get("conversation") != nil && (t == "toml" || t == "scripts" || d != nil && d.str == "amp")
				return "conversation", "these hooks carry no session id", "remove the key", bad
			},
		},
		{
			name: "json-only",
			schema: map[string]any{
				"if":   map[string]any{"required": []any{"type"}, "properties": map[string]any{"type": map[string]any{"enum": []any{"toml", "plugin", "scripts"}}}},
				"then": never("tool", "promptTitle", "subagent", "pending"),
			},
			broken: func(o *node) (string, string, string, bool) {
				if t := hookType(o); t != "toml" && t != "plugin" && t != "scripts" {
					return "", "", "", false
				}
				for _, k := range []string{"tool", "promptTitle", "subagent", "pending"} {
					if o.get(k) != nil {
						return k, "only json hooks carry a payload that is read", "remove the key", true
					}
				}
				return "", "", "", false
			},
		},
	}
}

func resumeSpec() *spec {
	s := object(
		key{name: "create", doc: "Arguments that start a conversation under a new `{id}`; makes this the pinned family.", spec: text(templPattern, "arguments that contain {id} and no other placeholder")},
		key{name: "resume", doc: "Arguments that continue `{id}`.", spec: text(templPattern, "arguments that contain {id} and no other placeholder")},
		key{name: "storeRoot", doc: "The agent's session store. A conversation is looked for in each folder directly below it.", spec: filePath()},
		key{name: "storeMatch", doc: "`file:` or `dir:` and a pattern with `{id}` (or `{id8}`, its first eight characters), `*` for any text.", spec: text(matchPattern, `"file:" or "dir:" and a pattern that contains {id}`)},
		key{name: "storeId", additive: true, doc: "Key path, in a matched file's first line, to the whole id; needed when the name holds only `{id8}`.", spec: keyPath()},
		key{name: "begun", additive: true, doc: "Regular expression that the conversation's file matches once something was said in it. One that does not match is not continued, and its id is not used again.", spec: pattern()},
		key{name: "chooses", additive: true, doc: "Arguments by which the user picks a conversation; with one of them no id is given at launch.", spec: list(line(), 1)},
		key{name: "rotates", additive: true, doc: "Commands that, submitted to the agent, lead to another conversation, as `/new`. From then on none is known until a hook or the store names it.", spec: list(line(), 1)},
		key{name: "transcriptName", doc: "`dir:` stores: the transcript's file name in the session's folder.", spec: fileName()},
		key{name: "seed", doc: "`session-file`: an empty session file is written before the first launch.", spec: oneOf("session-file")},
		key{name: "discover", doc: "For an agent that mints its own ids: where its session records are. Not together with `create`.", spec: object(
			key{name: "root", required: true, doc: "The folder that is searched; for sqlite the database file.", spec: filePath()},
			key{name: "format", required: true, doc: "`jsonl`: a log's first line; `json`: a metadata file; `sqlite` (additive): rows of a table.", spec: oneOf(FormatJSONL, FormatJSON, FormatSQLite)},
			key{name: "table", additive: true, doc: "sqlite only, required there: the table of sessions.", spec: ident()},
			key{name: "id", required: true, doc: "Key path (or column) of the id.", spec: keyPath()},
			key{name: "cwd", required: true, doc: "Key path (or column) of the working directory.", spec: keyPath()},
			key{name: "created", additive: true, doc: "Key path (or column) of the record's birth: Unix seconds or milliseconds, or RFC 3339.", spec: keyPath()},
			key{name: "parent", additive: true, doc: "Key path (or column) that only a sub-agent's record has set.", spec: keyPath()},
		).with(sqliteRules()...)},
	)
	s.presets = &spec{kind: kindString, pattern: presetPattern, want: "none, claude, codex, opencode or pi, or an object"}
	return s.with(
		objectRule{
			name:   "store-pair",
			schema: map[string]any{"dependentRequired": map[string]any{"storeRoot": []any{"storeMatch"}, "storeMatch": []any{"storeRoot"}}},
			broken: func(o *node) (string, string, string, bool) {
				root, match := o.get("storeRoot") != nil, o.get("storeMatch") != nil
				return "", "storeRoot and storeMatch go together", "set both or neither", root != match
			},
		},
		objectRule{
			name:   "one-family",
			schema: map[string]any{"not": required("create", "discover")},
			broken: func(o *node) (string, string, string, bool) {
				bad := o.get("create") != nil && o.get("discover") != nil
				return "discover", "an id is either given at launch (create) or found afterwards (discover)", "remove one of the two", bad
			},
		},
		objectRule{
			name: "short-id",
			schema: map[string]any{
				"if":   map[string]any{"required": []any{"storeMatch"}, "not": map[string]any{"properties": map[string]any{"storeMatch": map[string]any{"pattern": `\{id\}`}}}},
				"then": required("storeId"),
			},
			broken: func(o *node) (string, string, string, bool) {
				m := o.get("storeMatch")
				bad := m != nil && !strings.Contains(m.str, "{id}") && o.get("storeId") == nil
				return "storeMatch", "eight characters do not name a conversation exactly", `add "storeId", the key path to the whole id in the file`, bad
			},
		},
	)
}

func sqliteRules() []objectRule {
	return []objectRule{{
		name: "sqlite-table",
		schema: map[string]any{
			"if":   map[string]any{"properties": map[string]any{"format": map[string]any{"const": FormatSQLite}}},
			"then": map[string]any{"required": []any{"table"}, "properties": columns()},
			"else": map[string]any{"properties": map[string]any{"table": false}},
		},
		broken: func(o *node) (string, string, string, bool) {
			f, t := o.get("format"), o.get("table")
			if f == nil {
				return "", "", "", false
			}
			if f.str != FormatSQLite {
				return "table", "only the sqlite format has a table", "remove the key", t != nil
			}
			if t == nil {
				return "", "the sqlite format needs a table", `add "table"`, true
			}
			for _, k := range columnKeys {
				if v := o.get(k); v != nil && strings.ContainsAny(v.str, ".-") {
					return k, "in the sqlite format this is a column, not a key path", "name a column: letters, digits and _", true
				}
			}
			return "", "", "", false
		},
	}}
}

var columnKeys = []string{"id", "cwd", "created", "parent"}

func columns() map[string]any {
	props := map[string]any{}
	for _, k := range columnKeys {
		props[k] = map[string]any{"pattern": identPattern}
	}
	return props
}

// presetPattern is case-insensitive without a flag, which JSON Schema lacks.
const presetPattern = `^([Nn][Oo][Nn][Ee]|[Cc][Ll][Aa][Uu][Dd][Ee]|[Cc][Oo][Dd][Ee][Xx]|[Oo][Pp][Ee][Nn][Cc][Oo][Dd][Ee]|[Pp][Ii])$`

// presetAgent names the bundled manifest whose resume object a legacy word means.
func presetAgent(word string) string {
	switch word = strings.ToLower(word); word {
	case "claude":
		return "claudeCode"
	case "codex", "opencode", "pi":
		return word
	}
	return ""
}

func required(keys ...string) map[string]any { return map[string]any{"required": anys(keys)} }

// when is "if this key has this value (or, for the default type, is absent)".
func when(key, value string, then map[string]any) map[string]any {
	cond := map[string]any{"properties": map[string]any{key: map[string]any{"const": value}}}
	if value != "json" {
		cond["required"] = []any{key}
	}
	return map[string]any{"if": cond, "then": then}
}

func anys(words []string) []any {
	out := make([]any, len(words))
	for i, w := range words {
		out[i] = w
	}
	return out
}
