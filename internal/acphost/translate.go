package acphost

import (
	"cmp"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/termio-sh/termio/internal/acp"
)

// coalesceTime is how long pieces of text are gathered into one event (row
// 106), from the first of them.
const coalesceTime = 40 * time.Millisecond

// maxStream bounds one event of text, in bytes but for its last piece.
const maxStream = 64 << 10

// maxTool bounds a tool's input and its output in an event, in bytes of JSON
// (row 108).
const maxTool = 32 << 10

// Translator makes events of a journal's entries: text is gathered, what is
// not this turn's is left out of it, and everything else keeps its place.
type Translator struct {
	// Whole makes completed carry the whole text of the turn.
	Whole bool

	session string // the provider's id
	inTurn  bool
	replay  bool
	message string // the id of the replay's last message
	think   thinkSplit
	said    bool // the turn has text
	content strings.Builder

	pending Event // a stream event that waits, but for its text
	text    strings.Builder
	since   time.Time
}

// Midway tells that what comes first is in the middle of a turn: what went
// before is not read.
func (t *Translator) Midway() { t.inTurn, t.said = true, true }

// Add takes the next entry and gives the events that are ready, in order.
func (t *Translator) Add(e Entry) []Event {
	switch {
	case e.Note != nil:
		return t.note(e)
	case e.From == FromAgent:
		var method string
		var params jsontext.Value
		acp.Members(e.Msg, func(name, value []byte) {
			switch string(name) {
			case "method":
				method = acp.Text(value)
			case "params":
				params = value
			}
		})
		if method == acp.MethodSessionUpdate {
			return t.update(e, params)
		}
	}
	return nil
}

// Flush gives the text that waits, when it has waited long enough at now; a
// zero time gives it at once.
func (t *Translator) Flush(now time.Time) []Event {
	if t.text.Len() == 0 || !now.IsZero() && now.Sub(t.since) < coalesceTime {
		return nil
	}
	ev := t.pending
	ev.Text = t.text.String()
	t.text.Reset()
	return []Event{ev}
}

// Waiting tells whether text waits to be flushed.
func (t *Translator) Waiting() bool { return t.text.Len() > 0 }

func (t *Translator) note(e Entry) []Event {
	n := *e.Note
	n.Seq = e.Seq
	var before []Event
	switch n.Type {
	case EventReplay:
		t.replay, t.message = true, ""
	case EventReady:
		t.session, t.replay = n.ProviderSessionID, false
	case EventTurn:
		t.inTurn, t.said, t.think = true, false, thinkSplit{}
		t.session = n.ProviderSessionID
		t.content.Reset()
	case EventCompleted, EventFailed:
		if t.inTurn {
			before = t.stream(e, t.think.end())
		}
		t.inTurn = false
		if n.Type == EventCompleted {
			text := ""
			if t.Whole {
				text = t.content.String()
			}
			n.Content = &text
		}
	}
	return append(append(before, t.Flush(time.Time{})...), n)
}

// update takes a session/update.
func (t *Translator) update(e Entry, params []byte) []Event {
	c := acp.UpdateOf(params)
	if t.session != "" && acp.Text(c.Session) != t.session {
		return nil // another session's
	}
	switch c.Kind {
	case acp.UpdateMessage, acp.UpdateThought:
		return t.chunk(e, c)
	case acp.UpdateUser:
		if text, ok := c.Text(); ok && t.replay {
			return append(t.Flush(time.Time{}), Event{Seq: e.Seq, Type: EventUser, Text: text, Replay: true, MessageID: messageID(c)})
		}
		return nil
	}
	var u acp.SessionUpdate
	if err := acp.Decode(c.Update, &u); err != nil {
		return nil
	}
	ev := Event{Seq: e.Seq, Replay: t.replay}
	gated := false // history, or late: not to be shown as the turn's
	switch c.Kind {
	case acp.UpdateTool, acp.UpdateToolMore:
		gated = true
		ev.Type, ev.Full = EventTool, c.Kind == acp.UpdateTool
		ev.ToolCallID, ev.Title, ev.Kind, ev.Status = string(u.ToolCallID), u.Title, string(u.Kind), u.Status
		ev.Input, ev.Output = truncateJSON(u.RawInput), truncateJSON(u.RawOutput)
		ev.Blocks, ev.Locations = member(c.Update, "content"), member(c.Update, "locations")
	case acp.UpdatePlan:
		gated = true
		ev.Type, ev.Entries = EventPlan, member(c.Update, "entries")
	case acp.UpdateUsage:
		ev.Type, ev.Used, ev.Size = EventUsage, number(member(c.Update, "used")), number(member(c.Update, "size"))
		ev.Cost = member(c.Update, "cost")
	case acp.UpdateCommands:
		ev.Type, ev.Commands = EventCommands, member(c.Update, "availableCommands")
	case acp.UpdateConfig:
		ev.Type, ev.ConfigOptions = EventConfig, member(c.Update, "configOptions")
	case acp.UpdateMode:
		ev.Type, ev.Mode = EventMode, string(u.CurrentModeID)
	case acp.UpdateInfo:
		ev.Type, ev.Title = EventInfo, u.Title
	default:
		ev.Type, ev.Update = EventRaw, clone(c.Update)
	}
	if gated && !t.inTurn && !t.replay {
		return nil
	}
	return append(t.Flush(time.Time{}), ev)
}

