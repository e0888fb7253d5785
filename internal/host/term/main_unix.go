//go:build unix

package term

import (
	"os"
	"runtime"
	"runtime/debug"

	"github.com/termio-sh/termio/internal/host"
	proc "github.com/termio-sh/termio/internal/host/process"
	"github.com/termio-sh/termio/internal/hostproto"
)

// Main is a host's whole life. It reads its specification from in, answers one
// line on out when the program runs or why it does not, and returns the exit
// code when the session is over. It takes over the process: its session, its
// signals, its standard files and its children.
func Main(in, out *os.File) int {
	tune()
	proc.Detach()
	fail := func(err error) int {
		host.Answer(out, hostproto.Started{Error: &hostproto.Error{Code: hostproto.CodeStartFailed, Message: err.Error()}})
		return 1
	}
	spec, err := readSpec(in)
	if err != nil {
		return fail(err)
	}
	logFile, logf, err := host.OpenFolder(spec.SessionDir)
	if err != nil {
		return fail(err)
	}
	if err := proc.BecomeSubreaper(); err != nil {
		logf("become subreaper: %v; programs that detach themselves may survive the session", err)
	}
	s, l, err := start(spec, logf)
	if err != nil {
		return fail(err)
	}
	proc.WatchSignals(s.reaper.Reap, s.stop, func() {
		switch again, err := l.Reopen(); {
		case err != nil:
			logf("the socket is gone and cannot be opened anew: %v", err)
		case again:
			logf("the socket was gone and was opened anew")
		}
	})
	s.reaper.Reap() // it may have ended before anybody watched
	s.run()
	s.mu.Lock()
	if err := s.records.SaveNow(s.record); err != nil {
		logf("%v; the session goes on", err)
	}
	record := s.record
	s.mu.Unlock()
	// Before anybody can ask whether it has something to do.
	if spec.Prompt != nil {
		s.prompt(*spec.Prompt)
	}
	go host.NewServer(s, s.hub).Serve(l)
	host.Answer(out, hostproto.Started{OK: true, Record: &record})
	if err := proc.Redirect(logFile); err != nil {
		logf("%v", err)
	}
	spec = hostproto.Spec{} // the environment may hold secrets, and takes room
	s.await()
	l.Close()
	return 0
}

// run starts the goroutines that move the bytes.
func (s *session) run() {
	go s.engine.run(s.quit)
	go s.input.run()
	go s.read()
}

// tune keeps a host small: there is one for every session, and nearly all of
// them are idle nearly all of the time.
func tune() {
	runtime.GOMAXPROCS(min(2, runtime.NumCPU()))
	debug.SetGCPercent(50)
}
