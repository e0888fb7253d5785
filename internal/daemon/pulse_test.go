package daemon

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestWhileAnswering(t *testing.T) {
	long := func(ctx context.Context) error {
		select {
		case <-time.After(time.Hour):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	slow := func(ctx context.Context) error {
		select {
		case <-time.After(askTime - 1):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	never := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	lost := errors.New("connection lost")
	tests := []struct {
		name  string
		ping  func(n int, ctx context.Context) error
		call  func(context.Context) error
		want  error
		after time.Duration
	}{
		{"it answers", func(int, context.Context) error { return nil }, long, nil, time.Hour},
		{"it is slow", func(_ int, ctx context.Context) error { return slow(ctx) }, long, nil, time.Hour},
		{"it never answers", func(_ int, ctx context.Context) error { return never(ctx) }, long, errSilent, 2 * askTime},
		{"it falls silent", func(n int, ctx context.Context) error {
			if n < 3 {
				return nil
			}
			return never(ctx)
		}, long, errSilent, 4 * askTime},
		{"a ping that fails is the call's to find", func(int, context.Context) error { return lost }, long, nil, time.Hour},
		{"a short call", func(_ int, ctx context.Context) error { return never(ctx) }, func(context.Context) error { return lost }, lost, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n, began := 0, time.Now()
				ping := func(ctx context.Context) error { n++; return test.ping(n, ctx) }
				if err := whileAnswering(t.Context(), ping, test.call); !errors.Is(err, test.want) {
					t.Errorf("got %v, want %v", err, test.want)
				}
				if took := time.Since(began); took != test.after {
					t.Errorf("after %v, want %v", took, test.after)
				}
			})
		})
	}
}
