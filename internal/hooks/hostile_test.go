//go:build unix

package hooks

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/termio-sh/termio/atp"
)

// files are the paths, below the home folder, of an agent's hooks.
func (m *machine) files(a *atp.Manifest) []string {
	m.t.Helper()
	_, list, err := m.store.targets(a, "99.0.0")
	if err != nil {
		m.t.Fatal(err)
	}
	var out []string
	for _, t := range list {
		rel, err := filepath.Rel(m.home, t.path)
		if err != nil {
			m.t.Fatal(err)
		}
		out = append(out, rel)
	}
	return out
}

// texts are what may stand in a hook file of a type: those that hooks go into,
// and those that are left alone.
func texts(a *atp.Manifest) (good, bad map[string]string) {
	event := a.Hooks.Events[0].On
	switch a.Hooks.Type {
	case "json":
		users := `{"matcher":"*","hooks":[{"type":"command","command":"echo mine # x"}]}`
		if d := a.Hooks.Dialect; d == "cursor" || d == "copilot" {
			users = `{"command":"echo mine # x"}`
		}
		good = map[string]string{
			"empty":               "",
			"an empty object":     "{}",
			"on one line":         `{"b":1,"a":[1,2]}`,
			"a byte order mark":   "\xef\xbb\xbf{\n  \"a\": 1\n}\n",
			"CRLF":                "{\r\n  \"a\": 1,\r\n  \"b\": {\r\n    \"c\": [\r\n    ]\r\n  }\r\n}\r\n",
			"comments":            "// top\n{ // a\n  /* b */ \"a\" /* c */ : /* d */ 1 /* e */ , // f\n  // g\n}\n// end\n",
			"a trailing comma":    "{\n  \"a\": 1,\n  \"hooks\": {\n    \"" + event + "\": [\n    ],\n  },\n}",
			"tabs":                "{\n\t\"a\": {\n\t\t\"b\": 1\n\t}\n}\n",
			"duplicate keys":      `{"a":1,"a":2,"hooks":{"x":[],"x":[]}}`,
			"a user's command":    `{"hooks":{"` + event + `":[` + users + `]}}`,
			"a user's, laid out":  "{\n    \"hooks\": {\n        \"" + event + "\": [\n            " + users + "\n        ],\n        \"Theirs\": []\n    }\n}\n",
			"unknown shapes":      `{"hooks":{"` + event + `":[{"hooks":"text"},{"odd":[1,{"command":7}]}],"other":{"not":"a list"}},"version":"two"}`,
			"our mark in a text":  `{"note":"# termio-hooks v1 evh","hooks":{}}`,
			"no newline, spaces":  "  {\"a\": 1 }  ",
			"unusual characters":  "{\"k\\u0065y\":\"\\ud83d\\ude00 漢字 \u2028\",\"\":null}\n",
			"numbers and nesting": `{"n":1e400,"d":[[[[[[[{"x":-0.0}]]]]]]]}`,
		}
		bad = map[string]string{
			"cut off": `{"a":1, "hooks": {`, "text": "hello", "a list": "[]", "null": "null", "blank": " \n", "a comment alone": "// x\n",
			"hooks twice": `{"hooks":{},"hooks":{}}`, "hooks a text": `{"hooks":"x"}`, "an event that is no list": `{"hooks":{"` + event + `":{}}}`,
			"not UTF-8": "{\"a\":\"\xff\"}", "two documents": "{}{}", "conflict marks": "<<<<<<< a\n{}\n=======\n{}\n>>>>>>> b\n", "zeros": "\x00\x00\x00",
		}
	case "toml":
		good = map[string]string{
			"empty": "", "a byte order mark": "\xef\xbb\xbfa = 1\n", "CRLF": "a = 1\r\n[b]\r\nc = 2\r\n", "comments": "# top\na = 1 # x\n\n# end",
			"tabs": "\ta = 1\n\t[t]\n\t\tb = 2\n", "a user's hook": "[[hooks]]\nevent = \"Stop\"\ncommand = \"echo mine\"\n", "no newline": "a = 1", "blank": "\n\n",
			"our mark in a text": "a = '# termio-hooks v1'\n", "a text of many lines": "a = '''\n[[hooks]]\n# not a table\n'''\n",
		}
		bad = map[string]string{"cut off": "a = [1,", "text": "hello", "duplicate keys": "a = 1\na = 2\n", "hooks a table": "[hooks]\na = 1\n", "not UTF-8": "a = \"\xff\"\n"}
	default:
		good = map[string]string{}
		bad = map[string]string{"somebody's": "#!/bin/sh\necho mine\n", "empty": "", "our mark in the middle": "echo 1\n// termio-hooks v1\n"}
	}
	return good, bad
}

