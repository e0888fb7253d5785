package acpserver

import (
	"bytes"
	"encoding/json/jsontext"

	"github.com/termio-sh/termio/internal/acp"
	"github.com/termio-sh/termio/internal/acphost"
)

// act is one thing that a client is to be told, made of a journal's entry. One
// of its fields is set.
type act struct {
	// update is a session/update's, as the agent sent it.
	update jsontext.Value
	// prompt is what somebody asked the agent; its id is in prompted.
	prompt   string
	prompted int
	// over is the last event of a turn, or of a prompt that was withdrawn.
	over *acphost.Event
	// ask is a question that stands now; request is what the agent asked,
	// where that was for permission.
	ask     *acphost.Event
	request jsontext.Value
	// answered tells that the question has its answer.
	answered *acphost.Event
}

// mirror makes acts of a journal's entries. History that an agent replayed is
// left out where the journal has it already.
type mirror struct {
	provider string // the agent's id of the session
	inTurn   bool
	replay   bool
	known    bool
	commands jsontext.Value // the newest of the agent's commands
	// permits are the agent's requests for permission that were not shown as
	// questions yet, by the tool call.
	permits map[string]jsontext.Value
}

// add takes the next entry.
func (m *mirror) add(e acphost.Entry) []act {
	if e.Note != nil {
		return m.note(*e.Note)
	}
	if e.From != acphost.FromAgent {
		return nil
	}
	var method string
	var params []byte
	acp.Members(e.Msg, func(name, value []byte) {
		switch string(name) {
		case "method":
			method = acp.Text(value)
		case "params":
			params = value
		}
	})
	switch method {
	case acp.MethodSessionUpdate:
		return m.update(params)
	case acp.MethodRequestPermission:
		var q acp.RequestPermissionRequest
		if acp.Decode(params, &q) == nil {
			if m.permits == nil {
				m.permits = map[string]jsontext.Value{}
			}
			m.permits[string(q.ToolCall.ToolCallID)] = bytes.Clone(params)
		}
	}
	return nil
}

func (m *mirror) note(ev acphost.Event) []act {
	switch ev.Type {
	case acphost.EventReplay:
		m.replay = true
	case acphost.EventReady:
		m.provider, m.replay, m.known = ev.ProviderSessionID, false, true
	case acphost.EventPrompt:
		return []act{{prompt: ev.Text, prompted: ev.ID}}
	case acphost.EventTurn:
		m.inTurn = true
	case acphost.EventCompleted, acphost.EventFailed:
		m.inTurn, m.permits = false, nil
		return []act{{over: &ev}}
	case acphost.EventWithdrawn:
		return []act{{over: &ev}}
	case acphost.EventQuestion:
		if ev.Question != nil {
			a := act{ask: &ev, request: m.permits[ev.Question.Tool]}
			if ev.Question.Kind != "permission" {
				a.request = nil
			}
			return []act{a}
		}
	case acphost.EventConfig:
		return configured(ev)
	case acphost.EventAnswered:
		return []act{{answered: &ev}}
	}
	return nil
}

func (m *mirror) update(params []byte) []act {
	c := acp.UpdateOf(params)
	if m.provider != "" && acp.Text(c.Session) != m.provider || m.replay && m.known {
		return nil
	}
	switch c.Kind {
	case acp.UpdateUser:
		if !m.replay {
			return nil // an echo of the prompt
		}
	case acp.UpdateMessage, acp.UpdateThought, acp.UpdateTool, acp.UpdateToolMore, acp.UpdatePlan:
		if !m.inTurn && !m.replay {
			return nil // late
		}
	case acp.UpdateCommands:
		m.commands = bytes.Clone(c.Update)
	}
	return []act{{update: bytes.Clone(c.Update)}}
}
