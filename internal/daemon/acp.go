package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/acphost"
	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/hooks"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/orchestrate"
	"github.com/termio-sh/termio/internal/shellenv"
	"github.com/termio-sh/termio/internal/version"
)

// acpHost is the word that makes a host one over ACP.
const acpHost = "acp"

// spawnACP starts an agent that is spoken to over ACP.
func (d *Daemon) spawnACP(ctx context.Context, who caller, m *atp.Manifest, b birth, dir, root string) (api.SpawnReply, error) {
	adopted := b.warm == nil
	defer func() {
		if !adopted {
			d.follows.Go(b.warm.End)
		}
	}()
	wish, err := d.wishFor(ctx, m, *b.acp, dir, root, b.env)
	if err != nil {
		return api.SpawnReply{}, err
	}
	spec := wish.spec
	if spec.Prefer, err = json.Marshal(d.remembered.preferences(m.ID, *b.acp)); err != nil {
		return api.SpawnReply{}, fmt.Errorf("encode what the session is set to: %w", err)
	}
	if told, changed := d.grantedElsewhere(m.ID, spec.Continue, wish.granted); changed {
		spec.Continue, spec.Fresh, spec.Told = "", regranted, told
	}
	if _, err := d.projects.Add(root, time.Now()); err != nil {
		return api.SpawnReply{}, orchestrate.Refuse(orchestrate.StartFailed, "%v", err)
	}
	order := orchestrate.Order{
		ID: b.id, Now: time.Now().UTC(), Manifest: m, Project: root, Dir: dir,
		Shell: d.login.Shell(), Socket: d.o.Layout.HostSocket(b.id), Title: b.title, Text: b.text,
		Cols: b.cols, Rows: b.rows,
	}
	from, started, err := d.mayStart(who)
	if err != nil {
		return api.SpawnReply{}, err
	}
	defer started()
	order.From = from
	plan := acpPlan(order, spec)
	plan.Record.Granted = wish.granted
	var rec hostproto.Record
	if b.warm != nil {
		rec, adopted, err = d.adoptWarm(b.warm, plan)
	}
	if err == nil && rec.ID == "" {
		rec, err = d.startSession(plan, hooks.Injection{}, wish.env, m, 0)
	}
	if err != nil {
		return api.SpawnReply{}, err
	}
	d.keepServers(b.id, wanted(*b.acp))
	if b.acp.Session == "" {
		d.warmNext(wish)
	}
	return api.SpawnReply{
		Head: api.OKHead(), Target: orchestrate.Link(b.id), Title: rec.Title(), Created: true, Queued: b.text != "",
	}, nil
}

// acpPlan is how such a session is started.
func acpPlan(o orchestrate.Order, spec *hostproto.ACPSpec) orchestrate.Plan {
	p := orchestrate.Launch(o)
	p.Record.Kind, p.Record.Bypass, p.Record.Command = hostproto.KindACP, false, strings.Join(spec.Argv, " ")
	p.Record.Permissions = spec.Permissions
	if spec.Continue != "" {
		p.Record.Conversation = &hostproto.Conversation{ID: spec.Continue, How: hostproto.HowProtocol, Since: o.Now}
	}
	p.ACP, p.Env = spec, nil
	return p
}

// acpSpec decides how an agent is started and what it may do.
func (d *Daemon) acpSpec(ctx context.Context, m *atp.Manifest, o api.ACPOptions, dir string, env []string) (*hostproto.ACPSpec, error) {
	if m.ACP == nil {
		return nil, orchestrate.Refuse(orchestrate.BadAgent, "%s declares no server of the Agent Client Protocol (acp in its manifest); those that do: %s", m.Name, d.acpAgents())
	}
	if o.Permissions == "" {
		o.Permissions = string(acphost.Ask)
	}
	if _, err := acphost.ParseMode(o.Permissions); err != nil {
		return nil, api.Errorf(api.CodeBadRequest, "%v", err)
	}
	path, err := d.agents.find(ctx, m, m.ACP.Command, dir, env)
	if err != nil {
		return nil, err
	}
	if path == "" {
		return nil, orchestrate.Refuse(orchestrate.StartFailed, "%s cannot be started: acp.command of its manifest (%s) is no program", m.Name, m.ACP.Command)
	}
	spec := &hostproto.ACPSpec{
		Argv: append([]string{path}, m.ACP.Args...), Permissions: o.Permissions, Continue: o.Session, Once: o.Once,
		Draft: d.settings.get().ACP.Draft,
	}
	return spec, nil
}

