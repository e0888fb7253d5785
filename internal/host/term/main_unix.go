//go:build unix

package term

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/termio-sh/termio/internal/host"
	"github.com/termio-sh/termio/internal/hostproto"
)

// LogName is the host's log in the session's folder.
const LogName = "host.log"

// Main is a host's whole life. It reads its specification from in, answers one
// line on out when the program runs or why it does not, and returns the exit
// code when the session is over. It takes over the process: its session, its
// signals, its standard files and its children.
func Main(in, out *os.File) int {
	tune()
	detach()
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
	if err := becomeSubreaper(); err != nil {
		logf("become subreaper: %v; programs that detach themselves may survive the session", err)
	}
	s, l, err := start(spec, logf)
	if err != nil {
		return fail(err)
	}
	watchSignals(s.child.reap, s.stop, func() {
		switch again, err := l.Reopen(); {
		case err != nil:
			logf("the socket is gone and cannot be opened anew: %v", err)
		case again:
			logf("the socket was gone and was opened anew")
		}
	})
	s.child.reap() // it may have ended before anybody watched
	s.run()
	s.mu.Lock()
	if err := s.records.SaveNow(s.record); err != nil {
		logf("%v; the session goes on", err)
	}
	record := s.record
	s.mu.Unlock()
	go host.NewServer(s, s.hub).Serve(l)
	answer(out, hostproto.Started{OK: true, Record: &record})
	if err := redirect(logFile); err != nil {
		logf("%v", err)
	}
	if spec.Prompt != nil {
		s.prompt(*spec.Prompt)
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

func answer(out io.Writer, st hostproto.Started) {
	data, err := json.Marshal(st)
	if err != nil {
		return
	}
	_, _ = out.Write(append(data, '\n'))
}

// maxLog is the size at which a host's log is begun anew, in bytes.
const maxLog = 1 << 20

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
