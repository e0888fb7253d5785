package host

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/termio-sh/termio/internal/hostproto"
)

// reader follows a cursor and notes what it sees, resizes as "<cols>".
type reader struct {
	c    *Cursor
	seen []byte
}

func (r *reader) step(limit int) bool {
	r.c.Busy()
	data, size, _ := r.c.Next()
	switch {
	case size != nil:
		r.seen = append(r.seen, '<', byte(size.Cols), '>')
	case len(data) > 0:
		n := min(len(data), limit)
		r.seen = append(r.seen, data[:n]...)
		r.c.Advance(n)
	default:
		return false
	}
	return true
}

// TestEveryReaderSeesTheSame plays random histories: whatever the order of
// writes, resizes, joins and reads, the engine sees all, in order, and a viewer
// exactly what the engine had not seen when it joined.
func TestEveryReaderSeesTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tee, cur := NewTee()
		engine := &reader{c: cur}
		var viewers []*reader
		var model []byte  // as seen by one who was there from the start
		joined := []int{} // for each viewer, how much of the model the engine had seen
		next := byte('a')
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			switch rapid.IntRange(0, 7).Draw(t, "what") {
			case 0, 1, 2:
				buf := tee.Space()
				n := min(rapid.SampledFrom([]int{0, 1, 10, 1000, 2048, 4095, 1 << 20}).Draw(t, "n"), len(buf))
				for i := range n {
					buf[i] = next
					next = 'a' + (next-'a'+1)%26
				}
				model = append(model, buf[:n]...)
				tee.Publish(n)
			case 3:
				cols := rapid.IntRange(1, 60).Draw(t, "cols")
				tee.Mark(hostproto.Size{Cols: cols})
				model = append(model, '<', byte(cols), '>')
			case 4:
				viewers = append(viewers, &reader{c: tee.Join()})
				joined = append(joined, len(engine.seen))
			case 5:
				engine.step(rapid.IntRange(1, 100_000).Draw(t, "take"))
			case 6:
				if len(viewers) > 0 {
					rapid.SampledFrom(viewers).Draw(t, "viewer").step(rapid.IntRange(1, 100_000).Draw(t, "take"))
				}
			case 7: // one says that it waits, truly or not, and takes what it likes
				if len(viewers) > 0 {
					v := rapid.SampledFrom(viewers).Draw(t, "viewer")
					some := rapid.IntRange(1, 3).Draw(t, "some")
					v.c.Idle(func(data []byte) bool {
						if some--; some == 0 {
							return false
						}
						v.seen = append(v.seen, data...)
						return true
					})
				}
			}
			if rapid.IntRange(0, 20).Draw(t, "shrink") == 0 {
				tee.Shrink()
			}
		}
		tee.Close()
		for _, r := range append(viewers, engine) {
			for r.step(1 << 20) {
			}
			if _, _, end := r.c.Next(); !end {
				t.Fatal("a reader does not learn of the end")
			}
		}
		if !bytes.Equal(engine.seen, model) {
			t.Fatalf("the engine saw %d bytes, want %d", len(engine.seen), len(model))
		}
		for i, v := range viewers {
			if !bytes.Equal(v.seen, model[joined[i]:]) {
				t.Fatalf("viewer %d saw %.80q, want %.80q", i, v.seen, model[joined[i]:])
			}
		}
		for _, v := range viewers {
			v.c.Leave()
		}
		tee.Shrink()
		if held := tee.Held(); held > largeBlock {
			t.Fatalf("%d bytes are held although all is read", held)
		}
	})
}

