package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/vt"
)

const (
	uuid = "1a2b3c4d-0000-4000-8000-000000000001"
	link = "termio://session/" + uuid
)

var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// coordinator answers from a table and keeps what it was asked.
type coordinator struct {
	replies  map[string]any // by verb, or by verb and target
	verbs    []string
	requests []any
}

func (c *coordinator) Call(_ context.Context, verb string, request, reply any) error {
	c.verbs = append(c.verbs, verb)
	c.requests = append(c.requests, request)
	answer, ok := c.replies[verb]
	if target, is := request.(api.TargetRequest); is {
		if a, of := c.replies[verb+" "+target.Target]; of {
			answer, ok = a, true
		}
	}
	if err, is := answer.(error); is {
		return err
	}
	if !ok {
		return api.Errorf(api.CodeInternal, "no answer to %s", verb)
	}
	data, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, reply)
}

func (c *coordinator) Daemon(ctx context.Context) (r api.DaemonReply, err error) {
	err = c.Call(ctx, api.VerbDaemon, api.DaemonRequest{}, &r)
	return r, err
}

func (c *coordinator) Stop(ctx context.Context) (r api.DaemonReply, err error) {
	err = c.Call(ctx, api.VerbStop, api.DaemonRequest{}, &r)
	return r, err
}

type result struct {
	code     int
	out, err string
}

// world is an App with nothing behind it but c.
func world(t *testing.T, c *coordinator) (*App, *bytes.Buffer, *bytes.Buffer) {
	t.Helper()
	env := map[string]string{"HOME": t.TempDir(), "TERM": "xterm-256color"}
	var out, errs bytes.Buffer
	return &App{
		In: strings.NewReader(""), Out: &out, Err: &errs,
		Getenv:   func(k string) string { return env[k] },
		Environ:  func() []string { return []string{"A=1"} },
		Getwd:    func() (string, error) { return "/home/u/app", nil },
		Now:      func() time.Time { return now },
		Terminal: func() bool { return false },
		Size:     func() (int, int) { return 100, 30 },
		Connect:  func(bool) (Coordinator, error) { return c, nil },
	}, &out, &errs
}

func run(t *testing.T, c *coordinator, edit func(*App), args ...string) result {
	t.Helper()
	app, out, errs := world(t, c)
	if edit != nil {
		edit(app)
	}
	code := Main(t.Context(), app, args)
	return result{code, out.String(), errs.String()}
}

func stdin(s string) func(*App) { return func(a *App) { a.In = strings.NewReader(s) } }

var caller = api.Caller{Cwd: "/home/u/app"}

func sessions() []api.Session {
	at := func(d time.Duration) *time.Time { t := now.Add(-d); return &t }
	code := 3
	return []api.Session{
		{Link: link, ID: "1a2b3c4d", Title: "修复 login — a rather long title that goes on and on until it does not fit", Agent: "Claude Code", Status: "needs-you", Since: at(90 * time.Second)},
		{Link: link, ID: "2b3c4d5e", Title: "server", Agent: "Terminal", Status: "working", Description: "make\x1b[31m all", Since: at(3 * time.Hour)},
		{Link: link, ID: "3c4d5e6f", Title: "tests", Agent: "Codex", Status: "idle", Closed: &api.Closed{At: now.Add(-50 * time.Hour), Reason: "exited", ExitCode: &code}},
	}
}

