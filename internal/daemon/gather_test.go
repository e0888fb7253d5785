package daemon

import (
	"testing"
	"time"
)

// Looking for conversations takes a small share of the time, and is never put
// off for long.
func TestGather(t *testing.T) {
	for took, want := range map[time.Duration]time.Duration{
		0:                     50 * time.Millisecond,
		time.Millisecond:      50 * time.Millisecond,
		10 * time.Millisecond: 200 * time.Millisecond,
		time.Second:           2 * time.Second,
	} {
		if got := gather(took); got != want {
			t.Errorf("after a look of %v: %v, want %v", took, got, want)
		}
	}
}
