package acphost

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// PoolKey says for which sessions a warm connection is good: all of it must be
// the same (row 117, §3.5).
type PoolKey struct {
	Agent  string
	Launch string // fingerprint of the command, the environment and what the agent may do
	Dir    string
	Remote string // where it runs; empty is here
	MCP    string // fingerprint of its servers
}

// Warm is a running agent with a session in which nothing was said yet.
type Warm interface {
	// Gone is closed when it has ended by itself.
	Gone() <-chan struct{}
	// End ends it and everything it started, and returns when that is done.
	End()
}

// Times of the pool.
const (
	IdleTime     = 10 * time.Minute       // a warm connection waits so long, row 117
	TakeTime     = 5 * time.Second        // one that is being set up is waited for so long
	BreakerTime  = 120 * time.Second      // after a failure nothing is started in the background, row 104
	DebounceTime = 300 * time.Millisecond // a set-up begins when its wish has stood for so long, row 124
)

// Errors of Pool.Warm.
var (
	ErrPoolClosed = errors.New("the pool of warm agents is closed")
	// ErrWarmCancelled is a set-up that something newer took the place of, or
	// that nobody waited for any more; it says nothing of the agent.
	ErrWarmCancelled = errors.New("the set-up of the warm agent was cancelled")
)

// Pool holds warm connections until a session takes one (rows 116–122). For a
// key there is at most one; a wish for another key of the same agent lets its
// others go (row 118), and past the limit the oldest goes. What is taken is its
// session's from then on and never comes back. A connection that waits lives
// for IdleTime.
type Pool struct {
	limit int

	mu      sync.Mutex
	slots   map[PoolKey]*slot
	pending map[PoolKey]*warming
	failed  map[string]fault // by agent
	closed  bool
	busy    sync.WaitGroup // set-ups, watches and endings
}

// slot is a connection that waits.
type slot struct {
	warm  Warm
	since time.Time
	timer *time.Timer
	left  chan struct{} // closed when it is a slot no more
}

// warming is a set-up. Its fields but done are guarded by the pool's lock; warm
// and err stand when done is closed.
type warming struct {
	cancel    context.CancelCauseFunc
	since     time.Time
	begun     bool // DebounceTime is over
	cancelled bool // it must not be published
	waiting   int  // callers that wait for it
	done      chan struct{}
	warm      Warm
	err       error
}

type fault struct {
	at  time.Time
	err error
}

// NewPool makes an empty pool, in which at most limit connections wait or are
// being set up: an agent takes hundreds of megabytes.
func NewPool(limit int) *Pool {
	return &Pool{limit: max(limit, 1), slots: map[PoolKey]*slot{}, pending: map[PoolKey]*warming{}, failed: map[string]fault{}}
}

// Warm sees to it that a connection waits for the key, and gives it for what
// is known of the agent by it; it stays the pool's. Whoever asks for what is
// being set up joins. setup must end what it started before it returns an
// error; it has WarmTime in all. A set-up that no caller waits for any more is
// cancelled, and whoever was told of an error is told when nothing of the
// set-up is left. After a failure the same error is returned for BreakerTime,
// and nothing is started.
func (p *Pool) Warm(ctx context.Context, key PoolKey, setup func(context.Context) (Warm, error)) (Warm, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, ErrPoolClosed
	}
	if err := p.blocked(key.Agent); err != nil {
		p.mu.Unlock()
		return nil, err
	}
	p.retireOthers(key)
	if s := p.slots[key]; s != nil {
		if !isGone(s.warm) {
			p.mu.Unlock()
			return s.warm, nil
		}
		p.retire(key, s)
	}
	t := p.pending[key]
	if t == nil {
		t = p.begin(key, setup)
	}
	t.waiting++
	p.mu.Unlock()
	select {
	case <-t.done:
	case <-ctx.Done():
		p.leave(key, t)
		<-t.done
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if t.err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return t.warm, t.err
}

// Blocked is the failure for which nothing is started for this agent in the
// background now; nil when there is none.
func (p *Pool) Blocked(agent string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.blocked(agent)
}

// blocked is Blocked with p.mu held. A fault that has expired is forgotten.
func (p *Pool) blocked(agent string) error {
	f, ok := p.failed[agent]
	if !ok {
		return nil
	}
	age := time.Since(f.at)
	if age >= BreakerTime {
		delete(p.failed, agent)
		return nil
	}
	return fmt.Errorf("%w (that was %v ago; after a failure nothing is started in the background for %v)", f.err, age.Round(time.Second), BreakerTime)
}

// Failed notes a failure of other work in the background for an agent.
func (p *Pool) Failed(agent string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failed[agent] = fault{time.Now(), err}
}

// Worked tells that something that a person asked of the agent succeeded: what
// failed before may be tried again.
func (p *Pool) Worked(agent string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.failed, agent)
}

// leave is a caller that waits no more. The last one takes the set-up with it.
func (p *Pool) leave(key PoolKey, t *warming) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t.waiting--; t.waiting == 0 {
		p.cancel(key, t)
	}
}

// cancel gives a set-up up: it is not published, and a later wish for its key
// begins anew. p.mu is held.
func (p *Pool) cancel(key PoolKey, t *warming) {
	t.cancelled = true
	t.cancel(ErrWarmCancelled)
	if p.pending[key] == t {
		delete(p.pending, key)
	}
}

// retireOthers lets go of what waits or is being set up for other keys of the
// same agent; p.mu is held.
func (p *Pool) retireOthers(key PoolKey) {
	for k, s := range p.slots {
		if k.Agent == key.Agent && k != key {
			p.retire(k, s)
		}
	}
	for k, t := range p.pending {
		if k.Agent == key.Agent && k != key {
			p.cancel(k, t)
		}
	}
}

