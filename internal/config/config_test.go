package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDefaults(t *testing.T) {
	s, problems := Load(filepath.Join(t.TempDir(), "none.json"), time.Now())
	if len(problems) > 0 || !s.ControlsSessions() || s.ScrollbackLines() != 10_000 || s.Detach() != `ctrl-\` || s.DefaultAgent != "" {
		t.Errorf("got %+v, %v", s, problems)
	}
}

func TestLoad(t *testing.T) {
	path := write(t, `{"defaultAgent":"pi","sessionControl":false,"scrollback":0,"detachKey":"ctrl-]",
		"agents":{"codex":{"bypassPermissions":true,"command":"my codex"}}}`)
	s, problems := Load(path, time.Now())
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	c := s.Agents["codex"]
	if s.DefaultAgent != "pi" || s.ControlsSessions() || s.ScrollbackLines() != 0 || s.Detach() != "ctrl-]" || !c.BypassPermissions || c.Command != "my codex" {
		t.Errorf("got %+v", s)
	}
}

func TestBadKeysAreReportedAndTheRestCounts(t *testing.T) {
	path := write(t, `{"defaultAgent":7,"scrollback":-1,"detachKey":"f1","agents":{"a":[],"b":{"command":1,"bypassPermissions":true}}}`)
	before, _ := os.ReadFile(path)
	s, problems := Load(path, time.Now())
	var keys []string
	for _, p := range problems {
		keys = append(keys, p.Key)
		if !strings.HasPrefix(p.Error(), path+": "+p.Key+": ") {
			t.Errorf("the problem does not name file and key: %v", p)
		}
	}
	if d := cmp.Diff([]string{"agents.a", "agents.b.command", "defaultAgent", "scrollback"}, keys); d != "" {
		t.Error(d)
	}
	if s.DetachKey != "f1" || !s.Agents["b"].BypassPermissions || s.ScrollbackLines() != 10_000 {
		t.Errorf("got %+v", s)
	}
	if after, _ := os.ReadFile(path); string(after) != string(before) {
		t.Error("reading changed the file")
	}
}

func TestCorruptIsSetAside(t *testing.T) {
	for _, text := range []string{"{", "[]", "null", "\x00\x01"} {
		path := write(t, text)
		st, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		// As long as somebody may be writing it, it is left alone.
		_, problems := Load(path, st.ModTime().Add(Settle-1))
		if len(problems) != 1 || !problems[0].Unsettled {
			t.Errorf("%q, just changed: %+v", text, problems)
		}
		if _, err := os.Stat(path); err != nil {
			t.Fatalf("%q: it was taken from under its writer", text)
		}
		s, problems := Load(path, st.ModTime().Add(Settle))
		if len(problems) != 1 || problems[0].Unsettled || !strings.Contains(problems[0].Rule, ".corrupt-") || !s.ControlsSessions() {
			t.Errorf("%q: got %+v, %v", text, s, problems)
		}
		kept, _ := filepath.Glob(path + ".corrupt-*")
		if len(kept) != 1 {
			t.Fatalf("%q: set aside: %v", text, kept)
		}
		if data, _ := os.ReadFile(kept[0]); string(data) != text {
			t.Errorf("%q: it changed: %q", text, data)
		}
	}
}

// TestUnreadIsNotSavedOver: what could not be read is not lost to the next
// change of a setting.
func TestUnreadIsNotSavedOver(t *testing.T) {
	const half = `{"defaultAgent": "pi", "detachKey":`
	path := write(t, half)
	s, problems := Load(path, time.Now())
	if len(problems) != 1 || !problems[0].Unsettled {
		t.Fatalf("got %v", problems)
	}
	s.DetachKey = "ctrl-]"
	if err := Save(path, s); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("saved over a file that is being written: %v", err)
	}
	if now, err := os.ReadFile(path); err != nil || string(now) != half {
		t.Errorf("the file is now %q, %v", now, err)
	}
}

// TestNoRegularFile: a pipe or a directory in place of the settings keeps
// nobody waiting and stays.
func TestNoRegularFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	s, problems := Load(path, time.Now())
	if len(problems) != 1 || !strings.Contains(problems[0].Rule, "no regular file") {
		t.Fatalf("got %v", problems)
	}
	if err := Save(path, s); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("saved: %v", err)
	}
}

func TestSaveKeepsWhatIsNotOurs(t *testing.T) {
	path := write(t, `{"theme":{"name":"dark"},"detachKey":7,"scrollback":5,"agents":{"odd":3,"pi":{"future":1,"command":"x"},"codex":{"command":"y"}}}`)
	s, _ := Load(path, time.Now())
	off := false
	s.SessionControl = &off
	s.Scrollback = nil
	delete(s.Agents, "codex")
	pi := s.Agents["pi"]
	pi.Command = ""
	s.Agents["pi"] = pi
	if err := Save(path, s); err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(path)
	var got, want any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	json.Unmarshal([]byte(`{"theme":{"name":"dark"},"detachKey":7,"sessionControl":false,"agents":{"odd":3,"pi":{"future":1}}}`), &want)
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestEmptyFileIsNoSettings(t *testing.T) {
	path := write(t, " \n")
	s, problems := Load(path, time.Now().Add(time.Hour))
	if len(problems) != 0 || !s.ControlsSessions() {
		t.Errorf("got %+v, %v", s, problems)
	}
	if _, problems := Load(path, time.Now()); len(problems) != 1 || !problems[0].Unsettled {
		t.Errorf("a moment after it was truncated: %v", problems)
	}
}
