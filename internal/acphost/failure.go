package acphost

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/termio-sh/termio/internal/acp"
)

// errCancelled is the cause of what a person's cancel ended.
var errCancelled = errors.New("cancelled")

// errDead is the cause of an end by us.
var errDead = errors.New("the agent was ended")

// Failure is why a turn, or what comes before one, did not work.
type Failure struct {
	Word string // stable: one of the Fail constants
	Err  error
}

func (f *Failure) Error() string { return f.Err.Error() }
func (f *Failure) Unwrap() error { return f.Err }

// failure finds the word for an error of a step.
func failure(err error) *Failure {
	var f *Failure
	if errors.As(err, &f) {
		return f
	}
	word := FailAgent
	var refused *acp.Error
	var long *acp.TooLongError
	switch {
	case errors.As(err, &long):
		word = FailTooLong
	case errors.As(err, &refused):
		if refused.Code == acp.CodeAuthRequired || IsAuth(err.Error()) {
			word = FailAuth
		}
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, new(timeout)):
		word = FailTimeout
	case errors.Is(err, acp.ErrClosed):
		word = FailGone
	}
	return &Failure{word, err}
}

// timeout is a step that took too long.
type timeout struct{ after string }

func (t timeout) Error() string { return "timed out after " + t.after }

// signIn says which ways to authenticate an agent offers; empty when none.
func signIn(methods []acp.AuthMethod) string {
	var names []string
	for _, m := range methods {
		name := string(m.ID)
		if m.Name != "" && m.Name != name {
			name += " (" + m.Name + ")"
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return ""
	}
	return "; it can be signed in to by: " + strings.Join(names, ", ")
}

// missing is a program that cannot be started.
func missing(err error) error {
	return &Failure{FailStart, fmt.Errorf("start the agent: %w", err)}
}
