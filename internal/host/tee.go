package host

import (
	"sync"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
)

// Bounds of a Tee, in bytes.
const (
	// EngineLimit is how far the engine may be behind before the producer
	// has to wait (DESIGN §1.2).
	EngineLimit = 16 << 20
	// ViewerLimit is how far a viewer may be behind the engine before it is
	// resynchronised (DESIGN §5).
	ViewerLimit = 4 << 20

	smallBlock = 8 << 10  // enough for a quiet program
	largeBlock = 64 << 10 // while output floods
	minSpace   = 2 << 10  // less free space than this is not worth a read
	keepSpare  = 8        // blocks kept for reuse during a flood
)

// When output floods, waking readers for each 4 KiB that a PTY gives costs more
// than their work. Then they are woken for much at once, or when a while has
// passed. Output that does not flood wakes them at once.
const (
	floodBytes  = 64 << 10 // more than this in floodWindow is a flood
	floodWindow = 10 * time.Millisecond
	wakeBytes   = 128 << 10
	wakeEvery   = time.Millisecond
)

// Tee is a program's output on its way from one producer to the engine and to
// any number of viewers. It holds each byte once, for as long as somebody
// still has to read it. Each reader has a Cursor. Resizes are marks in the same
// order as the bytes, so that all readers meet them at the same place.
//
// Only the engine can make the producer wait. A viewer that falls too far
// behind the engine loses its place (Cursor.Lost).
type Tee struct {
	room chan struct{} // wakes the producer

	mu       sync.Mutex
	blocks   []*block // oldest first; the last one takes what comes
	spare    []*block
	end      uint64 // bytes ever published
	marks    []mark // oldest first
	nextMark uint64 // number of the next mark
	engine   *Cursor
	viewers  []*Cursor
	reading  bool // the producer holds the free part of the last block
	closed   bool

	window   time.Time // when the window for floodBytes began
	windowed int       // bytes published since
}

type block struct {
	start  uint64 // offset of buf[0] in the stream
	buf    []byte // published bytes; cap is the block's size
	pinned bool   // a lost cursor may still be writing it out: never reuse
}

type mark struct {
	at   uint64
	num  uint64
	size hostproto.Size
}

// Cursor is one reader's place in a Tee. Its methods are for one goroutine.
type Cursor struct {
	tee  *Tee
	wake chan struct{}

	// Guarded by tee.mu.
	pos   uint64
	mark  uint64 // number of the next mark to meet
	lost  bool
	gone  bool
	idle  func([]byte) bool // see Idle
	late  *time.Timer       // wakes the reader during a flood; nil before the first
	armed bool              // late is running
}

// NewTee gives a Tee and the engine's cursor.
func NewTee() (*Tee, *Cursor) {
	t := &Tee{room: make(chan struct{}, 1)}
	t.engine = &Cursor{tee: t, wake: make(chan struct{}, 1)}
	return t, t.engine
}

// Space is the buffer that the producer fills next, at least minSpace long.
// Publish must follow, with 0 when nothing was read.
func (t *Tee) Space() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reading = true
	if n := len(t.blocks); n > 0 {
		b := t.blocks[n-1]
		if n == 1 && !b.pinned && t.lowest() == t.end { // nobody needs it any more
			b.start, b.buf = t.end, b.buf[:0]
		}
		if cap(b.buf)-len(b.buf) >= minSpace {
			return b.buf[len(b.buf):cap(b.buf)]
		}
	}
	b := t.newBlock()
	t.blocks = append(t.blocks, b)
	return b.buf[:cap(b.buf)]
}

func (t *Tee) newBlock() *block {
	if t.end-t.engine.pos < minSpace && len(t.spare) == 0 {
		return &block{start: t.end, buf: make([]byte, 0, smallBlock)}
	}
	if n := len(t.spare); n > 0 {
		b := t.spare[n-1]
		t.spare = t.spare[:n-1]
		b.start, b.buf = t.end, b.buf[:0]
		return b
	}
	return &block{start: t.end, buf: make([]byte, 0, largeBlock)}
}

// Publish makes the first n bytes of Space part of the stream.
func (t *Tee) Publish(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reading = false
	if n <= 0 {
		return
	}
	b := t.blocks[len(t.blocks)-1]
	at := len(b.buf)
	b.buf = b.buf[:at+n]
	t.end += uint64(n)
	flood := t.flooding(n)
	// Viewers first: an echo is waited for, the engine's work is not.
	for _, c := range t.viewers {
		if !flood && c.take(b.buf[at:]) {
			continue
		}
		c.notify(flood)
	}
	t.engine.notify(flood)
}

