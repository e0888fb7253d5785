package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/vt"
)

// eye is a viewer that notes when the screen first shows what it was asked to
// look for. It is told of the output by the host at the moment a person's
// terminal is, so that its times are those at which a person could see it.
type eye struct {
	t      *testing.T
	client *hostproto.Client

	mu      sync.Mutex
	term    *vt.Terminal
	looks   []*look
	changed chan struct{} // closed and replaced whenever the screen changes
}

// look waits for the screen to satisfy seen; at is when it did.
type look struct {
	seen func(screen string) bool // the words of the screen
	// whole, in its place, is given the screen as it is.
	whole func(screen string) bool
	at    time.Time
	done  chan struct{}
}

// newEye attaches to a session the way a person does.
func newEye(t *testing.T, ctx context.Context, socket string) *eye {
	t.Helper()
	size := hostproto.Size{Cols: 110, Rows: 36}
	c, err := hostproto.Dial(ctx, socket, hostproto.Hello{Role: hostproto.RoleInteract, Client: "timeline", Size: &size})
	if err != nil {
		t.Fatal(err)
	}
	e := &eye{t: t, client: c, term: vt.New(vt.Options{Cols: size.Cols, Rows: size.Rows}), changed: make(chan struct{})}
	t.Cleanup(func() { c.Close() })
	go e.watch()
	return e
}

func (e *eye) watch() {
	for {
		msg, err := e.client.Next(context.Background())
		if err != nil {
			return
		}
		now := time.Now()
		e.mu.Lock()
		switch {
		case msg.Event != nil && msg.Event.Size != nil:
			e.term.Resize(msg.Event.Size.Cols, msg.Event.Size.Rows)
		case msg.Data != nil:
			e.term.Write(msg.Data)
		}
		whole := e.term.ScreenText()
		text := words(whole)
		rest := e.looks[:0]
		for _, l := range e.looks {
			if l.seen != nil && l.seen(text) || l.whole != nil && l.whole(whole) {
				l.at = now
				close(l.done)
			} else {
				rest = append(rest, l)
			}
		}
		e.looks = rest
		close(e.changed)
		e.changed = make(chan struct{})
		e.mu.Unlock()
	}
}

// expect begins to look; the screen of this moment counts too.
func (e *eye) expect(seen func(screen string) bool) *look {
	l := &look{seen: seen, done: make(chan struct{})}
	e.mu.Lock()
	defer e.mu.Unlock()
	if seen(words(e.term.ScreenText())) {
		l.at = time.Now()
		close(l.done)
		return l
	}
	e.looks = append(e.looks, l)
	return l
}

// expectScreen is expect for the whole screen.
func (e *eye) expectScreen(whole func(screen string) bool) *look {
	l := &look{whole: whole, done: make(chan struct{})}
	e.mu.Lock()
	defer e.mu.Unlock()
	if whole(e.term.ScreenText()) {
		l.at = time.Now()
		close(l.done)
		return l
	}
	e.looks = append(e.looks, l)
	return l
}

func (e *eye) screen() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.term.ScreenText()
}

// quiet waits until the screen has not changed for d, but not long: a spinner
// never rests.
func (e *eye) quiet(ctx context.Context, d time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, d+2*time.Second)
	defer cancel()
	for {
		e.mu.Lock()
		changed := e.changed
		e.mu.Unlock()
		select {
		case <-changed:
		case <-time.After(d):
			return
		case <-ctx.Done():
			return
		}
	}
}

// keys presses keys and gives the time at which that was.
func (e *eye) keys(keys string) time.Time {
	e.t.Helper()
	at := time.Now()
	if err := e.client.Input(context.Background(), []byte(keys)); err != nil {
		e.t.Fatal(err)
	}
	return at
}

func shown(text string) func(string) bool {
	text = words(text)
	return func(screen string) bool { return strings.Contains(screen, text) }
}

func gone(text string) func(string) bool {
	text = words(text)
	return func(screen string) bool { return !strings.Contains(screen, text) }
}

// recordOf reads a session's record where its host keeps it.
func (f *fleet) recordOf(link string) hostproto.Record {
	f.t.Helper()
	path := filepath.Join(f.home, "state/sessions", strings.TrimPrefix(link, "termio://session/"), "record.json")
	raw, err := os.ReadFile(path)
	if err != nil {
		f.t.Fatal(err)
	}
	var r hostproto.Record
	if err := json.Unmarshal(raw, &r); err != nil {
		f.t.Fatal(err)
	}
	return r
}

// strain measures how late the machine runs what is due: a timer that is asked
// for 5 ms, and the share of time in which something that could run had to
// wait for a processor.
type strain struct {
	stop chan struct{}
	done chan struct{}
	late time.Duration // the worst
	from time.Time
	wait time.Duration // waited for a processor before
}

const tick = 5 * time.Millisecond

func newStrain() *strain {
	s := &strain{stop: make(chan struct{}), done: make(chan struct{}), from: time.Now(), wait: cpuWait()}
	go func() {
		defer close(s.done)
		for last := time.Now(); ; last = time.Now() {
			select {
			case <-s.stop:
				return
			case <-time.After(tick):
			}
			s.late = max(s.late, time.Since(last)-tick)
		}
	}()
	return s
}

// end gives the worst delay, and the share of time that something waited.
func (s *strain) end() (late time.Duration, share float64) {
	close(s.stop)
	<-s.done
	return s.late, float64(cpuWait()-s.wait) / float64(time.Since(s.from))
}

// cpuWait is how long anything on this machine has waited for a processor
// (PSI, "some"); 0 where the system does not tell.
func cpuWait() time.Duration {
	raw, err := os.ReadFile("/proc/pressure/cpu")
	if err != nil {
		return 0
	}
	_, total, _ := strings.Cut(string(raw), "total=")
	var us int64
	fmt.Sscan(total, &us)
	return time.Duration(us) * time.Microsecond
}
