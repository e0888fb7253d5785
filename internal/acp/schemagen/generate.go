package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// schema is as much of JSON Schema as the protocol's uses.
type schema struct {
	Ref         string             `json:"$ref"`
	Type        any                `json:"type"` // a word or several
	Description string             `json:"description"`
	Const       any                `json:"const"`
	OneOf       []*schema          `json:"oneOf"`
	AnyOf       []*schema          `json:"anyOf"`
	AllOf       []*schema          `json:"allOf"`
	Properties  map[string]*schema `json:"properties"`
	Required    []string           `json:"required"`
	Items       *schema            `json:"items"`
	More        json.RawMessage    `json:"additionalProperties"`
	Format      string             `json:"format"`
	Title       string             `json:"title"`
	Side        string             `json:"x-side"`
	Method      string             `json:"x-method"`
}

type generator struct {
	defs map[string]*schema
	out  strings.Builder
}

const rawValue = "jsontext.Value"

func (g *generator) printf(f string, args ...any) { fmt.Fprintf(&g.out, f, args...) }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// methods writes the names of one side's methods, which stand beside the types
// of their parameters.
func (g *generator) methods(doc, side string) {
	g.printf("// %s\nconst (\n", doc)
	for _, k := range sortedKeys(g.defs) {
		if d := g.defs[k]; d.Side == side && !strings.HasSuffix(k, "Response") {
			name := strings.TrimSuffix(strings.TrimSuffix(k, "Request"), "Notification")
			if name == "Session" {
				name = "SessionUpdate"
			}
			g.printf("Method%s = %q\n", name, d.Method)
		}
	}
	g.printf(")\n\n")
}

// def writes one definition. Envelopes and what has no shape of its own have
// none in Go.
func (g *generator) def(name string, s *schema) {
	switch name {
	case "AgentRequest", "AgentResponse", "AgentNotification", "ClientRequest", "ClientResponse", "ClientNotification",
		"ExtRequest", "ExtResponse", "ExtNotification", "RequestId", "Error", "ErrorCode":
		return
	}
	branches := append(append([]*schema{}, s.OneOf...), s.AnyOf...)
	switch {
	case isWords(branches):
		g.doc(name, s)
		g.printf("type %s string\n\nconst (\n", name)
		for _, b := range branches {
			if word, ok := b.Const.(string); ok {
				g.printf("%s%s %s = %q\n", name, goName(word), name, word)
			}
		}
		g.printf(")\n\n")
	case s.Type == "string":
		g.doc(name, s)
		g.printf("type %s string\n\n", name)
	case s.Type == "integer":
		g.doc(name, s)
		g.printf("type %s int64\n\n", name)
	case isObject(s) || slices.ContainsFunc(branches, func(b *schema) bool { return g.isObject(b) }):
		g.object(name, s)
	default:
		g.doc(name, s)
		g.printf("type %s = %s\n\n", name, rawValue)
	}
}

func isObject(s *schema) bool { return s.Type == "object" || len(s.Properties) > 0 }

func (g *generator) isObject(s *schema) bool {
	if s.Ref != "" {
		return g.isObject(g.deref(s))
	}
	return isObject(s) || slices.ContainsFunc(s.AllOf, g.isObject)
}

func isWords(branches []*schema) bool {
	words := 0
	for _, b := range branches {
		if b.Type != "string" || len(b.Properties) > 0 {
			return false
		}
		if b.Const != nil {
			words++
		}
	}
	return words > 0
}

func (g *generator) deref(s *schema) *schema { return g.defs[strings.TrimPrefix(s.Ref, "#/$defs/")] }

type field struct {
	goType   string
	required bool
	doc      string
}

// object writes a struct. The variants of a union are one struct with the
// fields of all: a member whose type differs between them stays raw. Members
// that the schema does not know are kept, so that what is passed on is whole.
func (g *generator) object(name string, s *schema) {
	fields := map[string]*field{}
	g.collect(fields, s, true)
	g.doc(name, s)
	g.printf("type %s struct {\n", name)
	for _, k := range sortedKeys(fields) {
		f := fields[k]
		if k == "_meta" {
			continue
		}
		option := ",omitzero"
		if f.required {
			option = ""
		}
		if f.doc != "" {
			g.printf("// %s\n", f.doc)
		}
		g.printf("%s %s `json:\"%s%s\"`\n", goName(k), f.goType, k, option)
	}
	if fields["_meta"] != nil {
		g.printf("Meta %s `json:\"_meta,omitzero\"`\n", rawValue)
	}
	g.printf("// Unknown holds the members that the schema does not know.\nUnknown %s `json:\",embed\"`\n}\n\n", rawValue)
}

