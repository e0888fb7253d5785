package daemon

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/termio-sh/termio/internal/acp"
	"github.com/termio-sh/termio/internal/acphost"
	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/atomicfile"
	"github.com/termio-sh/termio/internal/hostproto"
	"github.com/termio-sh/termio/internal/orchestrate"
)

// mcpName is the file in a session's folder (0600) with the MCP servers that the
// session itself was given, for its next life. They may carry secrets.
const mcpName = "mcp.json"

const maxMCP = 1 << 20

// wantedServers are the MCP servers that a session itself was given.
type wantedServers struct {
	MCP   json.RawMessage `json:"mcp,omitempty"` // as the protocol has them
	Own   bool            `json:"own,omitempty"`
	NoMCP bool            `json:"none,omitempty"` // none of the settings'
}

func wanted(o api.ACPOptions) wantedServers { return wantedServers{o.MCP, o.OwnMCP, o.NoMCP} }

// addServers gives a session its MCP servers: the user's, the project's and its own,
// of one name the later. It returns what stands for what our own server lets
// the session do, "" where it does not have it.
func (d *Daemon) addServers(spec *hostproto.ACPSpec, w wantedServers, root, dir string, env []string, again bool) (granted string, err error) {
	s := d.settings.get()
	var all acphost.Servers
	if !w.NoMCP {
		data, err := json.Marshal(s.SessionServers(root))
		if err != nil {
			return "", fmt.Errorf("encode the settings' MCP servers: %w", err)
		}
		if all, err = acphost.ReadServers(data); err != nil {
			return "", api.Errorf(api.CodeBadRequest, "in the settings: %v", err)
		}
	}
	more := acphost.Servers{Own: w.Own}
	if err := acp.Decode(w.MCP, &more.List); err != nil {
		return "", api.Errorf(api.CodeBadRequest, "the MCP servers cannot be read: %v", err)
	}
	all = all.With(more)
	if err := all.Absolute(dir, env); err != nil {
		return "", orchestrate.Refuse(orchestrate.StartFailed, "%v", err)
	}
	if len(all.List) > 0 {
		raw, err := acp.Encode(all.List)
		if err != nil {
			return "", fmt.Errorf("encode the MCP servers: %w", err)
		}
		spec.MCP = json.RawMessage(raw)
	}
	if !all.Own {
		return "", nil
	}
	if !s.ControlsSessions() {
		if w.Own && !again {
			return "", api.Errorf(api.CodeDisabled, "session control is switched off, and with it the session's MCP server: `termio config set sessionControl true`")
		}
		return "", nil
	}
	if spec.OwnMCP, err = ownMCP(); err != nil {
		return "", err
	}
	return grant(root, spec.Permissions), nil
}

// ownMCP is the program of our own MCP server, which is beside this one.
func ownMCP() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	path := filepath.Join(filepath.Dir(self), "termio-mcp"+filepath.Ext(self))
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() {
		return "", orchestrate.Refuse(orchestrate.StartFailed, "termio-mcp is not beside this program (%s); install both, or `make build`", path)
	}
	return path, nil
}

// grant stands for what our own server lets a session do (row 190): the sessions
// that it sees, how its own agent is answered when it asks, and the verbs. It
// is no secret.
func grant(root, permissions string) string {
	h := sha256.New()
	for _, part := range []string{acphost.OwnServer, root, permissions, fmt.Sprint(api.SchemaVersion)} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// keepServers keeps what a session itself was given. Where that fails its next
// life has the settings' servers alone.
func (d *Daemon) keepServers(id string, w wantedServers) {
	if len(w.MCP) == 0 && !w.Own && !w.NoMCP {
		return
	}
	data, err := json.Marshal(w)
	if err == nil {
		err = atomicfile.Write(filepath.Join(d.o.Layout.SessionDir(id), mcpName), data, 0o600)
	}
	if err != nil {
		d.log.Warn("a session's MCP servers are not kept for its next life", "session", id, "why", err.Error())
	}
}

func (d *Daemon) keptServers(id string) (w wantedServers) {
	data, err := atomicfile.Read(filepath.Join(d.o.Layout.SessionDir(id), mcpName), maxMCP)
	if err == nil {
		err = json.Unmarshal(data, &w)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.log.Warn("a session's MCP servers are not known any more", "session", id, "why", err.Error())
		return wantedServers{}
	}
	return w
}

// regranted is why a session is not continued, where its agent was given another
// reach through our own server than it is now.
const regranted = "what it may do through Termio's own MCP server has changed"

// grantedElsewhere tells whether an agent's conversation was led with another
// reach than it has now, and what was said in it, by the sessions that had it.
func (d *Daemon) grantedElsewhere(agent, conversation, granted string) (told string, changed bool) {
	if conversation == "" {
		return "", false
	}
	var had []hostproto.Record
	for _, live := range []bool{true, false} {
		for _, s := range d.roster.all(everything, live) {
			if r := s.record; r.Kind == hostproto.KindACP && r.Agent == agent && r.Conversation != nil && r.Conversation.ID == conversation {
				had = append(had, r)
			}
		}
	}
	slices.SortFunc(had, func(a, b hostproto.Record) int { return a.Created.Compare(b.Created) })
	if len(had) == 0 || had[len(had)-1].Granted == granted {
		return "", false
	}
	var said acphost.Conversation
	for _, r := range had {
		f, err := os.Open(filepath.Join(d.o.Layout.SessionDir(r.ID), hostproto.JournalName))
		if err != nil {
			d.log.Warn("a session's journal cannot be read", "session", r.ID, "why", err.Error())
			continue
		}
		said.Recall(f)
		f.Close()
	}
	return said.Retell(), true
}
