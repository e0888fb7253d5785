package atp

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "rewrite generated files")

func TestSchemaIsMadeFromTheKeyTable(t *testing.T) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(buildSchema()); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("manifest.schema.json", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(b.Bytes(), Schema()) {
		t.Error("manifest.schema.json is not what the key table gives; run go test ./atp -update")
	}
}

// compileSchema compiles the published schema, with RE2 as the format of
// regular expressions.
func compileSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.RegisterFormat(&jsonschema.Format{Name: "re2", Validate: func(v any) error {
		s, ok := v.(string)
		if !ok {
			return nil
		}
		_, err := regexp.Compile(s)
		return err
	}})
	if err := c.AddResource(SchemaID, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(SchemaID)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestBundledManifestsSatisfyTheSchema(t *testing.T) {
	schema := compileSchema(t)
	c, _ := LoadBundled()
	for _, m := range c.All() {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(m.JSON()))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", m.ID, err)
		}
	}
}

// A mutation changes one thing of a valid manifest. path is a key path with
// array places, value is JSON, or "-" to remove the key.
type mutation struct {
	path, value string
	rule        string // "" when the manifest stays valid
}

// mutations is a table of single changes to the manifest full.
var mutations = []mutation{
	{"id", `"x"`, ""},
	{"id", "-", "required"},
	{"id", `""`, "empty"},
	{"id", `"."`, "pattern"},
	{"id", `".."`, "pattern"},
	{"id", `"a b"`, "pattern"},
	{"id", `"-x"`, "pattern"},
	{"id", `"a/b"`, "pattern"},
	{"id", `"x\n"`, "pattern"},
	{"id", `3`, "type"},
	{"id", `null`, "type"},
	{"id", `"` + strings.Repeat("a", 64) + `"`, ""},
	{"id", `"` + strings.Repeat("a", 65) + `"`, "length"},
	{"name", "-", "required"},
	{"name", `"名前"`, ""},
	{"name", `"` + strings.Repeat("名", 100) + `"`, ""},
	{"name", `"` + strings.Repeat("名", 101) + `"`, "length"},
	{"name", `"  "`, "pattern"},
	{"name", `"a\u001bb"`, "pattern"},
	{"order", `10.0`, ""},
	{"order", `1e3`, ""},
	{"order", `10.5`, "range"},
	{"order", `1e10`, "range"},
	{"order", `-5`, ""},
	{"order", `"10"`, "type"},
	{"wire", `"a b"`, "pattern"},
	{"aliases", `[]`, ""},
	{"aliases", `["a", 1]`, "type"},
	{"aliases", `"a"`, "type"},
	{"aliases", `["a b"]`, "pattern"},
	{"command", `""`, "empty"},
	{"command", `"a\nb"`, "pattern"},
	{"command", `"FOO=1 a 'b c' && d"`, ""},
	{"command", "-", ""},
	{"processes", `["/bin/x"]`, "pattern"},
	{"versionArgs", `["version"]`, ""},
	{"env", `{"A_B":"x\ty"}`, ""},
	{"env", `{"A-B":"x"}`, "pattern"},
	{"env", `{"TERMIO_SESSION":"x"}`, "pattern"},
	{"env", `{"A":1}`, "type"},
	{"env", `{"A":"x\u0000"}`, "pattern"},
	{"permissionBypassFlag", `"--yes --really"`, ""},
	{"permissionBypassFlag", `true`, "type"},
	{"install", `"ftp://x"`, "pattern"},
	{"install", `"https://x y"`, "pattern"},
	{"installURL", `"https://example.com"`, ""},
	{"installURL", `"example.com"`, "pattern"},
	{"icon", `{}`, ""},
	{"icon", `"claude"`, "type"},
	{"icon.vector", `"gpt"`, "enum"},
	{"icon.vector", `"grok"`, ""},
	{"icon.tint", `"D97757"`, ""},
	{"icon.tint", `"#D9775"`, "pattern"},
	{"icon.glyph", `"π"`, ""},
	{"icon.unknown", `1`, ""},
	{"skills", `{}`, "required"},
	{"skills.dir", `"relative"`, "pattern"},
	{"skills.dir", `"~"`, "pattern"},
	{"skills.dir", `" "`, "pattern"},
	{"configHome.env", "-", "required"},
	{"configHome.env", `"A B"`, "pattern"},
	{"configHome.path", `"/opt/x"`, ""},
	{"titleStatus.working", `["("]`, "regexp"},
	{"titleStatus.working", `["(?=a)"]`, "regexp"},
	{"titleStatus.working", `[""]`, "empty"},
	{"titleStatus.idle", `["^x"]`, ""},
	{"titleStatus.attention", `"x"`, "type"},
	{"progressStatus", `"true"`, "type"},
	{"progressStatus", `false`, ""},
	{"status.rows", `0`, "range"},
	{"status.rows", `500`, ""},
	{"status.working", `["a{2000}"]`, "regexp"},
	{"status.working", `["` + strings.Repeat("a", 1025) + `"]`, "length"},
	{"hooks.type", `"yaml"`, "enum"},
	{"hooks.type", "-", ""},
	{"hooks.type", `"plugin"`, "hooks-plugin"},
	{"hooks.type", `"scripts"`, "hooks-scripts"},
	{"hooks.type", `"toml"`, "hooks-toml"},
	{"hooks.dialect", "-", ""},
	{"hooks.dialect", `"cursor"`, ""},
	{"hooks.dialect", `"gemini"`, ""},
	{"hooks.dialect", `"pi"`, "hooks-json"},
	{"hooks.dialect", `"none"`, "enum"},
	{"hooks.file", "-", "hooks-json"},
	{"hooks.conversation", `"a.b"`, "conversation-json"},
	{"hooks.conversation", `"a-b"`, "conversation-json"},
	{"hooks.conversation", `"session_id"`, ""},
	{"hooks.conversation", `"1a"`, "pattern"},
	{"hooks.tool", `"a.b"`, "pattern"},
	{"hooks.events", "-", "required"},
	{"hooks.events", `[]`, ""},
	{"hooks.events", `{}`, "type"},
	{"hooks.events", `[{"on":"Stop"}]`, "required"},
	{"hooks.events", `[{"state":"done"}]`, "required"},
	{"hooks.events", `[{"event":"Stop","state":"done"}]`, ""},
	{"hooks.events", `[{"on":"Stop","state":"finished"}]`, "enum"},
	{"hooks.events", `[{"on":"Stop","state":"needs-you"}]`, "enum"},
	{"hooks.events", `[{"on":"Stop","state":"done","since":"2"}]`, ""},
	{"hooks.events", `[{"on":"Stop","state":"done","since":"v2"}]`, "pattern"},
	{"hooks", `{"type":"plugin","dir":"~/x","events":[]}`, "hooks-plugin"},
	{"hooks", `{"type":"plugin","dialect":"pi","dir":"~/x","events":[]}`, ""},
	{"hooks", `{"type":"plugin","dialect":"pi","dir":"~/x","conversation":"id","events":[]}`, "conversation-pi"},
	{"hooks", `{"type":"plugin","dialect":"pi","dir":"~/x","conversation":"context","events":[]}`, ""},
	{"hooks", `{"type":"plugin","dialect":"opencode","dir":"~/x","conversation":"properties.sessionID","events":[]}`, ""},
	{"hooks", `{"type":"plugin","dialect":"amp","dir":"~/x","conversation":"x","events":[]}`, "conversation-none"},
	{"hooks", `{"type":"plugin","dialect":"pi","dir":"~/x","tool":"x","events":[]}`, "json-only"},
	{"hooks", `{"type":"plugin","dialect":"pi","file":"~/x","events":[]}`, "hooks-plugin"},
	{"hooks", `{"type":"toml","file":"~/x","events":[]}`, ""},
	{"hooks", `{"type":"toml","file":"~/x","conversation":"x","events":[]}`, "conversation-none"},
	{"hooks", `{"type":"toml","dialect":"claude","file":"~/x","events":[]}`, "hooks-toml"},
	{"hooks", `{"type":"scripts","dir":"~/x","promptTitle":"p","events":[]}`, "json-only"},
	{"hooks", `{"type":"scripts","dir":"~/x","events":[]}`, ""},
	{"hooks.inject", `{"file":"s.json"}`, "inject-way"},
	{"hooks.inject", `{"file":"s.json","args":["--settings","{file}"]}`, ""},
	{"hooks.inject", `{"file":"s.json","args":["{path}"]}`, "pattern"},
	{"hooks.inject", `{"file":"a/b","args":[]}`, "pattern"},
	{"hooks.inject", `{"file":"..","args":[]}`, "pattern"},
	{"hooks.inject", `{"file":"p.js","env":{"C":"x={url}"}}`, ""},
	{"hooks.inject", `{"file":"p.js","env":{"C":"{\"plugin\":[]}"}}`, "pattern"},
	{"hooks.inject", `{"file":"p.js","wrap":"{\"a\":{hooks}}","args":["{config}"]}`, ""},
	{"hooks.inject", `{"file":"p.js","wrap":"x","args":["{config}"]}`, "pattern"},
	{"hooks.inject", `{"file":"p.js","files":{"c.json":"{\"plugin\":[\"{url}\"]}"},"env":{"C":"{dir}/c.json"}}`, ""},
	{"hooks.inject", `{"file":"p.js","files":{"a/b":""},"args":["{dir}"]}`, "pattern"},
	{"hooks.inject", `{"file":"p.js","args":["{file}"],"unless":["/etc/x.json","~/x","$X_Y"]}`, ""},
	{"hooks.inject", `{"file":"p.js","args":["{file}"],"unless":["x.json"]}`, "pattern"},
	{"hooks.inject", `{"file":"p.js","args":["{file}"],"unless":["$1"]}`, "pattern"},
	{"hooks.inject", `{"file":"p.js","args":["{file}"],"needs":["~/x/y.json"]}`, ""},
	{"hooks.inject", `{"file":"p.js","args":["{file}"],"needs":["$X"]}`, "pattern"},
	{"sessionFile.path", `"~/x/all.json"`, "pattern"},
	{"sessionFile.path", `"~/x/{pid}.json"`, ""},
	{"sessionFile.path", `"~/x/{pid}{foo}.json"`, "pattern"},
	{"sessionFile.states", `{"busy":"working","x y":"idle"}`, ""},
	{"sessionFile.states", `{"busy":"busy"}`, "enum"},
	{"sessionFile.states", `{"":"idle"}`, "empty"},
	{"sessionFile.state", "-", "required"},
	{"resume", `"none"`, ""},
	{"resume", `"Claude"`, ""},
	{"resume", `"OPENCODE"`, ""},
	{"resume", `"latest"`, "pattern"},
	{"resume", `""`, "pattern"},
	{"resume", `true`, "type"},
	{"resume", `{}`, ""},
	{"resume.create", `"--id"`, "pattern"},
	{"resume.create", `"--id {id} {name}"`, "pattern"},
	{"resume.create", `"--id={id} --x {id}"`, ""},
	{"resume.create", `"--id {id}\n"`, "pattern"},
	{"resume.resume", `"{ID}"`, "pattern"},
	{"resume.storeRoot", "-", "store-pair"},
	{"resume.storeMatch", "-", "store-pair"},
	{"resume.storeMatch", `"{id}.jsonl"`, "pattern"},
	{"resume.storeMatch", `"file:x.jsonl"`, "pattern"},
	{"resume.storeMatch", `"file:"`, "pattern"},
	{"resume.storeMatch", `"dir:*_{id}/x"`, ""},
	{"resume.storeMatch", `"file:s-{id8}.json"`, "short-id"},
	{"resume.storeId", `"a.b"`, ""},
	{"resume.transcriptName", `"../x"`, "pattern"},
	{"resume.seed", `"file"`, "enum"},
	{"resume.seed", `"session-file"`, ""},
	{"resume.discover", `{"root":"~/x","format":"json","id":"id","cwd":"cwd"}`, "one-family"},
	{"resume", `{"discover":{"root":"~/x","format":"json","id":"id","cwd":"a.b"}}`, ""},
	{"resume", `{"discover":{"root":"~/x","format":"yaml","id":"id","cwd":"a.b"}}`, "enum"},
	{"resume", `{"discover":{"root":"~/x","format":"json","id":"id"}}`, "required"},
	{"resume", `{"discover":{"root":"~/x","format":"json","id":"","cwd":"c"}}`, "empty"},
	{"resume", `{"discover":{"root":"~/x","format":"json","id":"a..b","cwd":"c"}}`, "pattern"},
	{"resume", `{"discover":{"root":"~/x","format":"json","table":"t","id":"id","cwd":"c"}}`, "sqlite-table"},
	{"resume", `{"discover":{"root":"~/x","format":"sqlite","id":"id","cwd":"c"}}`, "sqlite-table"},
	{"resume", `{"discover":{"root":"~/x","format":"sqlite","table":"t","id":"a.b","cwd":"c"}}`, "sqlite-table"},
	{"resume", `{"discover":{"root":"~/x","format":"sqlite","table":"t;drop","id":"a","cwd":"c"}}`, "pattern"},
	{"resume", `{"discover":{"root":"~/x","format":"sqlite","table":"t","id":"a","cwd":"c","parent":"p"}}`, ""},
	{"transcript", `{"format":"markdown"}`, "enum"},
	{"transcript.format", `"pi-jsonl"`, ""},
	{"transcript.version", `1`, ""},
	{"transcript.version", `2`, "range"},
	{"transcript.glob", `"**/x/*.jsonl"`, ""},
	{"transcript.glob", `"../*.jsonl"`, "pattern"},
	{"transcript.glob", `"/x"`, "pattern"},
	{"transcript.match", `"*/{id}.jsonl"`, ""},
	{"transcript.match", `"*/s-{id8}/x"`, ""},
	{"transcript.match", `"*/x.jsonl"`, "pattern"},
	{"transcript.match", `"a/../{id}"`, "pattern"},
	{"ready.quietMs", `-1`, "range"},
	{"ready.screen", `["["]`, "regexp"},
	{"ready.bracketedPaste", `1`, "type"},
	{"input.clear", `["ctrl+u","escape"]`, ""},
	{"input.clear", `["ctrl+ü"]`, "pattern"},
	{"input.clear", `["control-u"]`, "pattern"},
	{"input.submit", `"f13"`, "pattern"},
	{"input.submit", `"shift+f12"`, ""},
	{"input.submit", `"ctrl++"`, ""},
	{"input.submitDelayMs", `20000`, "range"},
	{"acp", `{}`, "required"},
	{"acp.args", `["", "x y"]`, ""},
	{"acp.env", `{"TERMIO_X":"1"}`, "pattern"},
	{"unknown", `{"a":[1,2,{"b":null}]}`, ""},
	{"//", `"a note"`, ""},
	{"$schema", `"https://example.com"`, ""},
}

