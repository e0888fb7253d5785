package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// OpenAPIPath is where the coordinator serves the document, by GET.
const OpenAPIPath = "/v1/openapi.json"

// Summary says in a few words what a verb does; empty for one that is not known.
func Summary(verb string) string {
	switch verb {
	case VerbList:
		return "List the sessions in scope"
	case VerbSpawn:
		return "Start an agent with a prompt"
	case VerbRun:
		return "Start a plain terminal and type a shell command into it"
	case VerbSend:
		return "Type text or keys into a session"
	case VerbRead:
		return "Read a session's screen"
	case VerbClose:
		return "Close a session and everything that it started"
	case VerbFocus:
		return "Bring a session to front: it counts as looked at"
	case VerbRename:
		return "Give a session a title"
	case VerbResolve:
		return "Find where a session's host listens"
	case VerbTrace:
		return "Tell why a session's status is what it is"
	case VerbAwait:
		return "Take up a wait that another coordinator began"
	case VerbQueue:
		return "List the prompts that wait for an agent, and withdraw one"
	case VerbWatch:
		return "Stream status changes"
	case VerbWait:
		return "Wait until a session has nothing more to do, or asks"
	case VerbCloseDone:
		return "Close the sessions whose turn is over"
	case VerbReopen:
		return "Start closed sessions again, in their conversations"
	case VerbTranscript:
		return "Read an agent's own record of a conversation"
	case VerbHistory:
		return "Search past conversations"
	case VerbHistoryResume:
		return "Start a session in a past conversation"
	case VerbHistoryStatus:
		return "Tell how the index of past conversations is"
	case VerbHistoryRebuild:
		return "Make the index of past conversations anew"
	case VerbWorktrees:
		return "List a project's git worktrees"
	case VerbRemoveWorktree:
		return "Remove a git worktree in which nothing would be lost"
	case VerbOpen:
		return "Register a directory as a project"
	case VerbAgents:
		return "List the agents"
	case VerbNotify:
		return "Tell the user something"
	case VerbOptions:
		return "Show and set what a session over ACP can be set to"
	case VerbACPProbe:
		return "Ask an ACP agent what it can do"
	case VerbACPModels:
		return "List an ACP agent's models, modes and efforts"
	case VerbACPSessions:
		return "List an ACP agent's past conversations"
	case VerbACPLoad:
		return "Read a past conversation of an ACP agent"
	case VerbACPWarm:
		return "Start an ACP agent for a session that is to come"
	case VerbDaemon:
		return "Tell how the coordinator is"
	case VerbStop:
		return "Stop the coordinator; sessions go on"
	}
	return ""
}

// OpenAPI is the document (version 3.1) of what the coordinator serves on its
// socket, made from the same types as the schemas: every call is a POST with a
// JSON body, its success is 200, and any other status has the one error.
func OpenAPI() ([]byte, error) {
	schemas := object{{"Error", written.schemaOf(reflect.TypeFor[Error]())}}
	paths := object{{OpenAPIPath, object{{"get", object{
		{"operationId", "openapi"},
		{"summary", "This document"},
		{"responses", object{{"200", object{
			{"description", "the document"},
			{"content", object{{"application/json", object{{"schema", object{{"type", "object"}}}}}}},
		}}}},
	}}}}}
	for _, v := range Verbs() {
		operation, more := operationOf(v)
		paths = append(paths, member{v.Path, object{{"post", operation}}})
		schemas = append(schemas, more...)
	}
	doc := object{
		{"openapi", "3.1.0"},
		{"info", object{
			{"title", "Termio's coordinator"},
			{"version", fmt.Sprintf("%d", SchemaVersion)},
			{"summary", "What `termio` and its MCP server call, over a unix socket (0600)"},
			{"description", "Within one version fields are only added, never renamed or removed. An optional field that is not known is absent, never empty. A call at work says so with interim responses (102) every few seconds."},
		}},
		{"servers", []object{{{"url", "http://termio"}, {"description", "the unix socket daemon.sock in the run directory"}}}},
		{"paths", paths},
		{"components", object{{"schemas", schemas}}},
	}
	raw, err := Encode(doc)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", "  "); err != nil {
		return nil, fmt.Errorf("indent the OpenAPI document: %w", err)
	}
	return out.Bytes(), nil
}

// operationOf is a verb as an operation, and the schemas that it names.
func operationOf(v Verb) (operation, schemas object) {
	name := schemaName(v.Name)
	define := func(as string, schema object) object {
		schemas = append(schemas, member{as, schema})
		return refTo(as)
	}
	request := define(name+"Request", taken.schemaOf(reflect.TypeOf(v.Request)))
	kind, reply := "application/json", object(nil)
	what := "the reply"
	switch {
	case v.Events != nil:
		kind, what = "application/x-ndjson", "a stream; each line is one of these"
		var lines []object
		for _, e := range v.Events {
			t := reflect.TypeOf(e)
			lines = append(lines, define(name+strings.TrimPrefix(t.Name(), "Watch"), written.schemaOf(t)))
		}
		reply = object{{"anyOf", lines}}
	case v.Waited != nil:
		what = "the reply, or with wait the outcome of the turn"
		reply = object{{"anyOf", []object{
			define(name+"Reply", written.schemaOf(reflect.TypeOf(v.Reply))),
			define(name+"Outcome", written.schemaOf(reflect.TypeOf(v.Waited))),
		}}}
	default:
		reply = define(name+"Reply", written.schemaOf(reflect.TypeOf(v.Reply)))
	}
	tag := strings.Split(v.Path, "/")[2]
	content := func(kind string, schema object) member {
		return member{"content", object{{kind, object{{"schema", schema}}}}}
	}
	return object{
		{"operationId", v.Name},
		{"summary", Summary(v.Name)},
		{"tags", []string{tag}},
		{"requestBody", object{{"required", true}, content("application/json", request)}},
		{"responses", object{
			{"200", object{{"description", what}, content(kind, reply)}},
			{"default", object{{"description", "the one shape of every failure"}, content("application/json", refTo("Error"))}},
		}},
	}, schemas
}

func refTo(schema string) object { return object{{"$ref", "#/components/schemas/" + schema}} }

// schemaName is a verb's name as the beginning of a schema's.
func schemaName(verb string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(verb, "-") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

// Takes is the schema of an object that is taken, made from a struct: a tool's
// arguments. What it does not name is refused.
func Takes(request any) (json.RawMessage, error) {
	return Encode(append(taken.schemaOf(reflect.TypeOf(request)), member{"additionalProperties", false}))
}

// Gives is the schema of an object that is one of these replies, or the error.
func Gives(replies ...any) (json.RawMessage, error) {
	var any []object
	for _, r := range append(replies, Error{}) {
		any = append(any, written.schemaOf(reflect.TypeOf(r)))
	}
	return Encode(object{{"type", "object"}, {"anyOf", any}})
}