func TestRequests(t *testing.T) {
	spawned := api.SpawnReply{Head: api.OKHead(), Target: link, Title: "t", Created: true, Queued: true}
	spawn := func(edit func(*api.SpawnRequest)) api.SpawnRequest {
		r := api.SpawnRequest{Caller: caller, Env: []string{"A=1"}, Cols: 100, Rows: 30}
		edit(&r)
		return r
	}
	send := func(edit func(*api.SendRequest)) api.SendRequest {
		r := api.SendRequest{Caller: caller, Target: "1a2b3c4d"}
		edit(&r)
		return r
	}
	big := strings.Repeat("é\n", 128<<10/2)
	for _, tt := range []struct {
		args  string
		words []string // instead of args
		stdin string
		verb  string
		want  any
	}{
		{args: "sessions", verb: "list", want: api.ListRequest{Caller: caller}},
		{args: "sessions --all", verb: "list", want: api.ListRequest{Caller: api.Caller{Cwd: caller.Cwd, All: true}}},
		{args: "sessions list --closed --project ../b", verb: "list", want: api.ListRequest{Caller: api.Caller{Cwd: caller.Cwd, Project: "/home/u/b"}, Closed: true}},
		{args: "sessions spawn fix it --agent codex", verb: "spawn", want: spawn(func(r *api.SpawnRequest) { r.Prompt, r.Agent = "fix it", "codex" })},
		{args: "sessions spawn --agent codex", verb: "spawn", want: spawn(func(r *api.SpawnRequest) { r.Agent = "codex" })},
		{args: "sessions spawn --bypass-permissions --title T --dir sub fix", verb: "spawn", want: spawn(func(r *api.SpawnRequest) {
			r.Prompt, r.Bypass, r.Title, r.Dir = "fix", true, "T", "/home/u/app/sub"
		})},
		{args: "sessions spawn fix -- --model opus", verb: "spawn", want: spawn(func(r *api.SpawnRequest) { r.Prompt, r.Extra = "fix", []string{"--model", "opus"} })},
		{args: "sessions spawn -- --model is broken", verb: "spawn", want: spawn(func(r *api.SpawnRequest) { r.Prompt = "--model is broken" })},
		{args: "sessions spawn -", stdin: "a\nb\n\n", verb: "spawn", want: spawn(func(r *api.SpawnRequest) { r.Prompt = "a\nb\n" })},
		{args: "sessions spawn --agent terminal", verb: "spawn", want: spawn(func(r *api.SpawnRequest) { r.Agent = "terminal" })},
		{args: "sessions run pnpm test", verb: "run", want: api.RunRequest{Caller: caller, Command: "pnpm test", Env: []string{"A=1"}, Cols: 100, Rows: 30}},
		{args: "sessions send 1a2b3c4d yes", verb: "send", want: send(func(r *api.SendRequest) { r.Text, r.Enter = "yes", true })},
		{args: "sessions send 1a2b3c4d yes --no-enter", verb: "send", want: send(func(r *api.SendRequest) { r.Text = "yes" })},
		{args: "sessions send 1a2b3c4d --key ctrl-c --key up", verb: "send", want: send(func(r *api.SendRequest) { r.Keys = []string{"ctrl-c", "up"} })},
		{args: "sessions send 1a2b3c4d yes --key tab", verb: "send", want: send(func(r *api.SendRequest) { r.Text, r.Keys = "yes", []string{"tab"} })},
		{args: "sessions send 1a2b3c4d -- --key x", verb: "send", want: send(func(r *api.SendRequest) { r.Text, r.Enter = "--key x", true })},
		{args: "sessions send 1a2b3c4d -", stdin: big, verb: "send", want: send(func(r *api.SendRequest) { r.Text, r.Enter = strings.TrimSuffix(big, "\n"), true })},
		{args: "sessions read 1a2b3c4d --lines 40", verb: "read", want: api.ReadRequest{Caller: caller, Target: "1a2b3c4d", Lines: 40}},
		{args: "sessions read 1a2b3c4d", verb: "read", want: api.ReadRequest{Caller: caller, Target: "1a2b3c4d"}},
		{args: "sessions close 1a2b3c4d", verb: "close", want: api.TargetRequest{Caller: caller, Target: "1a2b3c4d"}},
		{args: "sessions focus 1a2b3c4d", verb: "focus", want: api.TargetRequest{Caller: caller, Target: "1a2b3c4d"}},
		{args: "sessions rename 1a2b3c4d new name", verb: "rename", want: api.RenameRequest{Caller: caller, Target: "1a2b3c4d", Title: "new name"}},
		{words: []string{"sessions", "rename", "1a2b3c4d", ""}, verb: "rename", want: api.RenameRequest{Caller: caller, Target: "1a2b3c4d"}},
		{args: "sessions trace 1a2b3c4d", verb: "trace", want: api.TargetRequest{Caller: caller, Target: "1a2b3c4d"}},
		{args: "agents", verb: "agents", want: api.AgentsRequest{Caller: api.Caller{Cwd: caller.Cwd, All: true}, Versions: true}},
	} {
		words := tt.words
		if words == nil {
			words = strings.Fields(tt.args)
		}
		c := &coordinator{replies: map[string]any{
			"list": api.ListReply{Head: api.OKHead()}, "spawn": spawned, "run": spawned,
			"send": api.SendReply{Head: api.OKHead(), Target: link}, "read": api.ReadReply{Head: api.OKHead(), Target: link},
			"close": api.CloseReply{Head: api.OKHead(), Closed: link}, "focus": api.FocusReply{Head: api.OKHead(), Focused: link},
			"rename": api.RenameReply{Head: api.OKHead(), Target: link}, "trace": api.TraceReply{Head: api.OKHead(), Target: link},
			"agents": api.AgentsReply{Head: api.OKHead()},
		}}
		r := run(t, c, stdin(tt.stdin), words...)
		if r.code != 0 || len(c.verbs) != 1 || c.verbs[0] != tt.verb {
			t.Errorf("%q: exit %d, asked %v: %s", words, r.code, c.verbs, r.err)
			continue
		}
		if d := cmp.Diff(tt.want, c.requests[0]); d != "" {
			t.Errorf("%q asked (-want +got):\n%s", words, d)
		}
	}
}

