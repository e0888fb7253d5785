// Package daemon is the coordinator: one process for each home that knows
// every session, answers the API on a socket and starts hosts. It holds
// nothing that it cannot rebuild: killed at any moment, the next one finds the
// live hosts again (DESIGN §1, §2).
package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/termio-sh/termio/internal/acphost"
	"github.com/termio-sh/termio/internal/filelock"
	"github.com/termio-sh/termio/internal/paths"
	"github.com/termio-sh/termio/internal/project"
	"github.com/termio-sh/termio/internal/shellenv"
	"github.com/termio-sh/termio/internal/version"
)

// Options say what a coordinator serves.
type Options struct {
	Layout paths.Layout
	// Host is the command of a host; empty means termio-host beside this
	// program, else this program with "host".
	Host []string
	// Env is the environment that sessions start from when their caller sends
	// none; nil means this process's.
	Env []string
	// Notes is told, in words for a person, why Run returns at once without
	// an error; nil means standard error.
	Notes io.Writer
	// Command runs command lines for small clients; nil means that none are.
	Command CommandRunner
}

// Times of the coordinator's life.
const (
	lockWait     = 5 * time.Second  // for one that is about to end
	drainTime    = 2 * time.Second  // for calls at work when it ends
	watchEvery   = 30 * time.Second // its socket is looked at, whatever the watcher says
	pruneEvery   = 6 * time.Hour
	adoptionTime = time.Second // calls wait so long for the first look at all hosts
)

// Daemon is a coordinator at work.
type Daemon struct {
	o            Options
	log          *slog.Logger
	started      time.Time
	roster       *roster
	projects     *project.Registry
	remembered   remembered
	login        *shellenv.Login
	agents       *agents
	settings     *settings
	hosts        *hostProcesses
	problems     *problems
	notes        *notifier
	history      *historian
	stalls       stalls
	counters     counters
	finder       *finder
	launches     launches
	lines        chan struct{} // one place for each connection to a host
	starts       starts
	pool         *acphost.Pool // agents over ACP that wait for their session
	repositories repositories
	doing        map[string]verb // by name

	// ctx ends when the coordinator is to end: it takes no new call then. life
	// ends when those at work have had time to finish.
	ctx     context.Context
	stop    context.CancelCauseFunc
	life    context.Context
	endLife context.CancelFunc
	follows sync.WaitGroup
	calls   sync.WaitGroup // of those who come, see front
	adopted chan struct{}  // closed when every host was looked at once
	deaf    chan struct{}  // closed when nobody can call any more
}

// errAsked is the cause of an end that somebody asked for.
var errAsked = errors.New("asked to stop")

