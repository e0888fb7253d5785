package orchestrate

import (
	"slices"
	"testing"
	"time"
)

// TestStall plays minutes of work: what there is to measure at each minute, and
// the minutes at which the session is told to be stalled.
func TestStall(t *testing.T) {
	still := func(int) Measure { return Measure{Repo: "a", Lines: 10} }
	for name, c := range map[string]struct {
		minutes int
		works   func(minute int) bool
		measure func(minute int) Measure
		want    []int
	}{
		"nothing moves":           {60, nil, still, []int{20}},
		"rests":                   {60, func(m int) bool { return m%10 != 9 }, still, nil},
		"works anew after a rest": {60, func(m int) bool { return m != 5 }, still, []int{26}},
		"four lines": {60, nil, func(m int) Measure {
			return Measure{Repo: "a", Lines: 10 + min(m, 4)}
		}, []int{20}},
		"five lines": {30, nil, func(m int) Measure {
			return Measure{Repo: "a", Lines: 10 + m/3}
		}, nil},
		"a change in the repository": {39, nil, func(m int) Measure {
			return Measure{Repo: string(rune('a' + m/15)), Lines: 10}
		}, nil},
		"progress arms it again": {60, nil, func(m int) Measure {
			return Measure{Repo: string(rune('a' + m/25)), Lines: 10}
		}, []int{20, 45}},
		"sustained output": {60, nil, func(m int) Measure {
			return Measure{Repo: "a", Lines: 10, Output: uint64(m) * 60 * stallBytes}
		}, nil},
		"some output": {60, nil, func(m int) Measure {
			return Measure{Repo: "a", Lines: 10, Output: uint64(m) * 60 * stallBytes / 2}
		}, []int{20}},
		"a new conversation": {30, nil, func(m int) Measure {
			return Measure{Repo: "a", Lines: max(10-m, 0)}
		}, nil},
		"neither repository nor transcript": {30, nil, func(int) Measure { return Measure{Lines: -1} }, []int{20}},
	} {
		t.Run(name, func(t *testing.T) {
			var s Stall
			var told []int
			since := start
			for m := range c.minutes {
				now := start.Add(time.Duration(m) * time.Minute)
				works := c.works == nil || c.works(m)
				if !works {
					since = now.Add(time.Minute)
				}
				s.See(works, since, now)
				if !s.Due(now) {
					continue
				}
				if _, stalled := s.Measured(c.measure(m), now); stalled {
					told = append(told, m)
				}
			}
			if !slices.Equal(told, c.want) {
				t.Errorf("told at %v, want %v", told, c.want)
			}
		})
	}
}

func TestStallEvidence(t *testing.T) {
	for want, m := range map[string]Measure{
		"working 42m, no repo change, transcript +3 lines": {Repo: "a", Lines: 13},
		"working 42m, no repository, transcript +0 lines":  {Lines: 10},
		"working 42m, no repo change, no transcript":       {Repo: "a", Lines: -1},
	} {
		var s Stall
		s.See(true, start, start.Add(2*time.Minute))
		base := m
		if m.Lines >= 0 {
			base.Lines = 10
		}
		s.Measured(base, start.Add(2*time.Minute))
		if got, _ := s.Measured(m, start.Add(42*time.Minute)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestStallIsMeasuredSeldom: nothing is asked of git but at the begin and the
// end of a window, and now and then of a session that is stalled.
func TestStallIsMeasuredSeldom(t *testing.T) {
	var s Stall
	n := 0
	for now := start; now.Before(start.Add(time.Hour)); now = now.Add(time.Second) {
		s.See(true, start, now)
		if s.Due(now) {
			s.Measured(Measure{Repo: "a"}, now)
			n++
		}
	}
	if n > 2+40*60/30 {
		t.Errorf("measured %d times in an hour", n)
	}
}