func TestBadCommandLines(t *testing.T) {
	for _, tt := range []struct {
		args []string
		code string
		text string // part of the message
	}{
		{[]string{"sessions", "frobnicate"}, "bad_op", "there are: attach, close"},
		{[]string{"sessions", "lst"}, "bad_op", "did you mean “list”?"},
		{[]string{"sesions"}, "bad_request", "did you mean `termio sessions`?"},
		{[]string{"sesions", "list"}, "bad_request", "did you mean `termio sessions`?"},
		{[]string{".", "other"}, "bad_request", "takes one directory: “other” is one too many"},
		{[]string{"list"}, "bad_request", "did you mean `termio sessions list`?"},
		{[]string{"lint"}, "bad_request", "did you mean `termio agents lint`?"},
		{[]string{"help"}, "bad_request", "say `termio --help`"},
		{[]string{"help", "sessions", "watch"}, "bad_request", "say `termio sessions watch --help`"},
		{[]string{"help", "sessions", "frob"}, "bad_request", "say `termio sessions --help`"},
		{[]string{"help", "frob"}, "bad_request", "say `termio --help`"},
		{[]string{"hooks", "uninstall"}, "bad_op", "did you mean “remove”?"},
		{[]string{"skill", "uninstall"}, "bad_op", "did you mean “remove”?"},
		{[]string{"sessions", "kill", "a"}, "bad_op", "did you mean “close”?"},
		{[]string{"sessions", "stop", "a"}, "bad_op", "did you mean “close”?"},
		{[]string{"sessions", "new"}, "bad_op", "did you mean “spawn”?"},
		{[]string{"ls"}, "bad_request", "did you mean `termio sessions list`?"},
		{[]string{"ps"}, "bad_request", "did you mean `termio sessions list`?"},
		{[]string{"frob", "--help"}, "bad_request", "unknown command “frob”"},
		{[]string{"sessions", "frob", "--help"}, "bad_op", "unknown command “frob”"},
		{[]string{"agents", "list", "--ids", "--found", "--missing"}, "bad_request", "exclude each other"},
		{[]string{"sessions", "list", "--bogus", "x"}, "bad_request", "unknown flag: --bogus"},
		{[]string{"sessions", "spawn", "--no-such-flag", "do x"}, "bad_request", "unknown flag: --no-such-flag"},
		{[]string{"sessions", "spawn", "x", "--await"}, "bad_request", "unknown flag: --await"},
		{[]string{"sessions", "list", "x"}, "bad_request", "takes no arguments"},
		{[]string{"sessions", "list", "--all", "--project", "x"}, "bad_request", "exclude each other"},
		{[]string{"sessions", "spawn"}, "no_text", "give the agent its prompt"},
		{[]string{"sessions", "spawn", "--agent", "shell", "ls"}, "bad_agent", "termio sessions run"},
		{[]string{"sessions", "run"}, "no_text", "give the command"},
		{[]string{"sessions", "send"}, "no_target", "termio sessions list"},
		{[]string{"sessions", "send", "1a2b3c4d"}, "no_text", "--key"},
		{[]string{"sessions", "send", "1a2b3c4d", "--no-enter"}, "no_text", "--key"},
		{[]string{"sessions", "send", "1a2b3c4d", "--key", "bogus"}, "bad_key", "unknown key \"bogus\"; see"},
		{[]string{"sessions", "send", "1a2b3c4d", "a\xffb"}, "bad_request", "not valid UTF-8 (byte 1)"},
		{[]string{"sessions", "send", "\xff", "a"}, "bad_request", "not valid UTF-8"},
		{[]string{"sessions", "read"}, "no_target", "termio sessions list"},
		{[]string{"sessions", "read", "a", "b"}, "bad_request", "one too many"},
		{[]string{"sessions", "read", "a", strings.Repeat("b", 100_000)}, "bad_request", "“" + strings.Repeat("b", 80) + "…” is one too many"},
		{[]string{"sessions", "read", "a", "--lines", "x"}, "bad_request", "--lines"},
		{[]string{"sessions", "read", "a", "--lines", "-3"}, "bad_request", "--lines"},
		{[]string{"sessions", "close"}, "no_target", "termio sessions list"},
		{[]string{"sessions", "rename", "a"}, "no_text", "title"},
		{[]string{"open", "a", "b"}, "bad_request", "one directory"},
		{[]string{"open", "/no/such/dir"}, "not_found", "there is no directory “/no/such/dir”"},
	} {
		c := &coordinator{}
		r := run(t, c, nil, tt.args...)
		if r.code != 1 || r.out != "" || !strings.HasPrefix(r.err, "error: ") || !strings.Contains(r.err, tt.text) {
			t.Errorf("%q: exit %d, out %q, err %q; want %q", tt.args, r.code, r.out, r.err, tt.text)
		}
		r = run(t, c, nil, append(tt.args, "--json")...)
		var e map[string]any
		if err := json.Unmarshal([]byte(r.out), &e); err != nil {
			t.Errorf("%q --json: %v: %q", tt.args, err, r.out)
			continue
		}
		if r.code != 1 || r.err != "" || e["ok"] != false || e["error"] != tt.code || e["schema_version"] != 1.0 || !strings.Contains(e["message"].(string), tt.text) {
			t.Errorf("%q --json: exit %d, %s, err %q; want %s", tt.args, r.code, r.out, r.err, tt.code)
		}
		if len(c.verbs) != 0 {
			t.Errorf("%q asked the coordinator %v", tt.args, c.verbs)
		}
	}
}