// Run is the coordinator's whole life: until ctx ends, somebody asks it to
// stop, or another one has taken its place. It returns nil at once when
// another one runs for the same home.
func Run(ctx context.Context, o Options) error {
	if o.Env == nil {
		o.Env = os.Environ()
	}
	if o.Notes == nil {
		o.Notes = os.Stderr
	}
	if len(o.Host) == 0 {
		// Now, since an upgrade may replace the program later.
		self, err := os.Executable()
		if err != nil {
			return fmt.Errorf("find this program: %w", err)
		}
		if real, err := filepath.EvalSymlinks(self); err == nil {
			self = real
		}
		o.Host = findHost(self)
	}
	if err := o.Layout.Prepare(); err != nil {
		return err
	}
	lock, err := takeOver(ctx, o.Layout)
	if errors.Is(err, errRunning) {
		fmt.Fprintf(o.Notes, "the coordinator of %s is running already\n", o.Layout.Home)
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { lock.Release() }()
	logFile, err := openLog(filepath.Join(o.Layout.LogsDir(), LogName))
	if err != nil {
		return err
	}
	defer logFile.Close()
	d := newDaemon(ctx, o, slog.New(slog.NewJSONHandler(logFile, nil)))
	defer d.stop(nil)
	err = d.run(&lock)
	d.log.Info("ended", "why", fmt.Sprint(err))
	if errors.Is(err, errAsked) || ctx.Err() != nil {
		return nil
	}
	return err
}

func newDaemon(ctx context.Context, o Options, log *slog.Logger) *Daemon {
	d := &Daemon{
		o: o, log: log, started: time.Now(), roster: newRoster(),
		hosts: newHostProcesses(), problems: &problems{log: log}, adopted: make(chan struct{}), deaf: make(chan struct{}),
		lines: make(chan struct{}, linesOf(fileLimit())),
		pool:  acphost.NewPool(maxWarm),
	}
	d.ctx, d.stop = context.WithCancelCause(ctx)
	d.life, d.endLife = context.WithCancel(context.WithoutCancel(ctx))
	d.stalls.run, d.stalls.within = d.watchStalls, d.life
	getenv := func(name string) string { return shellenv.Get(o.Env, name) }
	d.login = shellenv.NewLogin(shellenv.LoginShell(getenv), o.Env)
	d.history = newHistorian(d)
	d.settings = newSettings(o.Layout.Settings(), d.problems)
	d.agents = newAgents(o.Layout.AgentsDir(), d.login, d.problems)
	d.finder = newFinder(d)
	d.notes = newNotifier(d)
	d.doing = d.verbs()
	var err error
	d.remembered = remembered{path: filepath.Join(o.Layout.StateDir(), "acp-options.json"), now: time.Now}
	if d.projects, err = project.Open(o.Layout.Projects(), time.Now()); err != nil {
		d.problems.set("projects", []problem{{file: o.Layout.Projects(), rule: ruleRegistry, message: err.Error()}})
	}
	return d
}

// run serves until the coordinator's life ends, and says why it did.
func (d *Daemon) run(lock **filelock.Lock) error {
	defer d.endLife()
	d.login.Warm()
	server := &http.Server{
		Handler: d.handler(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		ConnContext: withProcess,
		ErrorLog:    slog.NewLogLogger(d.log.Handler(), slog.LevelWarn),
	}
	sock, err := listen(d.o.Layout.DaemonSocket())
	if err != nil {
		return err
	}
	left := d.leftWarm() // before there are new ones
	d.log.Info("started", "pid", os.Getpid(), "version", version.Version, "home", d.o.Layout.Home)
	serve := func(s *socket) {
		if err := server.Serve(d.part(s)); !errors.Is(err, http.ErrServerClosed) && d.ctx.Err() == nil && !s.replaced.Load() {
			d.stop(fmt.Errorf("serve the API: %w", err))
		}
	}
	go serve(sock)
	stopReaping := d.hosts.reap()
	defer stopReaping()
	d.adopt()
	var tending sync.WaitGroup
	tending.Go(d.tendHooks)
	tending.Go(d.notes.run)
	tending.Go(d.afterAdoption)
	tending.Go(func() { d.sweepWarm(left) })
	defer tending.Wait()
	d.keep(&sock, lock, serve)

	// Who comes now starts the next one, which waits for the lock.
	sock.remove()
	sock.Close()
	close(d.deaf)
	ctx, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		server.Close()
	}
	answered := make(chan struct{})
	go func() { d.calls.Wait(); close(answered) }()
	select {
	case <-answered:
	case <-ctx.Done():
	}
	d.endLife()
	d.pool.Close()
	d.follows.Wait()
	return context.Cause(d.ctx)
}

var errRunning = errors.New("another coordinator runs")

// takeOver takes the lock of the home, waiting for a coordinator that is about
// to end, or finds that one is at work.
func takeOver(ctx context.Context, l paths.Layout) (*filelock.Lock, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, lockWait, errors.New("it neither answers nor ends"))
	defer cancel()
	for {
		lock, err := filelock.Try(l.DaemonLock())
		if !errors.Is(err, filelock.ErrHeld) {
			return lock, err
		}
		if answers(l.DaemonSocket()) {
			return nil, errRunning
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("another coordinator holds %s: %w", l.DaemonLock(), context.Cause(ctx))
		case <-time.After(20 * time.Millisecond):
		}
	}
}
