//go:build linux

package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/internal/paths"
)

// insideVar makes the test program a caller inside a session: it makes the call
// that the file says and writes the outcome beside it.
const insideVar = "TEST_INSIDE_CALL"

func init() {
	if file := os.Getenv(insideVar); file != "" {
		callFromInside(file)
		os.Exit(0)
	}
}

type insideCall struct {
	Verb   string
	Caller api.Caller
}

// callFromInside is what the test program does in a session.
func callFromInside(file string) {
	var c insideCall
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	layout, err := paths.FromEnv()
	if err != nil {
		return // the test waits in vain
	}
	client, err := api.NewClient(api.ClientOptions{Layout: layout, NoStart: true})
	if err != nil {
		return
	}
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	out := map[string]any{}
	if err == nil {
		v, _ := api.FindVerb(c.Verb)
		request := reflect.New(reflect.TypeOf(v.Request)).Elem()
		request.FieldByName("Caller").Set(reflect.ValueOf(c.Caller))
		var reply json.RawMessage
		if err = client.Call(ctx, c.Verb, request.Interface(), &reply); err == nil {
			out["reply"] = reply
		}
	}
	if err != nil {
		out["code"], out["message"] = string(api.From(err).Code), err.Error()
	}
	data, _ = json.Marshal(out)
	os.WriteFile(file+".tmp", data, 0o600)
	os.Rename(file+".tmp", file+".out")
}

// from makes a call in a session's own terminal, as the caller says it is, and
// gives the reply, or the code of the error and its message.
func (h *home) from(target, verb string, c api.Caller) (reply json.RawMessage, code, message string) {
	h.Helper()
	file := filepath.Join(h.user, fmt.Sprintf("call-%d", time.Now().UnixNano()))
	data, err := json.Marshal(insideCall{verb, c})
	if err == nil {
		err = os.WriteFile(file, data, 0o600)
	}
	if err != nil {
		h.Fatal(err)
	}
	// In a session of its own, and orphaned: neither takes it out.
	line := fmt.Sprintf("(env -u TERMIO_SESSION -u TERMIO_TOKEN %s=%s setsid %s &)", insideVar, file, os.Args[0])
	if _, err := h.client.Send(h.Context(), api.SendRequest{Caller: h.caller(), Target: target, Text: line, Enter: true}); err != nil {
		h.Fatal(err)
	}
	var out struct {
		Reply         json.RawMessage
		Code, Message string
	}
	h.eventually(verb+" from inside is answered", func() bool {
		data, err := os.ReadFile(file + ".out")
		return err == nil && json.Unmarshal(data, &out) == nil
	})
	return out.Reply, out.Code, out.Message
}