// full has a value at every key that the mutations reach.
const full = `{
  "id": "x", "name": "X", "order": 5, "wire": "x", "aliases": ["y"], "command": "x", "processes": ["z"],
  "env": {"A": "1"}, "permissionBypassFlag": "--yes", "install": "https://example.com",
  "icon": {"glyph": "x", "tint": "#AABBCC"}, "skills": {"dir": "~/.x/skills"},
  "configHome": {"env": "X_HOME", "path": "~/.x"},
  "titleStatus": {"working": ["^w"], "attention": ["^a"]}, "progressStatus": true,
  "status": {"working": ["w"], "attention": ["a"], "rows": 5},
  "hooks": {"type": "json", "dialect": "claude", "file": "~/.x/s.json", "conversation": "session_id",
    "tool": "tool_name", "promptTitle": "prompt", "events": [{"on": "Stop", "state": "done"}]},
  "sessionFile": {"path": "~/.x/{pid}.json", "state": "status", "states": {"busy": "working"}},
  "resume": {"create": "--id {id}", "resume": "--resume {id}", "storeRoot": "~/.x/s", "storeMatch": "file:{id}.jsonl"},
  "transcript": {"format": "claude-jsonl"}, "ready": {"bracketedPaste": true, "quietMs": 5},
  "input": {"clear": ["ctrl+u"]}, "acp": {"command": "x", "args": ["--acp"]}
}`

