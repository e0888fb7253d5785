package api

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares got with a file in testdata. A change of one is a change of
// the contract: fields are only added.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s (run with -update if the contract may change):\n%s", path, d)
	}
}

const link = "termio://session/ab12cd34-9f2e-4c31-b8d7-3e5a12c90f44"

func ptr[T any](v T) *T { return &v }

// samples are replies of every verb, one with only what is always there and
// one with everything.
func samples() map[string][]any {
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	least := Session{Link: link, ID: "ab12cd34", Title: "Fix <the> build & test", Agent: "Codex", Status: "idle", Description: Phrase("idle", "codex")}
	most := Session{
		Link: link, ID: "ab12cd34", Title: "漢字", Agent: "Codex", Status: "closed", Description: "Bash", Transcript: "/t.jsonl",
		AgentID: "codex", Cwd: "/p/d", Project: "/p", Worktree: "/wt", Since: &at, Unconfirmed: true, Error: "rate limit",
		Closed:       &Closed{At: at, Reason: "boot-failed", ExitCode: ptr(0), Signal: "SIGTERM", LastLines: "no key", Reopen: "termio sessions reopen " + link},
		Conversation: &Conversation{ID: "c1", How: "hook", Since: at},
		Parent:       link, Children: []string{link},
	}
	waitedMost := WaitReply{
		Head: OKHead(), Target: link, Title: "t", Status: "needs-you", Created: true, Transcript: "/t.jsonl", Cursor: ptr(3), CursorEnd: ptr(9),
		Prompt: "Allow?", PromptID: "ab12cd34-1z-3", Options: []string{"Yes"}, ExitCode: ptr(0), Error: "rate limit", Queued: true,
		Delivered: 3, Verified: true, Submitted: ptr(true),
	}
	return map[string][]any{
		"reopen": {
			ReopenReply{Head: OKHead(), Reopened: &Reopened{Target: link, Title: "t", Resumed: true, Conversation: "c1"}},
			ReopenReply{Head: OKHead(), Sessions: []Reopened{
				{Target: link, Title: "t", Fresh: "it is gone"},
				{Target: link, Title: "t", Error: Errorf(CodeStartFailed, "no")},
			}},
		},
		VerbList: {ListReply{OKHead(), "demo", []Session{}, 0}, ListReply{OKHead(), "demo", []Session{least, most}, 0}},
		VerbSpawn: {
			SpawnReply{OKHead(), link, "t", true, false, nil},
			SpawnReply{OKHead(), link, "t", true, true, &SpawnedIn{Dir: "/wt"}},
			SpawnReply{OKHead(), link, "t", true, true, &SpawnedIn{"/wt", "fix", true, 2, "npm ci"}},
			waitedMost,
		},
		VerbRun: {SpawnReply{OKHead(), link, "make test", true, true, nil}, WaitReply{Head: OKHead(), Target: link, Title: "t", Status: "idle", Created: true, ExitCode: ptr(2)}},
		VerbSend: {
			SendReply{Head: OKHead(), Target: link, Title: "t"},
			SendReply{Head: OKHead(), Target: link, Title: "t", Transcript: "/t.jsonl", Cursor: ptr(0), Delivered: 3, Verified: true},
			SendReply{Head: OKHead(), Target: link, Title: "t", Queued: true, N: 2},
			WaitReply{Head: OKHead(), Target: link, Title: "t", Status: "working", TimedOut: true},
			waitedMost,
		},
		VerbAwait: {waitedMost},
		VerbQueue: {
			QueueReply{Head: OKHead(), Target: link, Title: "t", Prompts: []QueuedPrompt{}},
			QueueReply{OKHead(), link, "t", []QueuedPrompt{{2, "then this", "working"}}, &QueuedPrompt{1, "no", "draft"}},
		},
		VerbRead:    {ReadReply{OKHead(), link, "t", ""}, ReadReply{OKHead(), link, "t", "$ ls\na  b"}},
		VerbClose:   {CloseReply{OKHead(), link, "t", ""}},
		VerbFocus:   {FocusReply{OKHead(), link}},
		VerbRename:  {RenameReply{OKHead(), link, "t", ""}},
		VerbResolve: {ResolveReply{OKHead(), link, "t", "Codex", "/run/h/a.sock", time.Time{}, false, false}, ResolveReply{OKHead(), link, "t", "Codex", "/run/h/a.sock", at, true, true}},
		VerbTrace: {
			TraceReply{OKHead(), link, []TraceChange{}},
			TraceReply{OKHead(), link, []TraceChange{{At: at, From: "idle", To: "working", Channel: "title"}, {at, "working", "done", "screen", "status.working[0]", "esc"}}},
		},
		VerbWatch: {
			WatchEvent{SchemaVersion: 1, Link: link, Status: "idle", Title: "t"},
			WatchEvent{SchemaVersion: 1, Link: link, Status: "done", Title: "…", Cwd: "/p", Snapshot: true, Transcript: "/t.jsonl", CursorEnd: ptr(42), Error: "rate limit"},
			WatchEvent{SchemaVersion: 1, Link: link, Status: "needs-you", Title: "…", Prompt: "Allow?", PromptID: "ab12cd34-1z-3", Options: []string{"Yes", "No"}},
			WatchEvent{SchemaVersion: 1, Link: link, Status: "stalled", Title: "…", Evidence: "working 42m, no repo change, transcript +3 lines"},
			WatchEvent{SchemaVersion: 1, Link: link, Status: "closed", Title: "…", Closed: &Closed{At: at, Reason: "exited", ExitCode: ptr(1)}},
			Heartbeat{true},
			Lost{1, true},
		},
		VerbTranscript: {
			TranscriptReply{Head: OKHead(), Target: link, Title: "t", Transcript: "/t.jsonl", Messages: []Message{}},
			TranscriptReply{OKHead(), link, "t", "/t.db#ses_1", 3, 9, []Message{
				{Line: 3, Role: "user", Text: "fix <it>", At: &at},
				{4, "assistant", "", &ToolUse{"Bash", "c1", `{"a":1}`, false}, &Usage{1, 2, 3, 4, "m"}, &at},
				{5, "tool", "no", &ToolUse{ID: "c1", Failed: true}, nil, nil},
			}, ptr(9)},
		},
		VerbHistory: {
			HistoryReply{Head: OKHead(), Conversations: []PastConversation{}, Index: HistoryIndex{State: "ready"}},
			HistoryReply{OKHead(), []PastConversation{
				{Row: "abcdefgh", AgentID: "pi", Agent: "Pi", Updated: at, Prompts: 1, Messages: 2, Transcript: "/t.jsonl"},
				{"abcdefg2", "codex", "Codex", "id-1", "漢字", "/p", &at, at, 1, 2, "/t.jsonl", link, "…said…", ptr(0)},
			}, HistoryIndex{"building", 1, 2, 3, 4, "no space"}},
		},
		VerbHistoryResume:  {SpawnReply{OKHead(), link, "t", true, false, nil}},
		VerbHistoryStatus:  {HistoryIndexReply{OKHead(), HistoryIndex{State: "ready"}, "/h/state/index.db", 1, 2, 3, 4, []Store{{"pi", "pi-jsonl", "/s", true}}}},
		VerbHistoryRebuild: {HistoryIndexReply{Head: OKHead(), Index: HistoryIndex{State: "building"}, Path: "/h", Stores: []Store{}}},
		VerbWait:           {WaitReply{Head: OKHead(), Target: link, Title: "t", Status: "idle"}, waitedMost},
		VerbCloseDone:      {CloseDoneReply{Head: OKHead(), Closed: []ClosedOne{}}, CloseDoneReply{OKHead(), []ClosedOne{{Link: link, Title: "t"}}, []ClosedOne{{link, "t", Errorf(CodeNotLive, "no")}}}},
		VerbWorktrees: {WorktreesReply{Head: OKHead(), Project: "p", Worktrees: []WorktreeRow{
			{Name: "p", Dir: "/p", Main: true},
			{"fix", "/wt/fix", "fix", false, "2 changed files", []string{link}},
		}}},
		VerbRemoveWorktree: {RemoveWorktreeReply{Head: OKHead(), Removed: "/wt"}, RemoveWorktreeReply{OKHead(), "/wt/fix", "fix"}},
		VerbOpen: {
			OpenReply{Head: OKHead(), Project: "p", Dir: "/p", Sessions: []Session{}},
			OpenReply{OKHead(), "p", "/p", true, []Worktree{{Dir: "/p"}, {"/wt", "fix"}}, []Session{least}, 2},
		},
		VerbAgentsTest: {
			RulesReply{Head: OKHead(), Agent: "codex", Title: &RuleVerdict{Status: "idle"}},
			RulesReply{OKHead(), "codex", &RuleVerdict{"working", "titleStatus.working[0]", "⠋ "}, &RuleVerdict{Status: "none"}, ptr(true)},
		},
		VerbAgents: {
			AgentsReply{Head: OKHead(), Agents: []Agent{}},
			AgentsReply{
				OKHead(),
				[]Agent{{ID: "codex", Name: "Codex", Source: "bundled"}, {"pi", "Pi", "pi", "/f.json", true, "/bin/pi", "1.2", "https://pi.dev", true}},
				[]Problem{{File: "/f.json", Rule: "required"}, {"/f.json", "id", "required", "it is missing", 3, 5, true}},
			},
		},
		VerbNotify: {NotifyReply{Head: OKHead(), Told: []string{}, Seen: true}, NotifyReply{OKHead(), link, []string{"desktop", "terminal"}, false}},
		VerbDaemon: {
			DaemonReply{Head: OKHead(), Home: "/h", Socket: "/h/run/daemon.sock"},
			DaemonReply{OKHead(), true, 7, "0.1.0", &at, 3, "/h", "/s", []Problem{{File: "/x", Rule: "r"}}},
		},
		VerbStop: {DaemonReply{Head: OKHead(), Home: "/h", Socket: "/s"}},
	}
}

