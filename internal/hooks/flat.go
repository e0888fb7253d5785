package hooks

import "github.com/termio-sh/termio/atp"

// The flat dialects: an event's list holds the commands themselves, and the
// file has a version.
var (
	// Cursor reads a JSON object from what a hook prints.
	cursorFile = jsonFile{
		entry: func(_ atp.HookEvent, command string) node {
			return node{kind: kindObject, items: []node{{key: "command", kind: kindString, text: command}}}
		},
		commands: flatCommands, versioned: true, reply: true,
	}
	// Copilot's commands have a type, and some events a matcher.
	copilotFile = jsonFile{
		entry: func(e atp.HookEvent, command string) node {
			n := node{kind: kindObject, items: []node{
				{key: "type", kind: kindString, text: "command"},
				{key: "command", kind: kindString, text: command},
			}}
			if e.Matcher != "" {
				n.items = append(n.items, node{key: "matcher", kind: kindString, text: e.Matcher})
			}
			return n
		},
		commands: flatCommands, versioned: true,
	}
)

func flatCommands(v *value) (out []place) {
	for _, it := range v.items {
		if it.key == "command" && it.value.kind == kindString {
			out = append(out, place{text: it.value.text})
		}
	}
	return out
}