// mutate applies a mutation to the manifest full.
func mutate(t *testing.T, m mutation) []byte {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal([]byte(full), &doc); err != nil {
		t.Fatal(err)
	}
	at, last, nested := doc, m.path, false
	if head, tail, ok := strings.Cut(m.path, "."); ok {
		at, nested = doc[head].(map[string]any)
		if !nested {
			t.Fatalf("%s: no object %s", m.path, head)
		}
		last = tail
	}
	if m.value == "-" {
		if _, there := at[last]; !there && !strings.HasSuffix(m.path, "type") {
			t.Fatalf("%s: nothing to remove", m.path)
		}
		delete(at, last)
	} else {
		at[last] = json.RawMessage(m.value)
	}
	out, err := json.Marshal(doc)
	if err != nil {
		t.Fatalf("%s: %v", m.path, err)
	}
	return out
}

// TestSchemaAndDecoderAgree asks both about every mutation.
func TestSchemaAndDecoderAgree(t *testing.T) {
	schema := compileSchema(t)
	for _, m := range append([]mutation{{"order", "5", ""}}, mutations...) {
		data := mutate(t, m)
		_, problems := Decode("x.json", data)
		errs := problems.Errors()
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		schemaErr := schema.Validate(doc)
		if (len(errs) == 0) != (schemaErr == nil) {
			t.Errorf("%s = %s: decoder %v; schema %v", m.path, m.value, errs, schemaErr)
		}
		switch {
		case m.rule == "" && len(errs) > 0:
			t.Errorf("%s = %s: refused: %v", m.path, m.value, errs)
		case m.rule != "" && !hasRule(errs, m.rule):
			t.Errorf("%s = %s: got %v, want rule %s", m.path, m.value, errs, m.rule)
		}
		for _, p := range errs {
			if p.File != "x.json" || p.Rule == "" || p.Message == "" || p.Fix == "" || p.Line == 0 || p.Path == "" {
				t.Errorf("%s = %s: a problem that does not say enough: %+v", m.path, m.value, p)
			}
		}
	}
}

