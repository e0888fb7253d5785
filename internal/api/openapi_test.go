package api

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestOpenAPI(t *testing.T) {
	text, err := OpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		OpenAPI string
		Paths   map[string]map[string]struct {
			OperationID, Summary string
			Responses            map[string]any
		}
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	if doc.OpenAPI != "3.1.0" || len(doc.Paths) != len(Verbs())+1 {
		t.Errorf("version %s with %d paths for %d verbs", doc.OpenAPI, len(doc.Paths), len(Verbs()))
	}
	ids := map[string]bool{}
	for _, v := range Verbs() {
		op, ok := doc.Paths[v.Path]["post"]
		if !ok || op.OperationID != v.Name || op.Summary == "" || op.Responses["200"] == nil || op.Responses["default"] == nil {
			t.Errorf("%s: %+v", v.Name, op)
		}
		ids[op.OperationID] = true
	}
	if len(ids) != len(Verbs()) {
		t.Errorf("%d names of %d operations", len(ids), len(Verbs()))
	}
	// Every reference leads somewhere, and nothing stands there for nobody.
	used := map[string]bool{}
	for _, part := range strings.Split(string(text), `"$ref": "#/components/schemas/`)[1:] {
		name, _, _ := strings.Cut(part, `"`)
		used[name] = true
		if doc.Components.Schemas[name] == nil {
			t.Errorf("%s is not defined", name)
		}
	}
	for name := range doc.Components.Schemas {
		if !used[name] {
			t.Errorf("nobody uses %s", name)
		}
	}
}
