package acphost

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// stable makes warm agents for a pool and knows which of them run.
type stable struct {
	t     *testing.T
	p     *Pool
	mu    sync.Mutex
	began int
	runs  map[*horse]bool
}

// horse is a warm agent.
type horse struct {
	s       *stable
	key     PoolKey
	gone    chan struct{}
	endTime time.Duration
	once    sync.Once
}

func (h *horse) Gone() <-chan struct{} { return h.gone }

func (h *horse) End() {
	time.Sleep(h.endTime)
	h.s.mu.Lock()
	defer h.s.mu.Unlock()
	delete(h.s.runs, h)
}

// dies ends it by itself.
func (h *horse) dies() { h.once.Do(func() { close(h.gone) }) }

func newStable(t *testing.T, limit int) *stable {
	s := &stable{t: t, p: NewPool(limit), runs: map[*horse]bool{}}
	t.Cleanup(func() { // invariant (d)
		s.p.Close()
		for h := range s.runs {
			if h.key.Remote != "lent" {
				t.Errorf("%v runs after the pool was closed", h.key)
			}
		}
	})
	return s
}

// after is a set-up that takes so long; it fails with err.
func (s *stable) after(key PoolKey, d time.Duration, err error) func(context.Context) (Warm, error) {
	return func(ctx context.Context) (Warm, error) {
		h := &horse{s: s, key: key, gone: make(chan struct{}), endTime: time.Second}
		s.mu.Lock()
		s.began++
		s.runs[h] = true
		s.mu.Unlock()
		select {
		case <-time.After(d):
		case <-ctx.Done():
			h.End()
			return nil, context.Cause(ctx)
		}
		if err != nil {
			h.End()
			return nil, err
		}
		return h, nil
	}
}

func (s *stable) warm(key PoolKey) *horse {
	s.t.Helper()
	w, err := s.p.Warm(context.Background(), key, s.after(key, time.Second, nil))
	if err != nil {
		s.t.Fatalf("%v: %v", key, err)
	}
	return w.(*horse)
}

// take takes one; the session that has it is not the pool's to end.
func (s *stable) take(ctx context.Context, key PoolKey) (*horse, bool) {
	w, ok := s.p.Take(ctx, key)
	if !ok {
		return nil, false
	}
	h := w.(*horse)
	h.key.Remote = "lent"
	return h, true
}

func (s *stable) running() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.runs)
}

func (s *stable) begun() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.began
}

var (
	here  = PoolKey{Agent: "a", Launch: "1", Dir: "/w"}
	there = PoolKey{Agent: "a", Launch: "1", Dir: "/x"}
	other = PoolKey{Agent: "b", Launch: "1", Dir: "/w"}
)

// Row 117: what waits is there for ten minutes.
func TestRow117IdleTime(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		s := newStable(t, 2)
		s.warm(here)
		time.Sleep(IdleTime - time.Second)
		if s.running() != 1 || s.p.Peek(here) == nil {
			t.Error("it is gone before its time")
		}
		time.Sleep(3 * time.Second)
		if s.running() != 0 || s.p.Peek(here) != nil {
			t.Error("it is there after its time")
		}
	})
}

// Row 119: what was taken is the session's, however long that is silent, and
// whatever becomes of the pool; and nobody gets it twice.
func TestRow119Lent(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		s := newStable(t, 2)
		mine := s.warm(here)
		got, ok := s.take(t.Context(), here)
		if !ok || got != mine {
			t.Fatalf("took %v", got)
		}
		if again, ok := s.take(t.Context(), here); ok {
			t.Errorf("the same one again: %v", again)
		}
		time.Sleep(11 * time.Minute)
		s.warm(there) // (f): it is none of the pool's
		s.p.Evict("")
		s.p.Close()
		if s.running() != 1 {
			t.Error("the session's connection was ended")
		}
	})
}