func (d *Daemon) acpAgents() string {
	var ids []string
	for _, m := range d.agents.catalog.get().All() {
		if m.ACP != nil {
			ids = append(ids, m.ID)
		}
	}
	return strings.Join(ids, ", ")
}

// acpEnv is an agent's environment: the caller's, what only the login shell
// has, and what the manifest adds where it is missing (rows 36, 39).
func (d *Daemon) acpEnv(ctx context.Context, m *atp.Manifest, caller []string) []string {
	if caller == nil {
		caller = d.o.Env
	}
	login, err := d.login.Env(ctx)
	if err != nil {
		d.log.Warn("the login shell's environment is not known", "why", err.Error())
	}
	var own map[string]string
	if m.ACP != nil {
		own = m.ACP.Env
	}
	return injectACP(mergeEnv(caller, login, own), m, m.Bundled(), d.settings.get().ACP)
}

// mergeEnv merges environments: the first that has a variable counts, but the
// PATH is that of all.
func mergeEnv(caller, login []string, manifest map[string]string) []string {
	out := slices.Clone(caller)
	has := map[string]bool{}
	for _, kv := range caller {
		name, _, _ := strings.Cut(kv, "=")
		has[name] = true
	}
	var dirs []string
	for _, env := range [][]string{caller, login} {
		for _, dir := range filepath.SplitList(shellenv.Get(env, "PATH")) {
			if dir != "" && !slices.Contains(dirs, dir) {
				dirs = append(dirs, dir)
			}
		}
	}
	for _, kv := range login {
		if name, _, _ := strings.Cut(kv, "="); !has[name] {
			has[name] = true
			out = append(out, kv)
		}
	}
	for name, value := range manifest {
		if !has[name] {
			out = append(out, name+"="+value)
		}
	}
	return append(out, "PATH="+strings.Join(dirs, string(filepath.ListSeparator)))
}

// relaunchACP starts the host of a closed session over ACP again; its agent
// goes on with its conversation at the next prompt.
func (d *Daemon) relaunchACP(ctx context.Context, rec hostproto.Record, r api.ReopenRequest) (api.Reopened, error) {
	m, err := d.manifestOf(rec)
	if err != nil {
		return api.Reopened{}, err
	}
	dir, err := placeAgain(m, rec)
	if err != nil {
		return api.Reopened{}, err
	}
	env := d.acpEnv(ctx, m, r.Env)
	o := api.ACPOptions{Permissions: rec.Permissions}
	if rec.Conversation != nil {
		o.Session = rec.Conversation.ID
	}
	spec, err := d.acpSpec(ctx, m, o, dir, env)
	if err != nil {
		return api.Reopened{}, err
	}
	granted, err := d.addServers(spec, d.keptServers(rec.ID), rec.Project, dir, env, true)
	if err != nil {
		return api.Reopened{}, err
	}
	switch {
	case spec.Continue != "" && granted != rec.Granted:
		spec.Continue, spec.Fresh = "", regranted
	case spec.Continue == "":
		spec.Fresh = rec.Fresh // nothing has been said in the new one yet
	}
	again := acphost.Preferences{}
	for _, c := range rec.Choices {
		again.Note(acphost.Applied(c))
	}
	if spec.Prefer, err = json.Marshal(again); err != nil {
		return api.Reopened{}, fmt.Errorf("encode what the session is set to: %w", err)
	}
	if err := d.awaitOldHost(ctx, rec); err != nil {
		return api.Reopened{}, err
	}
	plan := acpPlan(orchestrate.Order{
		ID: rec.ID, Now: since(time.Now()), Manifest: m, Project: rec.Project, Dir: dir,
		Shell: d.login.Shell(), Socket: d.o.Layout.HostSocket(rec.ID),
		From: orchestrate.Origin{Parent: rec.Parent, Root: rec.Root, Depth: rec.Depth},
		Cols: or(r.Cols, rec.Size.Cols), Rows: or(r.Rows, rec.Size.Rows),
	}, spec)
	plan.Again = true
	plan.Record.Resumed = spec.Continue != ""
	carryOn(&plan.Record, rec)
	plan.Record.Choices, plan.Record.Granted = rec.Choices, granted
	if spec.Fresh != "" {
		plan.Record.Fresh = spec.Fresh
	}
	if err := os.Remove(filepath.Join(d.o.Layout.SessionDir(rec.ID), tombstoneName)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return api.Reopened{}, orchestrate.Refuse(orchestrate.StartFailed, "the session's tombstone cannot be removed: %v", err)
	}
	now, err := d.startSession(plan, hooks.Injection{}, env, m, 0)
	if err != nil {
		return api.Reopened{}, err
	}
	return api.Reopened{Target: orchestrate.Link(now.ID), Title: shownTitle(&now), Resumed: now.Resumed, Fresh: spec.Fresh, Conversation: spec.Continue}, nil
}

