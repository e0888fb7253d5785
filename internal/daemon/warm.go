package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/acphost"
	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/config"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/orchestrate"
	"github.com/termio-sh/termio/internal/paths"
	"github.com/termio-sh/termio/internal/shellenv"
	"github.com/termio-sh/termio/internal/status"
	"github.com/termio-sh/termio/internal/version"
)

// maxWarm is how many agents wait for their session at once: each takes some
// hundred megabytes.
const maxWarm = 2

// adoptTime is how long a warm host may take to become a session.
const adoptTime = 5 * time.Second

// warmHost is a host of an agent over ACP that is no session yet. It ends by
// itself when its client's connection does.
type warmHost struct {
	d      *Daemon
	id     string // of the session that it will be
	record hostproto.Record
	client *hostproto.Client
	found  acphost.Found
	once   sync.Once
}

// Gone is closed when the host has ended, or does not listen to us any more.
func (w *warmHost) Gone() <-chan struct{} { return w.client.Done() }

// End ends the host and its agent. While the coordinator ends it only lets go:
// the host does the rest.
func (w *warmHost) End() {
	w.once.Do(func() {
		ctx, cancel := context.WithTimeout(w.d.life, closeTime)
		defer cancel()
		err := w.client.Call(ctx, hostproto.OpClose, hostproto.CloseRequest{}, nil)
		w.client.Close()
		if err == nil || w.d.life.Err() != nil {
			return
		}
		if !errors.Is(err, hostproto.ErrClosed) {
			w.d.log.Warn("a warm agent's host did not close", "agent", w.record.Agent, "why", err.Error())
		}
		if _, err := os.Lstat(w.d.o.Layout.WarmDir(w.id)); err == nil {
			w.d.sweepWarm([]string{w.id}) // it was killed, or is to be
		}
	})
}

// warmWish is what a warm agent is for: all that a session over ACP is started
// with but its name, its prompt and its preferences.
type warmWish struct {
	m    *atp.Manifest
	dir  string
	env  []string
	spec *hostproto.ACPSpec
	// granted is what our own MCP server lets the session do, see addServers.
	granted string
}

// key is what must be the same (rows 117, 190).
func (w warmWish) key() acphost.PoolKey {
	k := acphost.PoolKey{Agent: w.m.ID, Dir: w.dir, Launch: w.launch()}
	if len(w.spec.MCP)+len(w.spec.OwnMCP) > 0 {
		k.MCP = fingerprint([]string{string(w.spec.MCP), w.spec.OwnMCP, w.granted})
	}
	return k
}

// launch is the fingerprint of how the agent is started and of what it is told
// that it may do.
func (w warmWish) launch() string {
	env := shellenv.Scrub(w.env)
	env = slices.DeleteFunc(env, func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(perTerminal, name)
	})
	last := map[string]string{} // as a program sees it
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		last[name] = kv
	}
	var parts []string
	for _, kv := range last {
		parts = append(parts, kv)
	}
	slices.Sort(parts)
	acts := "looks"
	if acphost.Mode(w.spec.Permissions).Acts() {
		acts = "acts"
	}
	return fingerprint(append(append(slices.Clone(w.spec.Argv), "", acts, strconv.FormatBool(w.spec.Draft)), parts...))
}

// perTerminal are variables that differ between two terminals of one person
// and are set anew for an agent, or are nothing to it.
var perTerminal = []string{"PWD", "TERM", "COLORTERM", "SHELL", "WINDOWID", "TTY", "GPG_TTY", "SSH_TTY", "VTE_VERSION", "XDG_SESSION_ID", "INVOCATION_ID", "JOURNAL_STREAM"}