// TestSchemaAndDecoderAgreeOnAnything puts values of all kinds in places of all
// kinds.
func TestSchemaAndDecoderAgreeOnAnything(t *testing.T) {
	schema := compileSchema(t)
	paths := keyPaths(table(), nil)
	value := rapid.SampledFrom([]any{
		nil, true, false, 0.0, 1.0, 1.5, -7.0, 1e12, "", " ", "x", "json", "plugin", "pi", "context", "working",
		"a.b", "~/x", "~/{pid}", "file:{id}", "dir:{id8}", "--id {id}", "(", "2.1", "ctrl+u", "sqlite", "https://x.y",
		[]any{},
		[]any{"x"},
		[]any{1.0},
		[]any{"("},
		map[string]any{},
		map[string]any{"x": "y"},
		map[string]any{"TERMIO_X": "y"},
	})
	rapid.Check(t, func(t *rapid.T) {
		var doc map[string]any
		if err := json.Unmarshal([]byte(full), &doc); err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			put(doc, rapid.SampledFrom(paths).Draw(t, "path"), value.Draw(t, "value"))
		}
		data, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		m, problems := Decode("x.json", data)
		parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		schemaErr := schema.Validate(parsed)
		if (m != nil) != (schemaErr == nil) {
			t.Fatalf("%s\ndecoder: %v\nschema: %v", data, problems.Errors(), schemaErr)
		}
	})
}

// keyPaths lists every key of the table.
func keyPaths(s *spec, above []string) [][]string {
	var out [][]string
	for _, k := range s.keys {
		path := append(slices.Clone(above), k.name)
		out = append(out, path)
		out = append(out, keyPaths(k.spec, path)...)
	}
	return out
}

// put sets the value at the path as far as objects lead there.
func put(doc map[string]any, path []string, v any) {
	for len(path) > 1 {
		next, ok := doc[path[0]].(map[string]any)
		if !ok {
			next = map[string]any{}
			doc[path[0]] = next
		}
		doc, path = next, path[1:]
	}
	doc[path[0]] = v
}

func hasRule(ps Problems, rule string) bool {
	for _, p := range ps {
		if p.Rule == rule {
			return true
		}
	}
	return false
}