// errand has an agent do one thing in a host of its own, which is no session
// and leaves nothing.
func (d *Daemon) errand(ctx context.Context, r api.ACPRequest, e acphost.Errand) (found acphost.Found, err error) {
	who, err := d.caller(r.Caller)
	if err != nil {
		return found, err
	}
	m, err := d.chooseAgent(ctx, r.Agent, who)
	if err != nil {
		return found, err
	}
	dir, root, err := d.place(who, birth{caller: r.Caller, dir: r.Dir})
	if err != nil {
		return found, err
	}
	if e.Kind == acphost.ErrandModels {
		if w := d.warmOne(ctx, m, dir, root, r.Env); w != nil {
			return w.found, nil
		}
	}
	env := d.acpEnv(ctx, m, r.Env)
	spec, err := d.acpSpec(ctx, m, api.ACPOptions{Permissions: string(acphost.Restricted)}, dir, env)
	if err != nil {
		return found, err
	}
	if r.Background {
		if err := d.pool.Blocked(m.ID); err != nil {
			return found, err
		}
	}
	if spec.Errand, err = json.Marshal(e); err != nil {
		return found, fmt.Errorf("encode the errand: %w", err)
	}
	found, err = d.runErrand(ctx, m, spec, dir, env)
	d.tellPool(ctx, m.ID, r.Background, err)
	return found, err
}

func (d *Daemon) runErrand(ctx context.Context, m *atp.Manifest, spec *hostproto.ACPSpec, dir string, env []string) (found acphost.Found, err error) {
	id := uuid.NewString()
	// Not among the sessions: a coordinator that ends meanwhile must not take
	// it for one. The host ends with the connection.
	scratch, err := os.MkdirTemp("", "termio-acp-")
	if err != nil {
		return found, orchestrate.Refuse(orchestrate.StartFailed, "a folder for the agent's host cannot be made: %v", err)
	}
	defer os.RemoveAll(scratch)
	rec := hostproto.Record{
		Version: hostproto.RecordVersion, ID: id, Kind: hostproto.KindACP, Agent: m.ID, AgentName: m.Name, Dir: dir,
		Shell: d.login.Shell(), Socket: filepath.Join(scratch, "s"), Created: time.Now(), Permissions: spec.Permissions,
	}
	child := shellenv.Child{Version: version.Version, Shell: rec.Shell, Dir: dir}
	if !d.o.Layout.Default {
		child.Home = d.o.Layout.Home
	}
	startCtx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("it did not start in %v", startTimeout))
	defer cancel()
	started, err := d.hosts.start(startCtx, append(slices.Clone(d.o.Host), acpHost), hostEnv(d.o.Env), d.o.Layout.Home, filepath.Join(scratch, "host.log"), hostproto.Spec{
		Record: rec, SessionDir: scratch, Env: shellenv.Compose(env, child), ACP: spec,
	})
	if err == nil && !started.OK {
		err = refusalOf(started)
	}
	if err != nil {
		return found, orchestrate.Refuse(orchestrate.StartFailed, "%s cannot be started: %v", m.Name, err)
	}
	c, err := hostproto.Dial(ctx, rec.Socket, hostproto.Hello{Role: hostproto.RoleControl, Client: "termio " + version.Version + " coordinator"})
	if err != nil {
		return found, fmt.Errorf("reach the agent's host: %w", err)
	}
	defer c.Close()
	var reply hostproto.ErrandReply
	err = errandReply(ctx, c, &reply)
	// The agent is to be gone when the caller hears of it.
	closing, stop := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer stop()
	if e := c.Call(closing, hostproto.OpClose, hostproto.CloseRequest{}, nil); e != nil && !errors.Is(e, hostproto.ErrClosed) {
		d.log.Warn("the host of an errand did not close", "agent", m.ID, "why", e.Error())
	}
	if err != nil {
		return found, fmt.Errorf("ask the agent: %w", err)
	}
	if err := json.Unmarshal(reply.Found, &found); err != nil {
		return found, fmt.Errorf("read what the agent said: %w", err)
	}
	d.logLoads(m.ID, found.Loads)
	if ctx.Err() != nil {
		return found, context.Cause(ctx)
	}
	if reply.Word != "" {
		return found, &errandError{word: reply.Word, message: reply.Message}
	}
	return found, nil
}

