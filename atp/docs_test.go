package atp

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocsTables holds the tables in the documents against the key table and
// the bundled manifests; -update writes them.
func TestDocsTables(t *testing.T) {
	c, _ := LoadBundled()
	for file, table := range map[string]string{
		"manifests.md": keysTable(),
		"agents.md":    agentsTable(c),
	} {
		path := filepath.Join("..", "docs", file)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		const begin, end = "<!-- begin generated: go test ./atp -update -->\n", "<!-- end generated -->"
		head, rest, ok := strings.Cut(string(data), begin)
		old, tail, ok2 := strings.Cut(rest, end)
		if !ok || !ok2 {
			t.Fatalf("%s has no place for its table", file)
		}
		if *update {
			if err := os.WriteFile(path, []byte(head+begin+table+end+tail), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if old != table {
			t.Errorf("the table in docs/%s is not up to date; run go test ./atp -update", file)
		}
	}
}

func keysTable() string {
	var b strings.Builder
	b.WriteString("\n| key | type | default | meaning |\n|---|---|---|---|\n")
	keyRows(&b, table(), "")
	b.WriteString("\n")
	return b.String()
}

func keyRows(b *strings.Builder, s *spec, above string) {
	for _, k := range s.keys {
		name := above + k.name
		kind := typeName(k.spec)
		def := k.def
		if k.required {
			def = "**required**"
		}
		doc := k.doc
		if k.additive {
			doc += " *(additive)*"
		}
		if k.alias != "" {
			doc += " Older name: `" + k.alias + "`."
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", name, kind, def, strings.ReplaceAll(doc, "|", `\|`))
		if k.kind == kindArray {
			keyRows(b, k.item, name+"[].")
		} else {
			keyRows(b, k.spec, name+".")
		}
	}
}

func typeName(s *spec) string {
	switch {
	case s.presets != nil:
		return "object or string"
	case len(s.enum) > 0:
		return "`" + strings.Join(s.enum, "` `") + "`"
	case s.regexp:
		return "expression"
	case s.kind == kindArray:
		return "list of " + strings.TrimSuffix(typeName(s.item), "s") + "s"
	case s.kind == kindObject && s.item != nil:
		return "object of " + typeName(s.item)
	case s.kind == kindNumber:
		return fmt.Sprintf("whole number %d…%d", s.min, s.max)
	}
	return map[kind]string{kindString: "string", kindBool: "true/false", kindObject: "object"}[s.kind]
}

func agentsTable(c Catalog) string {
	var b strings.Builder
	b.WriteString("\n| agent | `--agent` | command | status from | conversation | over ACP |\n|---|---|---|---|---|---|\n")
	for _, m := range c.All() {
		names := append([]string{m.ID}, m.Aliases...)
		acp, command := "–", "login shell"
		if m.ACP != nil {
			acp = "`" + strings.Join(append([]string{m.ACP.Command}, m.ACP.Args...), " ") + "`"
		}
		if m.Command != "" {
			command = "`" + m.Command + "`"
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s | %s |\n", m.Name, strings.Join(names, "` `"), command, channels(m), family(m.Resume), acp)
	}
	b.WriteString("\n")
	return b.String()
}

func channels(m *Manifest) string {
	var out []string
	for _, x := range []struct {
		have bool
		name string
	}{
		{m.Hooks != nil, "hooks"},
		{m.SessionFile != nil, "its session file"},
		{m.TitleStatus != nil, "title"},
		{m.ProgressStatus, "progress"},
		{m.Status != nil, "screen"},
	} {
		if x.have {
			out = append(out, x.name)
		}
	}
	if len(out) == 0 {
		return "–"
	}
	return strings.Join(out, ", ")
}

func family(r *Resume) string {
	switch {
	case r.Pinned():
		return "resumed by the id it was given"
	case r.Discovered():
		return "resumed by the id it reports"
	}
	return "not resumed"
}

// TestManifestsOfTheDocs decodes every manifest that the documents show.
func TestManifestsOfTheDocs(t *testing.T) {
	shown := 0
	for _, file := range []string{"manifests.md", "agents.md"} {
		data, err := os.ReadFile(filepath.Join("..", "docs", file))
		if err != nil {
			t.Fatal(err)
		}
		for i, block := range strings.Split(string(data), "```json\n") {
			body, _, _ := strings.Cut(block, "```")
			if i == 0 || !strings.Contains(body, `"name"`) {
				continue
			}
			shown++
			if _, ps := Decode(file, []byte(body)); len(ps) > 0 {
				t.Error(ps)
			}
		}
	}
	if shown < 3 {
		t.Errorf("only %d manifests were found", shown)
	}
}
