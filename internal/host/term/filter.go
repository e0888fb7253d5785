//go:build unix

package term

import (
	"sync"
	"time"

	"github.com/termio-sh/termio/vt"
)

// escapeWait is how long a lone ESC may be the begin of a sequence before it
// is the key.
const escapeWait = 20 * time.Millisecond

// filter drops what a viewer's terminal answers to queries. It belongs to one
// viewer.
type filter struct {
	mu     sync.Mutex
	filter vt.InputFilter
	typing typing // guarded by mu
	timer  *time.Timer
	out    []byte
}

func newFilter() *filter { return &filter{} }

// pass filters data and hands on what is the person's. What the filter holds
// back as a possible beginning follows after escapeWait.
func (f *filter) pass(data []byte, on func([]byte)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.timer != nil {
		f.timer.Stop()
	}
	f.out = f.filter.Filter(f.out[:0], data)
	on(f.out)
	if !f.filter.Pending() {
		return // a timer for every key costs more than the key
	}
	if f.timer == nil {
		f.timer = time.AfterFunc(escapeWait, func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			on(f.filter.Flush(nil))
		})
		return
	}
	f.timer.Reset(escapeWait)
}