// chunk takes a piece of the agent's message or thought.
func (t *Translator) chunk(e Entry, c acp.Chunk) []Event {
	if !t.inTurn && !t.replay {
		return nil
	}
	kind := "message"
	if c.Kind == acp.UpdateThought {
		kind = "thought"
	}
	text, ok := c.Text()
	if !ok {
		ev := Event{Seq: e.Seq, Type: EventContent, Kind: kind, Block: clone(c.Content), Replay: t.replay}
		switch acp.Text(member(c.Content, "type")) {
		case "image", "audio", "resource", "resource_link":
		default:
			ev = Event{Seq: e.Seq, Type: EventRaw, Update: clone(c.Update), Replay: t.replay}
		}
		return append(t.Flush(time.Time{}), ev)
	}
	var before []Event
	if t.replay { // in a turn nobody tells messages apart
		id := messageID(c)
		if t.message != "" && id != "" && id != t.message {
			before = t.Flush(time.Time{})
		}
		t.message = cmp.Or(id, t.message)
	}
	if kind == "thought" {
		return append(before, t.stream(e, []piece{{"thought", text}})...)
	}
	if !t.said && isBanner(text) {
		return nil
	}
	return append(before, t.stream(e, t.think.split(text))...)
}

// messageID is the id of the message that a piece is of; empty where the agent
// gives none.
func messageID(c acp.Chunk) string { return acp.Text(member(c.Update, "messageId")) }

// stream gathers text.
func (t *Translator) stream(e Entry, pieces []piece) (out []Event) {
	for _, p := range pieces {
		if p.text == "" {
			continue
		}
		if p.kind == "message" {
			t.said = true
			if t.Whole {
				t.content.WriteString(p.text)
			}
		}
		if t.text.Len() > 0 && (t.pending.Kind != p.kind || e.At.Sub(t.since) >= coalesceTime || t.text.Len() > maxStream) {
			out = append(out, t.Flush(time.Time{})...)
		}
		if t.text.Len() == 0 {
			t.since = e.At
			t.pending = Event{Type: EventStream, Kind: p.kind, Replay: t.replay}
			if t.replay {
				t.pending.MessageID = t.message
			}
		}
		t.pending.Seq = e.Seq
		t.text.WriteString(p.text)
	}
	return out
}

// isBanner tells pi's start-up text, which pi-acp sends as a message (row 84).
func isBanner(text string) bool {
	first, rest, _ := strings.Cut(strings.TrimLeft(text, "\r\n"), "\n")
	version, ok := strings.CutPrefix(first, "pi v")
	if !ok || version == "" || version[0] < '0' || version[0] > '9' {
		return false
	}
	for line := range strings.Lines(rest) {
		if line = strings.TrimSpace(line); line != "" {
			return line == "---" || strings.HasPrefix(line, "## ")
		}
	}
	return false
}

// truncateJSON cuts a value that is too large for an event: it becomes a
// string with its begin and how much is missing.
func truncateJSON(v jsontext.Value) jsontext.Value {
	if len(v) <= maxTool {
		return clone(v)
	}
	source := acp.Text(v)
	if source == "" {
		source = string(v)
	}
	head := source[:min(len(source), maxTool)]
	for len(head) > 0 && len(head) < len(source) && !utf8.RuneStart(source[len(head)]) {
		head = head[:len(head)-1]
	}
	out, err := json.Marshal(fmt.Sprintf("%s\n… [truncated %d of %d bytes]", head, len(source)-len(head), len(source)))
	if err != nil {
		return nil
	}
	return out
}

func member(object []byte, want string) (out jsontext.Value) {
	acp.Members(object, func(name, value []byte) {
		if string(name) == want {
			out = clone(value)
		}
	})
	return out
}

func clone(v []byte) jsontext.Value { return append(jsontext.Value(nil), v...) }

func number(v jsontext.Value) *int64 {
	var n int64
	if len(v) == 0 || json.Unmarshal(v, &n) != nil {
		return nil
	}
	return &n
}
