//go:build unix

package daemon

import (
	"testing"

	"github.com/termio-sh/termio/internal/resume"
)

func TestHolder(t *testing.T) {
	hosts := map[int]string{10: "a", 20: "b"}
	for _, c := range []struct {
		name  string
		lines [][]int
		want  string
	}{
		{"nobody", nil, ""},
		{"a session's agent", [][]int{{12, 11, 10, 1}}, "a"},
		{"two processes of it", [][]int{{12, 11, 10}, {13, 10}}, "a"},
		{"it, and somebody outside", [][]int{{99, 98}, {12, 10}}, "a"},
		{"somebody outside", [][]int{{99, 98, 1}}, resume.Stranger},
		{"two sessions", [][]int{{12, 10}, {21, 20}}, resume.Stranger},
	} {
		if got := holder(c.lines, hosts); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// TestLaunchesAtWork: what is being started may have made a record before it is
// in the roster.
func TestLaunchesAtWork(t *testing.T) {
	f := newFinder(nil)
	done := f.launching("agent")
	began := f.starts["agent"][0]
	if f.startingBefore("agent", began) || !f.startingBefore("agent", began.Add(1)) || f.startingBefore("other", began.Add(1)) {
		t.Error("the launch at work is not known")
	}
	other := f.launching("agent")
	done()
	if !f.startingBefore("agent", began.Add(1e9)) {
		t.Error("the end of one launch ended another")
	}
	other()
	if f.startingBefore("agent", began.Add(1e9)) {
		t.Error("a launch that has ended is at work")
	}
}