// errandError is a failure of the agent's.
type errandError struct{ word, message string }

func (e *errandError) Error() string { return e.message }

// asContract gives a failure in the contract's words.
func asContract(m string, err error) error {
	var e *errandError
	if !errors.As(err, &e) {
		return err
	}
	code := api.CodeStartFailed
	if e.word == acphost.FailGone {
		code = api.CodeAgentGone
	}
	return api.Errorf(code, "%s: %v", m, err)
}

func (d *Daemon) acpProbe(ctx context.Context, r api.ACPRequest) (api.ACPProbeReply, error) {
	f, err := d.errand(ctx, r, acphost.Errand{Kind: acphost.ErrandProbe})
	if err != nil {
		return api.ACPProbeReply{}, asContract(r.Agent, err)
	}
	out := api.ACPProbeReply{
		Head: api.OKHead(), Agent: r.Agent, Name: f.Name, Version: f.Version, ProtocolVersion: f.ProtocolVersion,
		Capabilities: json.RawMessage(f.Capabilities), Authentication: f.Auth,
	}
	for _, a := range f.AuthMethods {
		out.AuthMethods = append(out.AuthMethods, api.ACPAuthMethod(a))
	}
	return out, nil
}

func (d *Daemon) acpModels(ctx context.Context, r api.ACPRequest) (api.ACPModelsReply, error) {
	f, err := d.errand(ctx, r, acphost.Errand{Kind: acphost.ErrandModels})
	if err != nil {
		return api.ACPModelsReply{}, asContract(r.Agent, err)
	}
	out := api.ACPModelsReply{Head: api.OKHead(), Current: f.Current, Models: []api.ACPModel{}}
	for _, m := range f.Models {
		out.Models = append(out.Models, api.ACPModel(m))
	}
	if len(f.Options) > 0 {
		if out.ConfigOptions, err = json.Marshal(f.Options); err != nil {
			return out, fmt.Errorf("encode the agent's options: %w", err)
		}
	}
	return out, nil
}

func (d *Daemon) acpSessions(ctx context.Context, r api.ACPRequest) (api.ACPSessionsReply, error) {
	f, err := d.errand(ctx, r, acphost.Errand{Kind: acphost.ErrandSessions, Cursor: r.Cursor})
	if err != nil {
		return api.ACPSessionsReply{}, asContract(r.Agent, err)
	}
	out := api.ACPSessionsReply{Head: api.OKHead(), Supported: f.Supported, Sessions: []api.ACPSession{}, NextCursor: f.NextCursor}
	for _, s := range f.Sessions {
		out.Sessions = append(out.Sessions, api.ACPSession(s))
	}
	return out, nil
}

func (d *Daemon) acpLoad(ctx context.Context, r api.ACPRequest) (api.ACPLoadReply, error) {
	if r.Session == "" {
		return api.ACPLoadReply{}, api.Errorf(api.CodeNoTarget, "say which session: `termio acp sessions --agent %s` lists them", r.Agent)
	}
	f, err := d.errand(ctx, r, acphost.Errand{Kind: acphost.ErrandLoad, Session: r.Session})
	if err != nil {
		return api.ACPLoadReply{}, asContract(r.Agent, err)
	}
	out := api.ACPLoadReply{Head: api.OKHead(), Title: f.Title, Lines: []api.ACPLine{}}
	for _, l := range f.Lines {
		line := api.ACPLine{Role: l.Role, Text: l.Text, Reasoning: l.Reasoning}
		for _, t := range l.Tools {
			line.Tools = append(line.Tools, api.ACPTool(t))
		}
		out.Lines = append(out.Lines, line)
	}
	return out, nil
}
