//go:build unix

package term

import (
	"fmt"
	"syscall"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/status"
	"github.com/termio-sh/termio/vt"
)

// Times of the end.
const (
	bootTime   = 2 * time.Second // a failure so soon after the start is a failed boot
	drainQuiet = 100 * time.Millisecond
	drainMax   = time.Second // of the rest of the output, if somebody keeps the terminal open
	termAfter  = 1500 * time.Millisecond
	killAfter  = 5 * time.Second
	giveUp     = 10 * time.Second // a process that KILL does not end is stuck in the kernel
	killPoll   = 20 * time.Millisecond
	quietLooks = 3                       // in a row that find nothing, until all is taken for gone
	linger     = 1500 * time.Millisecond // for peers to read the end
	lastSave   = 10 * time.Minute        // for the tombstone to be written, on a disk that is full
)

// close ends the program and everything that it started; then is called when
// all is gone, or with a failure when something does not end.
func (s *session) close(reason string, then func(*hostproto.Error)) {
	if reason == "" {
		reason = hostproto.ReasonUser
	}
	s.mu.Lock()
	select {
	case <-s.finished:
		s.mu.Unlock()
		then(nil)
		return
	default:
	}
	s.onClosed = append(s.onClosed, then)
	first := s.closing == "" && s.record.Closed == nil
	if first {
		s.closing = reason
	}
	s.mu.Unlock()
	if first {
		go s.closeAll()
	}
}

// closeAll ends everything. When that fails the session stays, to be closed
// again.
func (s *session) closeAll() {
	left := s.endAll()
	if left == 0 {
		return // await does the rest
	}
	s.mu.Lock()
	s.closing = ""
	waiting := s.onClosed
	s.onClosed = nil
	s.mu.Unlock()
	for _, then := range waiting {
		then(&hostproto.Error{Code: hostproto.CodeInternal, Message: fmt.Sprintf(
			"%d processes of the session do not end, not even when killed: see %s in the session's folder, and close it again later", left, LogName)})
	}
}

// stop ends the session since its host was told to end by a signal.
func (s *session) stop(signal string) {
	s.mu.Lock()
	if s.closing == "" && s.record.Closed == nil {
		s.stopped = signal
	} else if s.record.Closed != nil {
		s.stopAgain = true
	}
	s.mu.Unlock()
	s.close(hostproto.ReasonKilled, func(*hostproto.Error) {})
}

func (s *session) closed() hostproto.Closed {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.record.Closed == nil {
		return hostproto.Closed{}
	}
	return *s.record.Closed
}

// endAll signals every process below the host until none is left: HUP, then
// TERM, then KILL. Those that appear meanwhile get the same. It returns how
// many do not end.
func (s *session) endAll() int {
	start := time.Now()
	told := map[process]syscall.Signal{}
	quiet := 0
	for pause := killPoll / 4; ; pause = min(2*pause, 4*killPoll) {
		running := descendants(s.pty)
		if len(running) == 0 {
			// One look is not enough: a child whose parent ends while the
			// table of processes is read belongs to nobody in it.
			if quiet++; quiet == quietLooks {
				return 0
			}
			time.Sleep(killPoll / 4)
			continue
		}
		quiet = 0
		spent := time.Since(start)
		if spent > giveUp {
			s.log("close: %d processes do not end: %v", len(running), running)
			return len(running)
		}
		sig := signalAfter(spent)
		for _, p := range running {
			again := told[p] == sig
			if again && sig != syscall.SIGKILL {
				continue
			}
			told[p] = sig
			if err := p.kill(sig); err == syscall.EPERM && !again {
				s.log("close: process %d belongs to another user", p.pid)
			}
			_ = p.kill(syscall.SIGCONT) // a stopped one cannot handle it
		}
		time.Sleep(pause)
	}
}

// signalAfter is what a process that still runs after d of closing gets.
func signalAfter(d time.Duration) syscall.Signal {
	switch {
	case d < termAfter:
		return syscall.SIGHUP
	case d < killAfter:
		return syscall.SIGTERM
	}
	return syscall.SIGKILL
}

// await sees the session through its end: the program exits, the rest of its
// output is read, the record becomes a tombstone, everybody is told, what it
// left running is ended, and the peers may read all of it.
func (s *session) await() {
	<-s.child.exited
	s.drainOutput()
	s.input.close()
	s.bury(s.finalScreen())
	s.endAll()
	s.mu.Lock()
	close(s.finished)
	waiting := s.onClosed
	s.onClosed = nil
	s.mu.Unlock()
	for _, then := range waiting {
		then(nil)
	}
	s.hub.Drain(linger)
	s.lastRecord()
}

// lastRecord stays until the tombstone is on disk, for lastSave at most, not
// against a second signal, and not for a folder that was removed.
func (s *session) lastRecord() {
	for end := time.Now().Add(lastSave); !s.records.Flush(time.Second); {
		s.mu.Lock()
		again := s.stopAgain
		s.mu.Unlock()
		if again || !s.records.Possible() || time.Now().After(end) {
			s.log("the record of the closed session could not be written, and is lost")
			return
		}
	}
}

// drainOutput waits for the rest of the output: to its end if every process
// has let go of the terminal, else until it is quiet.
func (s *session) drainOutput() {
	limit := time.After(drainMax)
	for {
		at := s.lastOutput.Load()
		select {
		case <-s.engine.idle:
			return
		case <-limit:
			return
		case <-time.After(drainQuiet):
			if s.lastOutput.Load() == at && s.engine.cur.Pos() == s.tee.End() {
				return
			}
		}
	}
}

func (s *session) finalScreen() string {
	text := make(chan string, 1)
	s.engine.lend(func(t *vt.Terminal) { text <- t.ScreenText() }, func() { text <- "" })
	return <-text
}

// bury writes the tombstone and tells everybody.
func (s *session) bury(screen string) {
	st := s.child.status
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	c := hostproto.Closed{At: now, Signal: st.signal, LastLines: lastLines(screen)}
	if st.signal == "" {
		c.ExitCode = &st.code
	}
	switch {
	case s.stopped != "":
		// Whoever ended the host ended the session: it was killed, however
		// gracefully its program took it.
		c.Reason, c.Signal, c.ExitCode = hostproto.ReasonKilled, s.stopped, nil
	case s.closing != "":
		c.Reason = s.closing
	case st.failed() && (s.exitedBy(bootTime) && !s.asked.Load() || s.setup.failed()):
		c.Reason = hostproto.ReasonBootFailed
	case st.signal != "":
		c.Reason = hostproto.ReasonKilled
	default:
		c.Reason = hostproto.ReasonExited
	}
	c.Replaced = c.Reason == hostproto.ReasonExited && st.code == 0 && s.program.replaced(s.child.ended)
	s.note(status.Event{At: now, Kind: status.KindExit, ExitCode: st.code})
	s.record.Closed = &c
	s.armStatus()
	_ = s.records.SaveNow(s.record) // it is tried again, and said, when it fails
	s.hub.PublishLast(hostproto.Event{Type: hostproto.EventExited, Closed: &c, At: now})
	s.tee.Close()
	s.deliveries.mu.Lock()
	s.deliveries.stopped = true
	s.deliveries.mu.Unlock()
}

// exitedBy tells whether the program ended within d of its launch.
func (s *session) exitedBy(d time.Duration) bool {
	return s.child.ended.Sub(s.launched) <= d
}
