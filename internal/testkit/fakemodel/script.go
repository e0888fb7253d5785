package fakemodel

import (
	"context"
	"fmt"
	"strings"
	"sync"
)

// A Rule is one line of a test's script: which requests it answers, and with
// what. The rule added last is asked first.
type Rule struct {
	// Prompt must be contained in the request's prompt; empty fits all. A
	// request that brings a tool's result still has the prompt that began the
	// turn.
	Prompt string
	// Match, if not nil, must hold too.
	Match func(Request) bool
	// Side rules answer requests beside the conversation, and only those.
	Side bool
	// Replies are given one after the other to the requests that fit; the
	// last one is repeated.
	Replies []Reply

	given int
}

func (r *Rule) fits(q Request) bool {
	return r.Side == q.Side() && strings.Contains(q.Prompt, r.Prompt) && (r.Match == nil || r.Match(q))
}

func (r *Rule) next() Reply {
	i := min(r.given, len(r.Replies)-1)
	r.given++
	return r.Replies[i]
}

// A Gate holds streams open until the test opens it. It stays open after that.
type Gate struct {
	mu      sync.Mutex
	entered chan struct{} // closed when the first stream arrives
	opened  chan struct{} // closed by Open
	arrived bool
	open    bool
}

func newGate() *Gate {
	return &Gate{entered: make(chan struct{}), opened: make(chan struct{})}
}

// Entered is closed once a stream stands at the gate: its first word is sent.
func (g *Gate) Entered() <-chan struct{} { return g.entered }

// Wait returns once a stream stands at the gate, or with ctx's error.
func (g *Gate) Wait(ctx context.Context) error {
	select {
	case <-g.entered:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for a turn at the gate: %w", context.Cause(ctx))
	}
}

// Open lets every stream pass, those at the gate and those to come.
func (g *Gate) Open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.open {
		g.open = true
		close(g.opened)
	}
}

// pass waits at the gate until it opens or ctx ends.
func (g *Gate) pass(ctx context.Context) error {
	g.mu.Lock()
	if !g.arrived {
		g.arrived = true
		close(g.entered)
	}
	g.mu.Unlock()
	select {
	case <-g.opened:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
