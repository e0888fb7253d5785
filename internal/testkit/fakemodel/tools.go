package fakemodel

import (
	"fmt"
	"strings"
)

// toolNames are the names that agents give to tools of a kind, in the order of
// preference.
func toolNames(k Kind) []string {
	switch k {
	case Shell:
		return []string{"Bash", "bash", "exec_command", "shell_command", "shell", "local_shell", "run_shell_command"}
	case Edit:
		return []string{"Write", "write", "write_file", "create"}
	case Ask:
		return []string{"AskUserQuestion", "question", "request_user_input", "ask_user", "ask_user_question"}
	}
	return nil
}

// resolve gives the name and the arguments of the call for the tools that the
// agent offers. It fails when none of them is of the kind.
func (c ToolCall) resolve(offered []Tool) (string, map[string]any, error) {
	if c.Kind == "" {
		if c.Args == nil {
			return c.Name, map[string]any{}, nil
		}
		return c.Name, c.Args, nil
	}
	for _, name := range toolNames(c.Kind) {
		for _, t := range offered {
			if t.Name == name {
				return name, c.args(t), nil
			}
		}
	}
	var names []string
	for _, t := range offered {
		names = append(names, t.Name)
	}
	return "", nil, fmt.Errorf("no %s tool among: %s", c.Kind, strings.Join(names, ", "))
}

func (c ToolCall) args(t Tool) map[string]any {
	props := object(t.Schema["properties"])
	var args map[string]any
	switch c.Kind {
	case Shell:
		args = c.shellArgs(props)
	case Edit:
		args = map[string]any{}
		for _, k := range []string{"file_path", "filePath", "path"} {
			if props[k] != nil {
				args[k] = c.Path
			}
		}
		for _, k := range []string{"content", "file_text", "text"} {
			if props[k] != nil {
				args[k] = or(c.Content, "written by the fake model\n")
			}
		}
	case Ask:
		args = c.askArgs(props)
	}
	for _, k := range stringList(t.Schema["required"]) {
		if _, ok := args[k]; !ok {
			args[k] = fromSchema(object(props[k]), k)
		}
	}
	return args
}

func (c ToolCall) shellArgs(props map[string]any) map[string]any {
	args := map[string]any{}
	switch {
	case props["cmd"] != nil:
		args["cmd"] = c.Command
	case strings.EqualFold(fmt.Sprint(object(props["command"])["type"]), "array"):
		args["command"] = []any{"bash", "-lc", c.Command}
	default:
		args["command"] = c.Command
	}
	// Codex runs a plain command inside its sandbox without a question; only
	// one that wants out of it is asked about.
	if props["sandbox_permissions"] != nil {
		args["sandbox_permissions"] = "require_escalated"
	}
	if props["justification"] != nil {
		args["justification"] = "The fake model wants to run this outside the sandbox. OK?"
	}
	if props["description"] != nil {
		args["description"] = "Run the fake tool"
	}
	return args
}

func (c ToolCall) askArgs(props map[string]any) map[string]any {
	question := or(c.Question, "Which colour should the button be?")
	options := c.Options
	if len(options) == 0 {
		options = []string{"Red", "Blue"}
	}
	// Copilot wants a message and the form of the answer.
	if props["requestedSchema"] != nil {
		var enum []any
		for _, o := range options {
			enum = append(enum, o)
		}
		return map[string]any{"message": question, "requestedSchema": map[string]any{
			"type": "object", "required": []any{"choice"},
			"properties": map[string]any{"choice": map[string]any{"type": "string", "title": "Choice", "enum": enum}},
		}}
	}
	var list []any
	for _, o := range options {
		list = append(list, map[string]any{"label": o, "description": "The choice " + o})
	}
	q := map[string]any{
		"question": question, "header": "Choice", "id": "choice", "type": "choice",
		"multiSelect": false, "multiple": false, "options": list,
	}
	if item := object(object(object(props["questions"])["items"])["properties"]); len(item) > 0 {
		for k := range q {
			if item[k] == nil {
				delete(q, k)
			}
		}
	}
	return map[string]any{"questions": []any{q}}
}

// fromSchema makes the smallest value that satisfies a JSON schema, as far as
// agents' forms for titles and flags need it.
func fromSchema(s map[string]any, key string) any {
	if s == nil {
		return nil
	}
	if c, ok := s["const"]; ok {
		return c
	}
	if e, ok := s["enum"].([]any); ok && len(e) > 0 {
		return e[0]
	}
	for _, k := range []string{"anyOf", "oneOf"} {
		if list, ok := s[k].([]any); ok && len(list) > 0 {
			return fromSchema(object(list[0]), key)
		}
	}
	typ := s["type"]
	if list, ok := typ.([]any); ok && len(list) > 0 {
		typ = list[0]
	}
	name, _ := typ.(string)
	if name == "" && s["properties"] != nil {
		name = "object"
	}
	switch strings.ToLower(name) {
	case "object":
		return objectFromSchema(s)
	case "array":
		n, _ := s["minItems"].(float64)
		out := []any{}
		for range int(n) {
			out = append(out, fromSchema(object(s["items"]), key))
		}
		return out
	case "integer", "number":
		if m, ok := s["minimum"]; ok {
			return m
		}
		return 1
	case "boolean":
		return false
	case "null":
		return nil
	}
	if key == "title" {
		return SideTitle
	}
	return "fake " + key
}

func objectFromSchema(s map[string]any) map[string]any {
	props := object(s["properties"])
	keys := stringList(s["required"])
	if keys == nil {
		for k := range props {
			keys = append(keys, k)
		}
	}
	out := map[string]any{}
	for _, k := range keys {
		out[k] = fromSchema(object(props[k]), k)
	}
	return out
}

// object reads a decoded JSON value as an object, nil when it is none.
func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// stringList reads a decoded JSON value as a list of strings.
func stringList(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, e := range list {
		if s, ok := e.(string); ok {
			out = append(out, s)
		}
	}
	return out
}
