package acphost

import (
	"cmp"
	"context"
	"encoding/json/jsontext"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/termio-sh/termio/internal/acp"
)

// Errand is something that is asked of an agent without a turn.
type Errand struct {
	Kind string `json:"kind"` // probe, models, sessions or load
	// Session is the provider's id, for load.
	Session string `json:"session,omitzero"`
	Cursor  string `json:"cursor,omitzero"` // for sessions
}

// The kinds of errands.
const (
	ErrandProbe    = "probe"
	ErrandModels   = "models"
	ErrandSessions = "sessions"
	ErrandLoad     = "load"
)

// Found is what an errand brings back; which fields are there goes by its kind.
type Found struct {
	// probe
	Name            string         `json:"name,omitzero"`
	Version         string         `json:"version,omitzero"`
	ProtocolVersion int            `json:"protocolVersion,omitzero"`
	Capabilities    jsontext.Value `json:"capabilities,omitzero"`
	Auth            string         `json:"authentication,omitzero"` // one of the Auth words
	AuthMethods     []AuthMethod   `json:"authMethods,omitzero"`

	// models
	Current string                    `json:"current,omitzero"`
	Models  []Model                   `json:"models,omitzero"`
	Options []acp.SessionConfigOption `json:"configOptions,omitzero"`

	// sessions
	Supported  bool   `json:"supported,omitzero"`
	Sessions   []Row  `json:"sessions,omitzero"`
	NextCursor string `json:"nextCursor,omitzero"`

	// load
	Title string `json:"title,omitzero"`
	Lines []Line `json:"lines,omitzero"`

	Noise int `json:"noise,omitzero"` // lines that were skipped
	// Loads are the records of its session/load, see LoadRecord.
	Loads []LoadRecord `json:"loads,omitzero"`
}

// AuthMethod is a way to sign in to an agent.
type AuthMethod struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Row is a session that an agent knows.
type Row struct {
	SessionID string `json:"sessionId"`
	Cwd       string `json:"cwd"`
	Title     string `json:"title,omitzero"`
	UpdatedAt string `json:"updatedAt,omitzero"`
}

// Run does an errand on a session that has no turn. The agent is ended after.
func (s *Session) Run(ctx context.Context, e Errand) (found Found, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if e.Kind == ErrandProbe {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, ProbeTime, timeout{ProbeTime.String()})
		defer stop()
	}
	l, err := s.start(ctx)
	if l == nil {
		return found, err
	}
	defer func() {
		s.mu.Lock()
		found.Noise = l.noise.count
		s.mu.Unlock()
		if err != nil {
			err = l.withStderr(err)
		}
		l.end()
	}()
	if err != nil {
		return found, err
	}
	switch e.Kind {
	case ErrandProbe:
		found = l.probe()
		found.Auth = l.login(ctx)
		return found, nil
	case ErrandModels:
		err = l.models(ctx, &found)
	case ErrandSessions:
		err = l.list(ctx, e.Cursor, &found)
	case ErrandLoad:
		err = l.loadLines(ctx, e.Session, &found)
	default:
		err = fmt.Errorf("there is no errand %q", e.Kind)
	}
	return found, err
}

func (l *live) probe() Found {
	f := Found{Name: "unknown", ProtocolVersion: int(l.init.ProtocolVersion), Capabilities: l.capabilities(), Auth: AuthUnknown}
	if i := l.init.AgentInfo; i != nil {
		f.Name, f.Version = cmp.Or(i.Title, i.Name), i.Version
	}
	for _, m := range l.init.AuthMethods {
		f.AuthMethods = append(f.AuthMethods, AuthMethod{string(m.ID), m.Name})
	}
	return f
}

// models makes a session, since the protocol tells of models only there, and
// deletes it again where the agent can.
func (l *live) models(ctx context.Context, f *Found) error {
	if err := l.establish(ctx, RequestTime); err != nil {
		return err
	}
	l.s.mu.Lock()
	config, id := l.s.config, l.s.id
	l.s.mu.Unlock()
	f.Current, f.Models = config.AllModels()
	f.Options = config.Options
	l.deleteEmpty(id, DeleteTime)
	return nil
}

