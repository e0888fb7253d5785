package acphost

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/termio-sh/termio/internal/acp"
	"github.com/termio-sh/termio/internal/testkit/acpagent"
)

func show(s Servers) string {
	raw, err := acp.Encode(s.List)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%v %s", s.Own, raw)
}

// MCP servers as clients keep them, and as they are given on a command line.
func TestReadServers(t *testing.T) {
	for text, want := range map[string]string{
		`{}`: `false []`,
		`{"mcpServers":{"b":{"command":"x","args":["-a"],"env":{"K":"v","A":"b"}},"a":{"url":"https://h","headers":{"H":"1"}},"termio":true}}`: `true [{"headers":[{"name":"H","value":"1"}],"name":"a","type":"http","url":"https://h"},{"args":["-a"],"command":"x","env":[{"name":"A","value":"b"},{"name":"K","value":"v"}],"name":"b"}]`,
		`{"s":{"type":"sse","url":"http://h"}}`: `false [{"headers":[],"name":"s","type":"sse","url":"http://h"}]`,
		`[]`:                                    "no JSON object",
		`{"a":{}}`:                              `"a" needs either a command or a url`,
		`{"a":{"command":"x","url":"y"}}`:       `"a" needs either`,
		`{"a":{"type":"ws","url":"u"}}`:         `"a" has the type "ws"`,
		`{"a":true}`:                            `"a" cannot be read`,
	} {
		s, err := ReadServers([]byte(text))
		got := show(s)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]string{
		`files=files-mcp --root "/a b"`: `false [{"args":["--root","/a b"],"command":"files-mcp","env":[],"name":"files"}]`,
		`web=https://h/mcp`:             `false [{"headers":[],"name":"web","type":"http","url":"https://h/mcp"}]`,
		`termio`:                        `true []`,
		`files`:                         `is no NAME=COMMAND`,
		`=x`:                            `is no NAME=COMMAND`,
		`a="x`:                          `open quote`,
	} {
		s, err := ServerOf(text)
		got := show(s)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestServersCombined(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "srv"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	one := Servers{List: []acp.McpServer{{Name: "a", Command: "srv"}, {Name: "b", Command: "/b"}}}
	all := one.With(Servers{Own: true, List: []acp.McpServer{{Name: "b", Command: "./srv"}}})
	if err := all.Absolute(dir, []string{"PATH=" + dir}); err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(dir, "srv")
	if len(all.List) != 2 || !all.Own || all.List[0].Command != want || all.List[1].Command != want {
		t.Errorf("%+v", all)
	}
	if err := (Servers{List: []acp.McpServer{{Name: "c", Command: "nowhere"}}}).Absolute(dir, nil); err == nil || !strings.Contains(err.Error(), `"c" cannot be started: nowhere`) {
		t.Errorf("%v", err)
	}
}

// A server of a type that the agent does not take is left out, and that is
// told; so is it when the agent refuses them all.
func TestServersThatAreNotTaken(t *testing.T) {
	servers := []acp.McpServer{{Name: "web", Type: "http", URL: "http://h", Headers: []acp.HttpHeader{}}, {Name: "files", Command: "/f", Args: []string{}, Env: []acp.EnvVariable{}}}
	for _, c := range []struct {
		name, new string
		agent     acpagent.Config
		notices   string
	}{
		{"neither http", `{"cwd":"DIR","mcpServers":[{"args":[],"command":"/f","env":[],"name":"files"}]}`, acpagent.Config{}, "cannot use the MCP servers web"},
		{"nor any", `{"cwd":"DIR","mcpServers":[]}`, acpagent.Config{StrictMCP: true}, "cannot use the MCP servers web;the agent refuses the MCP servers (Invalid params)"},
	} {
		bubble(t, c.name, func(t *testing.T) {
			r := newRig(t, c.agent, func(o *Options) { o.MCP = servers })
			if end := r.prompt("say x"); end.Type != EventCompleted {
				t.Fatalf("%+v", end)
			}
			last := ""
			for _, line := range acpagent.Heard(r.heardLog) {
				if p, ok := strings.CutPrefix(line, "session/new "); ok {
					last = strings.ReplaceAll(p, r.dir, "DIR")
				}
			}
			if last != c.new {
				t.Errorf("asked for %s, want %s", last, c.new)
			}
			notices := r.all(EventNotice)
			for i, want := range strings.Split(c.notices, ";") {
				if i >= len(notices) || !strings.Contains(notices[i].Message, want) {
					t.Errorf("told %+v, want %s", notices, want)
				}
			}
		})
	}
}

// What MCP servers are given to work with is not in the journal; the agent gets it.
func TestJournalHasNoSecrets(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		r := newRig(t, acpagent.Config{}, func(o *Options) {
			o.MCP = []acp.McpServer{{Name: "files", Command: "/f", Args: []string{"arg"}, Env: []acp.EnvVariable{{Name: "KEY", Value: "s3cret"}}}}
		})
		r.prompt(`say "mcpServers":[{"env":[{"value":"kept"}]}]`)
		r.mu.Lock()
		var all strings.Builder
		for _, e := range r.entries {
			if e.From == FromClient {
				all.Write(e.Msg)
			}
		}
		r.mu.Unlock()
		if got := all.String(); strings.Contains(got, "s3cret") || !strings.Contains(got, `"KEY"`) || !strings.Contains(got, `"arg"`) || !strings.Contains(got, "kept") {
			t.Error(got)
		}
		if !strings.Contains(strings.Join(acpagent.Heard(r.heardLog), ""), "s3cret") {
			t.Error("the agent did not get it")
		}
	})
}
