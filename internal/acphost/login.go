package acphost

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"regexp"
	"strings"
	"time"
)

// loginTime is how long an agent's program may take to say whether it is signed
// in.
const loginTime = 5 * time.Second

// maxLogin bounds what is read of it, in bytes.
const maxLogin = 64 << 10

// The states of an agent's authentication. Most agents can only be asked for a
// turn.
const (
	AuthYes     = "authenticated"
	AuthNo      = "unauthenticated"
	AuthUnknown = "unknown"
)

// loginChecks are what says so, by the program that serves the protocol: the
// first that knows counts. They are the agents' own commands, and change nothing.
var loginChecks = map[string][][]string{
	"claude-agent-acp": {{"claude", "auth", "status"}},
	"codex-acp":        {{"codex-acp", "cli", "login", "status"}, {"codex", "login", "status"}},
}

// login tells whether the agent is signed in.
func (l *live) login(ctx context.Context) string {
	o := &l.s.o
	if o.Launch == nil {
		return AuthUnknown
	}
	for _, argv := range loginChecks[o.Program] {
		path := lookup(argv[0], o.Dir, o.Env)
		if path == "" {
			continue
		}
		out, code, ok := l.output(ctx, append([]string{path}, argv[1:]...))
		if !ok {
			continue
		}
		if state := loginState(out, code); state != AuthUnknown {
			return state
		}
	}
	return AuthUnknown
}

// output runs a program and gives what it printed and its exit code.
func (l *live) output(ctx context.Context, argv []string) (text string, code int, ok bool) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return "", 0, false
	}
	defer null.Close()
	r, w, err := os.Pipe()
	if err != nil {
		return "", 0, false
	}
	defer r.Close()
	p, err := l.s.o.Launch(argv, l.s.o.Env, l.s.o.Dir, null, w, w)
	w.Close()
	if err != nil {
		return "", 0, false
	}
	ctx, cancel := context.WithTimeout(ctx, loginTime)
	defer cancel()
	read := make(chan string, 1)
	go func() {
		data, _ := io.ReadAll(io.LimitReader(r, maxLogin)) // what came counts
		read <- string(data)
	}()
	select {
	case <-p.Exited():
	case <-ctx.Done():
		p.Kill()
		return "", 0, false
	}
	select {
	case text = <-read:
	case <-time.After(drainTime): // a child of its holds it open
		r.Close()
		text = <-read
	}
	code, signal := p.Exit()
	return text, code, signal == ""
}

var signedOut = regexp.MustCompile(`(?i)not logged in|login required|not authenticated|unauthenticated`)

// loginState reads what such a command said: {"loggedIn": …}, whatever its exit
// code, else success and certain words.
func loginState(text string, code int) string {
	var said struct {
		LoggedIn *bool `json:"loggedIn"`
	}
	if i := strings.IndexByte(text, '{'); i >= 0 && json.NewDecoder(strings.NewReader(text[i:])).Decode(&said) == nil && said.LoggedIn != nil {
		if *said.LoggedIn {
			return AuthYes
		}
		return AuthNo
	}
	switch {
	case signedOut.MatchString(text):
		if code != 0 {
			return AuthNo
		}
	case code == 0 && strings.TrimSpace(text) != "":
		return AuthYes
	}
	return AuthUnknown
}
