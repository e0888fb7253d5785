//go:build unix

package term

import (
	"fmt"
	"syscall"
	"time"

	"github.com/termio-sh/termio/internal/host"
	proc "github.com/termio-sh/termio/internal/host/process"
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
	giveUp     = 10 * time.Second        // a process that KILL does not end is stuck in the kernel
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
			"%d processes of the session do not end, not even when killed: see %s in the session's folder, and close it again later", left, host.LogName)})
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

// endAll ends every process below the host: HUP, then TERM, then KILL. It
// returns how many do not end.
func (s *session) endAll() int {
	return proc.Ending{Signal: signalAfter, GiveUp: giveUp, Log: s.log}.EndAll(s.pty.file)
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
	<-s.child.Exited
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
	st := s.child.Status
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	c := hostproto.Closed{At: now, Signal: st.Signal, LastLines: lastLines(screen)}
	if st.Signal == "" {
		c.ExitCode = &st.Code
	}
	switch {
	case s.stopped != "":
		// Whoever ended the host ended the session: it was killed, however
		// gracefully its program took it.
		c.Reason, c.Signal, c.ExitCode = hostproto.ReasonKilled, s.stopped, nil
	case s.closing != "":
		c.Reason = s.closing
	case st.Failed() && (s.exitedBy(bootTime) && !s.asked.Load() || s.setup.failed()):
		c.Reason = hostproto.ReasonBootFailed
	case st.Signal != "":
		c.Reason = hostproto.ReasonKilled
	default:
		c.Reason = hostproto.ReasonExited
	}
	c.Replaced = c.Reason == hostproto.ReasonExited && st.Code == 0 && s.program.replaced(s.child.Ended)
	s.note(status.Event{At: now, Kind: status.KindExit, ExitCode: st.Code})
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
	return s.child.Ended.Sub(s.launched) <= d
}