// flooding tells whether the n bytes just published are part of a flood.
func (t *Tee) flooding(n int) bool {
	if now := time.Now(); now.Sub(t.window) > floodWindow {
		t.window, t.windowed = now, 0
	}
	t.windowed += n
	return t.windowed > floodBytes
}

// WaitRoom blocks while the engine is more than EngineLimit behind, or until
// stop is closed.
func (t *Tee) WaitRoom(stop <-chan struct{}) {
	for {
		t.mu.Lock()
		full := t.end-t.engine.pos >= EngineLimit && !t.closed
		t.mu.Unlock()
		if !full {
			return
		}
		select {
		case <-t.room:
		case <-stop:
			return
		}
	}
}

// Mark puts a resize at the present end of the stream.
func (t *Tee) Mark(size hostproto.Size) {
	t.mu.Lock()
	t.marks = append(t.marks, mark{at: t.end, num: t.nextMark, size: size})
	t.nextMark++
	t.wakeAll()
	t.mu.Unlock()
}

// Close says that nothing more will come.
func (t *Tee) Close() {
	t.mu.Lock()
	t.closed = true
	t.wakeAll()
	t.mu.Unlock()
}

// End is the number of bytes published so far.
func (t *Tee) End() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.end
}

// Held is the number of bytes that the Tee's buffers take.
func (t *Tee) Held() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := 0
	for _, b := range t.blocks {
		n += cap(b.buf)
	}
	for _, b := range t.spare {
		n += cap(b.buf)
	}
	return n
}

// Shrink gives back the buffers kept for a flood.
func (t *Tee) Shrink() {
	t.mu.Lock()
	t.spare = nil
	if len(t.blocks) == 1 && !t.reading && t.lowest() == t.end {
		t.blocks = nil
	}
	t.mu.Unlock()
}

// Join adds a viewer where the engine is now: it will read exactly the bytes
// that the engine has not taken yet. It must be called by the engine, between
// two of its writes; a snapshot taken there and these bytes are the whole.
func (t *Tee) Join() *Cursor {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := &Cursor{tee: t, wake: make(chan struct{}, 1), pos: t.engine.pos, mark: t.engine.mark}
	t.viewers = append(t.viewers, c)
	c.Signal()
	return c
}

// Leave ends a viewer's cursor.
func (c *Cursor) Leave() {
	t := c.tee
	t.mu.Lock()
	t.drop(c)
	t.trim()
	t.mu.Unlock()
}

// Idle says that the cursor's reader waits and has used all that Next gave.
// Until Busy, what is published next is given to take at once, on the
// producer's goroutine and with the Tee locked: no other goroutine has to be
// woken for it. take must not block. It reports whether it has taken the whole;
// if not, the reader is woken and finds it with Next.
func (c *Cursor) Idle(take func([]byte) bool) {
	c.tee.mu.Lock()
	c.idle = take
	c.tee.mu.Unlock()
}

// Busy ends Idle. take is not called any more once it has returned.
func (c *Cursor) Busy() { c.Idle(nil) }

// take gives bytes that were just published to an idle reader. One that has
// anything else to read first does not take them.
func (c *Cursor) take(data []byte) bool {
	t := c.tee
	if c.idle == nil || c.pos != t.end-uint64(len(data)) || c.mark != t.nextMark || !c.idle(data) {
		return false
	}
	c.pos = t.end
	return true
}

// notify wakes the reader, during a flood only now and then.
func (c *Cursor) notify(flood bool) {
	switch {
	case !flood || c.tee.end-c.pos >= wakeBytes:
		c.Signal()
	case c.armed:
	case c.late == nil:
		c.armed = true
		c.late = time.AfterFunc(wakeEvery, c.wakeLate)
	default:
		c.armed = true
		c.late.Reset(wakeEvery)
	}
}

func (c *Cursor) wakeLate() {
	c.tee.mu.Lock()
	c.armed = false
	c.tee.mu.Unlock()
	c.Signal()
}

// Wake is sent to whenever there is something new for the cursor.
func (c *Cursor) Wake() <-chan struct{} { return c.wake }

