package atp

import (
	_ "embed"
	"slices"
)

//go:embed manifest.schema.json
var schemaJSON []byte

// SchemaID is the identifier of the manifest's JSON Schema.
const SchemaID = "https://termio.sh/schemas/agent-manifest.json"

// Schema returns the manifest's JSON Schema (2020-12). It is made from the key
// table that the decoder checks against; what no schema can say (that an
// expression is valid RE2, that no key is there twice, the file's size and
// encoding) the decoder alone checks.
func Schema() []byte { return slices.Clone(schemaJSON) }

// buildSchema makes the schema from the key table. A test holds the embedded
// file against it.
func buildSchema() map[string]any {
	s := table().schema()
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["$id"] = SchemaID
	s["title"] = "Agent Terminal Protocol manifest"
	return s
}

func (s *spec) schema() map[string]any {
	if s.presets != nil {
		object := *s
		object.presets = nil
		return map[string]any{"anyOf": []any{s.presets.schema(), object.schema()}}
	}
	out := map[string]any{}
	switch s.kind {
	case kindString:
		out["type"] = "string"
		s.stringSchema(out)
	case kindNumber:
		out["type"], out["minimum"], out["maximum"] = "integer", s.min, s.max
	case kindBool:
		out["type"] = "boolean"
	case kindArray:
		out["type"], out["items"], out["maxItems"] = "array", s.item.schema(), s.max
		if s.min > 0 {
			out["minItems"] = s.min
		}
	case kindObject:
		out["type"] = "object"
		s.objectSchema(out)
	}
	return out
}

func (s *spec) stringSchema(out map[string]any) {
	if len(s.enum) > 0 {
		out["enum"] = anys(s.enum)
		return
	}
	if s.min > 0 {
		out["minLength"] = s.min
	}
	if s.max > 0 {
		out["maxLength"] = s.max
	}
	if s.pattern != "" {
		out["pattern"] = s.pattern
	}
	if s.forbid != "" {
		out["not"] = map[string]any{"pattern": s.forbid}
	}
	if s.regexp {
		out["format"] = "re2"
	}
}

func (s *spec) objectSchema(out map[string]any) {
	if s.item != nil {
		out["additionalProperties"], out["propertyNames"] = s.item.schema(), s.names.schema()
		return
	}
	props := map[string]any{}
	var must, all []any
	for _, k := range s.keys {
		p := k.schema()
		p["description"] = k.doc
		props[k.name] = p
		if k.alias != "" {
			old := k.schema()
			old["description"] = "Older name of " + k.name + "."
			old["deprecated"] = true
			props[k.alias] = old
		}
		switch {
		case k.required && k.alias != "":
			all = append(all, map[string]any{"anyOf": []any{required(k.name), required(k.alias)}})
		case k.required:
			must = append(must, k.name)
		}
	}
	for _, r := range s.rules {
		all = append(all, r.schema)
	}
	out["properties"] = props
	if len(must) > 0 {
		out["required"] = must
	}
	if len(all) > 0 {
		out["allOf"] = all
	}
}
