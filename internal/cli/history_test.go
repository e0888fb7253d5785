package cli

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/termio-sh/termio/internal/api"
	"github.com/termio-sh/termio/vt"
)

func pastRows() []api.PastConversation {
	line := 7
	return []api.PastConversation{
		{
			Row: "k3j2h5aq", AgentID: "claudeCode", Agent: "Claude Code", Title: "Fix the failing test of the parser, which fails since last week and nobody knows why\x1b[2J",
			Dir: "/home/u/myapp", Updated: now.Add(-2 * time.Hour), Transcript: "/t", Excerpt: "…the parser drops the last token\nwhen the file has no newline at its end, and that is all that there is to say…", Line: &line,
		},
		{Row: "w7d2mnb4", AgentID: "codex", Agent: "Codex", Title: "为什么失败", Dir: "/home/u/a-rather-long-name-of-a-project", Updated: now.Add(-72 * time.Hour), Transcript: "/t", Link: link},
	}
}

func TestHistoryText(t *testing.T) {
	c := &coordinator{replies: map[string]any{
		api.VerbHistory: api.HistoryReply{Head: api.OKHead(), Conversations: pastRows(), Index: api.HistoryIndex{State: "ready"}},
	}}
	terminal := func(a *App) {
		a.Terminal = func() bool { return true }
		a.Size = func() (int, int) { return 80, 24 }
		a.Getenv = func(k string) string { return map[string]string{"NO_COLOR": "1", "HOME": "/h"}[k] }
	}
	r := run(t, c, terminal, "history", "search", "failing", "parser")
	want := `k3j2h5aq  2h  Claude Code  myapp               Fix the failing test of the pars…
          …the parser drops the last token when the file has no newline at its …
w7d2mnb4  3d  Codex        a-rather-long-nam…  ● 1a2b3c4d  为什么失败
`
	if d := cmp.Diff(want, r.out); d != "" || r.code != 0 {
		t.Errorf("exit %d; -want +got:\n%s", r.code, d)
	}
	for line := range strings.Lines(r.out) {
		if w := vt.StringWidth(strings.TrimRight(line, "\n")); w > 80 {
			t.Errorf("%d cells: %s", w, line)
		}
	}
	if d := cmp.Diff([]any{api.HistoryRequest{Caller: caller, Text: "failing parser"}}, c.requests); d != "" {
		t.Errorf("asked -want +got:\n%s", d)
	}
}

func TestHistoryRequests(t *testing.T) {
	for args, want := range map[string]any{
		"history": api.HistoryRequest{Caller: caller},
		"history --agent codex --limit 5 --project ../b":     api.HistoryRequest{Caller: api.Caller{Cwd: caller.Cwd, Project: "/home/u/b"}, Agent: "codex", Limit: 5},
		"history search a b* --json":                         api.HistoryRequest{Caller: caller, Text: "a b*"},
		"history resume k3j2 --prompt hi --title T":          api.HistoryResumeRequest{Caller: caller, Row: "k3j2", Prompt: "hi", Title: "T", Env: []string{"A=1"}, Cols: 100, Rows: 30},
		"history status":                                     api.HistoryIndexRequest{Caller: caller},
		"sessions transcript 1a2b3c4d --from 3 --to 9":       api.TranscriptRequest{Caller: caller, Target: "1a2b3c4d", From: 3, To: pointer(9)},
		"sessions transcript 1a2b3c4d --all --json --from 0": api.TranscriptRequest{Caller: api.Caller{Cwd: caller.Cwd, All: true}, Target: "1a2b3c4d"},
	} {
		c := &coordinator{replies: map[string]any{
			api.VerbHistory:       api.HistoryReply{Head: api.OKHead(), Index: api.HistoryIndex{State: "ready"}},
			api.VerbHistoryResume: api.SpawnReply{Head: api.OKHead(), Target: link}, api.VerbHistoryStatus: api.HistoryIndexReply{Head: api.OKHead()},
			api.VerbTranscript: api.TranscriptReply{Head: api.OKHead(), Target: link},
		}}
		if r := run(t, c, nil, strings.Fields(args)...); r.code != 0 {
			t.Errorf("%s: exit %d, %s", args, r.code, r.err)
		}
		if d := cmp.Diff([]any{want}, c.requests); d != "" {
			t.Errorf("%s: -want +asked:\n%s", args, d)
		}
	}
}

func pointer[T any](v T) *T { return &v }