// Next gives what comes next for the cursor: bytes of one block, at most
// hostproto.MaxData, or a resize, or neither when there is nothing yet. The
// bytes stay valid until Advance. end tells that nothing more will come.
func (c *Cursor) Next() (data []byte, size *hostproto.Size, end bool) {
	t := c.tee
	t.mu.Lock()
	defer t.mu.Unlock()
	if c.lost || c.gone {
		return nil, nil, false
	}
	stop := t.end
	if m := t.markFor(c); m != nil {
		if m.at == c.pos {
			size := m.size // before trimMarks moves it
			c.mark++
			t.trimMarks()
			return nil, &size, false
		}
		stop = m.at
	}
	if c.pos == stop {
		return nil, nil, t.closed
	}
	for _, b := range t.blocks {
		if off := c.pos - b.start; c.pos >= b.start && off < uint64(len(b.buf)) {
			n := min(uint64(len(b.buf))-off, stop-c.pos, hostproto.MaxData)
			return b.buf[off : off+n], nil, false
		}
	}
	panic("host: tee has lost bytes that a cursor still needs")
}

// Advance says that the first n bytes that Next gave are used.
func (c *Cursor) Advance(n int) {
	t := c.tee
	t.mu.Lock()
	if !c.lost && !c.gone {
		c.pos += uint64(n)
	}
	if c == t.engine {
		t.loseSlow()
		select {
		case t.room <- struct{}{}:
		default:
		}
	}
	t.trim()
	t.mu.Unlock()
}

// Pos is how many bytes of the stream the cursor has used.
func (c *Cursor) Pos() uint64 {
	c.tee.mu.Lock()
	defer c.tee.mu.Unlock()
	return c.pos
}

// Lost tells that the viewer fell too far behind: its place is gone and it has
// to start again from a new snapshot.
func (c *Cursor) Lost() bool {
	c.tee.mu.Lock()
	defer c.tee.mu.Unlock()
	return c.lost
}

// Signal wakes the cursor's reader.
func (c *Cursor) Signal() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

func (t *Tee) wakeAll() {
	t.engine.Signal()
	for _, c := range t.viewers {
		c.Signal()
	}
}

// loseSlow takes their place from the viewers that are too far behind. The
// engine's place is the measure, since bytes that it still needs are held
// anyway.
func (t *Tee) loseSlow() {
	for i := 0; i < len(t.viewers); {
		c := t.viewers[i]
		if t.engine.pos <= c.pos || t.engine.pos-c.pos <= ViewerLimit {
			i++
			continue
		}
		c.lost = true
		for _, b := range t.blocks { // it may be writing this one out right now
			if c.pos >= b.start && c.pos < b.start+uint64(cap(b.buf)) {
				b.pinned = true
			}
		}
		t.drop(c)
		c.Signal()
	}
}

func (t *Tee) drop(c *Cursor) {
	c.gone = true
	for i, v := range t.viewers {
		if v == c {
			t.viewers = append(t.viewers[:i], t.viewers[i+1:]...)
			return
		}
	}
}

func (t *Tee) lowest() uint64 {
	low := t.engine.pos
	for _, c := range t.viewers {
		low = min(low, c.pos)
	}
	return low
}

// trim lets go of the blocks that everybody has used.
func (t *Tee) trim() {
	low := t.lowest()
	n := 0
	for n < len(t.blocks) {
		b := t.blocks[n]
		last := n == len(t.blocks)-1
		if low < b.start+uint64(len(b.buf)) || last && (t.reading || cap(b.buf)-len(b.buf) >= minSpace) {
			break
		}
		n++
	}
	for _, b := range t.blocks[:n] {
		if !b.pinned && cap(b.buf) == largeBlock && len(t.spare) < keepSpare {
			t.spare = append(t.spare, b)
		}
	}
	if n > 0 {
		t.blocks = append(t.blocks[:0], t.blocks[n:]...)
		clear(t.blocks[len(t.blocks):cap(t.blocks)])
	}
	t.trimMarks()
}

func (t *Tee) markFor(c *Cursor) *mark {
	if len(t.marks) == 0 {
		return nil
	}
	i := c.mark - t.marks[0].num
	if i >= uint64(len(t.marks)) {
		return nil
	}
	return &t.marks[i]
}

func (t *Tee) trimMarks() {
	low := t.engine.mark
	for _, c := range t.viewers {
		low = min(low, c.mark)
	}
	n := 0
	for n < len(t.marks) && t.marks[n].num < low {
		n++
	}
	t.marks = append(t.marks[:0], t.marks[n:]...)
}
