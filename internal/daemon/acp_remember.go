package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"sync"
	"time"

	"github.com/termio-sh/termio/internal/acphost"
	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/atomicfile"
)

// remembered is what people set agents over ACP to, for their next sessions
// (state/acp-options.json): the model, the collaboration mode, the effort and
// the fast switch of each agent (rows 178–184). An agent's own mode, which is
// about what it may do, is never remembered.
type remembered struct {
	path string
	now  func() time.Time

	mu     sync.Mutex
	agents map[string]acphost.Preferences // nil until they are read
}

// rememberedFile is the file on disk.
type rememberedFile struct {
	Version int                            `json:"version"`
	Agents  map[string]acphost.Preferences `json:"agents"`
}

// maxRemembered is the largest such file that is read, in bytes.
const maxRemembered = 1 << 20

// load is called with mu held. A file that cannot be read now is left as it is;
// one that is no such file is set aside.
func (r *remembered) load() error {
	if r.agents != nil {
		return nil
	}
	data, err := atomicfile.Read(r.path, maxRemembered)
	var f rememberedFile
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("read what agents are set to: %w", err)
	default:
		if json.Unmarshal(data, &f) != nil {
			if _, err := atomicfile.SetAside(r.path, r.now()); err != nil {
				return fmt.Errorf("read what agents are set to: %w", err)
			}
			f = rememberedFile{}
		}
	}
	if f.Agents == nil {
		f.Agents = map[string]acphost.Preferences{}
	}
	r.agents = f.Agents
	return nil
}

// of is what an agent's next session is set to. What cannot be read is nothing.
func (r *remembered) of(agent string) acphost.Preferences {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.load() != nil {
		return acphost.Preferences{}
	}
	return r.agents[agent]
}

// note takes what was set, and forgets the roles that are named.
func (r *remembered) note(agent string, applied []acphost.Applied, forget []string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.load(); err != nil {
		return err
	}
	p := r.agents[agent]
	before := p
	for _, role := range forget {
		switch role {
		case acphost.RoleModel:
			p.Model = ""
		case acphost.RoleCollaboration:
			p.Collaboration = ""
		case acphost.RoleEffort:
			p.Effort = ""
		case acphost.RoleFast:
			p.Fast = nil
		default:
			return api.Errorf(api.CodeBadRequest, "nothing is remembered of %q: only the model, the collaboration mode, the effort and fast are", role)
		}
	}
	for _, a := range applied {
		switch a.Role {
		case acphost.RoleModel:
			p.Model = a.Value
		case acphost.RoleCollaboration:
			p.Collaboration = a.Value
		case acphost.RoleEffort:
			p.Effort = a.Value
		case acphost.RoleFast:
			on := a.Value == "on" || a.Value == "true"
			p.Fast = &on
		}
	}
	if same(p, before) {
		return nil
	}
	r.agents[agent] = p
	data, err := json.Marshal(rememberedFile{Version: 1, Agents: r.agents})
	if err != nil {
		return fmt.Errorf("remember what the agent is set to: %w", err)
	}
	if err := atomicfile.Write(r.path, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("the session is set, but for the agent's next ones it cannot be remembered: %w", err)
	}
	return nil
}

func same(a, b acphost.Preferences) bool {
	return a.Model == b.Model && a.Collaboration == b.Collaboration && a.Effort == b.Effort &&
		(a.Fast == nil) == (b.Fast == nil) && (a.Fast == nil || *a.Fast == *b.Fast)
}

// settings are what is remembered of an agent, by role.
func (r *remembered) settings(agent string) (out []acphost.Setting) {
	p := r.of(agent)
	for _, s := range []acphost.Setting{
		{Name: acphost.RoleModel, Value: p.Model}, {Name: acphost.RoleCollaboration, Value: p.Collaboration}, {Name: acphost.RoleEffort, Value: p.Effort},
	} {
		if s.Value != "" {
			out = append(out, s)
		}
	}
	if p.Fast != nil {
		out = append(out, acphost.Setting{Name: acphost.RoleFast, Value: strconv.FormatBool(*p.Fast)})
	}
	return out
}

// preferences are what a new session is set to: what was asked for, before what
// is remembered.
func (r *remembered) preferences(agent string, o api.ACPOptions) acphost.Preferences {
	p := r.of(agent)
	if o.Model != "" {
		p.Model = o.Model
	}
	if o.Collaboration != "" {
		p.Collaboration = o.Collaboration
	}
	if o.Effort == highestEffort {
		p.Effort, p.Highest = "", true
	} else if o.Effort != "" {
		p.Effort = o.Effort
	}
	if o.Fast != nil {
		p.Fast = o.Fast
	}
	for _, q := range o.Set {
		p = p.With(acphost.Setting(q))
	}
	return p
}

// highestEffort asks for the highest effort that is known.
const highestEffort = "highest"
