package orchestrate

import (
	"strings"
	"testing"

	"github.com/termio-sh/termio/internal/prompt"
)

func TestBelow(t *testing.T) {
	child := Below("a", Origin{})
	if child != (Origin{Parent: "a", Root: "a", Depth: 1}) {
		t.Errorf("a child: %+v", child)
	}
	if got := Below("b", child); got != (Origin{Parent: "b", Root: "a", Depth: 2}) {
		t.Errorf("a grandchild: %+v", got)
	}
}

func TestLimits(t *testing.T) {
	l := Limits{Depth: 2, Descendants: 3}
	at := func(depth int) Origin { return Origin{Parent: "p", Root: "r", Depth: depth} }
	for _, c := range []struct {
		name string
		l    Limits
		o    Origin
		live int
		says string // empty: admitted
	}{
		{"from outside", Limits{}, Origin{}, 1000, ""},
		{"the deepest", l, at(2), 0, ""},
		{"one too deep", l, at(3), 0, "config set maxDepth 3"},
		{"the last one", l, at(1), 2, ""},
		{"one too many", l, at(1), 3, "3 sessions are live below termio://session/r already"},
		{"none at all", Limits{Depth: 0, Descendants: 9}, at(1), 0, "is 0 below"},
		{"none may live", Limits{Depth: 9}, at(1), 0, "maxDescendants"},
	} {
		err := c.l.Check(c.o, c.live)
		if (err == nil) != (c.says == "") || err != nil && (kindOf(err) != StartFailed || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestEnveloped(t *testing.T) {
	agent, _ := catalog().ByID("pi")
	terminal, _ := catalog().ByID("terminal")
	inside := Origin{Parent: "ab12cd34-9f2e-4c31-b8d7-3e5a12c90f44", Root: "r", Depth: 1}

	got := Launch(Order{Manifest: agent, From: inside, Text: "fix it"})
	if !strings.HasPrefix(got.Prompt.Text, "[termio: the session "+Link(inside.Parent)+" ") || prompt.Task(got.Prompt.Text) != "fix it" {
		t.Errorf("an agent from a session is told %q", got.Prompt.Text)
	}
	if r := got.Record; r.Title() != "fix it" || r.Parent != inside.Parent || r.Root != "r" || r.Depth != 1 {
		t.Errorf("its record: %+v", r)
	}
	if got := Launch(Order{Manifest: agent, From: inside}); got.Prompt != nil {
		t.Errorf("no prompt: %+v", got.Prompt)
	}
	for name, o := range map[string]Order{
		"an agent from outside":           {Manifest: agent, Text: "fix it"},
		"a plain terminal from a session": {Manifest: terminal, From: inside, Text: "fix it"},
	} {
		if got := Launch(o).Prompt.Text; got != "fix it" {
			t.Errorf("%s is told %q", name, got)
		}
	}
}
