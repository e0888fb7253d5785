package atp

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

const least = `{"id":"x","name":"X","command":"x"}`

func TestDecodeFiles(t *testing.T) {
	big := `{"id":"x","name":"X","note":"` + strings.Repeat("a", MaxFile) + `"}`
	for _, c := range []struct {
		name, data string
		rule, path string
		line, col  int
	}{
		{"empty", "", "syntax", "", 1, 1},
		{"blank", " \n ", "syntax", "", 2, 2},
		{"not an object", `[1]`, "type", "", 1, 1},
		{"trailing garbage", least + "\n}", "trailing", "", 2, 1},
		{"two manifests", least + least, "trailing", "", 1, len(least) + 1},
		{"comment", "{\n// no\n}", "syntax", "", 2, 1},
		{"trailing comma", `{"id":"x",}`, "syntax", "", 1, 11},
		{"cut off", `{"id":"x"`, "syntax", "", 1, 10},
		{"open string", `{"id":"x`, "syntax", "", 1, 7},
		{"bad escape", `{"id":"\d"}`, "syntax", "", 1, 8},
		{"lone surrogate", `{"id":"\ud800"}`, "syntax", "", 1, 8},
		{"raw newline", "{\"id\":\"a\nb\"}", "syntax", "", 1, 9},
		{"leading zero", `{"order":01}`, "syntax", "", 1, 11},
		{"huge number", `{"id":"x","name":"X","order":1e999}`, "range", "order", 1, 30},
		{"duplicate key", `{"id":"x","name":"X","id":"y"}`, "duplicate-key", "id", 1, 22},
		{"duplicate key by escape", `{"id":"x","name":"X","i\u0064":"y"}`, "duplicate-key", "id", 1, 22},
		{"nested duplicate", `{"id":"x","name":"X","icon":{"tint":"#000000","tint":"#111111"}}`, "duplicate-key", "icon.tint", 1, 47},
		{"utf-16", "\xff\xfe{\x00", "encoding", "", 0, 0},
		{"duplicate in a list", `{"id":"x","name":"X","a":[0,{"b":1,"b":2}]}`, "duplicate-key", "a[1].b", 1, 36},
		{"latin-1", "{\"id\":\"x\xe9\"}", "encoding", "", 1, 9},
		{"too big", big, "size", "", 0, 0},
		{"too deep", `{"x":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, "depth", "", 1, 38},
		{"case of a key", `{"ID":"x","name":"X"}`, "required", "id", 1, 1},
		{"event state", "{\"id\":\"x\",\"name\":\"X\",\n \"hooks\":{\"file\":\"~/x\",\"events\":[{\"on\":\"a\",\"state\":\"idle\"},{\"on\":\"b\",\"state\":\"idle\"},{\"on\":\"c\",\"state\":\"ide\"}]}}", "enum", "hooks.events[2].state", 2, 104},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, ps := Decode("dir/x.json", []byte(c.data))
			if m != nil {
				t.Fatal("accepted")
			}
			for _, p := range ps.Errors() {
				if p.Rule == c.rule && p.Path == c.path && p.Line == c.line && p.Column == c.col {
					return
				}
			}
			t.Errorf("got %+v, want %s at %q %d:%d", ps, c.rule, c.path, c.line, c.col)
		})
	}
}

func TestDecodeReportsEveryError(t *testing.T) {
	_, ps := Decode("x.json", []byte(`{"name": 3, "order": "1", "titleStatus": {"working": ["(", "["]}, "nmae": 1}`))
	got := map[string]string{}
	for _, p := range ps {
		got[p.Path] = p.Rule
	}
	want := map[string]string{
		"id": "required", "name": "type", "order": "type",
		"titleStatus.working[0]": "regexp", "titleStatus.working[1]": "regexp", "nmae": "unknown-key",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if w := ps.Warnings(); len(w) != 1 || !strings.Contains(w[0].Fix, `"name"`) {
		t.Errorf("the misspelt key: %v", w)
	}
	var one Problem
	if !errors.As(error(ps), &one) || one.Rule != "required" && one.Rule != "type" {
		t.Errorf("errors.As gives %+v", one)
	}
	if text := ps.Error(); !strings.Contains(text, "x.json:1:10: name: expected a string, found a number; write a string [type]") {
		t.Errorf("the text is\n%s", text)
	}
}

func TestDecodeIsBoundedInWhatItSays(t *testing.T) {
	_, ps := Decode("x.json", []byte(`{"aliases":[`+strings.Repeat("1,", 5000)+`1]}`))
	if len(ps) != maxProblems+1 || ps[maxProblems].Rule != "too-many" {
		t.Errorf("%d problems, the last %v", len(ps), ps[len(ps)-1])
	}
	_, ps = Decode("x.json", []byte(`{"id":"`+strings.Repeat("é", 5000)+`"}`))
	for _, p := range ps {
		if len(p.Error()) > 400 {
			t.Errorf("a message of %d bytes", len(p.Error()))
		}
	}
}

func TestDecodeByteOrderMark(t *testing.T) {
	m, ps := Decode("x.json", []byte("\xef\xbb\xbf"+least))
	if m == nil || len(ps) != 1 || ps[0].Rule != "bom" || ps[0].Severity != SeverityWarning {
		t.Errorf("got %v, %v", m, ps)
	}
}

func TestDecodeDefaults(t *testing.T) {
	m, ps := Decode("x.json", []byte(`{"//":"note","id":"x","name":"X","hooks":{"file":"~/x","events":[{"event":"E","state":"done"}]},"installURL":"https://x.y"}`))
	if m == nil || len(ps) != 0 {
		t.Fatal(ps)
	}
	if m.Order != DefaultOrder || m.Wire != "x" || len(m.VersionArgs) != 1 || m.Install != "https://x.y" {
		t.Errorf("got %+v", m)
	}
	if m.Hooks.Type != "json" || m.Hooks.Dialect != "claude" || m.Hooks.Events[0].On != "E" {
		t.Errorf("hooks %+v", m.Hooks)
	}
	if m.Resume != nil || m.Resume.Pinned() || m.Resume.Discovered() {
		t.Error("an absent resume is something")
	}
	if again, _ := Decode("x.json", m.JSON()); !reflect.DeepEqual(again, m) {
		t.Error("JSON does not decode to the same manifest")
	}
}

func TestResumePresets(t *testing.T) {
	bundled, _ := LoadBundled()
	for word, id := range map[string]string{"Claude": "claudeCode", "codex": "codex", "OpenCode": "opencode", "pi": "pi"} {
		m, ps := Decode("x.json", []byte(`{"id":"x","name":"X","resume":"`+word+`"}`))
		if m == nil {
			t.Fatal(ps)
		}
		if want, _ := bundled.ByID(id); !reflect.DeepEqual(m.Resume, want.Resume) || m.Resume == nil {
			t.Errorf("%s: got %+v", word, m.Resume)
		}
	}
	if m, _ := Decode("x.json", []byte(`{"id":"x","name":"X","resume":"NONE"}`)); m == nil || m.Resume != nil {
		t.Error("none is not none")
	}
}

func TestResumeFamiliesAndStore(t *testing.T) {
	bundled, _ := LoadBundled()
	family := map[string]string{}
	for _, m := range bundled.All() {
		switch {
		case m.Resume.Pinned():
			family[m.ID] = "pinned"
		case m.Resume.Discovered():
			family[m.ID] = "discovered"
		}
	}
	want := map[string]string{
		"claudeCode": "pinned", "pi": "pinned", "qwen": "pinned", "grok": "pinned", "copilot": "pinned", "gemini": "pinned",
		"codex": "discovered", "opencode": "discovered",
	}
	if !reflect.DeepEqual(family, want) {
		t.Errorf("got %v", family)
	}
	grok, _ := bundled.ByID("grok")
	if kind, pattern := grok.Resume.Store(); kind != StoreDir || pattern != "{id}" {
		t.Errorf("grok's store: %s %s", kind, pattern)
	}
	qwen, _ := bundled.ByID("qwen")
	if kind, pattern := qwen.Resume.Store(); kind != StoreFile || pattern != "chats/{id}.jsonl" {
		t.Errorf("qwen's store: %s %s", kind, pattern)
	}
}

// FuzzDecode holds that no file makes the decoder panic or say too much, and
// that it takes only what is JSON.
func FuzzDecode(f *testing.F) {
	bundled, _ := LoadBundled()
	for _, m := range bundled.All() {
		f.Add(m.JSON())
	}
	for _, s := range []string{
		"", "{", `{"id":`, least, full, "\xef\xbb\xbf" + least, `{"id":"\ud83d\ude00","name":"X"}`, `{"a":{"a":{"a":[[[[]]]]}}}`,
		`{"order":-0.0e+12}`, `{"resume":"claude","id":"x","name":"x"}`, `{"hooks":{"type":1,"dialect":{},"events":[null,[],{}]}}`,
		`{"hooks":null,"icon":[],"resume":3,"env":{"":null},"acp":true,"status":{"rows":"x","working":{}}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, ps := Decode("f.json", data)
		if (m == nil) != (len(ps.Errors()) > 0) {
			t.Fatalf("manifest %v with errors %v", m, ps.Errors())
		}
		if len(ps) > maxProblems+1 {
			t.Fatalf("%d problems", len(ps))
		}
		for _, p := range ps {
			if !utf8.ValidString(p.Error()) {
				t.Fatalf("a message that is not UTF-8: %q", p.Error())
			}
		}
		if m == nil {
			return
		}
		if !json.Valid(trimBOM(data)) {
			t.Fatalf("took what is not JSON: %q", data)
		}
		if again, _ := Decode("f.json", m.JSON()); !reflect.DeepEqual(again, m) {
			t.Fatal("JSON does not decode to the same manifest")
		}
		r := NewRules(m)
		r.ClassifyTitle(m.Name)
		r.ClassifyScreen(string(data))
		LaunchCommand(m, LaunchOptions{Bypass: true})
		LintData("f.json", data)
	})
}

// FuzzReadJSON compares the reader with the standard library's.
func FuzzReadJSON(f *testing.F) {
	for _, s := range []string{`{}`, `[1,2]`, `"a\u00e9\n"`, `-1.5e-3`, `{"a":{"b":[true,false,null]}}`, `[1,]`, `nul`, "\"\x7f\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := readJSON(data, func(string, int) {})
		switch valid := json.Valid(data); {
		case err == nil && !valid && utf8.Valid(data):
			t.Fatalf("read what is not JSON: %q", data)
		case err != nil && valid && utf8.Valid(data) && err.rule != "depth" && !strings.Contains(string(data), `\u`):
			t.Fatalf("did not read %q: %v", data, err)
		case err == nil && n.kind == kindString && utf8.Valid(data):
			var want string
			if json.Unmarshal(data, &want) == nil && want != n.str {
				t.Fatalf("%q: read %q, want %q", data, n.str, want)
			}
		}
	})
}
