package acpserver

import (
	"errors"
	"fmt"
	"strings"

	"github.com/termio-sh/termio/internal/acp"
	"github.com/termio-sh/termio/internal/acphost"
	"github.com/termio-sh/termio/internal/hostproto"
)

// errAnswered is why a client need not answer any more.
var errAnswered = errors.New("the question was answered elsewhere")

// ask puts the agent's question to the client. Whoever answers first counts;
// the others' clients are told that the request is cancelled.
func (a *attachment) ask(one act) {
	ev := one.ask
	request, ok := permissionOf(one)
	if !ok {
		a.said(acp.UpdateMessage, fmt.Sprintf("\n\nThe agent asks what this editor cannot show: %s\nAnswer with: termio sessions send %s \"<answer>\"\n\n", ev.Text, a.id))
		return
	}
	request.SessionID = acp.SessionId(a.id)
	giveUp := a.s.conn.Go(acp.MethodRequestPermission, request, func(result []byte, err error) {
		var r acp.RequestPermissionResponse
		if err != nil || acp.Decode(result, &r) != nil || r.Outcome.Outcome != "selected" {
			return // given up, or the turn is being cancelled; it stands for others
		}
		a.do(func() { a.answer(ev, string(r.Outcome.OptionID)) })
	})
	a.mu.Lock()
	a.asked = giveUp
	a.mu.Unlock()
}

// answer gives the host the client's answer. If somebody else was first there
// is nothing to do.
func (a *attachment) answer(ev *acphost.Event, choice string) {
	err := a.host.Call(a.life, hostproto.OpAnswer, hostproto.AnswerRequest{Question: ev.ID, Page: ev.Page, Text: choice}, nil)
	var refused *hostproto.Error
	if errors.As(err, &refused) && refused.Code != hostproto.CodePromptChanged {
		a.said(acp.UpdateMessage, "\n\nThe answer was not taken: "+refused.Message+"\n\n")
	}
}

// dropAsked takes the client's question back.
func (a *attachment) dropAsked() {
	a.mu.Lock()
	giveUp := a.asked
	a.asked = nil
	a.mu.Unlock()
	if giveUp != nil {
		giveUp(errAnswered)
	}
}

// permissionOf is a question as a request for permission, which every client
// knows: the agent's own one, or one with the question's choices as options.
// What only text can answer is none.
func permissionOf(one act) (q acp.RequestPermissionRequest, ok bool) {
	ev := one.ask
	if one.request != nil && acp.Decode(one.request, &q) == nil && len(q.Options) > 0 {
		return q, true
	}
	if ev.Page >= len(ev.Question.Pages) {
		return q, false
	}
	p := ev.Question.Pages[ev.Page]
	if len(p.Choices) == 0 || p.Multi {
		return q, false
	}
	q.ToolCall = acp.ToolCallUpdate{
		ToolCallID: acp.ToolCallId(ev.Question.Tool), Title: p.Text, Kind: acp.ToolKindOther, Status: acp.ToolCallStatusPending,
	}
	if q.ToolCall.ToolCallID == "" {
		q.ToolCall.ToolCallID = acp.ToolCallId(fmt.Sprintf("question-%d-%d", ev.ID, ev.Page+1))
	}
	for _, c := range p.Choices {
		kind := acp.PermissionOptionKind(c.Kind)
		if kind == "" {
			kind = acp.PermissionOptionKindAllowOnce
			if denies(c.ID) {
				kind = acp.PermissionOptionKindRejectOnce
			}
		}
		q.Options = append(q.Options, acp.PermissionOption{OptionID: acp.PermissionOptionId(c.ID), Name: c.Name, Kind: kind})
	}
	return q, true
}

func denies(id string) bool {
	switch strings.ToLower(id) {
	case "decline", "cancel", "reject", "deny", "no", "false":
		return true
	}
	return false
}
