package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/config"
	"github.com/termio-sh/termio/internal/paint"
	"github.com/termio-sh/termio/internal/paint/tty"
	"github.com/termio-sh/termio/internal/paths"
	"github.com/termio-sh/termio/vt"
)

// Options say where the face is shown, and what of.
type Options struct {
	Project string // root directory of the project that was opened
	Dir     string // where new sessions start
	// Session is the link of the one session that is shown; "" for all, with
	// the sidebar.
	Session string
	In, Out *os.File
	Getenv  func(string) string
	Environ []string
	// Core is the program that has every command; "" for the one beside this.
	Core string
	// Guard is the command line of the terminal's guard; nil for this
	// program's own.
	Guard []string
}

// gcPercent is how far the heap grows, beyond what is live, before garbage is
// collected.
const gcPercent = 300

// Run shows the face until the person leaves. Of a face for one session it says
// how that was.
func Run(ctx context.Context, o Options) (farewell string, err error) {
	if term := o.Getenv("TERM"); term == "" || term == "dumb" {
		return "", fmt.Errorf("this terminal (TERM=%s) cannot show termio; set TERM, or use `termio sessions`", term)
	}
	layout, err := paths.Resolve(o.Getenv)
	if err != nil {
		return "", err
	}
	if o.Core == "" {
		self, err := os.Executable()
		if err != nil {
			return "", fmt.Errorf("find this program: %w", err)
		}
		o.Core = filepath.Join(filepath.Dir(self), "termio-core")
	}
	client, err := api.NewClient(api.ClientOptions{Layout: layout, Start: []string{o.Core, "daemon", "run"}})
	if err != nil {
		return "", err
	}
	defer client.Close()
	cols, rows, err := tty.Size(o.Out)
	if err != nil {
		return "", err
	}
	if cols <= 0 || rows <= 0 {
		cols, rows = 80, 24
	}
	store, setup, err := o.setup(layout, cols, rows)
	if err != nil {
		return "", err
	}
	defer store.close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// Little is kept and little thrown away: collecting it seldom costs some
	// megabytes, and hardly ever a key its time.
	debug.SetGCPercent(gcPercent)
	pictures := paint.PicturesOf(o.Getenv)
	setup.Pictures = pictures.Kitty || pictures.Sixel
	s := &shell{
		o: &o, ctx: ctx, client: client, store: store, layout: layout, hosts: map[string]*host{},
		m: New(setup, time.Now()), canvas: NewCanvas(cols, rows),
		painter: paint.New(paint.Options{Cols: cols, Rows: rows, Depth: o.depth(), Pictures: pictures}),
		outer:   openOuter(o.In, o.Out),
	}
	defer s.outer.close()
	s.written.L = &s.mu
	s.painter.SetCellSize(tty.CellSize(o.Out))
	err = s.run()
	return s.m.Farewell, err
}

// depth is how many colours there are to be; NO_COLOR, if it is not empty, wants
// none (no-color.org).
func (o *Options) depth() paint.Depth {
	if o.Getenv("NO_COLOR") != "" {
		return paint.DepthNone
	}
	return paint.DepthOf(o.Getenv)
}

// setup reads what the user chose.
func (o *Options) setup(layout paths.Layout, cols, rows int) (*store, Setup, error) {
	settings, _ := config.Load(layout.Settings(), time.Now())
	prefix, err := vt.ParseKey(settings.Detach())
	if err != nil {
		return nil, Setup{}, fmt.Errorf("the setting detachKey: %w; say `termio config set detachKey <key>`", err)
	}
	store, kept, looks, problems := openStore(layout)
	keys := filepath.Join(layout.ConfigDir(), "keybindings.json")
	bindings, more := loadBindings(keys)
	more = append(more, bindings.hidden(prefix, prefixName(settings.Detach()))...)
	signs, speaks := map[string]string{}, map[string]bool{}
	catalog, _ := atp.Load(layout.AgentsDir())
	for _, m := range catalog.All() {
		if m.Icon != nil && m.Icon.Glyph != "" {
			signs[m.ID] = m.Icon.Glyph
		}
		speaks[m.ID] = m.ACP != nil
	}
	return store, Setup{
		Cols: cols, Rows: rows, Home: o.Project, Dir: o.Dir, Prefix: prefix, PrefixName: prefixName(settings.Detach()),
		Bindings: bindings, Problems: append(problems, more...), Looks: looks, Unicode: unicodeLocale(o.Getenv),
		Agents: signs, Speaks: speaks, Kept: kept, FirstRun: !kept.Welcomed && settings.Asked == 0 && o.Session == "", Only: o.Session,
		User: o.Getenv("HOME"), Editor: editorOf(o.Getenv),
		Keeps:  Places{Settings: layout.Settings(), Bindings: keys, Looks: store.looks, State: store.state},
		Caller: api.Caller{Cwd: o.Dir, All: o.Getenv("TERMIO_SESSION") == "", Session: o.Getenv("TERMIO_SESSION"), Token: o.Getenv("TERMIO_TOKEN")},
	}, nil
}

// run takes the terminal, runs the loop and gives the terminal back.
func (s *shell) run() (err error) {
	s.signals = watchSignals()
	defer s.signals.stop()
	if s.screen, err = tty.Take(s.o.In, s.o.Out); err != nil {
		return err
	}
	// Also while a panic unwinds: its message must not end on a screen that
	// goes away.
	defer func() {
		if e := s.giveBack(); err == nil {
			err = e
		}
	}()
	if err := s.enter(); err != nil {
		return err
	}
	s.program = tea.NewProgram(
		s, tea.WithContext(s.ctx), tea.WithInput(&keyboard{s.outer.in, s.straight, func(err error) { s.fail(fmt.Errorf("read from the terminal: %w", err)) }}),
		tea.WithOutput(io.Discard), tea.WithoutRenderer(), tea.WithoutSignalHandler(), tea.WithoutCatchPanics(),
		tea.WithWindowSize(s.m.Cols, s.m.Rows), tea.WithFPS(1), tea.WithEnvironment(s.o.Environ),
	)
	if err := s.screen.Watch(paint.Emergency(), s.o.Guard); err != nil {
		return err
	}
	stop := make(chan struct{})
	defer close(stop)
	s.start(func() {
		for {
			select {
			case sig := <-s.signals.c:
				s.program.Send(signalMsg{sig})
			case <-stop:
				return
			}
		}
	})
	if s.m.FirstRun {
		s.store.keep(change{Welcomed: true})
	}
	_, err = s.program.Run()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	for link := range s.hosts {
		s.hangUp(link)
	}
	switch {
	case s.err != nil:
		return s.err
	case errors.Is(err, tea.ErrProgramKilled) && s.ctx.Err() != nil:
		return s.ctx.Err()
	}
	return err
}

// commandFor bounds a command of ours, which is over at once.
const commandFor = 30 * time.Second

// command runs `termio` with arguments and gives what it printed.
func (o *Options) command(ctx context.Context, args []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, commandFor)
	defer cancel()
	cmd := exec.CommandContext(ctx, o.Core, args...)
	cmd.Env = o.Environ
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// prefixName is a key's name for people.
func prefixName(name string) string {
	parts := strings.Split(strings.ReplaceAll(name, "ctrl--", "ctrl-minus"), "-")
	for i, p := range parts {
		if len(p) > 1 {
			parts[i] = strings.ToUpper(p[:1]) + p[1:]
		}
	}
	return strings.Join(parts, "-")
}
