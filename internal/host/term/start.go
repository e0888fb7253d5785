//go:build unix

package term

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/host"
	proc "github.com/termio-sh/termio/internal/host/process"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/loginshell"
	"github.com/termio-sh/termio/internal/status"
	"github.com/termio-sh/termio/vt"
)

// defaultSize is a session's size when nobody's terminal gives one.
var defaultSize = hostproto.Size{Cols: 120, Rows: 40}

// readSpec takes the specification from the host's standard input.
func readSpec(r io.Reader) (hostproto.Spec, error) {
	spec, err := host.ReadSpec(r)
	if err == nil && !filepath.IsAbs(spec.Record.Shell) {
		err = fmt.Errorf("the session's shell %q is not an absolute path", spec.Record.Shell)
	}
	return spec, err
}

// manifest is the agent's manifest, or that of a plain terminal.
func manifest(spec hostproto.Spec) (*atp.Manifest, error) {
	if len(spec.Manifest) == 0 {
		return &atp.Manifest{ID: atp.TerminalID}, nil
	}
	m, problems := atp.Decode(spec.Record.Agent+".json", spec.Manifest)
	if m == nil {
		return nil, fmt.Errorf("the agent's manifest cannot be used: %w", problems)
	}
	return m, nil
}

// start makes the session's folder, socket, terminal and program. What it has
// opened when something fails ends with the process.
func start(spec hostproto.Spec, logf func(string, ...any)) (*session, *host.Socket, error) {
	m, err := manifest(spec)
	if err != nil {
		return nil, nil, err
	}
	if err := checkDir(spec.Record.Dir); err != nil {
		return nil, nil, err
	}
	l, err := host.Listen(spec.Record.Socket)
	if err != nil {
		return nil, nil, err
	}
	s, err := startProgram(spec, m, logf)
	if err != nil {
		l.Close()
		return nil, nil, err
	}
	return s, l, nil
}

func startProgram(spec hostproto.Spec, m *atp.Manifest, logf func(string, ...any)) (*session, error) {
	s := newSession(spec, m, logf)
	s.records = host.NewRecordWriter(spec.SessionDir, func(err error) { logf("%v; the session goes on", err) })
	// Before the program runs: a folder that cannot be written is an error
	// now, later it is not.
	if err := s.records.SaveNow(s.record); err != nil {
		return nil, fmt.Errorf("%w: make the folder writable, or set TERMIO_HOME to one that is", err)
	}
	master, tty, err := openPTY(s.size)
	if err != nil {
		return nil, err
	}
	s.pty = master
	line := execLine(s.record.Command)
	if spec.Setup != "" {
		pipe := filepath.Join(spec.SessionDir, turnName)
		line = setupLine(spec.Setup, spec.SetupDone, pipe, line)
		s.setup.running.Store(true)
		if err := s.setup.queue(pipe, spec.SetupDone, logf); err != nil {
			return nil, err
		}
	}
	argv, env := loginshell.Args(s.record.Shell, line), spec.Env
	if spec.Marks && line == "" {
		argv, env = s.marking(argv, env, spec.SessionDir)
	}
	s.launched = time.Now()
	s.record.Launched, s.record.Submits, s.record.Named, s.program = s.launched, nil, nil, fileOf(s.record.Program)
	s.token, s.generation = tokenOf(spec.Env), uint64(s.launched.UnixNano())
	s.child, err = s.reaper.Start(proc.Command{
		Argv: argv, Env: env, Dir: spec.Record.Dir, In: tty, Out: tty, Err: tty, Terminal: true,
	})
	tty.Close()
	if err != nil {
		return nil, fmt.Errorf("%w: check the login shell, or set SHELL to one that works", err)
	}
	s.record.ChildPID = s.child.PID
	s.record.ChildBoot, _ = hostproto.ProcessStamp(s.child.PID) // "" is doubt
	s.watch(m)
	s.file = newStatusFile(m, s.record.LaunchNotes)
	s.recognise(m, spec)
	return s, nil
}

// newSession makes the parts that need no system.
func newSession(spec hostproto.Spec, m *atp.Manifest, logf func(string, ...any)) *session {
	r := spec.Record
	r.Version, r.Kind, r.Closed = hostproto.RecordVersion, "term", nil
	if r.Size.Cols <= 0 || r.Size.Rows <= 0 {
		r.Size = defaultSize
	}
	r.Size = clampSize(r.Size)
	if r.Created.IsZero() {
		r.Created = time.Now()
	}
	r.HostPID = os.Getpid()
	r.HostBoot, _ = hostproto.ProcessStamp(r.HostPID) // "" is doubt, which keeps a session
	s := &session{
		record: r, size: r.Size, hub: host.NewHub(), log: logf,
		quit: make(chan struct{}), finished: make(chan struct{}),
		filters: map[*host.Peer]*filter{},
		titles:  level{budget: budget{every: titleEvery}},
	}
	tee, cur := host.NewTee()
	s.tee = tee
	lines := spec.Scrollback
	s.engine = newEngine(func(cols, rows int) *vt.Terminal {
		return vt.New(vt.Options{
			Cols: cols, Rows: rows, Scrollback: lines,
			Reply: func(p []byte) { s.input.answer(p) },
			Event: s.terminalEvent,
		})
	}, r.Size, tee, cur)
	s.engine.failed = func(failure any) {
		logf("a defect of the terminal engine, the screen begins anew: %v\n%s", failure, debug.Stack())
	}
	s.input = newInputQueue(func(p []byte) error { return s.pty.write(p) }, func(p []byte) int { return s.pty.tryWrite(p) }, s.engine.poke)
	s.deliveries.plain = m.IsTerminal()
	s.resume = m.Resume
	if m.Input != nil {
		s.deliveries.input = *m.Input
	}
	return s
}

// watch begins to conclude from what the program does.
func (s *session) watch(m *atp.Manifest) {
	s.watcher = newWatcher(m, s.launched, s.generation)
	s.engine.sample = s.sample
	s.deliveries.ready = readiness{plain: m.IsTerminal(), manifest: m.Ready, marks: s.marks}
	if m.Ready != nil {
		s.deliveries.ready.matches = s.watcher.rules.ScreenReady
	}
	s.mu.Lock()
	s.note(status.Event{At: s.launched, Kind: status.KindLaunch})
	s.lastStatus = s.wireStatus()
	s.record.State, s.record.Since = s.lastStatus.State, s.lastStatus.Since
	s.traceLaunch()
	s.mu.Unlock()
}

// tokenOf is the session's token, which the program finds in its environment.
func tokenOf(env []string) string {
	for _, kv := range env {
		if token, ok := strings.CutPrefix(kv, "TERMIO_TOKEN="); ok {
			return token
		}
	}
	return ""
}
