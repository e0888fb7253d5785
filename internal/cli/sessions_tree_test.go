package cli

import (
	"strings"
	"testing"

	"github.com/termio-sh/termio/internal/api"
)

func TestTreeOf(t *testing.T) {
	in := []api.Session{
		{Link: "a"},
		{Link: "b", Parent: "a"},
		{Link: "c"},
		{Link: "d", Parent: "b"},
		{Link: "e", Parent: "a"},
		{Link: "f", Parent: "e"},
		{Link: "g", Parent: "closed"},
	}
	ordered, lines := treeOf(in)
	var got []string
	for i, s := range ordered {
		got = append(got, lines[i]+s.Link)
	}
	want := "a\n├─ b\n│  └─ d\n└─ e\n   └─ f\nc\ng"
	if s := strings.Join(got, "\n"); s != want {
		t.Errorf("got\n%s\nwant\n%s", s, want)
	}
}