func TestJSONReplies(t *testing.T) {
	for _, tt := range []struct {
		args  string
		verb  string
		reply any
		want  string
	}{
		{"sessions list --json", "list", api.ListReply{Head: api.OKHead(), Project: "app"}, `{"ok":true,"schema_version":1,"project":"app","sessions":[]}`},
		{"sessions spawn x --json", "spawn", api.SpawnReply{Head: api.OKHead(), Target: link, Title: "<x> & y", Created: true, Queued: true}, `{"ok":true,"schema_version":1,"target":"` + link + `","title":"<x> & y","created":true,"queued":true}`},
		{"sessions send a b --json", "send", api.SendReply{Head: api.OKHead(), Target: link, Title: "t"}, `{"ok":true,"schema_version":1,"target":"` + link + `","title":"t"}`},
		{"sessions read a --json", "read", api.ReadReply{Head: api.OKHead(), Target: link, Title: "t", Screen: "a\nb"}, `{"ok":true,"schema_version":1,"target":"` + link + `","title":"t","screen":"a\nb"}`},
		{"sessions close a --json", "close", api.CloseReply{Head: api.OKHead(), Closed: link, Title: "t"}, `{"ok":true,"schema_version":1,"closed":"` + link + `","title":"t"}`},
		{"sessions focus a --json", "focus", api.FocusReply{Head: api.OKHead(), Focused: link}, `{"ok":true,"schema_version":1,"focused":"` + link + `"}`},
	} {
		r := run(t, &coordinator{replies: map[string]any{tt.verb: tt.reply}}, nil, strings.Fields(tt.args)...)
		if r.code != 0 || r.err != "" || r.out != tt.want+"\n" {
			t.Errorf("%s: exit %d, err %q\n got %swant %s", tt.args, r.code, r.err, r.out, tt.want)
		}
	}
}

