package dsh

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

const (
	id        = "0b54e1a2-7f7c-4a37-9d2c-3f1f6f6f0a11"
	workspace = "/w"
)

func header(version int) string {
	return fmt.Sprintf(`{"type":"session","version":%d,"id":"%s","cwd":"/w/","origin":"user"}`, version, id)
}

var events = []string{
	`{"seq":0,"type":"user/message","data":{"id":"a","source":{"kind":"user"},"content":[{"type":"text","text":"sum it"},{"type":"image"}]}}`,
	`{"seq":1,"type":"user/message","data":{"message":{"source":{"kind":"plugin"},"content":[{"type":"text","text":"injected"}]}}}`,
	`{"seq":2,"type":"assistant/message","data":{"message":{"id":"b","content":[{"type":"reasoning","text":"plan"},{"type":"text","text":"ok"}]}}}`,
	`{"seq":3,"type":"tool/call","data":{"callId":"c1","name":"read","arguments":"{\"p\":1}"}}`,
	`{"seq":4,"type":"tool/result","data":{"message":{"toolCallId":"c1","isError":true,"content":[]}}}`,
	`{"seq":5,"type":"assistant/message","data":{"content":[{"type":"text","text":"No response requested."}]}}`,
	`{"seq":6,"type":"later/thing","data":7}`,
	`{"seq":7,"type":"session/title","data":{"title":"old"}}`,
	`{"seq":8,"type":"session/title","data":{"title":"T"}}`,
}

func pack(t *testing.T, frames ...string) string {
	t.Helper()
	var out []byte
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer enc.Close()
	for _, f := range frames {
		out = enc.EncodeAll([]byte(f), out)
	}
	return string(out)
}

// store writes files of the session below a home of Dsh's.
func store(t *testing.T, files map[string]string) string {
	t.Helper()
	home := t.TempDir()
	for name, text := range files {
		path := filepath.Join(home, "sessions", "proj", id, name)
		if strings.Contains(name, "/") {
			path = filepath.Join(home, "sessions", name)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

func whole(version int, lines ...string) string {
	return header(version) + "\n" + strings.Join(lines, "\n") + "\n"
}

// Rows 54–57: every version that is understood, plain and compressed, gives the
// text, the reasoning, the tools and the title.
func TestRow054Load(t *testing.T) {
	for version := oldest; version <= newest; version++ {
		name := fmt.Sprintf("session.v%d.jsonl", version)
		text := whole(version, events...)
		half := strings.Index(text, "plan")
		for kind, files := range map[string]map[string]string{
			"plain":                  {name: text},
			"compressed, two frames": {name + ".zstd": pack(t, text[:half], text[half:])},
			"beside an older one":    {name: text, "session.v1.jsonl": "odd", "session.v3.jsonl.bak": "x", "notes.txt": ""},
		} {
			t.Run(fmt.Sprintf("v%d %s", version, kind), func(t *testing.T) {
				home := store(t, files)
				title, lines, err := Load(home, workspace, id)
				if err != nil {
					t.Fatal(err)
				}
				if title != "T" || len(lines) != 2 || lines[0].Role != "user" || lines[0].Text != "sum it" {
					t.Fatalf("%q %+v", title, lines)
				}
				a := lines[1]
				if a.Role != "agent" || a.Text != "ok" || a.Reasoning != "plan" || len(a.Tools) != 1 || a.Tools[0].Title != "read" || a.Tools[0].Status != "failed" || a.Tools[0].Kind != "other" {
					t.Errorf("%+v", a)
				}
			})
		}
	}
}

// Rows 55, 57: what is not certainly the session, whole and of a version that is
// understood, is an error; the files are left as they are.
func TestRow055Refused(t *testing.T) {
	ok := whole(4, events...)
	for name, c := range map[string]struct {
		files map[string]string
		id    string
		want  string
	}{
		"a newer version beside it":    {map[string]string{"session.v4.jsonl": ok, "session.v5.jsonl": whole(5)}, id, "the version 5"},
		"generation 0":                 {map[string]string{"session.jsonl": whole(0)}, id, "the version 0"},
		"twice":                        {map[string]string{"session.v4.jsonl": ok, "session.v4.jsonl.zstd": pack(t, ok)}, id, "twice"},
		"a number with a zero":         {map[string]string{"session.v04.jsonl": ok}, id, "no log"},
		"another workspace":            {map[string]string{"session.v4.jsonl": strings.Replace(ok, `"/w/"`, `"/w2"`, 1)}, id, "it was made in /w2"},
		"the header's other version":   {map[string]string{"session.v3.jsonl": ok}, id, "says version 4"},
		"a helper's":                   {map[string]string{"session.v4.jsonl": strings.Replace(ok, `"origin":"user"`, `"origin":"subagent"`, 1)}, id, "helper"},
		"a child's":                    {map[string]string{"session.v4.jsonl": strings.Replace(ok, `"origin":"user"`, `"parentSession":"x"`, 1)}, id, "helper"},
		"a gap":                        {map[string]string{"session.v4.jsonl": whole(4, events[0], events[2])}, id, "line 3: it is no event with the number 1"},
		"a blank line":                 {map[string]string{"session.v4.jsonl": whole(4, events[0], "")}, id, "line 3"},
		"torn":                         {map[string]string{"session.v4.jsonl": whole(4, events[0], events[1][:40])}, id, "line 3"},
		"no UTF-8":                     {map[string]string{"session.v4.jsonl": whole(4, "\xff")}, id, "no UTF-8"},
		"too large":                    {map[string]string{"session.v4.jsonl.zstd": pack(t, whole(4, events[0])+strings.Repeat(" ", maxLog))}, id, ""},
		"not there":                    {map[string]string{"session.v4.jsonl": ok}, "1b54e1a2-7f7c-4a37-9d2c-3f1f6f6f0a11", "it is not there"},
		"a path for an id":             {map[string]string{"session.v4.jsonl": ok}, "../proj/" + id, "no id"},
		"an id with something behind":  {map[string]string{"session.v4.jsonl": ok}, id + ":stream", "no id"},
		"the first project has no log": {map[string]string{"session.v4.jsonl": ok, "a/" + id + "/x": ""}, id, "no log"},
	} {
		t.Run(name, func(t *testing.T) {
			home := store(t, c.files)
			if _, _, err := Load(home, workspace, c.id); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			for file, text := range c.files {
				path := filepath.Join(home, "sessions", "proj", id, file)
				if strings.Contains(file, "/") {
					continue
				}
				if data, err := os.ReadFile(path); err != nil || string(data) != text {
					t.Errorf("%s was changed: %v", file, err)
				}
			}
		})
	}
	if _, _, err := Load(t.TempDir(), workspace, id); err == nil || !strings.Contains(err.Error(), "no sessions of Dsh") {
		t.Errorf("%v", err)
	}
}

func TestHome(t *testing.T) {
	for env, want := range map[string]string{"": "/u/.dsh", "~": "/u", "~/d": "/u/d", "/abs": "/abs", "rel": "/w/rel"} {
		vars := []string{"HOME=/u"}
		if env != "" {
			vars = append(vars, "DSH_HOME="+env)
		}
		if got := Home(vars, workspace); got != want {
			t.Errorf("%q: %s, want %s", env, got, want)
		}
	}
}