// A process in a session is in it whatever it says of itself.
func TestScopeHoldsByProcess(t *testing.T) {
	h := newHome(t)
	otherDir := filepath.Join(filepath.Dir(h.dir), "other")
	if err := os.Mkdir(otherDir, 0o700); err != nil {
		t.Fatal(err)
	}
	mine := h.run("clear")
	sibling := h.run("clear")
	other, err := h.client.Run(t.Context(), api.RunRequest{Caller: api.Caller{Cwd: otherDir}, Command: "clear", Env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	id := func(link string) string { return strings.TrimPrefix(link, "termio://session/") }

	reply, code, message := h.from(mine, api.VerbList, api.Caller{Cwd: otherDir})
	var list api.ListReply
	if json.Unmarshal(reply, &list) != nil || list.Project != "demo" || len(list.Sessions) != 2 {
		t.Errorf("without its variables: %s %s %s, want the two of demo", reply, code, message)
	}
	for name, c := range map[string]api.Caller{
		"--all without its variables":     {All: true},
		"--project without its variables": {Project: otherDir},
		"a sibling, with its token":       {Session: id(sibling), Token: h.variable(sibling, "TERMIO_TOKEN"), Cwd: h.dir},
		"another project's session":       {Session: id(other.Target), Token: "x", Cwd: otherDir},
		"its own name without the token":  {Session: id(mine), Cwd: h.dir},
	} {
		if reply, code, _ := h.from(mine, api.VerbList, c); code != string(api.CodeNoScope) {
			t.Errorf("%s: %q %s", name, code, reply)
		}
	}
	if _, code, _ := h.from(mine, api.VerbOpen, api.Caller{Cwd: otherDir}); code != string(api.CodeNoScope) {
		t.Errorf("another project is opened from inside: %q", code)
	}
	reply, code, message = h.from(mine, api.VerbList, api.Caller{Session: id(mine), Token: h.variable(mine, "TERMIO_TOKEN")})
	if json.Unmarshal(reply, &list) != nil || len(list.Sessions) != 2 {
		t.Errorf("with its variables: %s %s %s", reply, code, message)
	}
}

// Every call that has a caller refuses one who is not who he says.
func TestForgedCallersOnEveryVerb(t *testing.T) {
	h := newHome(t)
	live, closed := h.run("clear"), h.run("clear")
	id := func(link string) string { return strings.TrimPrefix(link, "termio://session/") }
	token, past := h.variable(live, "TERMIO_TOKEN"), h.variable(closed, "TERMIO_TOKEN")
	if _, err := h.client.CloseSession(t.Context(), api.TargetRequest{Caller: h.caller(), Target: closed}); err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, v := range api.Verbs() {
		request := reflect.New(reflect.TypeOf(v.Request)).Elem()
		caller := request.FieldByName("Caller")
		if !caller.IsValid() || v.Name == api.VerbAgents {
			continue // what they tell is in no project
		}
		if f := request.FieldByName("Target"); f.IsValid() {
			f.SetString(live)
		}
		for i := range request.NumField() {
			if f := request.Field(i); f.Kind() == reflect.String && f.String() == "" && request.Type().Field(i).Name != "Dir" {
				if f.SetString("terminal"); request.Type().Field(i).Name == "Wait" {
					f.SetString(`{"id":"` + id(live) + `"}`)
				}
			}
		}
		for what, c := range map[string]api.Caller{
			"no token":                   {Session: id(live), Cwd: h.dir},
			"a token made up":            {Session: id(live), Token: strings.Repeat("A", 43), Cwd: h.dir},
			"a closed session's token":   {Session: id(live), Token: past, Cwd: h.dir},
			"a closed session":           {Session: id(closed), Token: past, Cwd: h.dir},
			"another's id with my token": {Session: id(closed), Token: token, Cwd: h.dir},
			"no such session":            {Session: "00000000-0000-4000-8000-000000000000", Token: token, Cwd: h.dir},
			"out by --all":               {Session: id(live), Token: token, All: true},
		} {
			caller.Set(reflect.ValueOf(c))
			if f := request.FieldByName("Dir"); f.IsValid() {
				f.SetString(h.dir)
			}
			if v.Name == api.VerbNotify && c.All {
				continue // it has no scope, only a sender
			}
			err := h.callAny(v, request.Interface())
			if code(err) != api.CodeNoScope {
				t.Errorf("%s by %s: %v", v.Name, what, err)
			}
			tried++
		}
	}
	if tried < 70 {
		t.Errorf("only %d calls were tried", tried)
	}
	if rows := h.list(true); len(rows) != 2 {
		t.Errorf("a refused call has started something: %+v", rows)
	}
}

// callAny makes any call, of the streams only their beginning.
func (h *home) callAny(v api.Verb, request any) error {
	ctx, cancel := context.WithTimeout(h.Context(), 20*time.Second)
	defer cancel()
	if v.Events != nil {
		return h.client.Stream(ctx, v.Name, request, func([]byte) error { return errors.New("it has begun") })
	}
	var reply json.RawMessage
	return h.client.Call(ctx, v.Name, request, &reply)
}