func TestCloseTriesAll(t *testing.T) {
	c := &coordinator{replies: map[string]any{
		"close a": api.CloseReply{Head: api.OKHead(), Closed: link, Title: "one"},
		"close b": api.Errorf(api.CodeNotFound, "no session b"),
		"close c": api.CloseReply{Head: api.OKHead(), Closed: link, Title: "three"},
	}}
	r := run(t, c, nil, "sessions", "close", "a", "b", "c")
	want := result{1, "closed 1a2b3c4d (one)\nclosed 1a2b3c4d (three)\n", "error: no session b\n"}
	if r != want {
		t.Errorf("close a b c = %+v, want %+v", r, want)
	}
	r = run(t, c, nil, "sessions", "close", "a", "b", "c", "--json")
	if lines := strings.Split(strings.TrimSpace(r.out), "\n"); r.code != 1 || len(lines) != 3 || !strings.Contains(lines[1], `"error":"not_found"`) {
		t.Errorf("close a b c --json: exit %d, %q", r.code, r.out)
	}
}

func TestListText(t *testing.T) {
	c := &coordinator{replies: map[string]any{"list": api.ListReply{Head: api.OKHead(), Project: "app", Sessions: sessions()}}}
	r := run(t, c, nil, "sessions", "list")
	want := `app — 2 sessions, 1 closed
▲ needs-you  1a2b3c4d  Claude Code  1m  修复 login — a rather long title that goes on and on until it does not fit
● working    2b3c4d5e  Terminal     3h  server — make [31m all
× closed     3c4d5e6f  Codex        2d  tests — exited, exit code 3
`
	if r.out != want {
		t.Errorf("list:\n%s\nwant:\n%s", r.out, want)
	}
	at := func(env map[string]string) func(*App) {
		return func(a *App) {
			a.Terminal = func() bool { return true }
			a.Size = func() (int, int) { return 80, 24 }
			base := a.Getenv
			a.Getenv = func(k string) string {
				if v, ok := env[k]; ok {
					return v
				}
				return base(k)
			}
		}
	}
	r = run(t, c, at(map[string]string{"NO_COLOR": "1"}), "sessions", "list")
	if strings.Contains(r.out, "\x1b") {
		t.Errorf("NO_COLOR is set and there are styles: %q", r.out)
	}
	for line := range strings.Lines(r.out) {
		if w := vt.StringWidth(strings.TrimSuffix(line, "\n")); w > 80 {
			t.Errorf("%d cells wide: %q", w, line)
		}
	}
	if !strings.Contains(r.out, "…") {
		t.Errorf("the long title was not cut:\n%s", r.out)
	}
	r = run(t, c, at(nil), "sessions", "list")
	if !strings.Contains(r.out, "\x1b[33m▲ needs-you\x1b[m") {
		t.Errorf("no colours at a terminal: %q", r.out)
	}
	empty := &coordinator{replies: map[string]any{"list": api.ListReply{Head: api.OKHead(), Project: "app"}}}
	r = run(t, empty, nil, "sessions", "list")
	if !strings.HasPrefix(r.out, "app — 0 sessions\n") || !strings.Contains(r.out, "termio sessions spawn") || !strings.Contains(r.out, "reopen --all") {
		t.Errorf("an empty list does not say what to type next:\n%s", r.out)
	}
}

func TestListOfAllProjects(t *testing.T) {
	list := sessions()
	list[0].Project, list[1].Project = "/home/u/a-project-of-a-long-name", "/home/u/app"
	code := 0
	list[2].Closed = &api.Closed{At: now.Add(-time.Minute), Reason: "user-closed", ExitCode: &code, Signal: "SIGHUP"}
	c := &coordinator{replies: map[string]any{"list": api.ListReply{Head: api.OKHead(), Project: "all projects", Sessions: list}}}
	r := run(t, c, narrow, "sessions", "list", "--all", "--closed")
	want := `all projects — 2 sessions, 1 closed
▲ needs-you  1a2b3c4d  Claude Code  1m  a-project-of-a-…  修复 login — a rather…
● working    2b3c4d5e  Terminal     3h  app               server — make [31m all
× closed     3c4d5e6f  Codex        1m  –                 tests — closed by you
`
	if r.out != want {
		t.Errorf("at 80 columns:\n%s\nwant:\n%s", r.out, want)
	}
	if r := run(t, c, nil, "sessions", "list", "--all"); !strings.Contains(r.out, "  a-project-of-a-long-name  修复") {
		t.Errorf("a script gets a name that is cut:\n%s", r.out)
	}
	if r := run(t, c, narrow, "sessions", "list"); strings.Contains(r.out, "a-project") {
		t.Errorf("one project, and named in every row:\n%s", r.out)
	}
	list[2].Closed = &api.Closed{At: now.Add(-time.Minute), Reason: "host-lost"}
	if r := run(t, c, nil, "sessions", "list", "--closed"); !strings.Contains(r.out, "tests — lost: the machine or its host went down\n") {
		t.Errorf("a lost session is not told in plain words:\n%s", r.out)
	}
}

