package api

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const contractFile = "../../docs/contract.md"

// meanings are what the error codes say. Those of the session-control document
// come first, in its order; the others are additive.
var meanings = []struct {
	code Code
	text string
}{
	{CodeDisabled, "session control is switched off"},
	{CodeNoScope, "the caller belongs to no project, or cannot prove the session that it names"},
	{CodeBadOp, "there is no such verb"},
	{CodeBadRequest, "the request, a flag or its value cannot be understood"},
	{CodeNoText, "there is nothing to type, or nothing to wait for"},
	{CodeNoTarget, "no session was named"},
	{CodeNotFound, "no session in scope has this address; of one that has ended the message says how"},
	{CodeAmbiguous, "more than one has it; the message lists them"},
	{CodeWrongAgent, "the session is not of the kind that this verb is for"},
	{CodeBadAgent, "the agent is not known"},
	{CodeNoAgent, "no agent was named, and none can be chosen"},
	{CodeStartFailed, "the program cannot be started"},
	{CodeNotLive, "the session's host does not answer"},
	{CodePromptStalled, "`--wait`: nothing came of the prompt in 5 seconds"},
	{CodeSessionClosed, "`--wait`: the session was closed first"},
	{CodeAgentGone, "`--wait`: the agent ended by itself first, or the session is a plain terminal now"},
}

var oursToo = map[Code]string{
	CodePromptChanged: "`send --answers`: that question is not asked any more; nothing was typed",
	CodeAlreadyOpen:   "the conversation is open in another session, which the message names",
	CodeBadKey:        "there is no key of that name",
	CodeNotDelivered:  "the program did not take all of the text; `delivered` says how many bytes it did",
	CodeBootFailed:    "the program started and ended at once",
	CodeUnavailable:   "the coordinator cannot be reached or started, or did not answer in time",
	CodeInternal:      "a defect of ours",
}

// TestContractDocument keeps docs/contract.md: its tables are made of the types
// that the schemas are made of.
func TestContractDocument(t *testing.T) {
	var b bytes.Buffer
	b.WriteString(`# The contract

What ` + "`termio sessions <verb> --json`" + ` prints. This page is made from the same types
as the JSON Schemas (` + "`termio schema <verb>`" + `); a test keeps it so. Within
` + "`schema_version` 1" + ` fields are only added. A field that is not always there is
absent when it is unknown, never empty. What is marked *additive* goes beyond the
session-control document. How it is to be understood is in
[orchestration.md](orchestration.md).

## Errors

Every failure exits 1 and has one shape; without ` + "`--json`" + ` its message goes to
standard error.

`)
	table(&b, reflect.TypeFor[Error]())
	b.WriteString("\n| code | when |\n|---|---|\n")
	named := map[Code]bool{}
	for _, m := range meanings {
		named[m.code] = true
		fmt.Fprintf(&b, "| `%s` | %s |\n", m.code, m.text)
	}
	for _, c := range Codes() {
		if named[c] {
			continue
		}
		if oursToo[c] == "" {
			t.Errorf("nothing here says what the code %s means", c)
		}
		fmt.Fprintf(&b, "| `%s` | %s *(additive)* |\n", c, oursToo[c])
	}
	b.WriteString(`
## Exit codes

| code | when |
|---|---|
| 0 | done; with ` + "`--wait`" + `: there is an outcome; ` + "`watch`" + `: ended by Ctrl-C |
| 1 | an error |
| 2 | ` + "`watch`" + `: the stream was ended by the coordinator |
| 3 | ` + "`--wait`" + `: the time was over first |
`)
	for _, v := range Verbs() {
		if !v.Sessions {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n", v.Name)
		switch {
		case v.Events != nil:
			for _, e := range v.Events {
				fmt.Fprintf(&b, "\nA line (%s):\n\n", strings.ToLower(strings.TrimPrefix(reflect.TypeOf(e).Name(), "Watch")))
				table(&b, reflect.TypeOf(e))
			}
		default:
			b.WriteString("\n")
			table(&b, reflect.TypeOf(v.Reply))
			if v.Waited != nil {
				b.WriteString("\nWith `--wait`: the reply of [await](#await).\n")
			}
		}
	}
	if *update {
		if err := os.WriteFile(contractFile, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(contractFile)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(b.String(), string(got)); d != "" {
		t.Errorf("docs/contract.md is not what the types say (run with -update):\n%s", d)
	}
}

// table writes the fields of a type, those of its parts below it.
func table(b *bytes.Buffer, t reflect.Type) {
	b.WriteString("| field | type | always | meaning |\n|---|---|---|---|\n")
	rows(b, t, "")
}

func rows(b *bytes.Buffer, t reflect.Type, under string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			rows(b, inner, under)
			continue
		}
		kind, part := kindOf(f.Type)
		always := "yes"
		if strings.Contains(opts, "omitempty") || strings.Contains(opts, "omitzero") {
			always = ""
		}
		text := strings.TrimSuffix(f.Tag.Get("doc"), " (additive)")
		if text != f.Tag.Get("doc") {
			text += " *(additive)*"
		}
		if v := f.Tag.Get("enum"); v != "" {
			text = strings.TrimPrefix(text+"; `"+strings.ReplaceAll(v, ",", "`, `")+"`", "; ")
		}
		if v := f.Tag.Get("const"); v != "" {
			text = strings.TrimPrefix(text+"; `"+v+"`", "; ")
		}
		fmt.Fprintf(b, "| `%s%s` | %s | %s | %s |\n", under, name, kind, always, strings.ReplaceAll(text, "|", "\\|"))
		if part != nil {
			rows(b, part, under+name+".")
		}
	}
}

// kindOf names a type, and gives its parts when it has some.
func kindOf(t reflect.Type) (string, reflect.Type) {
	switch {
	case t == timeType:
		return "time", nil
	case t.Kind() == reflect.Pointer:
		return kindOf(t.Elem())
	case t.Kind() == reflect.Slice:
		kind, part := kindOf(t.Elem())
		return "list of " + kind, part
	case t.Kind() == reflect.Struct:
		return "object", t
	case t.Kind() == reflect.Bool:
		return "boolean", nil
	case t.Kind() == reflect.Int, t.Kind() == reflect.Int64:
		return "integer", nil
	}
	return "string", nil
}
