package hooks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/termio-sh/termio/atp"
	"pgregory.net/rapid"
)

func manifests(t testing.TB) []*atp.Manifest {
	t.Helper()
	c, problems := atp.LoadBundled()
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var out []*atp.Manifest
	for _, m := range c.All() {
		if m.Hooks != nil {
			out = append(out, m)
		}
	}
	if len(out) < 13 {
		t.Fatalf("only %d manifests with hooks", len(out))
	}
	return out
}

func specOf(t testing.TB, id string) Spec {
	t.Helper()
	for _, m := range manifests(t) {
		if m.ID == id {
			return Spec{Hooks: m.Hooks, Reporter: "/home/dev/.termio/bin/termio-hook", Version: "99.0.0"}
		}
	}
	t.Fatalf("no manifest %q with hooks", id)
	return Spec{}
}

// editor is what a test does with one file of a dialect.
type editor struct {
	t testing.TB
	s Spec
	target
}

func editorOf(t testing.TB, id string) editor {
	t.Helper()
	s := specOf(t, id)
	list, err := targets(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return editor{t, s, list[0]}
}

func (e editor) roundTrip(old []byte) []byte {
	e.t.Helper()
	in, err := e.install(old, e.s)
	if err != nil {
		e.t.Fatalf("install into %q: %v", old, err)
	}
	again, err := e.install(in, e.s)
	if err != nil || !bytes.Equal(in, again) {
		e.t.Fatalf("install twice is not once (%v):\n%s", err, cmp.Diff(string(in), string(again)))
	}
	other := e.s
	other.Reporter = "/elsewhere/bin/termio-hook"
	moved, err := e.install(in, other)
	if err != nil {
		e.t.Fatal(err)
	}
	for what, text := range map[string][]byte{"installed": in, "reinstalled": moved} {
		out, err := e.remove(text)
		if err != nil {
			e.t.Fatalf("remove from %s: %v\n%s", what, err, text)
		}
		if !bytes.Equal(out, old) || (out == nil) != (old == nil) {
			e.t.Fatalf("%s, then removed, is not what it was:\n%s\ninstalled:\n%s", what, cmp.Diff(string(old), string(out)), text)
		}
	}
	if bare, err := e.remove(old); err != nil || !bytes.Equal(bare, old) {
		e.t.Fatalf("removing from a file without hooks changes it: %v\n%s", err, cmp.Diff(string(old), string(bare)))
	}
	return in
}

// TestFixtures installs into every fixture of a dialect and takes the hooks
// out again.
func TestFixtures(t *testing.T) {
	for _, m := range manifests(t) {
		t.Run(m.ID, func(t *testing.T) {
			e := editorOf(t, m.ID)
			new := e.roundTrip(nil)
			if len(new) == 0 {
				t.Fatal("nothing is installed into a file that is not there")
			}
			if m.Hooks.Type == "json" {
				e.roundTrip([]byte{})
			}
			for _, path := range fixtures(t, m.Hooks.Type) {
				old, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				t.Run(filepath.Base(path), func(t *testing.T) {
					e := e
					e.t = t
					in := e.roundTrip(old)
					crlf := bytes.ReplaceAll(old, []byte("\n"), []byte("\r\n"))
					if out := e.roundTrip(crlf); bytes.Contains(old, []byte("\n")) && bytes.Contains(bytes.ReplaceAll(out, []byte("\r\n"), nil), []byte("\n")) {
						t.Errorf("a file with CRLF got lines without:\n%q", out)
					}
					e.roundTrip(append([]byte("\xef\xbb\xbf"), old...))
					for _, ev := range e.s.events() {
						if !bytes.Contains(in, []byte(`--event `+ev.On)) {
							t.Errorf("no report of %s", ev.On)
						}
					}
				})
			}
		})
	}
}

func fixtures(t *testing.T, typ string) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/" + typ + "/ok-*")
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// TestRefused holds what is not touched.
func TestRefused(t *testing.T) {
	for _, m := range manifests(t) {
		for _, path := range mustGlob(t, "testdata/"+m.Hooks.Type+"/refused-*") {
			old, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			e := editorOf(t, m.ID)
			var refused *Refusal
			text, err := e.install(old, e.s)
			if !errors.As(err, &refused) {
				t.Errorf("%s: %s was not refused: %v\n%s", m.ID, path, err, text)
			}
		}
	}
}

func mustGlob(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// TestRandomJSON throws random JSONC with random hooks of users at the JSON
// dialects.
func TestRandomJSON(t *testing.T) {
	for _, id := range []string{"claudeCode", "gemini", "cursor", "copilot"} {
		t.Run(id, func(t *testing.T) {
			e := editorOf(t, id)
			rapid.Check(t, func(rt *rapid.T) {
				doc := []byte(randomDoc(rt, e.s.Hooks))
				if _, err := parse(doc); err != nil {
					rt.Fatalf("the generator made no JSONC: %v\n%s", err, doc)
				}
				before := semantics(rt, doc)
				in, err := e.install(doc, e.s)
				if err != nil {
					rt.Fatalf("install: %v\n%s", err, doc)
				}
				if again, err := e.install(in, e.s); err != nil || !bytes.Equal(again, in) {
					rt.Fatalf("install twice is not once: %v\n%s\n%s", err, in, again)
				}
				after := semantics(rt, in)
				if diff := cmp.Diff(before, dropOurs(after, before)); diff != "" {
					rt.Fatalf("what is not ours changed:\n%s\n%s", diff, in)
				}
				if n := bytes.Count(in, []byte(markWord)); n != len(e.s.events()) {
					rt.Fatalf("%d commands of ours, want %d\n%s", n, len(e.s.events()), in)
				}
				out, err := e.remove(in)
				if err != nil || !bytes.Equal(out, doc) {
					rt.Fatalf("removed is not what it was: %v\n--- was\n%s\n--- is\n%s\n--- installed\n%s", err, doc, out, in)
				}
			})
		})
	}
}

// semantics is what a reader of a JSONC document sees.
func semantics(t *rapid.T, doc []byte) map[string]any {
	root, err := parse(doc)
	if err != nil {
		t.Fatalf("%v\n%s", err, doc)
	}
	return plain(doc, root).(map[string]any)
}

func plain(src []byte, v *value) any {
	switch v.kind {
	case kindObject:
		out := map[string]any{}
		for _, it := range v.items {
			out[it.key] = plain(src, it.value)
		}
		return out
	case kindArray:
		out := []any{}
		for _, it := range v.items {
			out = append(out, plain(src, it.value))
		}
		return out
	case kindString:
		return v.text
	}
	var out any
	if err := json.Unmarshal(src[v.start:v.end], &out); err != nil {
		panic(err)
	}
	return out
}

// dropOurs removes what install added, by meaning and not by bytes.
func dropOurs(doc, before map[string]any) map[string]any {
	hooks, _ := doc["hooks"].(map[string]any)
	old, had := before["hooks"].(map[string]any)
	for event, list := range hooks {
		var rest []any = []any{}
		for _, entry := range list.([]any) {
			if !strings.Contains(fmt.Sprint(entry), markWord) {
				rest = append(rest, entry)
			}
		}
		hooks[event] = rest
		if _, there := old[event]; !there && len(rest) == 0 {
			delete(hooks, event)
		}
	}
	if !had {
		delete(doc, "hooks")
	}
	if _, there := before["version"]; !there {
		delete(doc, "version")
	}
	return doc
}

// randomDoc writes a random JSONC object that may have hooks already.
func randomDoc(t *rapid.T, h *atp.Hooks) string {
	g := &generator{t: t, wild: rapid.Bool().Draw(t, "comments"), nl: rapid.SampledFrom([]string{"\n", "\r\n", ""}).Draw(t, "newline")}
	g.indent = rapid.SampledFrom([]string{"  ", "    ", "\t"}).Draw(t, "indent")
	if g.nl == "" {
		g.wild = false
	}
	var members []string
	for i := range rapid.IntRange(0, 3).Draw(t, "members") {
		members = append(members, fmt.Sprintf("%q:%s", fmt.Sprintf("k%d", i), g.value(2)))
	}
	if rapid.Bool().Draw(t, "has hooks") {
		var events []string
		for _, name := range append([]string{"Other"}, h.Events[0].On, h.Events[len(h.Events)-1].On) {
			if rapid.Bool().Draw(t, "has "+name) && !strings.Contains(strings.Join(events, ""), `"`+name+`"`) {
				var entries []string
				for range rapid.IntRange(0, 2).Draw(t, "entries") {
					entries = append(entries, g.entry())
				}
				events = append(events, fmt.Sprintf("%q:%s%s", name, g.gap(), g.list("[", entries, "]", 3)))
			}
		}
		at := rapid.IntRange(0, len(members)).Draw(t, "at")
		hooks := `"hooks":` + g.gap() + g.list("{", events, "}", 2)
		members = append(members[:at], append([]string{hooks}, members[at:]...)...)
	}
	pre := rapid.SampledFrom([]string{"", "\xef\xbb\xbf", " "}).Draw(t, "before")
	post := rapid.SampledFrom([]string{"", g.nl, g.nl + g.nl}).Draw(t, "after")
	return pre + g.list("{", members, "}", 1) + post
}

type generator struct {
	t          *rapid.T
	wild       bool
	nl, indent string
}

func (g *generator) entry() string {
	commands := []string{`{"type":"command","command":"echo hi # termio"}`, `{"type":"prompt"}`}
	inner := g.list("[", commands[:rapid.IntRange(0, 2).Draw(g.t, "commands")], "]", 5)
	return rapid.SampledFrom([]string{
		`{"matcher":"Bash","hooks":` + inner + `}`, `{"hooks":` + inner + `}`, `{"command":"x y"}`, `{}`,
	}).Draw(g.t, "entry")
}

func (g *generator) value(depth int) string {
	if depth > 4 {
		return "1"
	}
	switch rapid.IntRange(0, 5).Draw(g.t, "kind") {
	case 0:
		return "{}"
	case 1:
		return `"text with { [ // /* \" , "`
	case 2:
		return "-1.5e3"
	case 3:
		return g.list("[", []string{g.value(depth + 1), "null"}, "]", depth)
	case 4:
		return g.list("{", []string{`"a":` + g.value(depth+1)}, "}", depth)
	}
	return "true"
}

// gap is white space and comments.
func (g *generator) gap() string {
	if !g.wild {
		return rapid.SampledFrom([]string{"", " "}).Draw(g.t, "gap")
	}
	return rapid.SampledFrom([]string{
		"", " ", g.nl, "/* c, } */", " /* two" + g.nl + "lines */ ", " // line ] }" + g.nl, g.nl + g.indent + "// own line" + g.nl, "\t",
	}).Draw(g.t, "gap")
}

func (g *generator) list(open string, items []string, closing string, depth int) string {
	pretty := rapid.Bool().Draw(g.t, "pretty")
	var b strings.Builder
	b.WriteString(open)
	for i, it := range items {
		if pretty {
			b.WriteString(g.nl)
			if g.nl != "" {
				b.WriteString(strings.Repeat(g.indent, depth))
			}
		} else {
			b.WriteString(g.gap())
		}
		b.WriteString(it)
		if g.wild {
			b.WriteString(g.gap())
		}
		if i < len(items)-1 || g.wild && rapid.Bool().Draw(g.t, "trailing comma") {
			b.WriteString(",")
		}
		if g.wild {
			b.WriteString(g.gap())
		}
	}
	if pretty && len(items) > 0 && g.nl != "" {
		b.WriteString(g.nl + strings.Repeat(g.indent, depth-1))
	}
	b.WriteString(g.gap() + closing)
	return b.String()
}

// TestRandomTOML does the same to Kimi's dialect.
func TestRandomTOML(t *testing.T) {
	e := editorOf(t, "kimi")
	rapid.Check(t, func(rt *rapid.T) {
		nl := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(rt, "newline")
		pieces := []string{
			"# note [[hooks]]", "", "a = 1 # x", "text = '''", // completed below
			"[table]" + nl + "b = \"# termio-hooks v1 begin\"", "[[list]]" + nl + "c = [1," + nl + " 2]",
			"[[hooks]]" + nl + "event = \"Stop\"" + nl + "command = '''mine # termio-hooks'''", "[[hooks]]" + nl + "event = 'Other'" + nl + "command = \"x\"",
			"[last.one]" + nl + "d = 1979-05-27",
		}
		pieces[3] += nl + "[[hooks]]" + nl + "'''"
		var b strings.Builder
		used := map[int]bool{}
		sorted := rapid.SliceOfN(rapid.IntRange(0, len(pieces)-1), 0, 8).Draw(rt, "pieces")
		for i, n := range sorted {
			repeats := strings.HasPrefix(pieces[n], "[[") || strings.HasPrefix(pieces[n], "#") || pieces[n] == ""
			if used[n] && !repeats || n >= 2 && n <= 3 && (used[4] || used[5] || used[6] || used[7] || used[8]) {
				continue
			}
			used[n] = true
			b.WriteString(pieces[n])
			if i < len(sorted)-1 || rapid.Bool().Draw(rt, "last newline") {
				b.WriteString(nl)
			}
		}
		old := []byte(b.String())
		if _, err := readTOML(old); err != nil {
			rt.Fatalf("the generator made no TOML: %v\n%s", err, old)
		}
		in, err := e.install(old, e.s)
		if err != nil {
			rt.Fatalf("install: %v\n%s", err, old)
		}
		if again, err := e.install(in, e.s); err != nil || !bytes.Equal(again, in) {
			rt.Fatalf("install twice is not once: %v\n%s", err, in)
		}
		if out, err := e.remove(in); err != nil || !bytes.Equal(out, old) {
			rt.Fatalf("removed is not what it was: %v\n%q\n%q", err, old, out)
		}
	})
}