func TestTextTurnsNothing(t *testing.T) {
	list := sessions()[:1]
	list[0].Title, list[0].Description = "a\u202eb\u2066c\u200fd\u2069", "\u202ax\u202c\u061c"
	c := &coordinator{replies: map[string]any{"list": api.ListReply{Head: api.OKHead(), Project: "app", Sessions: list}}}
	if r := run(t, c, nil, "sessions", "list"); !strings.Contains(r.out, "  abcd — x\n") {
		t.Errorf("%q", r.out)
	}
}

func TestVersionAndCompletion(t *testing.T) {
	if a, b := run(t, nil, nil, "version"), run(t, nil, nil, "--version"); a != b || !strings.HasPrefix(a.out, "termio ") || a.code != 0 {
		t.Errorf("version = %+v, --version = %+v", a, b)
	}
	for shell, want := range map[string]string{"bash": "__start_termio", "zsh": "#compdef termio", "fish": "complete -c termio", "powershell": "Register-ArgumentCompleter"} {
		if r := run(t, nil, nil, "completion", shell); r.code != 0 || !strings.Contains(r.out, want) {
			t.Errorf("completion %s: exit %d, %s, no %q", shell, r.code, r.err, want)
		}
	}
	if r := run(t, nil, nil, "completion", "csh"); r.code != 1 || !strings.Contains(r.err, "bash, zsh, fish or powershell") {
		t.Errorf("completion csh = %+v", r)
	}
	if r := run(t, nil, nil, "--help"); !strings.Contains(r.out, "  completion  ") {
		t.Errorf("completion is not in the help:\n%s", r.out)
	}
}

func TestStopWithNothingRunning(t *testing.T) {
	d := &daemons{}
	connect := func(a *App) { a.Connect = func(bool) (Coordinator, error) { return d, nil } }
	if r := run(t, nil, connect, "daemon", "stop"); r.code != 0 || !strings.HasPrefix(r.out, "no coordinator is running") {
		t.Errorf("%+v", r)
	}
	c := &coordinator{replies: map[string]any{"stop": api.DaemonReply{Head: api.OKHead(), PID: 7}}}
	if r := run(t, c, nil, "daemon", "stop"); r.out != "stopped; sessions go on\n" {
		t.Errorf("one that ran: %+v", r)
	}
}

func TestSpawnText(t *testing.T) {
	c := &coordinator{replies: map[string]any{"spawn": api.SpawnReply{Head: api.OKHead(), Target: link}}}
	if r := run(t, c, nil, "sessions", "spawn", "x"); r.out != link+"\n" || r.err != "" {
		t.Errorf("spawn in a script = %+v", r)
	}
	r := run(t, c, func(a *App) { a.Terminal = func() bool { return true } }, "sessions", "spawn", "x")
	if r.out != link+"\n" || !strings.Contains(r.err, "termio sessions attach 1a2b3c4d") {
		t.Errorf("spawn at a terminal = %+v", r)
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "name")
	if err := os.Symlink(real, name); err != nil {
		t.Fatal(err)
	}
	c := &coordinator{replies: map[string]any{"open": api.OpenReply{
		Head: api.OKHead(), Project: "app", Dir: real, New: true, Sessions: sessions(),
		Worktrees: []api.Worktree{{Dir: real, Branch: "main"}, {Dir: real + "-x", Branch: "x"}},
	}}}
	for _, args := range [][]string{{name}, {"open", name}} {
		c.requests = nil
		r := run(t, c, nil, args...)
		if r.code != 0 || len(c.requests) != 1 || c.requests[0].(api.OpenRequest).Dir != real {
			t.Errorf("%q: exit %d, %s asked %+v", args, r.code, r.err, c.requests)
		}
		for _, want := range []string{"opened " + real, "app — 2 sessions, 1 closed", "2 worktrees", "termio sessions attach 1a2b3c4d"} {
			if !strings.Contains(r.out, want) {
				t.Errorf("%q: no %q in\n%s", args, want, r.out)
			}
		}
	}
}