func fingerprint(parts []string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// wishFor is the wish of a session that is asked for.
func (d *Daemon) wishFor(ctx context.Context, m *atp.Manifest, o api.ACPOptions, dir, root string, caller []string) (warmWish, error) {
	env := d.acpEnv(ctx, m, caller)
	spec, err := d.acpSpec(ctx, m, o, dir, env)
	if err != nil {
		return warmWish{}, err
	}
	granted, err := d.addServers(spec, wanted(o), root, dir, env, false)
	return warmWish{m, dir, env, spec, granted}, err
}

// warm sees to it that an agent waits for the wish.
func (d *Daemon) warm(ctx context.Context, w warmWish) (*warmHost, error) {
	got, err := d.pool.Warm(ctx, w.key(), func(ctx context.Context) (acphost.Warm, error) { return d.startWarm(ctx, w) })
	if err != nil {
		return nil, err
	}
	return got.(*warmHost), nil
}

// warmNext has an agent wait for the next session like the one that was just
// started, where the user wants that.
func (d *Daemon) warmNext(w warmWish) {
	if d.settings.get().WarmsACP() != config.WarmAlways {
		return
	}
	d.follows.Go(func() {
		if _, err := d.warm(d.life, w); err != nil && d.life.Err() == nil {
			d.log.Info("no agent is kept warm", "agent", w.m.ID, "why", err.Error())
		}
	})
}

// startWarm starts a warm host and waits until its agent is ready. An error
// leaves nothing.
func (d *Daemon) startWarm(ctx context.Context, w warmWish) (host acphost.Warm, err error) {
	id := uuid.NewString()
	dir, socket := d.o.Layout.WarmDir(id), d.o.Layout.WarmSocket(id)
	if err := paths.PrepareSocketDir(filepath.Dir(socket)); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make a folder for a warm agent: %w", err)
	}
	var client *hostproto.Client
	var rec hostproto.Record
	defer func() {
		if err == nil {
			return
		}
		if client != nil {
			(&warmHost{d: d, id: id, record: rec, client: client}).End()
		}
		os.RemoveAll(dir)
	}()
	token, err := newToken(dir)
	if err != nil {
		return nil, err
	}
	rec = hostproto.Record{
		Version: hostproto.RecordVersion, ID: id, Kind: hostproto.KindACP, Agent: w.m.ID, AgentName: w.m.Name, Dir: w.dir,
		Shell: d.login.Shell(), Socket: socket, Created: time.Now(), Permissions: w.spec.Permissions,
	}
	spec := *w.spec
	spec.Warm, spec.Once, spec.Continue, spec.Prefer, spec.Fresh, spec.Told = true, false, "", nil, "", ""
	child := shellenv.Child{ // as the session's program will have it
		Session: id, Socket: d.o.Layout.HostSocket(id), Token: token, Version: version.Version, Shell: rec.Shell, Dir: w.dir,
	}
	if !d.o.Layout.Default {
		child.Home = d.o.Layout.Home
	}
	startCtx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("it did not start in %v", startTimeout))
	defer cancel()
	started, err := d.hosts.start(startCtx, append(slices.Clone(d.o.Host), acpHost), hostEnv(d.o.Env), d.o.Layout.Home, filepath.Join(dir, "host.log"), hostproto.Spec{
		Record: rec, SessionDir: dir, Env: shellenv.Compose(w.env, child), ACP: &spec,
	})
	if err == nil && !started.OK {
		err = refusalOf(started)
	}
	if err != nil {
		return nil, orchestrate.Refuse(orchestrate.StartFailed, "%s cannot be started: %v", w.m.Name, err)
	}
	rec = *started.Record
	client, err = hostproto.Dial(ctx, socket, hostproto.Hello{Role: hostproto.RoleControl, Client: "termio " + version.Version + " coordinator"})
	if err != nil {
		if d.life.Err() == nil {
			d.endHost(d.life, rec)
		}
		return nil, fmt.Errorf("reach the warm agent's host: %w", err)
	}
	var reply hostproto.WarmReply
	if err := client.Call(ctx, hostproto.OpWarm, nil, &reply); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, fmt.Errorf("make an agent ready: %w", err)
	}
	if reply.Word != "" {
		return nil, &errandError{word: reply.Word, message: reply.Message}
	}
	ready := &warmHost{d: d, id: id, record: rec, client: client}
	if err := json.Unmarshal(reply.Found, &ready.found); err != nil {
		return nil, fmt.Errorf("read what the warm agent said: %w", err)
	}
	d.log.Info("an agent is warm", "agent", w.m.ID, "dir", w.dir, "pid", rec.HostPID)
	return ready, nil
}

