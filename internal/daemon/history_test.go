//go:build unix

package daemon

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/api"
)

// past writes a conversation of an agent "talker", in Claude Code's layout.
func (h *home) past(id, dir string, at time.Time, words ...string) string {
	h.Helper()
	path := filepath.Join(h.user, ".talker", "store", "x", id+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		h.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		h.Fatal(err)
	}
	defer f.Close()
	for i, text := range words {
		role := []string{"user", "assistant"}[i%2]
		raw, _ := json.Marshal(map[string]any{ // made of plain values only
			"type": role, "sessionId": id, "cwd": dir, "timestamp": at.Add(time.Duration(i) * time.Second).Format(time.RFC3339),
			"message": map[string]any{"role": role, "content": text},
		})
		if _, err := f.Write(append(raw, '\n')); err != nil {
			h.Fatal(err)
		}
	}
	return path
}

// talker is an agent that says how it was started.
func (h *home) talker() {
	h.Helper()
	h.script("talker", `echo "started with: $*"; exec cat`)
	h.manifest("talker", `{"id":"talker","name":"Talker","command":"talker",
  "resume": {"create":"--new {id}","resume":"--again {id}","storeRoot":"~/.talker/store","storeMatch":"file:{id}.jsonl"},
  "transcript": {"format":"claude-jsonl","root":"~/.talker/store","glob":"*/*.jsonl","match":"*/{id}.jsonl"}}`)
	h.manifest("mute", `{"id":"mute","name":"Mute","command":"cat",
  "transcript": {"format":"claude-jsonl","root":"~/.mute","glob":"*.jsonl"}}`)
}

func (h *home) history(r api.HistoryRequest) api.HistoryReply {
	h.Helper()
	var reply api.HistoryReply
	h.eventually("the index is ready", func() bool {
		reply = api.HistoryReply{}
		if err := h.client.Call(h.Context(), api.VerbHistory, r, &reply); err != nil {
			h.Fatalf("history: %v", err)
		}
		return reply.Index.State == "ready"
	})
	return reply
}

func (h *home) resumePast(row string) (api.SpawnReply, error) {
	var reply api.SpawnReply
	err := h.client.Call(h.Context(), api.VerbHistoryResume, api.HistoryResumeRequest{Caller: h.caller(), Row: row, Env: os.Environ()}, &reply)
	return reply, err
}

func conversations(r api.HistoryReply) string {
	var ids []string
	for _, c := range r.Conversations {
		ids = append(ids, c.Conversation)
	}
	return strings.Join(ids, " ")
}

func TestHistory(t *testing.T) {
	h := newHome(t)
	h.talker()
	noon := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	elsewhere := filepath.Join(h.user, "elsewhere")
	if err := os.Mkdir(elsewhere, 0o700); err != nil {
		t.Fatal(err)
	}
	h.past("conv-1", h.dir, noon, "fix the parser", "the lexer is wrong")
	h.past("conv-2", elsewhere, noon.Add(time.Hour), "why is the parser slow", "because")
	h.past("conv-3", filepath.Join(h.user, "gone"), noon.Add(-time.Hour), "write the parser", "done")

	all := h.history(api.HistoryRequest{Caller: h.caller(), Text: "parser"})
	if got := conversations(all); got != "conv-2 conv-1 conv-3" {
		t.Fatalf("found %q", got)
	}
	one := all.Conversations[1]
	if one.AgentID != "talker" || one.Agent != "Talker" || one.Title != "fix the parser" || one.Dir != h.dir || one.Prompts != 1 ||
		one.Messages != 2 || one.Excerpt != "fix the parser" || one.Line == nil || *one.Line != 0 || one.Link != "" {
		t.Errorf("one row is %+v", one)
	}
	for want, r := range map[string]api.HistoryRequest{
		"conv-1":        {Caller: api.Caller{Project: h.dir}, Text: "parser"},
		"conv-2":        {Caller: h.caller(), Limit: 1},
		"conv-2 conv-1": {Caller: h.caller(), Agent: "Talker", Limit: 2},
		"":              {Caller: h.caller(), Agent: "mute"},
	} {
		if got := conversations(h.history(r)); got != want {
			t.Errorf("%+v finds %q, want %q", r, got, want)
		}
	}
	for _, r := range []struct {
		api.HistoryRequest
		want api.Code
	}{
		{api.HistoryRequest{Caller: h.caller(), Text: "?!"}, api.CodeNoText},
		{api.HistoryRequest{Caller: h.caller(), Agent: "nobody"}, api.CodeBadAgent},
		{api.HistoryRequest{Caller: h.caller(), Limit: -1}, api.CodeBadRequest},
		{api.HistoryRequest{Caller: api.Caller{Project: "/no/such/place"}}, api.CodeNoScope},
	} {
		refused(t, h.client.Call(t.Context(), api.VerbHistory, r.HistoryRequest, nil), r.want)
	}

	// What was said meanwhile is found at once.
	h.past("conv-1", h.dir, noon.Add(2*time.Hour), "and the tokenizer")
	h.eventually("what was said last is found", func() bool {
		return conversations(h.history(api.HistoryRequest{Caller: h.caller(), Text: "tokenizer"})) == "conv-1"
	})

	// Into a new session, once.
	var wait sync.WaitGroup
	replies := make([]api.SpawnReply, 4)
	errs := make([]error, 4)
	for i := range replies {
		wait.Go(func() { replies[i], errs[i] = h.resumePast(one.Row[:4]) })
	}
	wait.Wait()
	link := ""
	for i := range replies {
		if errs[i] == nil {
			if link != "" {
				t.Error("one conversation has two sessions")
			}
			link = replies[i].Target
		}
	}
	if link == "" {
		t.Fatal(errs)
	}
	for _, err := range errs {
		if err != nil {
			refused(t, err, api.CodeSessionClosed, link)
		}
	}
	h.eventually("the agent is told its conversation", func() bool { return strings.Contains(h.screen(link), "started with: --again conv-1") })
	if rec := h.record(link); rec.Dir != h.dir || rec.Conversation == nil || rec.Conversation.ID != "conv-1" || !rec.Resumed {
		t.Errorf("the record is %+v", rec)
	}
	if rows := h.history(api.HistoryRequest{Caller: h.caller(), Text: "tokenizer"}).Conversations; len(rows) != 1 || rows[0].Link != link {
		t.Errorf("the row does not name its session: %+v", rows)
	}

	for row, want := range map[string]api.Code{
		"zzzzzzzz": api.CodeNotFound, "": api.CodeNotFound, all.Conversations[2].Row: api.CodeStartFailed,
	} {
		_, err := h.resumePast(row)
		refused(t, err, want)
	}
	// Inside a session only its project is there.
	h.insideSeesItsProject(link)
}

