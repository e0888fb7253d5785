package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hooks"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/orchestrate"
	"github.com/termio-sh/termio/internal/project"
	"github.com/termio-sh/termio/internal/resume"
	"github.com/termio-sh/termio/internal/shellenv"
	"github.com/termio-sh/termio/internal/version"
)

// startTimeout bounds how long a host may take until its program runs.
const startTimeout = 10 * time.Second

// birth is a session that was asked for.
type birth struct {
	caller         api.Caller
	dir            string // as asked for; empty means the caller's
	title          string
	text           string
	bypass         bool
	extra          []string
	cols, rows     int
	env            []string
	waiting        api.Waiting
	id             string // of the session
	worktree, base string
	acp            *api.ACPOptions // over the Agent Client Protocol
	warm           *warmHost       // that becomes the session; nil when there is none
	past           *resume.Launch  // a past conversation to go on with, nil for a new one
}

func (d *Daemon) spawn(ctx context.Context, r api.SpawnRequest) (any, error) {
	who, err := d.caller(r.Caller)
	if err != nil {
		return nil, err
	}
	m, err := d.chooseAgent(ctx, r.Agent, who)
	if err != nil {
		return nil, err
	}
	if r.Bypass && m.PermissionBypassFlag == "" {
		return nil, api.Errorf(api.CodeBadRequest, "%s declares no flag that bypasses permissions; leave --bypass-permissions out", m.Name)
	}
	return d.bearAndWait(ctx, who, m, birth{
		caller: r.Caller, dir: r.Dir, title: r.Title, text: r.Prompt, bypass: r.Bypass, extra: r.Extra,
		cols: r.Cols, rows: r.Rows, env: r.Env, waiting: r.Waiting, acp: r.ACP, worktree: r.Worktree, base: r.Base,
	})
}

func (d *Daemon) runCommand(ctx context.Context, r api.RunRequest) (any, error) {
	if r.Command == "" {
		return nil, api.Errorf(api.CodeNoText, "no command was given; as in: termio sessions run \"make test\"")
	}
	who, err := d.caller(r.Caller)
	if err != nil {
		return nil, err
	}
	m, ok := d.agents.catalog.get().ByID(atp.TerminalID)
	if !ok {
		return nil, api.Errorf(api.CodeInternal, "the manifest of the plain terminal is missing")
	}
	return d.bearAndWait(ctx, who, m, birth{
		caller: r.Caller, dir: r.Dir, title: r.Title, text: r.Command, cols: r.Cols, rows: r.Rows, env: r.Env,
		waiting: r.Waiting,
	})
}

func (d *Daemon) chooseAgent(ctx context.Context, named string, who caller) (*atp.Manifest, error) {
	s := d.settings.get()
	choice := orchestrate.Choice{Named: named, Default: s.DefaultAgent}
	if who.session != nil {
		choice.Caller = who.session.record.Agent
	}
	return orchestrate.ChooseAgent(d.agents.catalog.get(), choice, func(m *atp.Manifest) bool {
		_, err := d.agents.find(ctx, m, commandOf(m, s), "/", nil)
		return err == nil
	})
}

// place decides where a session runs and to which project it belongs: a
// session's sibling to the same, anything else to that of its directory.
func (d *Daemon) place(who caller, b birth) (dir, root string, err error) {
	asked := b.dir
	if asked == "" && b.caller.Project != "" {
		asked = b.caller.Project
	}
	if asked == "" {
		asked = b.caller.Cwd
	}
	if asked == "" && who.session != nil {
		asked = who.session.record.Dir
	}
	if dir, err = project.Canonical(asked); err != nil {
		return "", "", orchestrate.Refuse(orchestrate.StartFailed, "the session cannot run in %q: %v; name another directory", asked, err)
	}
	if who.session != nil {
		return dir, who.session.record.Project, nil
	}
	return dir, d.projects.Find(dir), nil
}

// bear starts a session and answers as soon as it exists.
func (d *Daemon) bear(ctx context.Context, who caller, m *atp.Manifest, b birth) (api.SpawnReply, error) {
	dir, root, err := d.place(who, b)
	if err != nil {
		return api.SpawnReply{}, err
	}
	if b.acp != nil {
		return d.spawnACP(ctx, who, m, b, dir, root)
	}
	env := b.env
	if env == nil {
		env = d.o.Env
	}
	s := d.settings.get()
	chosen := s.Agents[m.ID]
	program, err := d.agents.find(ctx, m, commandOf(m, s), dir, env)
	if err != nil {
		return api.SpawnReply{}, err
	}
	if _, err := d.projects.Add(root, time.Now()); err != nil {
		return api.SpawnReply{}, orchestrate.Refuse(orchestrate.StartFailed, "%v", err)
	}
	id := b.id
	order := orchestrate.Order{
		ID: id, Now: time.Now().UTC(), Manifest: m, Project: root, Dir: dir,
		Shell: d.login.Shell(), Socket: d.o.Layout.HostSocket(id),
		Title: b.title, Text: b.text, Bypass: b.bypass || chosen.BypassPermissions, Override: chosen.Command, Extra: b.extra,
		Cols: b.cols, Rows: b.rows,
	}
	from, started, err := d.mayStart(who)
	if err != nil {
		return api.SpawnReply{}, err
	}
	defer started()
	order.From = from
	tree, settled, err := d.enterWorktree(ctx, &order, b.worktree, b.base)
	if err != nil {
		return api.SpawnReply{}, err
	}
	exists := false
	defer func() { settled(exists) }()
	if b.past != nil {
		d.goOn(ctx, &order, program, env, *b.past)
	} else if err := d.beginConversation(ctx, &order, program, env); err != nil {
		return api.SpawnReply{}, err
	}
	in := d.inject(ctx, order, program, env, s)
	order.Args, order.Env = in.Args, in.Env
	rec, err := d.startSession(orchestrate.Launch(order), in, env, m, scrollback(s.ScrollbackLines()))
	if err != nil {
		return api.SpawnReply{}, err
	}
	exists = true
	return api.SpawnReply{
		Head: api.OKHead(), Target: orchestrate.Link(id), Title: rec.Title(), Created: true, Queued: b.text != "", Worktree: tree,
	}, nil
}