// Every dialect, every hostile file: what hooks can be put into is afterwards
// what it was, and what they cannot is not touched at all.
func TestHostileFiles(t *testing.T) {
	for _, a := range manifests(t) {
		good, bad := texts(a)
		check := func(name string, installs bool, prepare func(m *machine, file string)) {
			t.Run(a.ID+"/"+name, func(t *testing.T) {
				m := newMachine(t)
				files := m.files(a)
				prepare(m, files[0])
				before := tree(t, m.home)
				o := m.install(a.ID)
				if want := map[bool]string{true: Installed, false: Refused}[installs]; o.State != want || !installs && o.Why == "" {
					t.Errorf("install: %+v, want %s", o, want)
				}
				if installs && len(o.Changed) == 0 {
					t.Error("nothing was installed")
				}
				if !installs && len(files) == 1 {
					if diff := cmp.Diff(before, tree(t, m.home)); diff != "" {
						t.Errorf("it was refused, and touched:\n%s", diff)
					}
				}
				m.remove(a.ID)
				if diff := cmp.Diff(before, tree(t, m.home)); diff != "" {
					t.Errorf("installed and removed, it is another:\n%s", diff)
				}
			})
		}
		put := func(text string, mode os.FileMode) func(*machine, string) {
			return func(m *machine, file string) { m.write(file, text, mode) }
		}
		for name, text := range good {
			check(name, true, put(text, 0o600))
		}
		for name, text := range bad {
			check(name, false, put(text, 0o600))
		}
		check("no file", true, func(*machine, string) {})
		some, ok := good["comments"]
		if !ok {
			some = "" // a file of ours alone; refused where it stands
		}
		for _, mode := range []os.FileMode{0o644, 0o640, 0o755, 0o660} {
			check(fmt.Sprintf("mode %o", mode), ok, put(some, mode))
		}
		check("read-only", false, put(some, 0o400))
		check("a link", ok, func(m *machine, file string) { m.link(file, m.write("dotfiles/x", some, 0o644)) })
		check("a relative link to a link", ok, func(m *machine, file string) {
			m.write("dotfiles/x", some, 0o644)
			m.link("dotfiles/y", "x")
			m.link(file, m.home+"/dotfiles/y")
		})
		check("a link to a file of somebody's that cannot be read as hooks", false, func(m *machine, file string) {
			m.link(file, m.write("dotfiles/x", "{ oops = [", 0o644))
		})
		check("a linked folder", true, func(m *machine, file string) {
			if err := os.MkdirAll(filepath.Join(m.home, "dotfiles"), 0o755); err != nil {
				m.t.Fatal(err)
			}
			m.link(filepath.Dir(file), filepath.Join(m.home, "dotfiles"))
		})
		check("a link that leads nowhere", false, func(m *machine, file string) { m.link(file, "/nowhere/at/all") })
		check("a link to itself", false, func(m *machine, file string) { m.link(file, filepath.Base(file)) })
		check("a folder", false, func(m *machine, file string) {
			if err := os.MkdirAll(filepath.Join(m.home, file, "x"), 0o755); err != nil {
				m.t.Fatal(err)
			}
		})
		check("a pipe", false, func(m *machine, file string) {
			path := m.write(file, "", 0o600)
			os.Remove(path)
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				m.t.Fatal(err)
			}
		})
		check("a file where its folder should be", false, func(m *machine, file string) { m.write(filepath.Dir(file), "mine", 0o600) })
		check("a full disk", false, func(m *machine, file string) {
			if ok {
				m.write(file, some, 0o600)
			}
			m.store.changer = &changer{write: func(f *os.File, data []byte) error {
				f.Write(data[:len(data)/2])
				return syscall.ENOSPC
			}}
		})
		if !ok {
			continue // files of ours alone need no backup
		}
		check("no room for the backup", false, func(m *machine, file string) {
			m.write(file, some, 0o600)
			if err := os.MkdirAll(m.store.Dir, 0o700); err != nil {
				m.t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(m.store.Dir, "backup"), nil, 0o600); err != nil {
				m.t.Fatal(err)
			}
		})
	}
}

