//go:build unix

package acp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/termio-sh/termio/internal/acphost"
	"github.com/termio-sh/termio/internal/host"
	proc "github.com/termio-sh/termio/internal/host/process"
	"github.com/termio-sh/termio/internal/hostproto"
)

// Main is a host's whole life. It reads its specification from in, answers one
// line on out when the session is there or why it is not, and returns the exit
// code when the session is over. It takes over the process: its session, its
// signals, its standard files and its children. The agent's program is started
// with the first prompt. past, which may be nil, reads Dsh's sessions: programs
// that have other things to do should not have to link what it needs.
func Main(in, out *os.File, past Past) int {
	runtime.GOMAXPROCS(min(2, runtime.NumCPU()))
	debug.SetGCPercent(50)
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
	s, err := newSession(spec, past, logf, func(v any) {
		if data, err := json.Marshal(v); err == nil {
			_, _ = logFile.Write(append(data, '\n')) // whole lines, which do not mix
		}
	})
	if err != nil {
		return fail(err)
	}
	if err := s.doors.open(spec.Record.Socket); err != nil {
		return fail(err)
	}
	proc.WatchSignals(s.procs.reaper.Reap, func(string) { s.close(hostproto.ReasonUser, func(*hostproto.Error) {}) }, func() {
		switch again, err := s.doors.reopen(); {
		case err != nil:
			logf("the socket is gone and cannot be opened anew: %v", err)
		case again:
			logf("the socket was gone and was opened anew")
		}
	})
	record := s.Info().Record
	host.Answer(out, hostproto.Started{OK: true, Record: &record})
	if err := proc.Redirect(logFile); err != nil {
		logf("%v", err)
	}
	s.begin(spec)
	<-s.answered
	s.children.wait()
	s.forgetWarm()
	s.hub.Drain(linger)
	s.doors.close()
	return 0
}

func readSpec(r io.Reader) (hostproto.Spec, error) {
	spec, err := host.ReadSpec(r)
	if err != nil {
		return spec, err
	}
	if spec.ACP == nil || len(spec.ACP.Argv) == 0 {
		return spec, errors.New("the session's specification names no agent")
	}
	if _, err := acphost.ParseMode(spec.ACP.Permissions); err != nil {
		return spec, err
	}
	if st, err := os.Stat(spec.Record.Dir); err != nil || !st.IsDir() {
		return spec, fmt.Errorf("%s is no directory that can be used: start the session in one that is", spec.Record.Dir)
	}
	return spec, nil
}
