package orchestrate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestTree(t *testing.T) {
	in := []Node{{"a", ""}, {"b", "a"}, {"c", "gone"}, {"d", "a"}, {"e", "b"}, {"x", "y"}, {"y", "x"}, {"z", "z"}}
	var got []string
	for _, p := range Tree(in) {
		got = append(got, strings.Repeat(".", p.Depth)+in[p.Index].ID+fmt.Sprint(p.Last))
	}
	want := "a[false] .b[false false] ..e[false false true] .d[false true] c[false] z[true] x[true] .y[true true]"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	if d := cmp.Diff(map[string][]string{"a": {"b", "d"}, "b": {"e"}, "gone": {"c"}, "x": {"y"}, "y": {"x"}, "z": {"z"}}, Children(in)); d != "" {
		t.Error(d)
	}
}

func TestTreeHasEveryOneOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "n")
		in := make([]Node, n)
		for i := range in {
			in[i] = Node{fmt.Sprint(i), fmt.Sprint(rapid.IntRange(-1, 12).Draw(t, "parent"))}
		}
		seen := map[int]bool{}
		for _, p := range Tree(in) {
			if seen[p.Index] || len(p.Last) != p.Depth+1 {
				t.Fatalf("place %+v", p)
			}
			seen[p.Index] = true
		}
		if len(seen) != n {
			t.Fatalf("%d of %d", len(seen), n)
		}
	})
}