// scrollback is how a number of lines is said to a host, for which 0 means the
// default.
func scrollback(lines int) int {
	if lines == 0 {
		return -1
	}
	return lines
}

// startSession makes a session's directory and starts its host.
func (d *Daemon) startSession(p orchestrate.Plan, in hooks.Injection, env []string, m *atp.Manifest, lines int) (rec hostproto.Record, err error) {
	defer d.finder.launching(m.ID)()
	id := p.Record.ID
	dir := d.o.Layout.SessionDir(id)
	if err := os.Mkdir(dir, 0o700); err != nil && !(p.Again && errors.Is(err, os.ErrExist)) {
		return rec, orchestrate.Refuse(orchestrate.StartFailed, "the session's directory cannot be made: %v; make %s writable, or set TERMIO_HOME", err, d.o.Layout.Home)
	}
	defer func() {
		if err != nil && !p.Again {
			os.RemoveAll(dir)
		}
	}()
	if len(in.Files) > 0 {
		if err := in.Write(filepath.Join(dir, hookDir)); err != nil {
			return rec, orchestrate.Refuse(orchestrate.StartFailed, "%v; make %s writable, or set TERMIO_HOME", err, d.o.Layout.Home)
		}
	}
	token, err := newToken(dir)
	if err != nil {
		return rec, orchestrate.Refuse(orchestrate.StartFailed, "%v", err)
	}
	child := shellenv.Child{
		Session: id, Socket: p.Record.Socket, Token: token, Version: version.Version,
		Shell: p.Record.Shell, Dir: p.Record.Dir, Extra: p.Env,
	}
	if !d.o.Layout.Default {
		child.Home = d.o.Layout.Home
	}
	// Not the caller's context: a caller that goes away leaves no half of a
	// session behind.
	ctx, cancel := context.WithTimeoutCause(d.life, startTimeout, fmt.Errorf("it did not start in %v", startTimeout))
	defer cancel()
	logPath := filepath.Join(dir, "host.log")
	spec := hostproto.Spec{
		Record: p.Record, SessionDir: dir, Env: shellenv.Compose(env, child), Scrollback: lines,
		Manifest: m.JSON(), Prompt: p.Prompt, Setup: p.Setup, SetupDone: p.SetupDone,
	}
	if m.IsTerminal() {
		spec.Programs, spec.AgentsDir = d.agents.catalog.get().Programs(), d.o.Layout.AgentsDir()
		spec.Marks = d.settings.get().MarksShells()
	}
	host := d.o.Host
	if p.ACP != nil {
		spec.ACP, spec.Manifest, host = p.ACP, nil, append(slices.Clone(host), acpHost)
	}
	started, err := d.hosts.start(ctx, host, hostEnv(d.o.Env), d.o.Layout.Home, logPath, spec)
	if err == nil && !started.OK {
		err = refusalOf(started)
	}
	if err == nil && (started.Record == nil || started.Record.ID != id) {
		err = errors.New("its host answered for another session")
	}
	if err != nil {
		d.log.Warn("a session could not be started", "agent", m.ID, "why", err.Error())
		var refused *hostproto.Error
		if errors.As(err, &refused) {
			return rec, refused
		}
		return rec, orchestrate.Refuse(orchestrate.StartFailed, "%s cannot be started: %v", m.Name, err)
	}
	d.roster.enter(*started.Record, p.Again)
	d.startFollowing(id, nil)
	d.log.Info("started a session", "session", id, "agent", m.ID, "pid", started.Record.HostPID)
	return *started.Record, nil
}

func refusalOf(s hostproto.Started) error {
	if s.Error == nil {
		return errors.New("its host gave no reason")
	}
	return s.Error
}

// hostEnv is the environment of hosts themselves. That of their programs is in
// the specification.
func hostEnv(env []string) []string {
	var out []string
	for _, name := range []string{"HOME", "PATH", "USER", "LOGNAME", "TMPDIR", "LANG", "TZ", "GOMAXPROCS", "GODEBUG", "GOCOVERDIR"} {
		if v := shellenv.Get(env, name); v != "" {
			out = append(out, name+"="+v)
		}
	}
	return out
}

// findHost finds the program of a host beside self, this program; else self
// does the same.
func findHost(self string) []string {
	host := filepath.Join(filepath.Dir(self), "termio-host"+filepath.Ext(self))
	if st, err := os.Stat(host); err == nil && st.Mode().IsRegular() {
		return []string{host}
	}
	return []string{self, "host"}
}