// While the index is made the first time the command waits, and says so.
func TestHistoryWaitsForTheIndex(t *testing.T) {
	building := api.HistoryIndex{State: "building", Done: 3, Total: 9, DoneBytes: 20_000_000, TotalBytes: 60_000_000}
	c := &changing{coordinator: coordinator{replies: map[string]any{}}, replyTo: map[string][]any{
		api.VerbHistory: {
			api.HistoryReply{Head: api.OKHead(), Index: building},
			api.HistoryReply{Head: api.OKHead(), Conversations: pastRows()[1:], Index: api.HistoryIndex{State: "ready"}},
		},
		api.VerbHistoryStatus: {
			api.HistoryIndexReply{Head: api.OKHead(), Index: building},
			api.HistoryIndexReply{Head: api.OKHead(), Index: api.HistoryIndex{State: "ready"}},
		},
	}}
	app, out, errs := world(t, &c.coordinator)
	app.Terminal = func() bool { return true }
	app.Connect = func(bool) (Coordinator, error) { return c, nil }
	if code := Main(t.Context(), app, []string{"history"}); code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	if !strings.Contains(errs.String(), "reading past conversations: 3 of 9, 20 MB of 60 MB") || !strings.Contains(out.String(), "w7d2mnb4") {
		t.Errorf("printed %q and %q", errs, out)
	}
}

func TestTranscriptText(t *testing.T) {
	at := now
	tool := &api.ToolUse{Name: "Bash", ID: "c1", Input: `{"command":"go test ./...","description":"run all the tests of the whole project, slowly"}`}
	c := &coordinator{replies: map[string]any{api.VerbTranscript: api.TranscriptReply{
		Head: api.OKHead(), Target: link, Transcript: "/t", CursorEnd: 9, Messages: []api.Message{
			{Line: 0, Role: "system", Text: "one\ntwo\nthree"},
			{Line: 2, Role: "user", Text: "fix\tit\x1b[31m, please", At: &at},
			{Line: 3, Role: "assistant", Text: strings.Repeat("a long sentence ", 9), Usage: &api.Usage{Input: 10, CacheRead: 2, Output: 20}},
			{Line: 4, Role: "assistant", Tool: tool},
			{Line: 5, Role: "tool", Text: strings.Repeat("ok\n", 20), Tool: &api.ToolUse{ID: "c1"}},
			{Line: 6, Role: "assistant", Text: "完成了"},
		},
	}}}
	r := run(t, c, func(a *App) { a.Getwd = func() (string, error) { return "/home/u/app", nil } }, "sessions", "transcript", "1a2b3c4d")
	want := `system  #0
  one
  … 2 more lines

user  ` + at.Local().Format("2006-01-02 15:04:05") + `  #2
  fix it[31m, please

assistant  12 in, 20 out  #3
  a long sentence a long sentence a long sentence a long sentence a long
  sentence a long sentence a long sentence a long sentence a long sentence

  ▸ Bash  {"command":"go test ./...","description":"run all the tests of the wh…

    ok
    ok
    ok
    ok
    ok
    ok
    ok
    … 13 more lines

assistant  #6
  完成了

`
	if d := cmp.Diff(want, r.out); d != "" || r.code != 0 {
		t.Errorf("exit %d; -want +got:\n%s", r.code, d)
	}
}

func TestWrapText(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  []string
	}{
		{"", 10, nil},
		{"short", 10, []string{"short"}},
		{"two words", 5, []string{"two", "words"}},
		{"漢字漢字", 4, []string{"漢字", "漢字"}},
		{"aaaaaaaaaa", 4, []string{"aaaa", "aaaa", "aa"}},
		{"a\n\n  b\n", 10, []string{"a", "", "  b"}},
		{"\x1b[2J\u202ex", 10, []string{"[2Jx"}},
		{"漢", 1, []string{"漢"}},
	} {
		if d := cmp.Diff(c.want, wrapText(c.text, c.width)); d != "" {
			t.Errorf("%q: -want +got:\n%s", c.text, d)
		}
	}
}

// changing answers each verb with one reply after the other.
type changing struct {
	coordinator
	replyTo map[string][]any
}

func (c *changing) Call(ctx context.Context, verb string, request, reply any) error {
	if next := c.replyTo[verb]; len(next) > 0 {
		c.replies[verb] = next[0]
		c.replyTo[verb] = next[1:]
	}
	return c.coordinator.Call(ctx, verb, request, reply)
}