// Row 118: a wish for another key of the agent ends what waits for the first,
// and gives up what is being set up.
func TestRow118AnotherKey(t *testing.T) {
	bubble(t, "what waits", func(t *testing.T) {
		s := newStable(t, 3)
		s.warm(here)
		s.warm(other)
		s.warm(there)
		time.Sleep(2 * time.Second)
		if s.p.Peek(here) != nil || s.p.Peek(there) == nil || s.p.Peek(other) == nil || s.running() != 2 {
			t.Errorf("%v waits, %d run", s.p.Waiting(), s.running())
		}
	})
	bubble(t, "what is being set up", func(t *testing.T) {
		s := newStable(t, 3)
		failed := make(chan error, 1)
		go func() {
			_, err := s.p.Warm(t.Context(), here, s.after(here, 20*time.Second, nil))
			if s.running() != 1 { // (e): only the other's
				t.Errorf("%d run when the error is told", s.running())
			}
			failed <- err
		}()
		time.Sleep(5 * time.Second)
		s.warm(there)
		if err := <-failed; !errors.Is(err, ErrWarmCancelled) {
			t.Errorf("%v", err)
		}
		if err := s.p.Blocked("a"); err != nil {
			t.Errorf("a set-up that was cancelled says something of the agent: %v", err)
		}
		time.Sleep(time.Minute)
		if s.p.Peek(here) != nil { // (b)
			t.Error("it was published")
		}
	})
	bubble(t, "and back again", func(t *testing.T) {
		s := newStable(t, 3)
		go s.p.Warm(t.Context(), here, s.after(here, 20*time.Second, nil))
		time.Sleep(5 * time.Second)
		go s.p.Warm(t.Context(), there, s.after(there, 20*time.Second, nil))
		time.Sleep(5 * time.Second)
		second := s.warm(here)
		time.Sleep(time.Minute)
		if s.p.Peek(here) != second || s.running() != 1 {
			t.Errorf("%v waits, %d run", s.p.Waiting(), s.running())
		}
	})
}

// Row 120: a set-up has a minute; what comes later is not published, and its
// end is over when the failure is told.
func TestRow120SetUpTime(t *testing.T) {
	for _, stubborn := range []bool{false, true} {
		bubble(t, fmt.Sprintf("heeds its context: %v", !stubborn), func(t *testing.T) {
			s := newStable(t, 2)
			setup := s.after(here, 61*time.Second, nil)
			if stubborn {
				inner := setup
				setup = func(context.Context) (Warm, error) { return inner(context.Background()) }
			}
			_, err := s.p.Warm(t.Context(), here, setup)
			if !errors.As(err, new(timeout)) || !strings.Contains(err.Error(), "1m0s") || s.running() != 0 || s.p.Peek(here) != nil {
				t.Errorf("%v, %d run", err, s.running())
			}
		})
	}
	bubble(t, "59 seconds", func(t *testing.T) {
		s := newStable(t, 2)
		if _, err := s.p.Warm(t.Context(), here, s.after(here, 59*time.Second, nil)); err != nil {
			t.Error(err)
		}
	})
}

// Row 120: when nobody waits for a set-up it is given up; while somebody does,
// it goes on.
func TestRow120CallersGo(t *testing.T) {
	bubble(t, "the only one", func(t *testing.T) {
		s := newStable(t, 2)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Second, cancel)
		_, err := s.p.Warm(ctx, here, s.after(here, 20*time.Second, nil))
		if !errors.Is(err, context.Canceled) || s.running() != 0 {
			t.Errorf("%v, %d run", err, s.running())
		}
		if err := s.p.Blocked("a"); err != nil {
			t.Errorf("%v", err)
		}
	})
	bubble(t, "one of two", func(t *testing.T) {
		s := newStable(t, 2)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Second, cancel)
		go s.p.Warm(ctx, here, s.after(here, 20*time.Second, nil))
		time.Sleep(time.Second)
		s.warm(here)
		if s.begun() != 1 {
			t.Errorf("%d were set up for one key", s.begun()) // §2.5, 6; (a)
		}
	})
}