func TestConfig(t *testing.T) {
	home := t.TempDir()
	in := func(args ...string) result {
		return run(t, nil, func(a *App) {
			a.Getenv = func(k string) string { return map[string]string{"TERMIO_HOME": home, "HOME": home}[k] }
		}, append([]string{"config"}, args...)...)
	}
	if r := in("get", "detachKey"); r.out != "ctrl-\\\n" {
		t.Errorf("the default = %+v", r)
	}
	for _, set := range [][2]string{{"detachKey", "ctrl-]"}, {"scrollback", "500"}, {"sessionControl", "false"}, {"agents.pi.bypassPermissions", "true"}} {
		if r := in("set", set[0], set[1]); r.code != 0 {
			t.Errorf("set %v = %+v", set, r)
		}
		if r := in("get", set[0]); r.out != set[1]+"\n" {
			t.Errorf("get after set %v = %+v", set, r)
		}
	}
	if r := in("set", "scrollback", ""); r.code != 0 || in("get", "scrollback").out != "10000\n" {
		t.Errorf("an empty value does not give the default back: %+v", r)
	}
	for _, bad := range [][]string{{"set", "x", "y"}, {"get", "x"}, {"set", "detachKey", "hyper"}, {"set", "scrollback", "-1"}, {"set", "sessionControl", "maybe"}, {"set", "detachKey"}} {
		if r := in(bad...); r.code != 1 || !strings.HasPrefix(r.err, "error: ") {
			t.Errorf("%v = %+v", bad, r)
		}
	}
	for _, tt := range []struct{ key, value, text string }{
		{"detachKey", "a", "takes a key"},
		{"detachKey", "enter", "takes a key"},
		{"detachKey", "alt-x", "takes a key"},
		{"detachKey", "ctrl-m", "takes a key"},
		{"detachKey", "ctrl-[", "takes a key"},
		{"detachKey", "f5", ""},
		{"detachKey", "ctrl-up", ""},
		{"defaultAgent", "nobody", "no agent “nobody”; there are: "},
		{"defaultAgent", "pi", ""},
		{"defaultAgent", "", ""},
		{"agents.nobody.command", "x", "no agent “nobody”"},
		{"agents.nobody.command", "", ""},
		{"scrollback", "-5", "“-5” is not a number of lines from 0"},
		{"scrollback", "many", "“many” is not a number of lines from 0"},
		{"scrollback", "0", ""},
	} {
		r := in("set", tt.key, "--", tt.value)
		if tt.text == "takes a key" {
			tt.text = "a key that programs need; take a function key or one with ctrl-"
		}
		if (r.code == 0) != (tt.text == "") || !strings.Contains(r.err, tt.text) {
			t.Errorf("set %s %q: %+v; want %q", tt.key, tt.value, r, tt.text)
		}
	}
	if r := in("set", "scrollback", "-5"); r.code != 1 || !strings.Contains(r.err, "goes after --") {
		t.Errorf("a negative value without --: %+v", r)
	}
	if r := in("get", "scrollback", "--json"); r.out != `{"ok":true,"schema_version":1,"settings":{"scrollback":"0"},"chosen":["scrollback"]}`+"\n" {
		t.Errorf("get --json: %+v", r)
	}
	if r := in("set", "skill", "true", "--json"); r.out != `{"ok":true,"schema_version":1,"settings":{"skill":"true"},"chosen":["skill"]}`+"\n" {
		t.Errorf("set --json: %+v", r)
	}
	if r := in("--json"); strings.Count(r.out, "\n") != 1 || !strings.Contains(r.out, `"liveStatus":"at launch"`) {
		t.Errorf("config --json: %+v", r)
	}
}