func compile(t *testing.T, verb string) *jsonschema.Schema {
	t.Helper()
	text, err := Schema(verb)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("s.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("s.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(s *jsonschema.Schema, text []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

func TestRepliesAreGoldenAndValid(t *testing.T) {
	all := samples()
	maps.Copy(all, acpSamples())
	for _, v := range slices.Concat(Verbs(), Offline()) {
		t.Run(v.Name, func(t *testing.T) {
			if len(all[v.Name]) == 0 {
				t.Fatal("there is no sample of its reply")
			}
			schema := compile(t, v.Name)
			var out []byte
			for _, reply := range all[v.Name] {
				line, err := Encode(reply)
				if err != nil {
					t.Fatal(err)
				}
				if bytes.Count(line, []byte("\n")) != 1 || v.Events == nil && !strings.HasPrefix(string(line), `{"ok":true,"schema_version":1,`) {
					t.Errorf("not one line with the usual head: %s", line)
				}
				if err := validate(schema, line); err != nil {
					t.Errorf("%s\n%v", line, err)
				}
				out = append(out, line...)
			}
			golden(t, "replies/"+v.Name+".jsonl", out)
		})
	}
}

func TestSchemasAreGolden(t *testing.T) {
	for _, v := range slices.Concat(Verbs(), Offline()) {
		text, err := Schema(v.Name)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "schemas/"+v.Name+".json", text)
	}
	if _, err := Schema("nope"); From(err).Code != CodeBadOp || !strings.Contains(err.Error(), "list") {
		t.Errorf("an unknown verb: %v", err)
	}
}

func TestSchemaRefuses(t *testing.T) {
	list := compile(t, VerbList)
	for name, text := range map[string]string{
		"no project":           `{"ok":true,"schema_version":1,"sessions":[]}`,
		"another version":      `{"ok":true,"schema_version":2,"project":"p","sessions":[]}`,
		"null for absent":      `{"ok":true,"schema_version":1,"project":"p","sessions":null}`,
		"empty description":    `{"ok":true,"schema_version":1,"project":"p","sessions":[{"link":"` + link + `","id":"ab12cd34","title":"t","agent":"a","status":"idle","description":""}]}`,
		"no description":       `{"ok":true,"schema_version":1,"project":"p","sessions":[{"link":"` + link + `","id":"ab12cd34","title":"t","agent":"a","status":"idle"}]}`,
		"unknown status":       `{"ok":true,"schema_version":1,"project":"p","sessions":[{"link":"` + link + `","id":"ab12cd34","title":"t","agent":"a","status":"stalled","description":"d"}]}`,
		"error without a code": `{"ok":false,"message":"m","schema_version":1}`,
		"error of its own":     `{"ok":false,"error":"oops","message":"m","schema_version":1}`,
		"error that is ok":     `{"ok":true,"error":"not_found","message":"m","schema_version":1}`,
	} {
		if validate(list, []byte(text)) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	ok := `{"ok":false,"error":"not_found","message":"m","schema_version":1}`
	if err := validate(list, []byte(ok)); err != nil {
		t.Errorf("an error of the contract: %v", err)
	}
	added := `{"ok":true,"schema_version":1,"project":"p","sessions":[],"later":1}`
	if err := validate(list, []byte(added)); err != nil {
		t.Errorf("a field of a later version: %v", err)
	}
}

func TestErrorsAreGolden(t *testing.T) {
	schema := compile(t, VerbSend)
	var out []byte
	for _, code := range Codes() {
		e := Errorf(code, "what to do next")
		if code == CodeNotDelivered {
			e.Delivered = ptr(0)
		}
		line, err := Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(schema, line); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		if s := e.HTTPStatus(); s < 400 || s > 599 {
			t.Errorf("%s is served with %d", code, s)
		}
		out = append(out, line...)
	}
	golden(t, "replies/errors.jsonl", out)
}

// TestCodesAreComplete reads the constants out of the source.
func TestCodesAreComplete(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "errors.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var want []Code
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && strings.HasPrefix(spec.Names[0].Name, "Code") {
			var code string
			if err := json.Unmarshal([]byte(spec.Values[0].(*ast.BasicLit).Value), &code); err != nil {
				t.Fatal(err)
			}
			want = append(want, Code(code))
		}
		return true
	})
	if d := cmp.Diff(want, Codes()); d != "" || len(want) < 20 {
		t.Error(d)
	}
}

// TestSeedCodes pins the codes of the session-control document.
func TestSeedCodes(t *testing.T) {
	have := map[Code]bool{}
	for _, c := range Codes() {
		have[c] = true
	}
	for _, c := range []Code{
		"disabled", "no_scope", "bad_op", "bad_request", "no_text", "no_target", "not_found", "ambiguous", "wrong_agent",
		"bad_agent", "no_agent", "start_failed", "not_live", "prompt_stalled", "session_closed", "agent_gone",
	} {
		if !have[c] {
			t.Errorf("%s is missing", c)
		}
	}
}
