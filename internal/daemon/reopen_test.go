package daemon

import "testing"

func TestLastLine(t *testing.T) {
	for _, c := range []struct {
		text string
		cols int
		want string
	}{
		{"", 20, "it ended at once"},
		{"one\ntwo\n\n", 20, "two"},
		{"a short line\nno rollout found for \nthread 7", 21, "no rollout found for thread 7"},
		{"12345\n12345\n123", 5, "1234512345123"},
		{"12345\n12345\n123", 0, "123"},
	} {
		if got := lastLine(c.text, c.cols); got != c.want {
			t.Errorf("%q at %d: got %q, want %q", c.text, c.cols, got, c.want)
		}
	}
}