// Row 121: what closes the pool ends what waits and what is being set up, and
// is over when that is.
func TestRow121Close(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		s := newStable(t, 3)
		s.warm(other)
		failed := make(chan error, 1)
		go func() {
			_, err := s.p.Warm(context.Background(), here, s.after(here, 20*time.Second, nil))
			failed <- err
		}()
		time.Sleep(5 * time.Second)
		s.p.Close()
		if s.running() != 0 {
			t.Errorf("%d run", s.running())
		}
		if err := <-failed; !errors.Is(err, ErrWarmCancelled) {
			t.Errorf("%v", err)
		}
		if _, err := s.p.Warm(t.Context(), here, s.after(here, 0, nil)); !errors.Is(err, ErrPoolClosed) {
			t.Errorf("%v", err)
		}
	})
}

// Row 104: after a failure nothing is started for two minutes, unless
// something that a person asked for succeeds meanwhile.
func TestRow104Breaker(t *testing.T) {
	broken := errors.New("no login")
	try := func(s *stable) error {
		_, err := s.p.Warm(s.t.Context(), here, s.after(here, time.Second, broken))
		return err
	}
	bubble(t, "", func(t *testing.T) {
		s := newStable(t, 2)
		if err := try(s); !errors.Is(err, broken) || s.running() != 0 {
			t.Errorf("%v, %d run", err, s.running())
		}
		time.Sleep(BreakerTime - time.Second)
		if err := try(s); !errors.Is(err, broken) || !strings.Contains(err.Error(), "1m59s ago") || s.begun() != 1 {
			t.Errorf("%v, tried %d times", err, s.begun())
		}
		s.warm(other) // another agent is another affair
		time.Sleep(time.Second)
		if err := try(s); !errors.Is(err, broken) || s.begun() != 3 {
			t.Errorf("%v, tried %d times", err, s.begun())
		}
		s.p.Worked("a")
		if s.warm(here); s.begun() != 4 {
			t.Errorf("tried %d times", s.begun())
		}
	})
}

// Row 124: who goes quickly from one to the next starts one.
func TestRow124Debounce(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		s := newStable(t, 5)
		for i := range 20 {
			key := here
			key.Dir = fmt.Sprint("/", i)
			go s.p.Warm(t.Context(), key, s.after(key, time.Second, nil))
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(10 * time.Second)
		if s.begun() != 1 || len(s.p.Waiting()) != 1 || s.p.Waiting()[0].Key.Dir != "/19" {
			t.Errorf("%d were started: %v", s.begun(), s.p.Waiting())
		}
	})
}

// The bound on how many there are, whatever they are for.
func TestPoolLimit(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		s := newStable(t, 2)
		for i := range 6 {
			key := PoolKey{Agent: fmt.Sprint(i)}
			if i%2 == 0 {
				s.warm(key)
			} else {
				go s.p.Warm(t.Context(), key, s.after(key, 5*time.Second, nil))
			}
			time.Sleep(2100 * time.Millisecond)
			if n := len(s.p.Waiting()); n > 2 {
				t.Errorf("%d wait", n)
			}
		}
		time.Sleep(10 * time.Second)
		if w := s.p.Waiting(); len(w) != 2 || w[0].Key.Agent != "3" || w[1].Key.Agent != "5" || s.running() != 2 {
			t.Errorf("%v, %d run", w, s.running())
		}
	})
}

