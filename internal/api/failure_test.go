package api

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/orchestrate"
)

func TestFrom(t *testing.T) {
	host := func(code string) error {
		return fmt.Errorf("ask: %w", &hostproto.Error{Code: code, Message: "m", Delivered: 7})
	}
	for _, c := range []struct {
		err  error
		want Code
	}{
		{Errorf(CodeDisabled, "m"), CodeDisabled},
		{fmt.Errorf("wrapped: %w", Errorf(CodeNoText, "m")), CodeNoText},
		{orchestrate.Refuse(orchestrate.NoScope, "m"), CodeNoScope},
		{orchestrate.Refuse(orchestrate.NoTarget, "m"), CodeNoTarget},
		{orchestrate.Refuse(orchestrate.NotFound, "m"), CodeNotFound},
		{orchestrate.Refuse(orchestrate.Ambiguous, "m"), CodeAmbiguous},
		{orchestrate.Refuse(orchestrate.BadAgent, "m"), CodeBadAgent},
		{orchestrate.Refuse(orchestrate.NoAgent, "m"), CodeNoAgent},
		{orchestrate.Refuse(orchestrate.StartFailed, "m"), CodeStartFailed},
		{host(hostproto.CodeBadKey), CodeBadKey},
		{host(hostproto.CodeBadRequest), CodeBadRequest},
		{host(hostproto.CodeNotLive), CodeNotLive},
		{host(hostproto.CodeNotDelivered), CodeNotDelivered},
		{host(hostproto.CodeStartFailed), CodeStartFailed},
		{host(hostproto.CodeBootFailed), CodeBootFailed},
		{host(hostproto.CodeIncompatible), CodeNotLive},
		{host(hostproto.CodeBadOp), CodeInternal},
		{host(hostproto.CodeNotOwner), CodeInternal},
		{host("from a later version"), CodeInternal},
		{context.Canceled, CodeUnavailable},
		{errors.New("boom"), CodeInternal},
	} {
		got := From(c.err)
		if got.Code != c.want || got.OK || got.SchemaVersion != 1 || got.Message == "" {
			t.Errorf("%v: got %+v, want %s", c.err, got, c.want)
		}
		if (got.Delivered != nil) != (c.want == CodeNotDelivered) {
			t.Errorf("%v: delivered is %v", c.err, got.Delivered)
		}
	}
	if From(nil) != nil {
		t.Error("no error became one")
	}
}
