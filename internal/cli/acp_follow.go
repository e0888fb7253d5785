package cli

import (
	"bufio"
	"context"
	"encoding/json/v2"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/termio-sh/termio/internal/acphost"
	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/version"
)

// Times of a run.
const (
	// cancelSpawn is how long a session that is being started is waited for
	// when the run is cancelled: it must not begin its turn later.
	cancelSpawn = 3 * time.Second
	// cancelMax is how long a cancelled turn may take to say that it has ended.
	cancelMax = 7 * time.Second
	// goneTime is how long the end of everything is waited for.
	goneTime    = 4 * time.Second
	journalWait = 10 * time.Second
	flushEvery  = 40 * time.Millisecond
)

// acpRun is one turn that is followed in its session's journal. The coordinator
// only starts it.
type acpRun struct {
	app      *App
	out      acpOutput
	provider string // the agent's id of the session, as far as it is known

	id     string // of our session
	dir    string // its folder
	client *hostproto.Client
	after  uint64 // the last entry that was read
	events acphost.Translator
	over   bool
	failed bool
}

func (r *acpRun) run(ctx context.Context, request api.SpawnRequest, prompt string, interrupts <-chan os.Signal) error {
	r.events.Whole = true
	done, err := r.start(ctx, request, interrupts)
	if err != nil {
		return r.fail(err)
	}
	if done {
		return nil
	}
	defer r.client.Close()
	if err := r.client.Call(ctx, hostproto.OpSend, hostproto.SendRequest{Text: prompt, Enter: true}, nil); err != nil {
		return r.fail(err)
	}
	if err := r.follow(ctx, interrupts); err != nil {
		return err
	}
	r.bury()
	if r.failed {
		return errReported
	}
	return nil
}

// start has the session started and connects to its host. It reports whether
// the run was cancelled before.
func (r *acpRun) start(ctx context.Context, request api.SpawnRequest, interrupts <-chan os.Signal) (cancelled bool, err error) {
	layout, err := r.app.layout()
	if err != nil {
		return false, err
	}
	var reply api.SpawnReply
	started := make(chan error, 1)
	go func() { started <- r.app.call(ctx, api.VerbSpawn, request, &reply) }()
	var late <-chan time.Time
	for waiting := true; waiting; {
		select {
		case err = <-started:
			waiting = false
		case <-interrupts:
			late = time.After(cancelSpawn)
		case <-late:
			return true, r.cancelled() // it ends by itself, without a prompt
		}
	}
	if err != nil {
		if late != nil {
			return true, r.cancelled()
		}
		return false, err
	}
	r.id = strings.TrimPrefix(reply.Target, "termio://session/")
	r.dir = layout.SessionDir(r.id)
	r.client, err = hostproto.Dial(ctx, layout.HostSocket(r.id), hostproto.Hello{
		Role: hostproto.RoleControl, Client: "termio " + version.Version + " acp run",
	})
	if err != nil {
		return false, err
	}
	if late != nil {
		defer r.client.Close()
		r.bury()
		return true, r.cancelled()
	}
	return false, nil
}

// cancelled ends a run that had no turn.
func (r *acpRun) cancelled() error {
	text := ""
	return r.out.event(acphost.Event{
		Type: acphost.EventCompleted, StopReason: "cancelled", ProviderSessionID: r.provider, Content: &text,
	})
}

// fail ends a run that could not be.
func (r *acpRun) fail(err error) error {
	e := api.From(err)
	if err := r.out.event(acphost.Event{
		Type: acphost.EventFailed, Error: string(e.Code), Message: e.Message, ProviderSessionID: r.provider,
	}); err != nil {
		return err
	}
	return errReported
}

