package daemon

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/notify"
)

// Bounds of notifying.
const (
	maxNotes   = 64              // that wait for one channel
	noticeTime = 2 * time.Second // a host may take for passing one on
)

// notifier tells people what sessions want of them.
type notifier struct {
	d       *Daemon
	desktop notify.Desktop
	// out are the acts that wait, one queue for each channel: a slow one delays
	// no other, and what is taken back comes after what was shown.
	toDesktop, toTerminals, toCommand chan notify.Act

	mu   sync.Mutex // guards rule and deaf
	rule notify.Rule
	deaf bool // the desktop's absence was noted in the log
}

func newNotifier(d *Daemon) *notifier {
	return &notifier{
		d: d, desktop: notify.Desktop{Env: d.o.Env},
		toDesktop: make(chan notify.Act, maxNotes), toTerminals: make(chan notify.Act, maxNotes), toCommand: make(chan notify.Act, maxNotes),
	}
}

// run tells, until the coordinator's life ends. It knows what happens from the
// roster's feed, so that it never asks.
func (n *notifier) run() {
	var senders sync.WaitGroup
	defer senders.Wait()
	senders.Go(func() { n.send(n.toDesktop, n.onDesktop) })
	senders.Go(func() { n.send(n.toTerminals, n.inTerminals) })
	senders.Go(func() { n.send(n.toCommand, n.byCommand) })
	f, known, end := n.d.roster.subscribe(interest{scope: everything})
	defer end()
	for i := range known {
		n.see(&known[i], false)
	}
	var changes []*change
	for {
		select {
		case <-f.wake:
		case <-n.d.ctx.Done():
			return
		}
		var lost bool
		if changes, lost = f.take(changes); lost {
			for _, s := range n.d.roster.all(everything, true) {
				n.see(&s, true)
			}
		}
		for _, c := range changes {
			n.see(&c.session, c.step != nil)
		}
	}
}

// see gives the rule a session as it is now. step is set when it is what those
// who watch are told: a question is told when its text is whole.
func (n *notifier) see(s *session, step bool) {
	v := noticed(s)
	if v.State == "needs-you" && !step && !v.Watched && !v.Over {
		n.mu.Lock()
		known := n.rule.Knows(v.ID)
		n.mu.Unlock()
		if known {
			return
		}
	}
	n.mu.Lock()
	n.rule.After = n.d.settings.get().Notifications.AfterTurn()
	acts := n.rule.See(v, time.Now())
	n.mu.Unlock()
	n.tell(acts)
}

// noticed is what counts of a session for notifications.
func noticed(s *session) notify.Session {
	return notify.Session{
		ID: s.record.ID, Link: s.link(), Title: s.title, Agent: s.record.AgentName, Plain: s.record.Agent == "terminal",
		Over: !s.live, State: s.status.State, Since: s.status.Since, Turn: s.status.Turn, Asked: s.status.Asked,
		Question: s.status.Question, Error: s.status.Error, Edge: s.status.Cause.Channel == "bell",
		Watched: s.viewers > 0, Confirmed: !s.status.Unconfirmed,
	}
}

// tell queues acts for the channels that the user wants, and names those.
func (n *notifier) tell(acts []notify.Act) (told []string) {
	want := n.d.settings.get().Notifications
	for _, a := range acts {
		for _, to := range []struct {
			name  string
			queue chan notify.Act
			on    bool
		}{
			{"desktop", n.toDesktop, want.OnDesktop()},
			{"terminal", n.toTerminals, want.InTerminal() || want.Rings()},
			{"command", n.toCommand, want.Command != ""},
		} {
			if !to.on && !a.Withdraw {
				continue
			}
			select {
			case to.queue <- a:
				told = append(told, to.name)
			default:
				n.d.log.Warn("a notification was dropped: too many wait", "channel", to.name, "session", a.Note.Session)
			}
		}
	}
	return told
}

func (n *notifier) send(queue chan notify.Act, do func(context.Context, notify.Act) error) {
	for {
		select {
		case a := <-queue:
			if err := do(n.d.ctx, a); err != nil && n.d.ctx.Err() == nil {
				n.d.log.Warn("a notification could not be given", "kind", a.Note.Kind, "session", a.Note.Session, "why", err.Error())
			}
		case <-n.d.ctx.Done():
			return
		}
	}
}

func (n *notifier) onDesktop(ctx context.Context, a notify.Act) error {
	err := n.desktop.Do(ctx, a)
	if errors.Is(err, notify.ErrNoDesktop) {
		n.mu.Lock()
		noted := n.deaf
		n.deaf = true
		n.mu.Unlock()
		if noted {
			return nil // as it was the first time
		}
	}
	return err
}

// inTerminals shows a note in the terminals that are attached to other
// sessions; its own are looked at.
func (n *notifier) inTerminals(ctx context.Context, a notify.Act) error {
	want := n.d.settings.get().Notifications
	notice := hostproto.Notice{Session: a.Note.Session, Bell: want.Rings(), Withdraw: a.Withdraw}
	if want.InTerminal() {
		notice.Title, notice.Text = a.Note.Title, strings.ReplaceAll(a.Note.Text, "\n", " ")
	}
	var failed error
	for _, s := range n.d.roster.all(everything, true) {
		if s.viewers == 0 || s.client == nil || s.record.ID == a.Note.Session {
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, noticeTime)
		var failure *hostproto.Error
		err := s.client.Call(ctx, hostproto.OpNotice, notice, nil)
		if cancel(); errors.As(err, &failure) && failure.Code == hostproto.CodeBadOp {
			continue // a host of an earlier version
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

func (n *notifier) byCommand(ctx context.Context, a notify.Act) error {
	command := n.d.settings.get().Notifications.Command
	if command == "" {
		return nil
	}
	return notify.Command(ctx, "/bin/sh", command, n.d.o.Env, a)
}

// notify answers `termio notify`: a program asks for a person.
func (d *Daemon) notify(ctx context.Context, r api.NotifyRequest) (api.NotifyReply, error) {
	text, title := strings.TrimSpace(r.Text), strings.TrimSpace(r.Title)
	if text == "" && title == "" {
		return api.NotifyReply{}, api.Errorf(api.CodeNoText, "there is nothing to say; as in: termio notify \"the build is done\"")
	}
	s, err := d.inside(r.Caller)
	if err != nil {
		return api.NotifyReply{}, err
	}
	about := notify.Session{ID: "outside", Title: "Termio"}
	out := api.NotifyReply{Head: api.OKHead(), Told: []string{}}
	if s != nil {
		about = noticed(s)
		out.Target = s.link()
	}
	d.notes.mu.Lock()
	acts := d.notes.rule.Ask(about, title, text, time.Now())
	d.notes.mu.Unlock()
	out.Seen = len(acts) == 0
	out.Told = append(out.Told, d.notes.tell(acts)...)
	if s != nil {
		err := d.ask(ctx, *s, askTime, hostproto.OpNotice, hostproto.Notice{Own: true, Title: title, Text: text}, nil)
		var failure *hostproto.Error
		if errors.As(err, &failure) && failure.Code == hostproto.CodeBadOp {
			err = nil // a session that is not a terminal, or an older host: the person is told all the same
		}
		if err != nil {
			return api.NotifyReply{}, err
		}
	}
	return out, nil
}
