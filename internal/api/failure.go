package api

import (
	"context"
	"errors"

	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/orchestrate"
)

// From makes the contract's error of any failure. It is the one place where
// the codes of the packages below become those of the contract. Its own kind
// passes through; what is unknown is internal.
func From(err error) *Error {
	if err == nil {
		return nil
	}
	var (
		own     *Error
		refused *orchestrate.Refusal
		host    *hostproto.Error
	)
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &refused):
		return Errorf(fromRefusal(refused.Kind), "%s", refused.Message)
	case errors.As(err, &host):
		e := Errorf(fromHost(host.Code), "%s", host.Message)
		if e.Code == CodeNotDelivered {
			e.Delivered = &host.Delivered
		}
		return e
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return Errorf(CodeUnavailable, "the request was given up: %v", err)
	}
	return Errorf(CodeInternal, "%v", err)
}

func fromRefusal(k orchestrate.Kind) Code {
	switch k {
	case orchestrate.NoScope:
		return CodeNoScope
	case orchestrate.NoTarget:
		return CodeNoTarget
	case orchestrate.NotFound:
		return CodeNotFound
	case orchestrate.Ambiguous:
		return CodeAmbiguous
	case orchestrate.BadAgent:
		return CodeBadAgent
	case orchestrate.NoAgent:
		return CodeNoAgent
	case orchestrate.StartFailed:
		return CodeStartFailed
	case orchestrate.PromptStalled:
		return CodePromptStalled
	case orchestrate.SessionClosed:
		return CodeSessionClosed
	case orchestrate.AgentGone:
		return CodeAgentGone
	case orchestrate.BootFailed:
		return CodeBootFailed
	}
	return CodeInternal
}

func fromHost(code string) Code {
	switch code {
	case hostproto.CodeBadRequest:
		return CodeBadRequest
	case hostproto.CodeBadKey:
		return CodeBadKey
	case hostproto.CodeWrongAgent:
		return CodeWrongAgent
	case hostproto.CodeNotLive:
		return CodeNotLive
	case hostproto.CodeNotDelivered:
		return CodeNotDelivered
	case hostproto.CodeStartFailed:
		return CodeStartFailed
	case hostproto.CodeBootFailed:
		return CodeBootFailed
	case hostproto.CodePromptChanged:
		return CodePromptChanged
	case hostproto.CodeIncompatible:
		return CodeNotLive // it lives, but this program cannot speak to it
	}
	// bad_op and not_owner are words between programs; they reach a person
	// only through a defect.
	return CodeInternal
}
