package chat

import (
	"bytes"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/termio-sh/termio/internal/acp"
	"github.com/termio-sh/termio/internal/acphost"
)

// Event is one thing that happened, with when it did. Beside acphost's events
// there is what only the messages of the protocol tell.
type Event struct {
	acphost.Event
	At time.Time
	// Terminal is what a terminal of the agent's showed, of EventTerminal.
	Terminal *Terminal
}

const (
	// EventTerminal tells of a terminal: Terminal.
	EventTerminal = "terminal"
	// EventAtRest tells that no turn ran at a moment: one that began before and
	// has no end was cut off with its host.
	EventAtRest = "at rest"
)

// Terminal is a program that the agent runs, as far as it has looked at it.
type Terminal struct {
	ID      string
	Command string
	Output  string
	Cut     bool   // of the output's begin something is missing
	Ended   string // how it ended, empty while it runs
	more    bool   // Output is what came since
}

// Reader makes events of a journal's lines. History that an agent replays is
// left out where the journal has it already.
type Reader struct {
	events acphost.Translator
	after  uint64
	known  bool
	asked  map[string]request // by who asks and the id
}

// request is one that waits for its answer.
type request struct{ method, terminal, command string }

// After is the number of the newest entry that was read.
func (r *Reader) After() uint64 { return r.after }

// Skip passes over entries up to a number: they cannot be read.
func (r *Reader) Skip(seq uint64) { r.after = max(r.after, seq) }

// Line takes a line of the journal. Text may wait for more of it: see Flush.
func (r *Reader) Line(line []byte) ([]Event, error) {
	e, err := entry(line)
	if err != nil {
		return nil, fmt.Errorf("read the session's journal: %w", err)
	}
	if e.Seq <= r.after {
		return nil, nil
	}
	r.after = e.Seq
	var out []Event
	for _, ev := range r.events.Add(e) {
		out = r.keep(out, ev, e.At)
	}
	if len(e.Msg) > 0 {
		out = append(out, r.message(e)...)
	}
	return out, nil
}

// entry decodes a line. Most are pieces of text: what they hold is not looked
// at here.
func entry(line []byte) (e acphost.Entry, err error) {
	whole := acp.Members(line, func(name, value []byte) {
		switch string(name) {
		case "seq":
			e.Seq, err = strconv.ParseUint(string(value), 10, 64)
		case "at":
			// Without a time it is as good.
			e.At, _ = time.Parse(time.RFC3339Nano, acp.Text(value))
		case "from":
			e.From = from(value)
		case "msg":
			e.Msg = value
		case "note":
			if e := json.Unmarshal(value, &e.Note); e != nil {
				err = e
			}
		}
	})
	if err == nil && (!whole || e.Seq == 0) {
		err = errors.New("a line is no entry")
	}
	return e, err
}

// from is who an entry comes from, without a copy of its own.
func from(value []byte) string {
	switch string(value) {
	case `"` + acphost.FromAgent + `"`:
		return acphost.FromAgent
	case `"` + acphost.FromClient + `"`:
		return acphost.FromClient
	}
	return acp.Text(value)
}

// Flush gives the text that waits.
func (r *Reader) Flush() []Event {
	var out []Event
	for _, ev := range r.events.Flush(time.Time{}) {
		out = r.keep(out, ev, time.Time{})
	}
	return out
}

func (r *Reader) keep(out []Event, ev acphost.Event, at time.Time) []Event {
	if ev.Type == acphost.EventReady {
		r.known = true
	}
	if ev.Replay && r.known {
		return out
	}
	return append(out, Event{Event: ev, At: at})
}

// message looks at what the translator does not tell of: requests for
// permission, terminals, options.
func (r *Reader) message(e acphost.Entry) []Event {
	var method string
	var id, params, result []byte
	acp.Members(e.Msg, func(name, value []byte) {
		switch string(name) {
		case "method":
			method = acp.Text(value)
		case "id":
			id = value
		case "params":
			params = value
		case "result":
			result = value
		}
	})
	switch {
	case method == acp.MethodSessionUpdate:
		return r.inMeta(e, params)
	case id == nil:
		return nil
	case method != "":
		return r.asks(e, method, string(id), params)
	case result != nil:
		other := acphost.FromAgent
		if e.From == acphost.FromAgent {
			other = acphost.FromClient
		}
		key := other + string(id)
		q, ok := r.asked[key]
		delete(r.asked, key)
		if ok {
			return r.answered(e, q, result)
		}
	}
	return nil
}