// begin starts a set-up; p.mu is held.
func (p *Pool) begin(key PoolKey, setup func(context.Context) (Warm, error)) *warming {
	p.makeRoom()
	ctx, cancel := context.WithCancelCause(context.Background())
	t := &warming{cancel: cancel, since: time.Now(), done: make(chan struct{})}
	p.pending[key] = t
	p.busy.Go(func() {
		defer cancel(nil)
		warm, err := p.setUp(ctx, t, setup)
		p.mu.Lock()
		defer p.mu.Unlock()
		if err == nil && t.cancelled {
			p.mu.Unlock()
			warm.End()
			p.mu.Lock()
		}
		if p.pending[key] == t {
			delete(p.pending, key)
		}
		switch {
		case t.cancelled:
			t.err = ErrWarmCancelled
		case err != nil:
			t.err = err
			p.failed[key.Agent] = fault{time.Now(), err}
		default:
			t.warm = warm
			delete(p.failed, key.Agent)
			p.publish(key, warm)
		}
		close(t.done)
	})
	return t
}

// setUp is a set-up from its begin to its end, after DebounceTime. One that was
// too late is ended here, so that an error means that nothing is left.
func (p *Pool) setUp(ctx context.Context, t *warming, setup func(context.Context) (Warm, error)) (Warm, error) {
	debounce := time.NewTimer(DebounceTime)
	defer debounce.Stop()
	select {
	case <-debounce.C:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	p.mu.Lock()
	t.begun = true
	p.mu.Unlock()
	ctx, stop := context.WithTimeoutCause(ctx, WarmTime, timeout{WarmTime.String()})
	defer stop()
	warm, err := setup(ctx)
	if err == nil && ctx.Err() != nil {
		warm.End()
		return nil, context.Cause(ctx)
	}
	return warm, err
}

// makeRoom lets the oldest go until there is room for one more; p.mu is held.
func (p *Pool) makeRoom() {
	for len(p.slots)+len(p.pending) >= p.limit {
		var oldest PoolKey
		var since time.Time
		for k, s := range p.slots {
			if since.IsZero() || s.since.Before(since) {
				oldest, since = k, s.since
			}
		}
		for k, t := range p.pending {
			if since.IsZero() || t.since.Before(since) {
				oldest, since = k, t.since
			}
		}
		if s := p.slots[oldest]; s != nil {
			p.retire(oldest, s)
		} else {
			p.cancel(oldest, p.pending[oldest])
		}
	}
}

// publish makes a connection wait for its session; p.mu is held. There is no
// slot for the key: one is retired before a set-up for it begins.
func (p *Pool) publish(key PoolKey, warm Warm) {
	s := &slot{warm: warm, since: time.Now(), left: make(chan struct{})}
	p.slots[key] = s
	drop := func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.slots[key] == s {
			p.retire(key, s)
		}
	}
	s.timer = time.AfterFunc(IdleTime, drop)
	p.busy.Go(func() {
		select {
		case <-warm.Gone():
			drop()
		case <-s.left:
		}
	})
}

// retire takes a slot out and ends it; p.mu is held.
func (p *Pool) retire(key PoolKey, s *slot) {
	p.remove(key, s)
	p.busy.Go(s.warm.End)
}

// remove takes a slot out; p.mu is held.
func (p *Pool) remove(key PoolKey, s *slot) {
	s.timer.Stop()
	close(s.left)
	delete(p.slots, key)
}

// Take gives a connection that waits for the key, for a session to keep. One
// that is being set up is waited for, TakeTime at most and while ctx lasts;
// where there is neither it returns at once (§2.5).
func (p *Pool) Take(ctx context.Context, key PoolKey) (Warm, bool) {
	p.mu.Lock()
	if t := p.pending[key]; t != nil && t.begun {
		t.waiting++
		p.mu.Unlock()
		timer := time.NewTimer(TakeTime)
		select {
		case <-t.done:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		p.leave(key, t)
		p.mu.Lock()
	}
	defer p.mu.Unlock()
	s := p.slots[key]
	if s == nil || ctx.Err() != nil {
		return nil, false
	}
	if isGone(s.warm) {
		p.retire(key, s)
		return nil, false
	}
	p.remove(key, s)
	return s.warm, true
}

// Peek gives the connection that waits for the key, and leaves it there; nil
// when there is none.
func (p *Pool) Peek(key PoolKey) Warm {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.slots[key]; s != nil && !isGone(s.warm) {
		return s.warm
	}
	return nil
}

func isGone(w Warm) bool {
	select {
	case <-w.Gone():
		return true
	default:
		return false
	}
}

// Evict lets go of what waits or is being set up for an agent, or with "" for
// all. It does not wait for their ends.
func (p *Pool) Evict(agent string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for k, t := range p.pending {
		if agent == "" || k.Agent == agent {
			p.cancel(k, t)
		}
	}
	for k, s := range p.slots {
		if agent == "" || k.Agent == agent {
			p.retire(k, s)
		}
	}
}

// Waits is a connection that waits, or one that is being set up, for which
// Since is when that began.
type Waits struct {
	Key   PoolKey
	Warm  Warm // nil while it is being set up
	Since time.Time
}

// Waiting are all of them, the oldest first.
func (p *Pool) Waiting() []Waits {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []Waits
	for k, s := range p.slots {
		out = append(out, Waits{k, s.warm, s.since})
	}
	for k, t := range p.pending {
		out = append(out, Waits{k, nil, t.since})
	}
	slices.SortFunc(out, func(a, b Waits) int { return a.Since.Compare(b.Since) })
	return out
}

// Close ends everything that waits or is being set up, and returns when all is
// gone. What was taken is its session's.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.Evict("")
	p.busy.Wait()
}