// deleteEmpty deletes a session that nothing was said in, if the agent does so
// in time.
func (l *live) deleteEmpty(id string, within time.Duration) {
	if l.sessionCaps().Delete == nil || id == "" {
		return
	}
	// It is cleaning up: an agent that refuses keeps an empty session.
	_ = l.call(context.Background(), within, acp.MethodDeleteSession, acp.DeleteSessionRequest{SessionID: acp.SessionId(id)}, nil)
}

// list follows the agent's pages (rows 140–143). What was found is kept when a
// later page fails.
func (l *live) list(ctx context.Context, cursor string, f *Found) error {
	if l.sessionCaps().List == nil {
		f.Sessions = []Row{}
		return nil
	}
	f.Supported, f.Sessions = true, []Row{}
	seen := map[string]bool{}
	start := time.Now()
	for page := 1; ; page++ {
		within := RequestTime
		if page > 1 {
			within = min(RequestTime, max(listTime-time.Since(start), 0))
		}
		var out acp.ListSessionsResponse
		err := l.call(ctx, within, acp.MethodListSessions, acp.ListSessionsRequest{Cwd: l.s.o.Dir, Cursor: cursor}, &out)
		if err != nil {
			if page == 1 || errors.Is(err, errCancelled) {
				return err
			}
			f.NextCursor = cursor
			return nil
		}
		for _, r := range out.Sessions {
			id := string(r.SessionID)
			if seen[id] {
				continue
			}
			seen[id] = true
			if !below(l.s.o.Dir, r.Cwd) {
				continue
			}
			if len(f.Sessions) == listRows && (cursor != "" || out.NextCursor != "") {
				f.NextCursor = cmp.Or(cursor, out.NextCursor) // this page again, where it has a name
				return nil
			}
			f.Sessions = append(f.Sessions, Row{SessionID: id, Cwd: r.Cwd, Title: r.Title, UpdatedAt: r.UpdatedAt})
		}
		if out.NextCursor == "" || out.NextCursor == cursor {
			return nil
		}
		cursor = out.NextCursor
		if page >= listPages || time.Since(start) >= listTime || len(f.Sessions) >= listRows {
			f.NextCursor = cursor
			return nil
		}
	}
}

// below tells whether dir is root or in it.
func below(root, dir string) bool {
	for _, r := range []string{root, real(root)} {
		for _, d := range []string{dir, real(dir)} {
			if d == r || strings.HasPrefix(d, strings.TrimSuffix(r, "/")+"/") {
				return true
			}
		}
	}
	return false
}

func real(dir string) string {
	if r, err := filepath.EvalSymlinks(dir); err == nil {
		return r
	}
	return dir
}

// loadLines loads a session's history. An agent that cannot is not asked
// (row 53).
func (l *live) loadLines(ctx context.Context, id string, f *Found) error {
	if !l.caps().LoadSession && l.s.o.Past != nil {
		var err error
		f.Title, f.Lines, err = l.s.o.Past(id)
		return err
	}
	if !l.caps().LoadSession {
		return &Failure{FailResume, errors.New("the agent does not support the replay of a session: it declares no loadSession (session/load)")}
	}
	l.s.mu.Lock()
	l.s.id = id
	l.s.mu.Unlock()
	r := &Replay{}
	t := &Translator{session: id, replay: true}
	l.take(func(e Entry) {
		for _, ev := range t.Add(e) {
			r.Add(ev)
			if ev.Type == EventInfo && ev.Title != "" {
				f.Title = ev.Title
			}
		}
	})
	if err := l.load(ctx, id); err != nil {
		l.take(nil)
		return ofSession(id, err)
	}
	l.take(nil) // whatever comes later is too late
	for _, ev := range t.Flush(time.Time{}) {
		r.Add(ev)
	}
	f.Lines = r.Lines()
	return nil
}

// take has every update given to f from now on, in order.
func (l *live) take(f func(Entry)) {
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	l.tap = f
}
