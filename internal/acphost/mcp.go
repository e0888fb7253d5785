package acphost

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/termio-sh/termio/atp"
	"github.com/termio-sh/termio/internal/acp"
)

// OwnServer is the name of this program's own MCP server, the sessions verbs as
// tools.
const OwnServer = "termio"

// Servers are MCP servers for a session.
type Servers struct {
	List []acp.McpServer `json:"servers,omitempty"`
	// Own adds this program's.
	Own bool `json:"own,omitempty"`
}

// ReadServers reads servers in the shape in which clients keep them: an object
// by name, alone or as the member mcpServers, each {command, args, env} or {type,
// url, headers}; true means this program's own.
func ReadServers(data []byte) (s Servers, err error) {
	var file struct {
		Servers map[string]json.RawMessage `json:"mcpServers"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return s, fmt.Errorf("the MCP servers are no JSON object: %w", err)
	}
	if file.Servers == nil {
		if err := json.Unmarshal(data, &file.Servers); err != nil {
			return s, fmt.Errorf("the MCP servers are no JSON object: %w", err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(file.Servers)) {
		raw := file.Servers[name]
		if name == OwnServer && string(raw) == "true" {
			s.Own = true
			continue
		}
		server, err := readServer(name, raw)
		if err != nil {
			return s, err
		}
		s.List = append(s.List, server)
	}
	return s, nil
}

func readServer(name string, raw []byte) (acp.McpServer, error) {
	var e struct {
		Type, Command, URL string
		Args               []string
		Env, Headers       map[string]string
	}
	bad := func(why string) (acp.McpServer, error) {
		return acp.McpServer{}, fmt.Errorf("the MCP server %q %s", name, why)
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		return bad("cannot be read: " + err.Error())
	}
	switch {
	case (e.Command == "") == (e.URL == ""):
		return bad("needs either a command or a url")
	case e.Command != "" && e.Type != "" && e.Type != "stdio":
		return bad(fmt.Sprintf("has a command, and the type %q", e.Type))
	case e.Command != "":
		s := acp.McpServer{Name: name, Command: e.Command, Args: append([]string{}, e.Args...), Env: []acp.EnvVariable{}}
		for _, k := range slices.Sorted(maps.Keys(e.Env)) {
			s.Env = append(s.Env, acp.EnvVariable{Name: k, Value: e.Env[k]})
		}
		return s, nil
	}
	switch e.Type {
	case "", "streamable-http", "streamableHttp":
		e.Type = "http"
	case "http", "sse":
	default:
		return bad(fmt.Sprintf("has the type %q; there are stdio, http and sse", e.Type))
	}
	s := acp.McpServer{Name: name, Type: e.Type, URL: e.URL, Headers: []acp.HttpHeader{}}
	for _, k := range slices.Sorted(maps.Keys(e.Headers)) {
		s.Headers = append(s.Headers, acp.HttpHeader{Name: k, Value: e.Headers[k]})
	}
	return s, nil
}

// ServerOf reads a server from NAME=COMMAND ARGUMENTS or NAME=URL; the name alone
// is enough for this program's own.
func ServerOf(word string) (s Servers, err error) {
	name, rest, ok := strings.Cut(word, "=")
	switch {
	case name == OwnServer && !ok:
		return Servers{Own: true}, nil
	case !ok || name == "" || strings.TrimSpace(rest) == "":
		return s, fmt.Errorf("%q is no NAME=COMMAND, NAME=URL, %s or none", word, OwnServer)
	case strings.HasPrefix(rest, "http://"), strings.HasPrefix(rest, "https://"):
		s.List = []acp.McpServer{{Name: name, Type: "http", URL: rest, Headers: []acp.HttpHeader{}}}
		return s, nil
	}
	words, ok := atp.Words(rest)
	if !ok || len(words) == 0 {
		return s, fmt.Errorf("the command of the MCP server %q has an open quote", name)
	}
	s.List = []acp.McpServer{{Name: name, Command: words[0], Args: append([]string{}, words[1:]...), Env: []acp.EnvVariable{}}}
	return s, nil
}

// With adds servers; of one name the later counts.
func (s Servers) With(more Servers) Servers {
	out := Servers{Own: s.Own || more.Own}
	for _, one := range s.List {
		same := func(m acp.McpServer) bool { return m.Name == one.Name }
		if !slices.ContainsFunc(more.List, same) {
			out.List = append(out.List, one)
		}
	}
	out.List = append(out.List, more.List...)
	return out
}

// Absolute gives every command of the list its path, as the protocol wants it:
// found on the PATH of env, or from dir.
func (s Servers) Absolute(dir string, env []string) error {
	for i := range s.List {
		one := &s.List[i]
		if one.Command == "" || filepath.IsAbs(one.Command) {
			continue
		}
		path := lookup(one.Command, dir, env)
		if path == "" {
			return fmt.Errorf("the MCP server %q cannot be started: %s is no program; is it installed, and on the PATH?", one.Name, one.Command)
		}
		one.Command = path
	}
	return nil
}

// servers are those that the agent can use, and the names of the others: of the
// ways to reach one only standard input and output are every agent's.
func (l *live) servers() (can []acp.McpServer, cannot []string) {
	var caps acp.McpCapabilities
	if c := l.caps().MCPCapabilities; c != nil {
		caps = *c
	}
	for _, s := range l.s.o.MCP {
		if s.Type == "http" && !caps.HTTP || s.Type == "sse" && !caps.SSE {
			cannot = append(cannot, s.Name)
			continue
		}
		can = append(can, s)
	}
	return can, cannot
}

// withServers asks with the session's MCP servers, and once without when the
// agent takes them for bad parameters.
func (l *live) withServers(ask func(mcp []acp.McpServer) error) error {
	mcp, cannot := l.servers()
	if len(cannot) > 0 {
		l.notice("the agent cannot use the MCP servers %s: it takes none of their type", strings.Join(cannot, ", "))
	}
	err := ask(mcp)
	var refused *acp.Error
	if len(mcp) > 0 && errors.As(err, &refused) && refused.Code == acp.CodeBadParams {
		if err = ask(nil); err == nil {
			l.notice("the agent refuses the MCP servers (%s); it was asked without", refused.Message)
		}
	}
	return err
}

// notice tells readers of something that is otherwise than was asked for.
func (l *live) notice(format string, args ...any) {
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	l.s.o.Note(Event{Type: EventNotice, Message: fmt.Sprintf(format, args...)})
}