// link makes name, below the home folder, a link.
func (m *machine) link(name, to string) {
	m.t.Helper()
	path := filepath.Join(m.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.Symlink(to, path); err != nil {
		m.t.Fatal(err)
	}
}

// Another program's last word stands, in every dialect, whenever it comes: a
// file that is written each time before ours takes its place is given up.
func TestNeverOverAnothersWord(t *testing.T) {
	for _, a := range manifests(t) {
		t.Run(a.ID, func(t *testing.T) {
			m := newMachine(t)
			n := 0
			m.store.changer = &changer{write: writeAll, before: func(path string) {
				n++
				if err := os.WriteFile(path, []byte(fmt.Sprintf("theirs %d", n)), 0o600); err != nil {
					t.Fatal(err)
				}
			}}
			o := m.install(a.ID)
			if o.State != Refused {
				t.Errorf("%+v", o)
			}
			for name, text := range tree(t, m.home) {
				if strings.Contains(text, "termio-hook") || strings.Contains(name, ".termio-") {
					t.Errorf("%s is %s", name, text)
				}
			}
		})
	}
}

// What Termio cannot note down it does not do.
func TestWithoutAPlaceForNotes(t *testing.T) {
	for _, a := range manifests(t) {
		m := newMachine(t)
		if err := os.WriteFile(m.store.Dir, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		before := tree(t, m.home)
		if o := m.install(a.ID); o.State != Refused {
			t.Errorf("%s: %+v", a.ID, o)
		}
		if o := m.store.InstallSkill(context.Background(), a); a.Skills != nil && o.State != Refused {
			t.Errorf("the skill of %s: %+v", a.ID, o)
		}
		if diff := cmp.Diff(before, tree(t, m.home)); diff != "" {
			t.Errorf("%s: %s", a.ID, diff)
		}
	}
}

// Hooks of an agent whose manifest is gone go all the same.
func TestForgottenAgents(t *testing.T) {
	m := newMachine(t)
	a := *m.agent("claudeCode")
	a.ID = "mine"
	h := *a.Hooks
	h.File = "~/.mine/hooks.json"
	a.Hooks = &h
	before := tree(t, m.home)
	m.here["mine"] = "99.0.0"
	if o := m.store.Install(context.Background(), &a); o.State != Installed {
		t.Fatalf("%+v", o)
	}
	m.install("codex")
	list := m.store.RemoveForgotten(context.Background(), m.catalog.IDs(), false)
	if len(list) != 1 || list[0].Agent != "mine" || len(list[0].Changed) != 1 || m.status("codex") != Installed {
		t.Errorf("%+v", list)
	}
	m.remove("codex")
	if diff := cmp.Diff(before, tree(t, m.home)); diff != "" {
		t.Error(diff)
	}
	if list := m.store.RemoveForgotten(context.Background(), m.catalog.IDs(), false); len(list) != 0 {
		t.Errorf("again: %+v", list)
	}
}

// A pipe in the place of a file keeps nobody waiting.
func TestPipesDoNotBlock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { _, err := look(path); done <- err }()
	select {
	case err := <-done:
		if err == nil {
			t.Error("a pipe was read")
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it waits")
	}
}