// inMeta finds what some agents tell of terminals of their own beside a tool
// call (terminal_output and terminal_exit in its _meta, which editors know).
func (r *Reader) inMeta(e acphost.Entry, params []byte) []Event {
	if !bytes.Contains(params, []byte(`"terminal_output"`)) && !bytes.Contains(params, []byte(`"terminal_exit"`)) {
		return nil
	}
	c := acp.UpdateOf(params)
	if c.Kind != acp.UpdateTool && c.Kind != acp.UpdateToolMore {
		return nil
	}
	meta := member(c.Update, "_meta")
	var out []Event
	tell := func(t *Terminal) {
		if t.ID != "" {
			out = append(out, Event{Event: acphost.Event{Seq: e.Seq, Type: EventTerminal}, At: e.At, Terminal: t})
		}
	}
	if v := member(meta, "terminal_output"); v != nil {
		tell(&Terminal{ID: acp.Text(member(v, "terminal_id")), Output: acp.Text(member(v, "data")), more: true})
	}
	if v := member(meta, "terminal_exit"); v != nil {
		var end struct {
			ID     string `json:"terminal_id"`
			Code   *int64 `json:"exit_code"`
			Signal string `json:"signal"`
		}
		if acp.Decode(v, &end) == nil {
			tell(&Terminal{ID: end.ID, Ended: endOf(end.Code, end.Signal)})
		}
	}
	return out
}

func (r *Reader) remember(from, id string, q request) {
	if r.asked == nil || len(r.asked) > 1000 { // answers that never came
		r.asked = map[string]request{}
	}
	r.asked[from+id] = q
}

func (r *Reader) asks(e acphost.Entry, method, id string, params []byte) []Event {
	switch method {
	case acp.MethodRequestPermission:
		var q struct {
			ToolCall jsontext.Value `json:"toolCall"`
		}
		var tool acp.ToolCallUpdate
		if acp.Decode(params, &q) != nil || acp.Decode(q.ToolCall, &tool) != nil || tool.ToolCallID == "" {
			return nil
		}
		ev := acphost.Event{
			Seq: e.Seq, Type: acphost.EventTool, ToolCallID: string(tool.ToolCallID), Title: tool.Title, Kind: string(tool.Kind),
			Status: string(tool.Status), Input: tool.RawInput, Blocks: member(q.ToolCall, "content"), Locations: member(q.ToolCall, "locations"),
		}
		return append(r.Flush(), Event{Event: ev, At: e.At})
	case acp.MethodCreateTerminal:
		var q acp.CreateTerminalRequest
		if acp.Decode(params, &q) == nil {
			command := q.Command
			for _, a := range q.Args {
				command += " " + a
			}
			r.remember(e.From, id, request{method: method, command: command})
		}
	case acp.MethodTerminalOutput, acp.MethodWaitForTerminalExit:
		r.remember(e.From, id, request{method: method, terminal: acp.Text(member(params, "terminalId"))})
	case acp.MethodSetSessionConfigOption:
		r.remember(e.From, id, request{method: method})
	}
	return nil
}

func (r *Reader) answered(e acphost.Entry, q request, result []byte) []Event {
	ev := Event{Event: acphost.Event{Seq: e.Seq, Type: EventTerminal}, At: e.At, Terminal: &Terminal{ID: q.terminal}}
	t := ev.Terminal
	switch q.method {
	case acp.MethodCreateTerminal:
		t.ID, t.Command = acp.Text(member(result, "terminalId")), q.command
	case acp.MethodTerminalOutput:
		var o acp.TerminalOutputResponse
		if acp.Decode(result, &o) != nil {
			return nil
		}
		t.Output, t.Cut = o.Output, o.Truncated
		if o.ExitStatus != nil {
			t.Ended = endOf(o.ExitStatus.ExitCode, o.ExitStatus.Signal)
		}
	case acp.MethodWaitForTerminalExit:
		var o acp.WaitForTerminalExitResponse
		if acp.Decode(result, &o) != nil {
			return nil
		}
		t.Ended = endOf(o.ExitCode, o.Signal)
	case acp.MethodSetSessionConfigOption:
		options := member(result, "configOptions")
		if options == nil {
			return nil
		}
		return []Event{{Event: acphost.Event{Seq: e.Seq, Type: acphost.EventConfig, ConfigOptions: options}, At: e.At}}
	}
	return []Event{ev}
}

func endOf(code *int64, signal string) string {
	switch {
	case signal != "":
		return "killed by " + signal
	case code != nil:
		return fmt.Sprintf("exit %d", *code)
	}
	return "ended"
}

func member(object []byte, want string) (out jsontext.Value) {
	acp.Members(object, func(name, value []byte) {
		if string(name) == want {
			out = bytes.Clone(value)
		}
	})
	return out
}
