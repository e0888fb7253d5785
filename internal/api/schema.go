package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Schema is the JSON Schema (draft 2020-12) of what a verb prints with --json:
// its reply or an error. Its definitions also hold the request. It is made
// from the Go types, so that it cannot differ from them: a field that is
// always there is required, one that may be absent is never empty.
func Schema(verb string) ([]byte, error) {
	all := slices.Concat(Verbs(), Offline())
	i := slices.IndexFunc(all, func(v Verb) bool { return v.Name == verb })
	if i < 0 {
		var names []string
		for _, v := range all {
			names = append(names, v.Name)
		}
		return nil, Errorf(CodeBadOp, "there is no schema %q; there are: %s", verb, strings.Join(names, ", "))
	}
	v := all[i]
	kinds, defs := replies(v)
	defs = append(defs, member{"error", written.schemaOf(reflect.TypeOf(Error{}))})
	if v.Request != nil {
		defs = append(defs, member{"request", taken.schemaOf(reflect.TypeOf(v.Request))})
	}
	doc := object{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"$id", fmt.Sprintf("https://termio.sh/schema/v%d/%s.json", SchemaVersion, v.Name)},
		{"title", "What termio's " + v.Name + " replies"},
		kinds,
		{"$defs", defs},
	}
	raw, err := Encode(doc)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", "  "); err != nil {
		return nil, fmt.Errorf("indent the schema of %s: %w", v.Name, err)
	}
	return out.Bytes(), nil
}

// replies says what a verb may print, and defines it: one reply, another one
// when it waited, or events.
func replies(v Verb) (kinds member, defs object) {
	of := "oneOf"
	switch {
	case v.Events != nil:
		for _, e := range v.Events {
			t := reflect.TypeOf(e)
			defs = append(defs, member{strings.ToLower(strings.TrimPrefix(t.Name(), "Watch")), written.schemaOf(t)})
		}
	default:
		defs = object{{"reply", written.schemaOf(reflect.TypeOf(v.Reply))}}
		if v.Waited != nil {
			of = "anyOf" // the one has the other's fields too
			defs = append(defs, member{"waited", written.schemaOf(reflect.TypeOf(v.Waited))})
		}
	}
	var refs []object
	for _, d := range append(defs[:len(defs):len(defs)], member{key: "error"}) {
		refs = append(refs, object{{"$ref", "#/$defs/" + d.key}})
	}
	return member{of, refs}, defs
}

// object is a JSON object whose keys keep their order.
type object []member

type member struct {
	key   string
	value any
}

// MarshalJSON writes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(m.key)
		if err != nil {
			return nil, err
		}
		value, err := Encode(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(bytes.TrimSpace(value))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

var (
	timeType = reflect.TypeFor[time.Time]()
	codeType = reflect.TypeFor[Code]()
	rawType  = reflect.TypeFor[json.RawMessage]()
)

// side is who a value is made by: what we write keeps the rule that an optional
// field is never empty, what we take need not.
type side bool

const (
	written side = true
	taken   side = false
)

func (by side) schemaOf(t reflect.Type) object {
	switch {
	case t == timeType:
		return object{{"type", "string"}, {"format", "date-time"}}
	case t == codeType:
		return object{{"type", "string"}, {"enum", Codes()}}
	case t == rawType:
		return object{} // another protocol's
	}
	switch t.Kind() {
	case reflect.Pointer:
		return by.schemaOf(t.Elem())
	case reflect.Bool:
		return object{{"type", "boolean"}}
	case reflect.Int:
		return object{{"type", "integer"}}
	case reflect.String:
		return object{{"type", "string"}}
	case reflect.Slice:
		return object{{"type", "array"}, {"items", by.schemaOf(t.Elem())}}
	case reflect.Struct:
		props, required := by.fields(t)
		return object{{"type", "object"}, {"properties", props}, {"required", required}}
	}
	panic("api: no schema for " + t.String()) // a test goes through all of them
}

// fields are the properties of a struct, embedded ones among them, and which
// of them are always there.
func (by side) fields(t reflect.Type) (props object, required []string) {
	required = []string{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			of, whole := f.Type, f.Type.Kind() != reflect.Pointer
			if !whole {
				of = of.Elem()
			}
			inner, must := by.fields(of)
			if !whole { // all of it may be absent
				must = nil
			}
			props, required = append(props, inner...), append(required, must...)
			continue
		}
		if name == "-" {
			continue
		}
		s := by.schemaOf(f.Type)
		if strings.Contains(opts, "omitempty") || strings.Contains(opts, "omitzero") {
			if by == written {
				s = append(s, notEmpty(f.Type)...)
			}
		} else {
			required = append(required, name)
		}
		props = append(props, member{name, append(s, constraints(f)...)})
	}
	return props, required
}

// notEmpty is what an optional field must be when it is there.
func notEmpty(t reflect.Type) object {
	switch t.Kind() {
	case reflect.String:
		return object{{"minLength", 1}}
	case reflect.Slice:
		return object{{"minItems", 1}}
	case reflect.Bool:
		return object{{"const", true}}
	}
	return nil
}

// constraints are those that a field's tags declare: const, enum, pattern and
// doc.
func constraints(f reflect.StructField) object {
	var out object
	if v := f.Tag.Get("const"); v != "" {
		out = append(out, member{"const", json.RawMessage(v)})
	}
	if v := f.Tag.Get("enum"); v != "" {
		out = append(out, member{"enum", strings.Split(v, ",")})
	}
	if v := f.Tag.Get("pattern"); v != "" {
		out = append(out, member{"pattern", v})
	}
	if v := f.Tag.Get("doc"); v != "" {
		out = append(out, member{"description", v})
	}
	return out
}
