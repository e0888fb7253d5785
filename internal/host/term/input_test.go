//go:build unix

package term

import (
	"bytes"
	"sync"
	"testing"
	"testing/synctest"
)

// TestInputKeepsItsOrder types into a terminal that takes only some of it at
// once: what is written on the caller's goroutine and what the queue writes
// are one stream, a delivery's turn included, and nothing typed gets into it.
func TestInputKeepsItsOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var got []byte
		room := 0 // what the terminal takes without waiting
		q := newInputQueue(func(p []byte) error {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, p...)
			return nil
		}, func(p []byte) int {
			mu.Lock()
			defer mu.Unlock()
			n := min(room, len(p))
			got = append(got, p[:n]...)
			room -= n
			return n
		}, nil)
		see := func(want string) {
			t.Helper()
			mu.Lock()
			defer mu.Unlock()
			if string(got) != want {
				t.Fatalf("the terminal got %q, want %q", got, want)
			}
		}
		room = 6
		q.typing([]byte("abc")) // at once, before run runs
		q.answer([]byte("ans"))
		see("abcans")
		room = 1
		q.typing([]byte("def")) // cut in two
		room = 9
		q.typing([]byte("ghi")) // must not overtake
		q.answer([]byte("ANS"))
		see("abcansd")
		go q.run()
		synctest.Wait()
		see("abcansdefghiANS")
		q.hold(true)
		q.typing([]byte("later"))
		q.deliver([]byte("<delivery>"))
		synctest.Wait()
		see("abcansdefghiANS<delivery>")
		room = 0
		q.hold(false)
		synctest.Wait()
		see("abcansdefghiANS<delivery>later")
		if q.typed != 0 || q.answers != 0 {
			t.Errorf("%d typed and %d answered bytes are counted as waiting", q.typed, q.answers)
		}
		q.typing(bytes.Repeat([]byte("x"), maxTyped))
		synctest.Wait()
		q.typing([]byte("y")) // does not wait for ever
		q.close()
		synctest.Wait()
	})
}
