package tui

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/termio-sh/termio/internal/acphost"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/tui/chat"
)

const (
	// journalWait is how long one question for more of a journal waits.
	journalWait = 20 * time.Second
	// talkLimit bounds the events that wait to be shown.
	talkLimit = 20000
)

// follow reads a session's journal from its begin, and whatever is added to it
// as it comes, for as long as the connection lasts. Its end is told by serve.
func (h *host) follow(ctx context.Context, c *hostproto.Client, news func()) {
	if _, err := c.Subscribe(ctx); err != nil {
		return
	}
	r, first := &chat.Reader{}, true
	state, dialed := c.Welcome().Info.Status.State, time.Now()
	for {
		var reply hostproto.JournalReply
		err := c.Call(ctx, hostproto.OpJournal, hostproto.JournalRequest{After: r.After(), WaitMs: int(journalWait.Milliseconds())}, &reply)
		var refused *hostproto.Error
		if errors.As(err, &refused) {
			h.fail(err, news)
			return
		}
		if err != nil {
			return // why the connection ended is said on it
		}
		events := readPart(r, &reply)
		if r.After() >= reply.Last {
			events = append(events, r.Flush()...)
			if first && state != working && state != needsYou {
				events = append(events, chat.Event{Event: acphost.Event{Type: chat.EventAtRest}, At: dialed})
			}
			first = false
		}
		if len(events) > 0 && !h.say(events, news) {
			return
		}
	}
}

// readPart makes events of a part of a journal. An entry that cannot be read is
// passed over.
func readPart(r *chat.Reader, reply *hostproto.JournalReply) []chat.Event {
	lines := make([][]byte, 0, len(reply.Entries)+1)
	for _, e := range reply.Entries {
		lines = append(lines, e)
	}
	if reply.Large != nil {
		line, err := largeEntry(reply.Large)
		if err != nil {
			r.Skip(reply.Large.Seq)
		} else {
			lines = append(lines, line)
		}
	}
	var out []chat.Event
	for _, line := range lines {
		events, err := r.Line(line)
		if err != nil {
			r.Skip(r.After() + 1)
			continue
		}
		out = append(out, events...)
	}
	return out
}

func largeEntry(l *hostproto.LargeEntry) ([]byte, error) {
	f, err := os.Open(l.Path)
	if err != nil {
		return nil, fmt.Errorf("read the session's journal: %w", err)
	}
	defer f.Close()
	line := make([]byte, l.Size)
	if _, err := f.ReadAt(line, l.Offset); err != nil {
		return nil, fmt.Errorf("read the session's journal: %w", err)
	}
	return line, nil
}

// readJournal makes events of the journal in a session's folder, all of it.
func readJournal(dir string) ([]chat.Event, error) {
	f, err := os.Open(filepath.Join(dir, hostproto.JournalName))
	if err != nil {
		return nil, fmt.Errorf("read the session's journal: %w", err)
	}
	defer f.Close()
	r := &chat.Reader{}
	var out []chat.Event
	for lines := bufio.NewReaderSize(f, 64<<10); ; {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF { // a last line without an end was cut off
			break
		}
		if err != nil {
			return out, fmt.Errorf("read the session's journal: %w", err)
		}
		events, err := r.Line(line)
		if err != nil {
			r.Skip(r.After() + 1)
		}
		out = append(out, events...)
	}
	out = append(out, r.Flush()...)
	return append(out, chat.Event{Event: acphost.Event{Type: chat.EventAtRest}, At: time.Now()}), nil
}

// say puts events into the inbox, and waits where there are too many. It
// reports false when nobody wants them any more.
func (h *host) say(events []chat.Event, news func()) bool {
	h.mu.Lock()
	for len(h.talk) > talkLimit && !h.gone {
		h.room.Wait()
	}
	was := len(h.inbox) == 0 && len(h.talk) == 0 && h.err == nil
	h.talk = append(h.talk, events...)
	gone := h.gone
	h.mu.Unlock()
	if was && !gone {
		news()
	}
	return !gone
}

// fail ends the connection for a reason, if nothing else did.
func (h *host) fail(err error, news func()) {
	h.mu.Lock()
	was := len(h.inbox) == 0 && len(h.talk) == 0 && h.err == nil
	if h.err == nil {
		h.err = err
	}
	gone := h.gone
	h.mu.Unlock()
	if was && !gone {
		news()
	}
}

// chatDo carries out what a person wants in a conversation.
func (s *shell) chatDo(ctx context.Context, c *hostproto.Client, e chatEffect) error {
	var err error
	switch a := e.Action.(type) {
	case chat.SendPrompt:
		err = c.Call(ctx, hostproto.OpPrompt, hostproto.PromptRequest{Text: a.Text, Attach: a.Attach}, nil)
	case chat.Answer:
		err = c.Call(ctx, hostproto.OpAnswer, hostproto.AnswerRequest{Question: a.Question, Page: a.Page, Text: a.Text}, nil)
	case chat.Cancel:
		err = c.Call(ctx, hostproto.OpCancel, nil, nil)
	case chat.Withdraw:
		var q hostproto.Queue
		if err = c.Call(ctx, hostproto.OpQueue, hostproto.QueueRequest{Drop: a.ID}, &q); err == nil && q.Dropped == nil {
			err = errors.New("its turn has begun")
		}
	}
	if err != nil {
		s.program.Send(chatFailedMsg{e, err})
	}
	return nil // the end of the connection is told by its reader
}