// TestWhoWaitsNeedsNoWaking: what is published goes to a reader that waits at
// once, to others through their wake, and in a flood not for every piece.
func TestWhoWaitsNeedsNoWaking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tee, cur := NewTee()
		v := tee.Join()
		woken := func(c *Cursor) bool {
			select {
			case <-c.Wake():
				return true
			default:
				return false
			}
		}
		woken(v)
		var got int
		v.Idle(func(data []byte) bool { got += len(data); return true })
		publish(tee, 10)
		if got != 10 || woken(v) || !woken(cur) {
			t.Fatalf("took %d bytes of 10 at once", got)
		}
		v.Busy()
		publish(tee, 10)
		if got != 10 || !woken(v) {
			t.Fatal("a busy reader was given bytes, or not woken")
		}
		v.Idle(func(data []byte) bool { got += len(data); return true })
		publish(tee, 10)
		if got != 10 || !woken(v) {
			t.Fatal("a reader was given bytes before others that it has not read")
		}
		for r := (&reader{c: v}); r.step(1 << 20); {
		}
		v.Idle(func(data []byte) bool { got += len(data); return true })
		publish(tee, floodBytes)
		woken(cur)
		woken(v)
		got = 0
		publish(tee, 4<<10)
		if got != 0 || woken(v) || woken(cur) {
			t.Error("a flood wakes for every piece")
		}
		time.Sleep(wakeEvery)
		synctest.Wait()
		if !woken(v) || !woken(cur) {
			t.Error("nobody learns of the rest of a flood")
		}
		publish(tee, wakeBytes)
		if !woken(v) || !woken(cur) {
			t.Error("much of a flood waits")
		}
		time.Sleep(time.Second)
		synctest.Wait()
		woken(cur)
		publish(tee, 1)
		if !woken(cur) {
			t.Error("what comes after a flood waits")
		}
		for r := (&reader{c: cur}); r.step(1 << 20); {
		}
		v.Leave()
	})
}

func publish(t *Tee, n int) {
	for n > 0 {
		k := min(n, len(t.Space()))
		t.Publish(k)
		n -= k
	}
}

func TestSlowViewerIsLostAndHoldsNothing(t *testing.T) {
	tee, cur := NewTee()
	slow := tee.Join()
	publish(tee, 512<<10) // in large blocks, which are used again
	for r := (&reader{c: slow}); len(r.seen) < 128<<10; {
		r.step(1 << 20)
	}
	data, _, _ := slow.Next() // it is writing this out when it is lost
	was := bytes.Clone(data)
	engine := &reader{c: cur}
	for engine.step(1 << 20) {
	}
	for range 20 {
		for n := 0; n < 2<<20; {
			buf := tee.Space()
			for i := range buf {
				buf[i] = 0xaa
			}
			tee.Publish(len(buf))
			n += len(buf)
		}
		for engine.step(1 << 20) {
		}
	}
	if !slow.Lost() {
		t.Fatalf("a viewer %d bytes behind still has its place", cur.Pos()-128<<10)
	}
	if !bytes.Equal(data, was) {
		t.Error("what the lost viewer was still writing out was overwritten")
	}
	if held := tee.Held(); held > (keepSpare+2)*largeBlock {
		t.Errorf("%d bytes are held for a lost viewer", held)
	}
	if data, size, end := slow.Next(); data != nil || size != nil || end {
		t.Error("a lost cursor still gives something")
	}
	slow.Leave() // harmless
	again := tee.Join()
	publish(tee, 3)
	if data, _, _ := again.Next(); len(data) != 3 {
		t.Errorf("after joining again: %d bytes", len(data))
	}
}

func TestViewerWithinTheLimitKeepsItsPlace(t *testing.T) {
	tee, cur := NewTee()
	v := &reader{c: tee.Join()}
	publish(tee, ViewerLimit)
	for (&reader{c: cur}).step(1 << 20) {
	}
	if v.c.Lost() {
		t.Fatal("lost at the limit")
	}
	for v.step(1 << 20) {
	}
	if len(v.seen) != ViewerLimit {
		t.Errorf("saw %d bytes", len(v.seen))
	}
}

func TestOnlyTheEngineMakesTheProducerWait(t *testing.T) {
	tee, cur := NewTee()
	tee.Join() // never reads
	stop := make(chan struct{})
	publish(tee, EngineLimit-1)
	tee.WaitRoom(stop) // returns: there is room
	publish(tee, 1)
	waited := make(chan struct{})
	go func() { tee.WaitRoom(stop); close(waited) }()
	select {
	case <-waited:
		t.Fatal("the producer did not wait although the engine is 16 MiB behind")
	default:
	}
	data, _, _ := cur.Next()
	cur.Advance(len(data))
	<-waited
	publish(tee, len(data))
	go func() { close(stop) }()
	tee.WaitRoom(stop) // returns: stopped
}
