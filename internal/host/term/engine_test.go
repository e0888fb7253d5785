//go:build unix

package term

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/termio-sh/termio/internal/host"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/vt"
)

// testEngine runs an engine in a bubble of fake time.
func testEngine(t *testing.T) (*engine, *host.Tee) {
	tee, cur := host.NewTee()
	e := newEngine(func(cols, rows int) *vt.Terminal {
		return vt.New(vt.Options{Cols: cols, Rows: rows})
	}, hostproto.Size{Cols: 40, Rows: 5}, tee, cur)
	quit := make(chan struct{})
	t.Cleanup(func() { close(quit) })
	go e.run(quit)
	return e, tee
}

func output(tee *host.Tee, s string) { tee.Publish(copy(tee.Space(), s)) }

func screenOf(t *testing.T, e *engine) (text string) {
	t.Helper()
	if err := e.borrow(t.Context(), func(v *vt.Terminal) { text = v.ScreenText() }); err != nil {
		t.Fatal(err)
	}
	return text
}

func TestLoanSeesAllOutputBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, tee := testEngine(t)
		for _, s := range []string{"one ", "two ", "three"} {
			output(tee, s)
		}
		if got := screenOf(t, e); got != "one two three" {
			t.Errorf("screen %q", got)
		}
	})
}

func TestDefectCostsTheScreenOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, tee := testEngine(t)
		var reported any
		e.failed = func(failure any) { reported = failure }
		tee.Mark(hostproto.Size{Cols: 30, Rows: 4})
		if err := e.borrow(t.Context(), func(*vt.Terminal) { e.term = new(vt.Terminal) }); err != nil {
			t.Fatal(err) // a terminal that nobody made fails at the first byte
		}
		output(tee, "lost\x1b[31m日本\r\n")
		screenOf(t, e)
		output(tee, "and on")
		if got := screenOf(t, e); got != "and on" || reported == nil {
			t.Errorf("screen %q, reported %v", got, reported)
		}
		if cols, rows := e.term.Size(); cols != 30 || rows != 4 {
			t.Errorf("the new screen is %d×%d", cols, rows)
		}
	})
}

// TestScreenIsLookedAtSeldom: every sampleEvery while output flows, at most
// every sampleLeast between pauses of a spinner, once after it went quiet, and
// never again until there is more.
func TestScreenIsLookedAtSeldom(t *testing.T) {
	for _, every := range []time.Duration{10 * time.Millisecond, 80 * time.Millisecond, 120 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			e, tee := testEngine(t)
			var looks []time.Duration
			begin := time.Now()
			e.sample = func(_ *vt.Terminal, now time.Time) { looks = append(looks, now.Sub(begin)) }
			var end time.Duration
			for time.Since(begin) < time.Second {
				output(tee, "x")
				end = time.Since(begin)
				time.Sleep(every)
			}
			time.Sleep(time.Hour)
			synctest.Wait()
			last := len(looks) - 1
			for i := 1; i <= last; i++ {
				if gap := looks[i] - looks[i-1]; gap < sampleLeast || gap > max(sampleEvery, sampleRest+every)+every {
					t.Errorf("output every %v: looked again after %v: %v", every, gap, looks)
				}
			}
			if lag := looks[last] - end; lag < sampleRest || lag > sampleLeast {
				t.Errorf("output every %v: the last look was %v after the end", every, lag)
			}
		})
	}
}

// TestHeldScreenIsShownAfterASecond: synchronised output that is never ended.
func TestHeldScreenIsShownAfterASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, tee := testEngine(t)
		held := func() (is bool) {
			if err := e.borrow(t.Context(), func(v *vt.Terminal) { is = v.Synchronized() }); err != nil {
				t.Fatal(err)
			}
			return is
		}
		output(tee, "\x1b[?2026hhalf")
		time.Sleep(syncLimit - 100*time.Millisecond)
		if !held() {
			t.Fatal("the program's hold is not kept")
		}
		time.Sleep(200 * time.Millisecond)
		synctest.Wait()
		if held() {
			t.Error("the screen is held for ever")
		}
	})
}
