//go:build unix

package term

import (
	"strings"
	"testing"
	"time"

	"github.com/termio-sh/termio/internal/hostproto"
)

// storeAgent keeps each conversation in a file that is named by its id.
const storeAgent = `{"id":"probe","name":"Probe","command":"probe",
 "resume":{"create":"--new {id}","resume":"--resume {id}","storeRoot":"~/.probe","storeMatch":"file:chat-{id}.jsonl"},
 "ready":{"screen":["READY"]}}`

// talker is a host whose agent reports.
func talker(t *testing.T, conversation *hostproto.Conversation) *hostproto.Client {
	spec := testSpec(t, `printf '\033]0;Fix the build\007READY'; read a`)
	spec.Record.Agent, spec.Record.AgentName = "probe", "Probe"
	spec.Manifest, spec.Record.Conversation = []byte(storeAgent), conversation
	spec.Env = append(spec.Env, "TERMIO_TOKEN=secret")
	c := startHost(t, spec).control()
	waitScreen(t, c, "READY", contains("READY"))
	return c
}

func TestReportsNameTheConversation(t *testing.T) {
	since := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	c := talker(t, &hostproto.Conversation{ID: "aa", How: hostproto.HowMinted, Since: since})
	for _, step := range []struct {
		name     string
		report   hostproto.Report
		id, how  string
		file     string
		left     string
		titleHas string
	}{
		{"the minted one's file", hostproto.Report{State: "working", Transcript: "/s/chat-aa.jsonl"}, "aa", "minted", "/s/chat-aa.jsonl", "", "Fix the build"},
		{"working rotates nothing", hostproto.Report{State: "working", Conversation: "bb", Transcript: "/s/chat-bb.jsonl"}, "aa", "minted", "/s/chat-aa.jsonl", "", "Fix the build"},
		{"a file that is none of the store", hostproto.Report{State: "done", Transcript: "/s/agent-1.jsonl"}, "aa", "minted", "/s/chat-aa.jsonl", "", "Fix the build"},
		{"no id at all", hostproto.Report{State: "idle", Conversation: "../x"}, "aa", "minted", "/s/chat-aa.jsonl", "", "Fix the build"},
		{"rotated", hostproto.Report{State: "idle", Conversation: "bb"}, "bb", "hook", "", "aa", "Probe"},
		{"by the file's name alone", hostproto.Report{State: "done", Transcript: "/s/chat-cc.jsonl"}, "cc", "hook", "/s/chat-cc.jsonl", "aa bb", "Probe"},
		{"and back", hostproto.Report{State: "attention", Conversation: "aa"}, "aa", "hook", "", "aa bb cc", "Probe"},
	} {
		step.report.Token = "secret"
		call[struct{}](t, c, hostproto.OpReport, step.report)
		r := call[hostproto.Info](t, c, hostproto.OpInfo, nil).Record
		var left []string
		for _, l := range r.Left {
			left = append(left, l.ID)
		}
		if got := r.Conversation; got.ID != step.id || got.How != step.how || r.Transcript() != step.file || strings.Join(left, " ") != step.left || r.Title() != step.titleHas {
			t.Errorf("%s: in %+v, left %v, title %q", step.name, got, left, r.Title())
		}
	}
	var lines []string
	for _, ch := range call[hostproto.TraceReply](t, c, hostproto.OpTrace, nil).Changes {
		if ch.Cause.Channel == "conversation" {
			lines = append(lines, ch.Cause.Rule+" "+ch.Cause.Text)
		}
	}
	if got := strings.Join(lines, ", "); got != "minted aa, hook bb, hook cc, hook aa" {
		t.Errorf("trace: %s", got)
	}
}

func TestOtherLaunchesNameNothing(t *testing.T) {
	c := talker(t, nil)
	if err := c.Call(testContext(t), hostproto.OpReport, hostproto.Report{State: "idle", Conversation: "aa", Token: "old"}, nil); err == nil {
		t.Error("a report with another launch's token was taken")
	}
	if got := call[hostproto.Info](t, c, hostproto.OpInfo, nil).Record.Conversation; got != nil {
		t.Errorf("it is in %+v", got)
	}
}

// TestNamedWhileWorking: what a report that says working names binds nothing,
// and is kept for the coordinator.
func TestNamedWhileWorking(t *testing.T) {
	c := talker(t, nil)
	named := func() string {
		return strings.Join(call[hostproto.Info](t, c, hostproto.OpInfo, nil).Record.Named, " ")
	}
	for _, id := range []string{"aa", "aa", "../x", "bb", "cc", "dd", "ee"} {
		call[struct{}](t, c, hostproto.OpReport, hostproto.Report{State: "working", Conversation: id, Token: "secret"})
	}
	if r := call[hostproto.Info](t, c, hostproto.OpInfo, nil).Record; named() != "bb cc dd ee" || r.Conversation != nil {
		t.Errorf("named %q, in %+v", named(), r.Conversation)
	}
}

// TestHookBeatsCoordinator: what the coordinator found counts only while the
// session is where the coordinator thinks it is.
func TestHookBeatsCoordinator(t *testing.T) {
	c := talker(t, nil)
	converse := func(q hostproto.ConverseRequest) hostproto.Record {
		t.Helper()
		return call[hostproto.Info](t, c, hostproto.OpConverse, q).Record
	}
	report := func(id string) hostproto.Record {
		t.Helper()
		call[struct{}](t, c, hostproto.OpReport, hostproto.Report{State: "done", Conversation: id, Token: "secret"})
		return call[hostproto.Info](t, c, hostproto.OpInfo, nil).Record
	}
	found := func(id string) *hostproto.Conversation {
		return &hostproto.Conversation{ID: id, How: hostproto.HowDiscovered, Since: time.Now()}
	}
	if r := converse(hostproto.ConverseRequest{Conversation: found("aa")}); r.Conversation == nil || r.Conversation.ID != "aa" || r.Conversation.How != "discovered" {
		t.Fatalf("not bound: %+v", r.Conversation)
	}
	if r := report("aa"); r.Conversation.How != "hook" {
		t.Errorf("confirmed by a hook: %+v", r.Conversation)
	}
	if r := report("bb"); r.Conversation.ID != "bb" {
		t.Errorf("after the hook: %+v", r.Conversation)
	}
	if r := converse(hostproto.ConverseRequest{Conversation: found("cc")}); r.Conversation.ID != "bb" {
		t.Errorf("a late find took the hook's place: %+v", r.Conversation)
	}
	r := converse(hostproto.ConverseRequest{Was: "bb", Why: "it is another's"})
	if r.Conversation != nil || r.Unknown != "it is another's" {
		t.Errorf("not left: %+v, %q", r.Conversation, r.Unknown)
	}
	if r := report("bb"); r.Conversation != nil {
		t.Errorf("it took another's again: %+v", r.Conversation)
	}
	if r := report("dd"); r.Conversation == nil || r.Conversation.ID != "dd" || r.Unknown != "" {
		t.Errorf("a new one after that: %+v, %q", r.Conversation, r.Unknown)
	}
}
