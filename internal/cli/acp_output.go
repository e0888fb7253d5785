package cli

import (
	"encoding/json/v2"
	"fmt"
	"strings"

	"github.com/termio-sh/termio/internal/acphost"
)

// acpOutput prints the events of a run: lines of JSON, or text for people.
type acpOutput struct {
	app  *App
	seq  uint64 // of the last event
	open bool   // the text's last line is not ended
}

// event prints one event.
func (o *acpOutput) event(ev acphost.Event) error {
	if ev.Seq <= o.seq { // one of ours, not the journal's
		ev.Seq = o.seq + 1
	}
	o.seq = ev.Seq
	if o.app.json {
		line, err := json.Marshal(ev)
		if err != nil {
			return fmt.Errorf("encode an event: %w", err)
		}
		_, err = o.app.Out.Write(append(line, '\n'))
		return err
	}
	return o.text(ev)
}

// text prints the agent's words to standard output, and what happens beside
// them to standard error.
func (o *acpOutput) text(ev acphost.Event) error {
	switch ev.Type {
	case acphost.EventStream:
		if ev.Kind != "message" || ev.Replay {
			return nil
		}
		o.open = !strings.HasSuffix(ev.Text, "\n")
		return o.app.print(readableChunk(ev.Text))
	case acphost.EventTool:
		if ev.Full && ev.Title != "" && !ev.Replay {
			return o.aside("* " + oneLine(ev.Title))
		}
	case acphost.EventDecided:
		return o.aside("- permission for " + oneLine(ev.Title) + ": " + oneLine(ev.Answer))
	case acphost.EventQuestion:
		return o.aside("? " + readable(ev.Text))
	case acphost.EventNotice:
		return o.aside("- " + readable(ev.Message))
	case acphost.EventNoise:
		return o.aside(fmt.Sprintf("- %s on the agent's output that are no messages were skipped", plural(ev.Count, "line")))
	case acphost.EventCompleted:
		if err := o.end(); err != nil {
			return err
		}
		if ev.StopReason != "end_turn" {
			o.app.warn("the turn ended: " + oneLine(ev.StopReason))
		}
	case acphost.EventFailed:
		if err := o.end(); err != nil {
			return err
		}
		o.app.warn("error: " + readable(ev.Message))
	}
	return nil
}

// aside says something that is not the agent's.
func (o *acpOutput) aside(text string) error {
	if o.app.Terminal() {
		if err := o.end(); err != nil {
			return err
		}
	}
	o.app.warn(o.app.style(dim, text))
	return nil
}

func (o *acpOutput) end() error {
	if !o.open {
		return nil
	}
	o.open = false
	return o.app.print("\n")
}

// readableChunk is readable for a piece of text, whose line breaks stay.
func readableChunk(s string) string {
	out := readable(s)
	return out + strings.Repeat("\n", len(s)-len(strings.TrimRight(s, "\n")))
}
