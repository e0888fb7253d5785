//go:build unix

package term

import (
	"sync"
)

// Bounds of the input queue, in bytes.
const (
	// maxTyped is how much viewers' input may wait; a viewer that types more
	// waits itself.
	maxTyped = 256 << 10
	// maxAnswers is how many of the engine's answers may wait for a program
	// that does not read; more are dropped.
	maxAnswers = 64 << 10
)

// inputQueue is the one way to the program: the engine's answers, what viewers
// type, and deliveries, in the order in which they came. Typing waits while a
// delivery holds the queue, so that the two never mix.
type inputQueue struct {
	write func([]byte) error
	try   func([]byte) int // writes what goes without waiting; may be nil
	moved func()           // called after every write

	mu      sync.Mutex
	cond    sync.Cond // something changed
	ready   []chunk
	held    [][]byte // typed while a delivery is under way
	holding bool
	answers int // bytes of answers in ready
	typed   int // bytes typed in ready and held
	closed  bool
}

type chunk struct {
	data []byte
	kind chunkKind
}

type chunkKind uint8

const (
	chunkAnswer chunkKind = iota
	chunkTyped
	chunkDelivery
)

func newInputQueue(write func([]byte) error, try func([]byte) int, moved func()) *inputQueue {
	q := &inputQueue{write: write, try: try, moved: moved}
	q.cond.L = &q.mu
	return q
}

// answer queues a reply of the engine. It never blocks.
func (q *inputQueue) answer(p []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || q.answers+len(p) > maxAnswers {
		return
	}
	if p = q.now(p); len(p) == 0 {
		return
	}
	q.answers += len(p)
	q.push(chunk{append([]byte(nil), p...), chunkAnswer})
}

// typing queues what a viewer typed; it blocks while too much is waiting.
func (q *inputQueue) typing(p []byte) {
	if len(p) == 0 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.typed >= maxTyped && !q.closed {
		q.cond.Wait()
	}
	if q.closed {
		return
	}
	if q.holding {
		q.typed += len(p)
		q.held = append(q.held, append([]byte(nil), p...))
		return
	}
	if p = q.now(p); len(p) > 0 {
		q.typed += len(p)
		q.push(chunk{append([]byte(nil), p...), chunkTyped})
	}
}

// now writes p on the caller's goroutine when nothing is before it, since to
// wake another for a key takes longer than all else. It returns what is left
// for the queue, and never blocks.
func (q *inputQueue) now(p []byte) []byte {
	if q.try == nil || len(q.ready) > 0 {
		return p
	}
	n := q.try(p)
	if n > 0 && q.moved != nil {
		q.moved()
	}
	return p[n:]
}

// deliver queues a piece of a delivery.
func (q *inputQueue) deliver(p []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	if p = q.now(p); len(p) > 0 {
		q.push(chunk{append([]byte(nil), p...), chunkDelivery})
	}
}

// hold keeps typing back, or lets what was kept back through.
func (q *inputQueue) hold(on bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.holding == on {
		return
	}
	q.holding = on
	if on {
		return
	}
	for _, data := range q.held {
		q.push(chunk{data, chunkTyped})
	}
	q.held = nil
}

// waiting is how many bytes of deliveries have not been written.
func (q *inputQueue) waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := 0
	for _, c := range q.ready {
		if c.kind == chunkDelivery {
			n += len(c.data)
		}
	}
	return n
}

// withdraw takes back what of a delivery has not been written, as far as that
// is possible, and returns how much it was.
func (q *inputQueue) withdraw() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n, rest := 0, q.ready[:0]
	for i, c := range q.ready {
		if c.kind == chunkDelivery && i > 0 { // the first one is being written
			n += len(c.data)
			continue
		}
		rest = append(rest, c)
	}
	clear(q.ready[len(rest):])
	q.ready = rest
	return n
}

// close ends the queue; run returns after the write that is under way.
func (q *inputQueue) close() {
	q.mu.Lock()
	q.closed = true
	q.ready, q.held = nil, nil
	q.cond.Broadcast()
	q.mu.Unlock()
}

func (q *inputQueue) push(c chunk) {
	q.ready = append(q.ready, c)
	q.cond.Broadcast()
}

// run writes until the queue is closed or the program's terminal is gone.
func (q *inputQueue) run() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		for len(q.ready) == 0 && !q.closed {
			q.cond.Wait()
		}
		if q.closed {
			return
		}
		c := q.ready[0]
		q.mu.Unlock()
		err := q.write(c.data)
		q.mu.Lock()
		if err != nil {
			q.closed = true
			q.ready, q.held = nil, nil
			q.cond.Broadcast()
			return
		}
		if q.closed {
			return
		}
		switch c.kind {
		case chunkAnswer:
			q.answers -= len(c.data)
		case chunkTyped:
			q.typed -= len(c.data)
		}
		q.ready[0] = chunk{}
		q.ready = q.ready[1:]
		q.cond.Broadcast()
		if q.moved != nil {
			q.moved()
		}
	}
}