// Every command takes --json and prints one line of it, but those that show a
// session, run as a program, or write something else by their nature.
func TestJSONEverywhere(t *testing.T) {
	without := map[string]bool{
		"termio sessions attach": true, "termio completion": true, "termio daemon run": true, "termio agent report": true, "termio mcp": true, "termio acp serve": true,
	}
	app, _, _ := world(t, nil)
	for _, cmd := range documented(newRoot(app)) {
		group := len(cmd.Commands()) > 0 && cmd.Flags().Lookup("json") == nil
		if has := cmd.Flags().Lookup("json") != nil; !group && has == without[cmd.CommandPath()] {
			t.Errorf("%s: --json is %v", cmd.CommandPath(), has)
		}
	}
	for _, args := range [][]string{{"agents", "show", "pi"}, {"agents", "schema"}, {"schema"}, {"schema", "list"}, {"unlink"}, {"link"}, {"version"}} {
		r := run(t, nil, nil, append(args, "--json")...)
		if r.code != 0 || r.err != "" || strings.Count(r.out, "\n") != 1 || !json.Valid([]byte(r.out)) {
			t.Errorf("%q --json = %+v", args, r)
		}
	}
	if r := run(t, nil, nil, "daemon", "logs", "--json"); r != (result{}) {
		t.Errorf("no log: %+v", r)
	}
}

func TestHelpNeedsNothing(t *testing.T) {
	app, _, _ := world(t, nil)
	for _, cmd := range documented(newRoot(app)) {
		args := append(strings.Fields(cmd.CommandPath())[1:], "--help")
		r := run(t, nil, func(a *App) {
			a.Connect = func(bool) (Coordinator, error) { t.Errorf("%q connected", args); return nil, errReported }
		}, args...)
		if r.code != 0 || r.err != "" || !strings.Contains(r.out, "Usage:\n  "+cmd.CommandPath()) {
			t.Errorf("%q = %+v", args, r)
		}
		for line := range strings.Lines(r.out) {
			if w := vt.StringWidth(strings.TrimSuffix(line, "\n")); w > 80 {
				t.Errorf("%q: %d cells wide: %q", args, w, line)
			}
		}
	}
}

// daemons answers with one coordinator after the other, each as often as given.
type daemons struct{ pids []int }

func (d *daemons) Call(_ context.Context, _ string, _, reply any) error {
	*reply.(*api.DaemonReply) = d.next()
	return nil
}

func (d *daemons) Daemon(context.Context) (api.DaemonReply, error) { return d.next(), nil }
func (d *daemons) Stop(context.Context) (api.DaemonReply, error)   { return api.DaemonReply{}, nil }

func (d *daemons) next() api.DaemonReply {
	pid := d.pids[0]
	if len(d.pids) > 1 {
		d.pids = d.pids[1:]
	}
	return api.DaemonReply{Head: api.OKHead(), Running: pid != 0, PID: pid}
}

func TestRestartWaitsForTheNew(t *testing.T) {
	for _, pids := range [][]int{{7, 8}, {7, 7, 7, 8}, {0, 8}} {
		d := &daemons{pids: pids}
		r := run(t, nil, func(a *App) { a.Connect = func(bool) (Coordinator, error) { return d, nil } }, "daemon", "restart")
		if r.out != "running, pid 8\n" {
			t.Errorf("%v: %+v", pids, r)
		}
	}
}

func TestCompletion(t *testing.T) {
	c := &coordinator{replies: map[string]any{"list": api.ListReply{Head: api.OKHead(), Sessions: sessions()}}}
	r := run(t, c, nil, "__complete", "sessions", "read", "")
	if !strings.Contains(r.out, "2b3c4d5e\tworking server\n") {
		t.Errorf("completing a session = %+v", r)
	}
	r = run(t, c, nil, "__complete", "sessions", "spawn", "--agent", "cl")
	if !strings.Contains(r.out, "claudeCode\tClaude Code\n") {
		t.Errorf("completing an agent = %+v", r)
	}
}

func TestLastLines(t *testing.T) {
	for _, tt := range []struct {
		n    int
		text string
		want string
	}{{1, "", ""}, {1, "a", "a"}, {1, "a\n", "a\n"}, {1, "a\nb\n", "b\n"}, {2, "a\nb\nc", "b\nc"}, {9, "a\nb\n", "a\nb\n"}} {
		if got := string(lastLines([]byte(tt.text), tt.n)); got != tt.want {
			t.Errorf("lastLines(%q, %d) = %q, want %q", tt.text, tt.n, got, tt.want)
		}
	}
}