func (h *home) insideSeesItsProject(link string) {
	h.Helper()
	run := h.run(`echo "$TERMIO_SESSION $TERMIO_TOKEN" > token.part; mv token.part token; exec cat`)
	var id, token string
	h.eventually("the session tells its token", func() bool {
		raw, err := os.ReadFile(filepath.Join(h.dir, "token"))
		n, _ := fmt.Sscan(string(raw), &id, &token)
		return err == nil && n == 2
	})
	c := api.Caller{Session: id, Token: token, Cwd: h.dir}
	if got := conversations(h.history(api.HistoryRequest{Caller: c, Text: "parser"})); got != "conv-1" {
		h.Errorf("inside %s %q is found", run, got)
	}
	rows := h.history(api.HistoryRequest{Caller: h.caller(), Text: "slow"}).Conversations
	err := h.client.Call(h.Context(), api.VerbHistoryResume, api.HistoryResumeRequest{Caller: c, Row: rows[0].Row}, nil)
	refused(h.T, err, api.CodeNotFound)
}

func TestHistoryOfAnAgentThatCannotResume(t *testing.T) {
	h := newHome(t)
	h.talker()
	path := h.past("conv-9", h.dir, time.Now(), "hello", "hi")
	if err := os.MkdirAll(filepath.Join(h.user, ".mute"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path, filepath.Join(h.user, ".mute", "conv-9.jsonl")); err != nil {
		t.Fatal(err)
	}
	rows := h.history(api.HistoryRequest{Caller: h.caller()}).Conversations
	if len(rows) != 1 {
		t.Fatalf("%+v", rows)
	}
	_, err := h.resumePast(rows[0].Row)
	refused(t, err, api.CodeBadAgent, "cannot be resumed")
}

// The coordinator dies while it makes the index: the next one goes on, and
// finds everything.
func TestIndexSurvivesTheCoordinator(t *testing.T) {
	h := newHome(t)
	h.talker()
	const n = 1500
	noon := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for i := range n {
		h.past(fmt.Sprintf("conv-%d", i), h.dir, noon.Add(time.Duration(i)*time.Second), "hello parser", fmt.Sprintf("answer %d", i))
	}
	var status api.HistoryIndexReply
	ask := func(verb string) {
		h.Helper()
		status = api.HistoryIndexReply{}
		if err := h.client.Call(t.Context(), verb, api.HistoryIndexRequest{Caller: h.caller()}, &status); err != nil {
			t.Fatal(err)
		}
	}
	h.client.Call(t.Context(), api.VerbHistory, api.HistoryRequest{Caller: h.caller()}, nil)
	h.kill9()
	rows := h.history(api.HistoryRequest{Caller: h.caller(), Text: "parser", Limit: 1000}).Conversations
	if len(rows) != 1000 || rows[0].Conversation != fmt.Sprintf("conv-%d", n-1) {
		t.Errorf("%d rows, the first %+v", len(rows), rows[0])
	}
	ask(api.VerbHistoryStatus)
	if status.Conversations != n || status.Index.State != "ready" || status.Bytes == 0 || status.ReadBytes == 0 {
		t.Errorf("%+v", status)
	}
	found := false
	for _, s := range status.Stores {
		found = found || s.AgentID == "talker" && s.Found && s.Path == filepath.Join(h.user, ".talker/store")
	}
	if !found {
		t.Errorf("the stores are %+v", status.Stores)
	}
	ask(api.VerbHistoryRebuild)
	h.eventually("the index is made anew", func() bool { ask(api.VerbHistoryStatus); return status.Index.State == "ready" })
	if status.Conversations != n {
		t.Errorf("made anew it has %d conversations", status.Conversations)
	}

	// A file that is no index any more.
	h.client.Stop(t.Context())
	for _, suffix := range []string{"", "-wal", "-shm"} {
		os.Remove(h.layout.HistoryIndex() + suffix)
	}
	if err := os.WriteFile(h.layout.HistoryIndex(), []byte(strings.Repeat("no index ", 1000)), 0o644); err != nil {
		t.Fatal(err)
	}
	if rows := h.history(api.HistoryRequest{Caller: h.caller(), Text: "parser", Limit: 2}).Conversations; len(rows) != 2 {
		t.Errorf("after the index was broken: %+v", rows)
	}

	// Nowhere to write it.
	h.client.Stop(t.Context())
	os.Remove(h.layout.HistoryIndex())
	if err := os.Mkdir(h.layout.HistoryIndex(), 0o700); err != nil {
		t.Fatal(err)
	}
	refused(t, h.client.Call(t.Context(), api.VerbHistory, api.HistoryRequest{Caller: h.caller()}, nil), api.CodeUnavailable, "index.db")
	if len(h.list(false)) != 0 {
		t.Error("the list does not work without an index")
	}
}

func TestTranscript(t *testing.T) {
	h := newHome(t)
	h.talker()
	path := h.past("conv-1", h.dir, time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), "one", "two", "three", "four")
	rows := h.history(api.HistoryRequest{Caller: h.caller()}).Conversations
	spawned, err := h.resumePast(rows[0].Row)
	if err != nil {
		t.Fatal(err)
	}
	link := spawned.Target
	read := func(from int, to *int) api.TranscriptReply {
		t.Helper()
		var r api.TranscriptReply
		if err := h.client.Call(t.Context(), api.VerbTranscript, api.TranscriptRequest{Caller: h.caller(), Target: link, From: from, To: to}, &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	two, nine := 2, 9
	for _, c := range []struct {
		from int
		to   *int
		want string
		end  int
	}{
		{0, nil, "user one,assistant two,user three,assistant four", 4},
		{1, &two, "assistant two", 2},
		{2, nil, "user three,assistant four", 4},
		{3, &nine, "assistant four", 4},
		{4, nil, "", 4},
		{2, &two, "", 2},
	} {
		r := read(c.from, c.to)
		var said []string
		for _, m := range r.Messages {
			said = append(said, m.Role+" "+m.Text)
		}
		if got := strings.Join(said, ","); got != c.want || r.CursorEnd != c.end || r.Transcript != path || r.From != c.from || r.Next != nil {
			t.Errorf("from %d to %v: %q, %+v", c.from, c.to, got, r)
		}
	}
	// Part by part, since one reply is bounded.
	long := strings.Repeat("x", replyText/2)
	h.past("conv-1", h.dir, time.Now(), long, long, long, long, long)
	n, parts, from := 0, 0, 0
	for parts = 1; ; parts++ {
		r := read(from, nil)
		n += len(r.Messages)
		if r.Next == nil {
			break
		}
		from = *r.Next
	}
	if n != 9 || parts < 2 {
		t.Errorf("%d messages in %d parts", n, parts)
	}
	if _, err := h.client.CloseSession(t.Context(), api.TargetRequest{Caller: h.caller(), Target: link}); err != nil {
		t.Fatal(err)
	}
	if r := read(0, &two); len(r.Messages) != 2 {
		t.Errorf("of a closed session: %+v", r)
	}
	bad := -1
	for _, r := range []api.TranscriptRequest{{Target: link, From: -1}, {Target: link, From: 3, To: &two}, {Target: link, To: &bad}} {
		r.Caller = h.caller()
		refused(t, h.client.Call(t.Context(), api.VerbTranscript, r, nil), api.CodeBadRequest)
	}
	plain := h.run("cat")
	refused(t, h.client.Call(t.Context(), api.VerbTranscript, api.TranscriptRequest{Caller: h.caller(), Target: plain}, nil), api.CodeNotFound, "sessions read")
	fresh, err := h.client.Spawn(t.Context(), api.SpawnRequest{Caller: h.caller(), Agent: "mute", Env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	refused(t, h.client.Call(t.Context(), api.VerbTranscript, api.TranscriptRequest{Caller: h.caller(), Target: fresh.Target}, nil), api.CodeNotFound, "not known")
}
