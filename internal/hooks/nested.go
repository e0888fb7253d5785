package hooks

import "github.com/termio-sh/termio/atp"

// The nested dialects (Claude Code, Codex, Droid, Qwen Code, Gemini CLI, Grok):
// an event's list holds groups, each with a matcher and its commands:
//
//	"Stop": [{"matcher": "*", "hooks": [{"type": "command", "command": "…"}]}]
//
// The group of ours is one of its own, but other tools may put their commands
// into it, or ours into one of theirs.
//
// Gemini CLI shows a hook while it runs, by its name where it has one.
var (
	nested = jsonFile{commands: nestedCommands, entry: func(e atp.HookEvent, command string) node {
		return nestedEntry(e, command, nil)
	}}
	geminiFile = jsonFile{commands: nestedCommands, entry: func(e atp.HookEvent, command string) node {
		return nestedEntry(e, command, []node{{key: "name", kind: kindString, text: "termio"}})
	}}
)

func nestedEntry(e atp.HookEvent, command string, more []node) node {
	group := node{kind: kindObject}
	if e.Matcher != "" {
		group.items = append(group.items, node{key: "matcher", kind: kindString, text: e.Matcher})
	}
	group.items = append(group.items, node{key: "hooks", kind: kindArray, items: []node{{
		kind: kindObject, items: append([]node{
			{key: "type", kind: kindString, text: "command"},
			{key: "command", kind: kindString, text: command},
		}, more...),
	}}})
	return group
}

func nestedCommands(group *value) (out []place) {
	for _, it := range group.items {
		if it.key != "hooks" || it.value.kind != kindArray {
			continue
		}
		for i, h := range it.value.items {
			for _, field := range h.value.items {
				if h.value.kind == kindObject && field.key == "command" && field.value.kind == kindString {
					out = append(out, place{text: field.value.text, list: it.value, index: i})
				}
			}
		}
	}
	return out
}