// takeWarm gives a session that is about to be started the warm agent that
// waits for it, and its id with it; it does nothing where there is none.
func (d *Daemon) takeWarm(ctx context.Context, who caller, m *atp.Manifest, b *birth) {
	if b.acp == nil || b.acp.Session != "" || m.ACP == nil || len(d.pool.Waiting()) == 0 {
		return
	}
	dir, root, err := d.place(who, *b)
	if err != nil {
		return // whoever starts the session says so
	}
	w, err := d.wishFor(ctx, m, *b.acp, dir, root, b.env)
	if err != nil {
		return
	}
	if got, ok := d.pool.Take(ctx, w.key()); ok {
		b.warm = got.(*warmHost)
		b.id = b.warm.id
	}
}

// adopt makes a warm host the session of a plan. It reports false when the
// host could not be, and is gone: then another one can be started in its place.
func (d *Daemon) adoptWarm(w *warmHost, p orchestrate.Plan) (rec hostproto.Record, adopted bool, err error) {
	id := p.Record.ID
	q := hostproto.AdoptRequest{
		Record: p.Record, SessionDir: d.o.Layout.SessionDir(id),
		Permissions: p.ACP.Permissions, Once: p.ACP.Once, Prefer: p.ACP.Prefer,
	}
	if p.Prompt != nil {
		q.Prompt = p.Prompt.Text
	}
	ctx, cancel := context.WithTimeout(d.life, adoptTime)
	defer cancel()
	var info hostproto.Info
	if err := w.client.Call(ctx, hostproto.OpAdopt, q, &info); err != nil {
		d.log.Warn("a warm agent could not become a session; another one is started", "session", id, "agent", w.record.Agent, "why", err.Error())
		w.End()
		if _, e := os.Lstat(d.o.Layout.Record(id)); e == nil {
			return rec, false, orchestrate.Refuse(orchestrate.StartFailed, "the session's host ended while it was started: %v", err)
		}
		return rec, false, nil
	}
	w.client.Close()
	d.roster.enter(info.Record, false)
	d.startFollowing(id, nil)
	d.finder.wake()
	d.log.Info("started a session with a warm agent", "session", id, "agent", w.record.Agent, "pid", info.Record.HostPID)
	return info.Record, true, nil
}

// leftWarm are the ids of warm hosts of earlier coordinators.
func (d *Daemon) leftWarm() (ids []string) {
	entries, err := os.ReadDir(d.o.Layout.WarmDir(""))
	if err != nil {
		return nil // there was none yet
	}
	for _, e := range entries {
		if isSessionID(e.Name()) {
			ids = append(ids, e.Name())
		}
	}
	return ids
}

// sweepWarm ends what is left of warm hosts of earlier coordinators. They end
// by themselves when theirs does; one that was killed leaves its folder, and
// maybe its agent, which is known by its token.
func (d *Daemon) sweepWarm(ids []string) {
	for _, id := range ids {
		dir := d.o.Layout.WarmDir(id)
		rec, err := readRecord(filepath.Join(dir, "record.json"))
		if err == nil && !hostproto.Gone(rec.HostPID, rec.HostBoot) {
			d.endHost(d.life, rec)
		}
		if d.life.Err() != nil {
			return // the next one does it
		}
		d.endLeftovers(hostproto.Record{ID: id})
		if err := os.RemoveAll(dir); err != nil {
			d.log.Warn("the folder of a warm agent is left", "dir", dir, "why", err.Error())
		}
		os.Remove(d.o.Layout.WarmSocket(id))
	}
}

// worked clears what stood against an agent when a turn with it succeeded (row
// 104).
func (d *Daemon) worked(rec hostproto.Record, ev *hostproto.Event) {
	if rec.Kind == hostproto.KindACP && ev.Type == hostproto.EventStatus && ev.Status != nil && ev.Status.State == string(status.Done) {
		d.pool.Worked(rec.Agent)
	}
}

// tellPool notes how an errand went. What was given up says nothing.
func (d *Daemon) tellPool(ctx context.Context, agent string, background bool, err error) {
	switch {
	case err == nil:
		d.pool.Worked(agent)
	case background && ctx.Err() == nil:
		d.pool.Failed(agent, err)
	}
}

