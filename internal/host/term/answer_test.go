//go:build unix

package term

import (
	"testing"
	"time"

	"github.com/termio-sh/termio/vt"
)

// An answer to a question that has only just come waits until the dialog takes
// keys; one to a question that stands already does not.
func TestAnAnswerWaitsForItsQuestion(t *testing.T) {
	for _, c := range []struct {
		name            string
		question, drawn time.Duration // before the answer; 0 none
		want            time.Duration
	}{
		{"no question", 0, 0, 0},
		{"stands already", time.Minute, time.Minute, 0},
		{"just declared", 100 * time.Millisecond, time.Second, 300 * time.Millisecond},
		{"drawn late", 300 * time.Millisecond, 50 * time.Millisecond, 200 * time.Millisecond},
		{"never quiet", 1900 * time.Millisecond, time.Millisecond, 100 * time.Millisecond},
	} {
		p := &program{sight: sight{now: epoch}}
		if c.question > 0 {
			p.question = epoch.Add(-c.question)
		}
		p.lastOutput = epoch.Add(-c.drawn)
		k, err := vt.ParseKey("enter")
		if err != nil {
			t.Fatal(err)
		}
		st := p.run(t, &delivery{payload: payload{keys: []vt.Key{k}}}, &readiness{isReady: true})
		if st.failure != nil || len(p.writes) != 1 || p.writes[0].at.Round(time.Millisecond) != c.want {
			t.Errorf("%s: %+v, %v; want the key at %v", c.name, p.writes, st.failure, c.want)
		}
	}
}