func (g *generator) collect(fields map[string]*field, s *schema, certain bool) {
	if s.Ref != "" {
		g.collect(fields, g.deref(s), certain)
		return
	}
	for k, p := range s.Properties {
		required := certain && slices.Contains(s.Required, k)
		typ := g.goType(p, required)
		was := fields[k]
		switch {
		case was == nil:
			fields[k] = &field{typ, required, firstSentence(p.Description)}
		case was.goType != typ:
			was.goType = wider(was.goType, typ)
		}
	}
	for _, a := range s.AllOf {
		g.collect(fields, a, certain)
	}
	for _, b := range append(append([]*schema{}, s.OneOf...), s.AnyOf...) {
		g.collect(fields, b, false)
	}
	// The tag of a union is always there.
	for k, f := range fields {
		if certain && tagIn(s, k) {
			f.required = true
		}
	}
}

// tagIn tells whether every variant requires k.
func tagIn(s *schema, k string) bool {
	branches := append(append([]*schema{}, s.OneOf...), s.AnyOf...)
	return len(branches) > 0 && !slices.ContainsFunc(branches, func(b *schema) bool { return !slices.Contains(b.Required, k) })
}

func wider(a, b string) string {
	number := func(t string) bool { return t == "int64" || t == "float64" || t == "*int64" || t == "*float64" }
	switch {
	case strings.TrimPrefix(a, "*") == strings.TrimPrefix(b, "*"):
		return a
	case number(a) && number(b):
		return "*float64"
	case isWord(a) && isWord(b):
		return "string"
	}
	return rawValue
}

func isWord(t string) bool {
	return t != "bool" && !strings.ContainsAny(t, "*[].") && t != "int64" && t != "float64"
}

// goType is a member's type.
func (g *generator) goType(s *schema, required bool) string {
	pointer := "*"
	if required {
		pointer = ""
	}
	if s.Ref != "" {
		name := strings.TrimPrefix(s.Ref, "#/$defs/")
		switch name {
		case "RequestId", "ElicitationContentValue", "SessionConfigSelectOptions", "ExtRequest", "ExtResponse", "ExtNotification":
			return rawValue
		}
		d := g.deref(s)
		branches := append(append([]*schema{}, d.OneOf...), d.AnyOf...)
		if !isWords(branches) && (isObject(d) || slices.ContainsFunc(branches, g.isObject)) {
			return pointer + name
		}
		return name
	}
	if len(s.AllOf) == 1 {
		return g.goType(s.AllOf[0], required)
	}
	var real []*schema
	for _, b := range append(append([]*schema{}, s.OneOf...), s.AnyOf...) {
		if b.Type != "null" {
			real = append(real, b)
		}
	}
	if len(real) == 1 {
		return g.goType(real[0], false)
	}
	word, nullable := typeWord(s.Type)
	if nullable {
		pointer = "*"
	}
	switch word {
	case "string":
		return "string"
	case "boolean":
		return "bool"
	case "integer":
		return pointer + "int64"
	case "number":
		return pointer + "float64"
	case "array":
		if s.Items != nil {
			return "[]" + g.goType(s.Items, true)
		}
	case "object":
		var more schema
		if len(s.More) > 0 && json.Unmarshal(s.More, &more) == nil && (more.Ref != "" || more.Type != nil) {
			return "map[string]" + g.goType(&more, true)
		}
	}
	return rawValue
}

func typeWord(t any) (word string, nullable bool) {
	switch t := t.(type) {
	case string:
		return t, false
	case []any:
		for _, e := range t {
			if e == "null" {
				nullable = true
			} else if w, ok := e.(string); ok && word == "" {
				word = w
			} else {
				return "", nullable
			}
		}
	}
	return word, nullable
}

func (g *generator) doc(name string, s *schema) {
	text := firstSentence(s.Description)
	if text == "" {
		text = "is a part of the protocol."
	}
	g.printf("// %s: %s\n", name, strings.ToLower(text[:1])+text[1:])
}

func firstSentence(s string) string {
	s, _, _ = strings.Cut(s, "\n\n")
	s = strings.Join(strings.Fields(s), " ")
	if i := strings.Index(s, ". "); i > 0 {
		s = s[:i+1]
	}
	return s
}

var initialisms = map[string]string{"Id": "ID", "Url": "URL", "Uri": "URI", "Mcp": "MCP", "Http": "HTTP", "Sse": "SSE", "Fs": "FS"}

// goName makes an exported name of a wire name.
func goName(s string) string {
	var b strings.Builder
	word := ""
	flush := func() {
		if word == "" {
			return
		}
		w := strings.ToUpper(word[:1]) + word[1:]
		if i, ok := initialisms[w]; ok {
			w = i
		}
		b.WriteString(w)
		word = ""
	}
	for _, r := range s {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
			continue
		case unicode.IsUpper(r):
			flush()
		}
		word += string(r)
	}
	flush()
	return b.String()
}