// warmOne is the agent that waits in a directory, whatever it was told that it
// may do; nil when there is none.
func (d *Daemon) warmOne(ctx context.Context, m *atp.Manifest, dir, root string, env []string) *warmHost {
	if len(d.pool.Waiting()) == 0 {
		return nil
	}
	for _, mode := range []acphost.Mode{acphost.Restricted, acphost.Ask} {
		w, err := d.wishFor(ctx, m, api.ACPOptions{Permissions: string(mode)}, dir, root, env)
		if err != nil {
			return nil // whoever starts one says so
		}
		if got := d.pool.Peek(w.key()); got != nil {
			return got.(*warmHost)
		}
	}
	return nil
}

// errandReply waits for what an errand brings. When the caller goes, the errand
// is given up, and still tells what became of it.
func errandReply(ctx context.Context, c *hostproto.Client, reply *hostproto.ErrandReply) error {
	whole, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := context.AfterFunc(ctx, func() {
		defer cancel()
		closing, end := context.WithTimeout(whole, closeTime)
		defer end()
		// An errand that is given up is told of as it ends.
		_ = c.Call(closing, hostproto.OpClose, hostproto.CloseRequest{}, nil)
		select {
		case <-c.Done():
		case <-closing.Done():
		}
	})
	defer stop()
	return c.Call(whole, hostproto.OpErrand, nil, reply)
}

// logLoads logs the session/load of errands, whose hosts leave no log (row 13).
func (d *Daemon) logLoads(agent string, loads []acphost.LoadRecord) {
	for _, l := range loads {
		args := []any{"at", l.At, "agent", agent, "session", l.Session, "state", l.State, "budget_ms", l.BudgetMs}
		if l.ElapsedMs != nil {
			args = append(args, "elapsed_ms", *l.ElapsedMs)
		}
		if l.Error != "" {
			args = append(args, "error", l.Error)
		}
		d.log.Info("acp session/load", args...)
	}
}

// acpWarm is `termio acp warm`.
func (d *Daemon) acpWarm(ctx context.Context, r api.ACPWarmRequest) (api.ACPWarmReply, error) {
	who, err := d.caller(r.Caller)
	switch {
	case err != nil:
		return api.ACPWarmReply{}, err
	case r.List && r.End:
		return api.ACPWarmReply{}, api.Errorf(api.CodeBadRequest, "list and end exclude each other")
	case r.End:
		d.pool.Evict(r.Agent)
	case !r.List:
		if err := d.warmAsked(ctx, who, r); err != nil {
			return api.ACPWarmReply{}, err
		}
	}
	out := api.ACPWarmReply{Head: api.OKHead(), Warm: []api.ACPWarm{}}
	for _, w := range d.pool.Waiting() {
		one := api.ACPWarm{Agent: w.Key.Agent, Dir: w.Key.Dir, Since: w.Since.UTC()}
		if w.Warm != nil {
			one.Ready, one.Until, one.PID = true, w.Since.UTC().Add(acphost.IdleTime), w.Warm.(*warmHost).record.HostPID
		}
		out.Warm = append(out.Warm, one)
	}
	return out, nil
}

func (d *Daemon) warmAsked(ctx context.Context, who caller, r api.ACPWarmRequest) error {
	if d.settings.get().WarmsACP() == config.WarmNever {
		return api.Errorf(api.CodeBadRequest, "no agent is kept warm here: `termio config unset acp.warm` allows it when it is asked for")
	}
	m, err := d.chooseAgent(ctx, r.Agent, who)
	if err != nil {
		return err
	}
	dir, root, err := d.place(who, birth{caller: r.Caller, dir: r.Dir})
	if err != nil {
		return err
	}
	w, err := d.wishFor(ctx, m, api.ACPOptions{Permissions: r.Permissions, MCP: r.MCP, OwnMCP: r.OwnMCP, NoMCP: r.NoMCP}, dir, root, r.Env)
	if err != nil {
		return err
	}
	_, err = d.warm(ctx, w)
	switch {
	case err == nil || ctx.Err() != nil || errors.As(err, new(*orchestrate.Refusal)):
		return err
	case errors.As(err, new(*errandError)):
		return asContract(m.ID, err)
	}
	return orchestrate.Refuse(orchestrate.StartFailed, "%s: %v", m.Name, err)
}
