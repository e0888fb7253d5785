package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestFleet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	load := func(text string) (Settings, []Problem) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return Load(path, time.Now())
	}
	s, problems := load(`{}`)
	if len(problems) != 0 || s.SpawnDepth() != DefaultMaxDepth || s.SpawnDescendants() != DefaultMaxDescendants {
		t.Errorf("nothing chosen: %+v, %v", s, problems)
	}
	s, problems = load(`{"maxDepth": 0, "maxDescendants": 1001, "projects": {"/p": {"setup": "npm ci", "x": 1}, "rel": {}, "/q": 3, "/r": {"setup": 1}}}`)
	if s.SpawnDepth() != 0 || s.SpawnDescendants() != DefaultMaxDescendants || s.Projects["/p"].Setup != "npm ci" {
		t.Errorf("got %+v", s)
	}
	var keys []string
	for _, p := range problems {
		keys = append(keys, p.Key)
	}
	if got := strings.Join(keys, " "); got != "maxDescendants projects./q projects./r.setup projects.rel" {
		t.Errorf("problems with %s", got)
	}
	s.Projects["/p"] = Project{Setup: "make", rest: s.Projects["/p"].rest}
	if err := Save(path, s); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(path)
	for _, want := range []string{`"maxDepth": 0`, `"maxDescendants": 1001`, `"setup": "make"`, `"x": 1`, `"rel": {}`, `"/q": 3`, `"setup": 1`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is lost:\n%s", want, text)
		}
	}
}