// follow prints the journal's events until the turn's last.
func (r *acpRun) follow(ctx context.Context, interrupts <-chan os.Signal) error {
	type part struct {
		reply hostproto.JournalReply
		err   error
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	parts := make(chan part)
	go func() {
		after := uint64(0)
		for {
			var p part
			p.err = r.client.Call(ctx, hostproto.OpJournal, hostproto.JournalRequest{After: after, WaitMs: int(journalWait.Milliseconds())}, &p.reply)
			if n := len(p.reply.Entries); n > 0 {
				after = seqOf(p.reply.Entries[n-1])
			} else if p.reply.Large != nil {
				after = p.reply.Large.Seq
			}
			select {
			case parts <- p:
			case <-ctx.Done():
				return
			}
			if p.err != nil {
				return
			}
		}
	}()
	flush := time.NewTicker(flushEvery)
	defer flush.Stop()
	var deadline <-chan time.Time
	for !r.over {
		var err error
		select {
		case p := <-parts:
			if p.err != nil {
				return r.lost(p.err)
			}
			err = r.take(p.reply)
		case <-flush.C:
			err = r.print(r.events.Flush(time.Now()))
		case <-interrupts:
			if deadline == nil {
				deadline = time.After(cancelMax)
			}
			// A host that is gone is noticed by the journal's end.
			_ = r.client.Send(ctx, hostproto.OpCancel, nil)
		case <-deadline:
			r.over = true
			err = r.cancelled()
		case <-ctx.Done():
			return ctx.Err()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// seqOf is an entry's number.
func seqOf(line []byte) uint64 {
	var e struct {
		Seq uint64 `json:"seq"`
	}
	// An entry that cannot be read is met again, and said, in take.
	_ = json.Unmarshal(line, &e)
	return e.Seq
}

func (r *acpRun) take(p hostproto.JournalReply) error {
	for _, line := range p.Entries {
		if err := r.entry(line); err != nil || r.over {
			return err
		}
	}
	if p.Large == nil {
		return nil
	}
	f, err := os.Open(p.Large.Path)
	if err != nil {
		return fmt.Errorf("read the session's journal: %w", err)
	}
	defer f.Close()
	line := make([]byte, p.Large.Size)
	if _, err := f.ReadAt(line, p.Large.Offset); err != nil {
		return fmt.Errorf("read the session's journal: %w", err)
	}
	return r.entry(line)
}

func (r *acpRun) entry(line []byte) error {
	var e acphost.Entry
	if err := json.Unmarshal(line, &e); err != nil {
		return fmt.Errorf("read the session's journal: %w", err)
	}
	if e.Seq <= r.after {
		return nil
	}
	r.after = e.Seq
	return r.print(r.events.Add(e))
}

func (r *acpRun) print(events []acphost.Event) error {
	for _, ev := range events {
		if r.over {
			return nil
		}
		switch ev.Type {
		case acphost.EventReady:
			r.provider = ev.ProviderSessionID
		case acphost.EventCompleted, acphost.EventFailed:
			r.over, r.failed = true, ev.Type == acphost.EventFailed
		case acphost.EventQuestion:
			if !r.app.json {
				r.app.hint("answer with: termio sessions send " + r.id + " <answer>")
			}
		}
		if err := r.out.event(ev); err != nil {
			return err
		}
	}
	return nil
}

// lost reads the rest from the journal's file, when the host has gone.
func (r *acpRun) lost(cause error) error {
	f, err := os.Open(filepath.Join(r.dir, hostproto.JournalName))
	if err == nil {
		defer f.Close()
		in := bufio.NewReader(f)
		for !r.over {
			line, err := in.ReadBytes('\n')
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return fmt.Errorf("read the session's journal: %w", err)
			}
			if err := r.entry(line); err != nil {
				return err
			}
		}
	}
	if r.over {
		return nil
	}
	r.over, r.failed = true, true
	return r.out.event(acphost.Event{
		Type: acphost.EventFailed, Error: acphost.FailGone, ProviderSessionID: r.provider,
		Message: fmt.Sprintf("the session's host has gone: %v", cause),
	})
}

// bury waits until the agent and everything that it started are gone.
func (r *acpRun) bury() {
	ctx, cancel := context.WithTimeout(context.Background(), goneTime)
	defer cancel()
	// It ends by itself, too; a host that is gone already is what is wanted.
	_ = r.client.Call(ctx, hostproto.OpClose, hostproto.CloseRequest{Reason: hostproto.ReasonExited}, nil)
}
