//go:build unix

package acp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/termio-sh/termio/internal/acphost"
	"github.com/termio-sh/termio/internal/host"
	proc "github.com/termio-sh/termio/internal/host/process"
	"github.com/termio-sh/termio/internal/hostproto"
)

// maxSpec bounds what the host reads of its specification, in bytes.
const maxSpec = 8 << 20

// Main is a host's whole life. It reads its specification from in, answers one
// line on out when the session is there or why it is not, and returns the exit
// code when the session is over. It takes over the process: its session, its
// signals, its standard files and its children. The agent's program is started
// with the first prompt.
func Main(in, out *os.File) int {
	runtime.GOMAXPROCS(min(2, runtime.NumCPU()))
	debug.SetGCPercent(50)
	proc.Detach()
	fail := func(err error) int {
		answer(out, hostproto.Started{Error: &hostproto.Error{Code: hostproto.CodeStartFailed, Message: err.Error()}})
		return 1
	}
	spec, err := readSpec(in)
	if err != nil {
		return fail(err)
	}
	if err := os.MkdirAll(spec.SessionDir, 0o700); err != nil {
		return fail(fmt.Errorf("make the session's folder: %w: make its parent writable, or set TERMIO_HOME to a folder that is", err))
	}
	logFile, logf, err := openLog(spec.SessionDir)
	if err != nil {
		return fail(fmt.Errorf("%w: make the folder writable, or set TERMIO_HOME to one that is", err))
	}
	if err := proc.BecomeSubreaper(); err != nil {
		logf("become subreaper: %v; programs that detach themselves may survive the session", err)
	}
	l, err := host.Listen(spec.Record.Socket)
	if err != nil {
		return fail(err)
	}
	s, err := newSession(spec, logf)
	if err != nil {
		l.Close()
		return fail(err)
	}
	proc.WatchSignals(s.procs.reaper.Reap, func() { s.close(hostproto.ReasonUser, func(*hostproto.Error) {}) }, func() {
		switch again, err := l.Reopen(); {
		case err != nil:
			logf("the socket is gone and cannot be opened anew: %v", err)
		case again:
			logf("the socket was gone and was opened anew")
		}
	})
	go host.NewServer(s, s.hub).Serve(l)
	record := s.Info().Record
	answer(out, hostproto.Started{OK: true, Record: &record})
	if err := proc.Redirect(logFile); err != nil {
		logf("%v", err)
	}
	s.begin(spec)
	<-s.answered
	s.hub.Drain(linger)
	l.Close()
	return 0
}

func answer(out io.Writer, st hostproto.Started) {
	if data, err := json.Marshal(st); err == nil {
		_, _ = out.Write(append(data, '\n'))
	}
}

func readSpec(r io.Reader) (hostproto.Spec, error) {
	var spec hostproto.Spec
	if err := json.NewDecoder(io.LimitReader(r, maxSpec)).Decode(&spec); err != nil {
		return spec, fmt.Errorf("read the session's specification: %w", err)
	}
	switch {
	case spec.Record.ID == "":
		return spec, errors.New("the session's specification has no id")
	case !filepath.IsAbs(spec.SessionDir):
		return spec, fmt.Errorf("the session's folder %q is not an absolute path", spec.SessionDir)
	case !filepath.IsAbs(spec.Record.Socket):
		return spec, fmt.Errorf("the session's socket %q is not an absolute path", spec.Record.Socket)
	case !filepath.IsAbs(spec.Record.Dir):
		return spec, fmt.Errorf("the session's directory %q is not an absolute path", spec.Record.Dir)
	case spec.ACP == nil || len(spec.ACP.Argv) == 0:
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

// LogName is the host's log in the session's folder, maxLog the size at which
// it is begun anew, in bytes.
const (
	LogName = "host.log"
	maxLog  = 1 << 20
)

// openLog opens the log and gives the function that writes JSON lines to it.
func openLog(dir string) (*os.File, func(string, ...any), error) {
	path := filepath.Join(dir, LogName)
	if st, err := os.Stat(path); err == nil && st.Size() > maxLog {
		_ = os.Rename(path, path+".1")
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("open the host's log: %w", err)
	}
	var mu sync.Mutex
	return f, func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		line, err := json.Marshal(struct {
			Time time.Time `json:"time"`
			PID  int       `json:"pid"`
			Msg  string    `json:"msg"`
		}{time.Now(), os.Getpid(), fmt.Sprintf(format, args...)})
		if err == nil {
			_, _ = f.Write(append(line, '\n'))
		}
	}, nil
}
