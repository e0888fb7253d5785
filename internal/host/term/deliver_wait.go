//go:build unix

package term

import (
	"bytes"
	"errors"
	"hash/fnv"
	"os"
	"strings"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/status"
	"github.com/termio-sh/termio/vt"
)

// What a caller that waits for an outcome needs of a delivery, and of the
// screen after it.

// screenSum stands for a screen's text; it is never 0.
func screenSum(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text)) // never fails
	return h.Sum64() | 1
}

// noteBefore takes down how the session is right before something is typed,
// and again right before Enter; what an answer is an answer to counts from its
// first key on, since a menu may act on that. session.mu must be held.
func (s *session) noteBefore(d *delivery, lines *int) {
	st := s.wireStatus()
	old := d.result.Before
	if old != nil && (old.State == string(status.NeedsYou) || d.effect.again) {
		return
	}
	d.result.Before = &hostproto.Before{
		Turn: st.Turn, Asked: st.Asked, State: st.State, Tells: s.watcher.machine.Tells(),
		Commands: s.commands, Screen: screenSum(d.blank), Transcript: s.record.Transcript(), Lines: lines,
	}
}

// transcriptLines counts the lines of the file that the agent writes its
// conversation to; nil when there is no such file known.
func (s *session) transcriptLines() *int {
	s.mu.Lock()
	path := s.record.Transcript()
	s.mu.Unlock()
	if path == "" || strings.Contains(path, "#") { // a place in a database
		return nil
	}
	n, err := s.lines.count(path)
	if err != nil {
		return nil
	}
	return &n
}

// changedQuestion says what stands instead of the question that was answered.
func changedQuestion(st hostproto.Status) string {
	if st.State != string(status.NeedsYou) {
		return "that question is not asked any more: the session is " + st.State + "; nothing was typed"
	}
	return "another question is asked now; nothing was typed: read it, and answer with its own prompt_id"
}

// lineCount counts a growing file's lines, reading only what is new.
type lineCount struct {
	path  string
	at    int64
	lines int
}

func (c *lineCount) count(path string) (int, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		*c = lineCount{}
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0, errors.Join(err, errors.New("no regular file"))
	}
	if path != c.path || info.Size() < c.at {
		*c = lineCount{path: path}
	}
	buf := make([]byte, 64<<10)
	for c.at < info.Size() {
		n, err := f.ReadAt(buf[:min(int64(len(buf)), info.Size()-c.at)], c.at)
		c.lines += bytes.Count(buf[:n], []byte{'\n'})
		c.at += int64(n)
		if n == 0 {
			return c.lines, err
		}
	}
	return c.lines, nil
}

// Bounds of a look at the screen.
const (
	lookPause = 30 * time.Millisecond // between two, while output flows
	lookMax   = 11 * time.Minute
)

// look replies when the screen is as asked for.
func (s *session) look(q hostproto.LookRequest, reply replyFunc) {
	go func() {
		sum, ok := s.lookUntil(q)
		if !ok {
			reply(nil, &hostproto.Error{Code: hostproto.CodeNotLive, Message: errEnded.Error()})
			return
		}
		canonical, echo := s.pty.lineMode()
		reply(hostproto.Look{Screen: sum, Unread: s.pty.unread() > 0, Raw: !canonical || !echo}, nil)
	}()
}

func (s *session) lookUntil(q hostproto.LookRequest) (sum uint64, ok bool) {
	wake := make(chan struct{}, 1)
	defer s.engine.watch(wake)()
	quiet := ms(q.QuietMs)
	end := time.Now().Add(lookMax)
	timer := time.NewTimer(0)
	defer timer.Stop()
	since := time.Unix(0, s.lastOutput.Load()) // nothing was drawn later
	for {
		now, err := s.screenNow()
		if err != nil {
			return 0, false
		}
		if now != sum && sum != 0 {
			since = time.Now()
		}
		sum = now
		next := end
		if sum != q.Not {
			still := since.Add(quiet)
			if !time.Now().Before(still) {
				return sum, true
			}
			next = earlier(still, end)
		}
		timer.Reset(time.Until(next))
		select {
		case <-wake:
			pause := time.NewTimer(lookPause)
			select {
			case <-pause.C:
			case <-s.quit:
				pause.Stop()
				return 0, false
			}
			select { // what came meanwhile will be seen
			case <-wake:
			default:
			}
		case <-timer.C:
			if !time.Now().Before(end) {
				return 0, false
			}
		case <-s.quit:
			return 0, false
		}
	}
}

func (s *session) screenNow() (sum uint64, err error) {
	done := make(chan uint64, 1)
	s.engine.lend(func(t *vt.Terminal) { done <- screenSum(t.ScreenText()) }, func() { done <- 0 })
	if sum = <-done; sum == 0 {
		return 0, errEnded
	}
	return sum, nil
}

// draftStands tells whether what a person typed and did not send stands on the
// screen: left of the cursor, or, when it is long enough to be told from
// anything else, near the bottom, where agents have their prompts.
func draftStands(draft, screen, leftOfCursor string) bool {
	mark := strings.ToLower(lastRunes(squeeze(draft), 20))
	if mark == "" {
		return false
	}
	if strings.HasSuffix(strings.ToLower(squeeze(leftOfCursor)), mark) {
		return true
	}
	at, ok := find(screen, mark)
	return ok && len([]rune(mark)) >= draftLength && at.up <= draftRows
}

const (
	draftLength = 4
	draftRows   = 12
)

// leftOfCursor is the text of the cursor's row up to it.
func leftOfCursor(t *vt.Terminal, screen string) string {
	at := t.Cursor()
	for y, row := range strings.Split(screen, "\n") {
		if y == at.Y {
			return vt.Truncate(row, at.X, "")
		}
	}
	return ""
}
