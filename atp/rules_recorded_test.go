package atp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recording is one moment of a real agent, as testdata/agents/README.md says.
type recording struct {
	agent, name          string
	truth, title, screen State
	text, titleText      string
}

// recordings reads expect.txt and the files it names, and fails when a
// recorded file is not in it.
func recordings(t *testing.T) []recording {
	t.Helper()
	dir := filepath.Join("testdata", "agents")
	data, err := os.ReadFile(filepath.Join(dir, "expect.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var out []recording
	seen := map[string]bool{}
	for _, line := range strings.Split(string(data), "\n") {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		if len(f) != 5 {
			t.Fatalf("expect.txt: %q has not five words", line)
		}
		file := filepath.Join(dir, f[0], f[1]+".txt")
		seen[file] = true
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		first, screen, _ := strings.Cut(string(text), "\n")
		title, ok := strings.CutPrefix(first, "title: ")
		if !ok {
			t.Fatalf("%s does not start with its title", file)
		}
		r := recording{agent: f[0], name: f[1], truth: State(f[2]), title: State(f[3]), screen: State(f[4]), text: screen, titleText: title}
		if r.title == "-" {
			r.title = StateNone
		}
		out = append(out, r)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !seen[f] && filepath.Base(f) != "titles.txt" {
			t.Errorf("%s is not in expect.txt", f)
		}
	}
	return out
}

// TestRecordedStates holds the bundled rules against what real agents showed:
// each channel says what it must, and together they say what was the case.
func TestRecordedStates(t *testing.T) {
	catalog, _ := LoadBundled()
	for _, r := range recordings(t) {
		t.Run(r.agent+"/"+r.name, func(t *testing.T) {
			m, ok := catalog.ByID(r.agent)
			if !ok {
				t.Fatal("no such agent")
			}
			rules := NewRules(m)
			title, screen := rules.ClassifyTitle(r.titleText), rules.ClassifyScreen(r.text)
			if title.State != r.title {
				t.Errorf("title %q: got %q by %s, want %q", r.titleText, title.State, title.Rule, r.title)
			}
			if screen.State != r.screen {
				t.Errorf("screen: got %q by %s (%q), want %q", screen.State, screen.Rule, screen.Matched, r.screen)
			}
			if got := strongest(title.State, screen.State); got != r.truth {
				t.Errorf("together they say %q, the agent was %q", got, r.truth)
			}
		})
	}
}

// strongest is the state that the channels agree on when the one that claims
// most wins.
func strongest(states ...State) State {
	for _, want := range []State{StateAttention, StateWorking} {
		for _, s := range states {
			if s == want {
				return want
			}
		}
	}
	return StateIdle
}

// TestRecordedStatesIndented shows that the rules do not hang on blank lines
// around the program's own, as in a taller terminal.
func TestRecordedStatesIndented(t *testing.T) {
	catalog, _ := LoadBundled()
	for _, r := range recordings(t) {
		m, _ := catalog.ByID(r.agent)
		got := NewRules(m).ClassifyScreen("\n\n" + r.text + strings.Repeat("   \n", 40)).State
		if got != r.screen {
			t.Errorf("%s/%s: got %q, want %q", r.agent, r.name, got, r.screen)
		}
	}
}

// TestOldOutputDoesNotMatch puts a working and an asking screen above an idle
// one, as in the scrollback of a tall terminal.
func TestOldOutputDoesNotMatch(t *testing.T) {
	catalog, _ := LoadBundled()
	all := recordings(t)
	idle := map[string]string{}
	for _, r := range all {
		if r.truth == StateIdle && idle[r.agent] == "" {
			idle[r.agent] = r.text
		}
	}
	for _, r := range all {
		m, _ := catalog.ByID(r.agent)
		v := NewRules(m).ClassifyScreen(r.text + "\n" + idle[r.agent])
		if v.State != StateIdle {
			t.Errorf("%s/%s above an idle screen: %q by %s (%q)", r.agent, r.name, v.State, v.Rule, v.Matched)
		}
	}
}
