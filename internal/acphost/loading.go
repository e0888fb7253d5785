package acphost

import (
	"context"
	"errors"
	"time"
)

// LoadRecord is one line of the log of session/load (row 13): its begin, or how
// it ended. What an agent does inside of it is not seen from here (row 15).
type LoadRecord struct {
	At       time.Time `json:"at"`
	Agent    string    `json:"agent,omitzero"` // as it calls itself
	Session  string    `json:"session"`        // the provider's id
	State    string    `json:"state"`          // started, success, failed or cancelled
	BudgetMs int64     `json:"budget_ms"`
	// ElapsedMs is from the request on; starting the agent before and waiting
	// for quiet after are no part of it (row 12).
	ElapsedMs *int64 `json:"elapsed_ms,omitzero"`
	Error     string `json:"error,omitzero"`
}

// The states of a LoadRecord. LoadCancelled is that we no longer wait for the
// answer; the agent may go on with it (row 14).
const (
	LoadStarted   = "started"
	LoadSuccess   = "success"
	LoadFailed    = "failed"
	LoadCancelled = "cancelled"
)

// logLoad logs the begin of a load. The returned function logs its end.
func (l *live) logLoad(ctx context.Context, id string) (ended func(error)) {
	tell := l.s.o.Loading
	if tell == nil {
		return func(error) {}
	}
	r := LoadRecord{At: time.Now(), Session: id, State: LoadStarted, BudgetMs: LoadTime.Milliseconds()}
	if a := l.init.AgentInfo; a != nil {
		r.Agent = a.Name
	}
	tell(r)
	return func(err error) {
		ms := time.Since(r.At).Milliseconds()
		r.At, r.ElapsedMs, r.State = time.Now(), &ms, LoadSuccess
		switch {
		case err == nil:
		case ctx.Err() != nil && !errors.As(context.Cause(ctx), new(timeout)):
			r.State = LoadCancelled
		default:
			r.State, r.Error = LoadFailed, err.Error()
		}
		tell(r)
	}
}