// §2.5, 1: where nothing waits and nothing is being set up, a session does not
// wait either; what is being set up is waited for, for a while.
func TestTakeWaitsOnlyForWhatComes(t *testing.T) {
	took := func(s *stable, ctx context.Context, key PoolKey) (bool, time.Duration) {
		start := time.Now()
		_, ok := s.take(ctx, key)
		return ok, time.Since(start)
	}
	bubble(t, "nothing", func(t *testing.T) {
		s := newStable(t, 2)
		s.warm(there)
		if ok, after := took(s, t.Context(), here); ok || after != 0 {
			t.Errorf("%v after %v", ok, after)
		}
	})
	bubble(t, "it comes", func(t *testing.T) {
		s := newStable(t, 2)
		go s.p.Warm(t.Context(), here, s.after(here, 4*time.Second, nil))
		time.Sleep(time.Second)
		if ok, after := took(s, t.Context(), here); !ok || after != 3300*time.Millisecond {
			t.Errorf("%v after %v", ok, after)
		}
	})
	bubble(t, "it comes too late, for the next one", func(t *testing.T) {
		s := newStable(t, 2)
		go s.p.Warm(t.Context(), here, s.after(here, 20*time.Second, nil))
		time.Sleep(time.Second)
		if ok, after := took(s, t.Context(), here); ok || after != TakeTime {
			t.Errorf("%v after %v", ok, after)
		}
		time.Sleep(20 * time.Second)
		if ok, _ := took(s, t.Context(), here); !ok {
			t.Error("it did not come")
		}
	})
	bubble(t, "cancelled", func(t *testing.T) {
		s := newStable(t, 2)
		go s.p.Warm(t.Context(), here, s.after(here, 4*time.Second, nil))
		time.Sleep(time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if ok, after := took(s, ctx, here); ok || after != time.Second {
			t.Errorf("%v after %v", ok, after)
		}
		time.Sleep(10 * time.Second)
		if s.p.Peek(here) == nil {
			t.Error("the one who left took it along")
		}
	})
	bubble(t, "two at once", func(t *testing.T) {
		s := newStable(t, 2)
		go s.p.Warm(t.Context(), here, s.after(here, 3*time.Second, nil))
		time.Sleep(time.Second)
		var n atomic.Int32
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				if _, ok := s.take(t.Context(), here); ok {
					n.Add(1)
				}
			})
		}
		all.Wait()
		if n.Load() != 1 { // (c)
			t.Errorf("%d got it", n.Load())
		}
	})
}

// One that has ended by itself is nobody's, and is let go of at once.
func TestPoolDeadOnes(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		s := newStable(t, 2)
		h := s.warm(here)
		h.dies()
		if _, ok := s.take(t.Context(), here); ok {
			t.Error("a dead one was taken")
		}
		time.Sleep(2 * time.Second)
		if s.running() != 0 || len(s.p.Waiting()) != 0 {
			t.Errorf("%d run, %v waits", s.running(), s.p.Waiting())
		}
		s.warm(here).dies()
		if second := s.warm(here); s.p.Peek(here) != second {
			t.Error("the dead one's place is not the next one's")
		}
	})
}

// The invariants (a) to (d) hold whatever happens, in any order.
func TestPoolInvariants(t *testing.T) {
	for seed := range uint64(60) {
		bubble(t, fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			s := newStable(t, 3)
			keys := []PoolKey{here, there, other, {Agent: "c"}, {Agent: "c", MCP: "m"}}
			var all sync.WaitGroup
			var mu sync.Mutex
			lent := map[*horse]bool{}
			for range 60 {
				key := keys[rnd.IntN(len(keys))]
				d := time.Duration(rnd.IntN(70)) * time.Second
				switch n := rnd.IntN(10); {
				case n < 4:
					var err error
					if rnd.IntN(4) == 0 {
						err = errors.New("broken")
					}
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+rnd.IntN(90))*time.Second)
					all.Go(func() {
						defer cancel()
						s.p.Warm(ctx, key, s.after(key, d, err))
					})
				case n < 7:
					all.Go(func() {
						if h, ok := s.take(context.Background(), key); ok {
							mu.Lock()
							defer mu.Unlock()
							if lent[h] {
								t.Errorf("%v was given twice", h.key)
							}
							lent[h] = true
						}
					})
				case n == 7:
					if w := s.p.Peek(key); w != nil {
						w.(*horse).dies()
					}
				case n == 8:
					s.p.Evict(key.Agent)
				default:
					s.p.Worked(key.Agent)
				}
				time.Sleep(time.Duration(rnd.IntN(20_000)) * time.Millisecond)
				seen := map[PoolKey]bool{}
				for _, w := range s.p.Waiting() {
					if seen[w.Key] || len(seen) == 3 {
						t.Fatalf("there are %v", s.p.Waiting())
					}
					seen[w.Key] = true
				}
			}
			s.p.Close()
			all.Wait()
			if s.running() != len(lent) {
				t.Errorf("%d run, %d are sessions'", s.running(), len(lent))
			}
		})
	}
}
